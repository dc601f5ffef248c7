"""What the consolidation of an import would cost, estimated before it is made."""

from collections.abc import Iterable
from dataclasses import dataclass

from memoryd.daemon.config import Config
from memoryd.worker.project import MAX_CHUNK_CHARS

CHARS_A_TOKEN = 3  #: fewer in code and in Chinese: of the rows as JSON, which are longer than what is shown
FIXED_TOKENS = 4_000  #: of a call beside what it is about: instructions, memory, answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    runs: int
    calls: int  #: at most
    tokens: int  #: about


def estimated(chars: Iterable[int], config: Config) -> Cost:
    """The cost for these characters of each directory; the rules cost nothing."""
    chunks = [min(MAX_CHUNK_CHARS, size - start) for size in chars for start in range(0, size, MAX_CHUNK_CHARS)]
    if config.agent.kind == "rules":
        return Cost(runs=len(chunks), calls=0, tokens=0)
    tokens = (min(size // CHARS_A_TOKEN + FIXED_TOKENS, config.budget.tokens_per_run) for size in chunks)
    return Cost(runs=len(chunks), calls=len(chunks) * config.agent.max_steps, tokens=sum(tokens))
