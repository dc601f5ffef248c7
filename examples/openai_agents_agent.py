"""An agent of the OpenAI Agents SDK that remembers: MODEL=gpt-5 python examples/openai_agents_agent.py "I prefer tabs."

Without MODEL it asks the library's own test model, which needs no key.
"""

import asyncio
import os
import sys
from collections.abc import Iterable

from agents import Agent, Model, RunConfig, Runner, SQLiteSession
from agents.testing import ScriptedModel, assistant_message

from memoryd.sdk import AsyncMemory
from memoryd.sdk.openai_agents import MemoryHooks


async def main(prompts: Iterable[str], model: Model | str) -> None:
    async with AsyncMemory() as memory:
        hooks = MemoryHooks(memory)
        config = hooks.run_config(RunConfig(tracing_disabled=True))
        agent = Agent(name="Assistant", instructions="You are a helpful assistant.", model=model)
        history = SQLiteSession(memory.session_id)
        for prompt in prompts:
            result = await Runner.run(agent, prompt, session=history, hooks=hooks, run_config=config)
            print(result.final_output)


if __name__ == "__main__":
    asked = sys.argv[1:]
    scripted = ScriptedModel([[assistant_message("A model would answer here.")] for _ in asked])
    asyncio.run(main(asked, os.environ.get("MODEL") or scripted))
