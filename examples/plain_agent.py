"""An agent that remembers, without any library: python examples/plain_agent.py "I prefer short answers." """

import sys
from collections.abc import Callable, Iterable

from memoryd.sdk import Memory


def echo(system: str, prompt: str) -> str:
    """Stands for the call of a model."""
    return f"A model would answer to {prompt!r}, told by its memory:\n{system}"


def main(prompts: Iterable[str], model: Callable[[str, str], str] = echo) -> None:
    with Memory() as memory:  # leaving it ends the session
        for prompt in prompts:
            context = memory.before_invocation(prompt)
            answer = model(context.snapshot, f"{context.prefetch}\n\n{prompt}".strip())
            memory.after_invocation(answer)
            print(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
