"""A Pydantic AI agent that remembers: MODEL=openai:gpt-5 python examples/pydantic_ai_agent.py "I prefer tabs."

Without MODEL it asks the library's own test model, which needs no key.
"""

import asyncio
import os
import sys
from collections.abc import Iterable

from pydantic_ai import Agent, ModelMessage
from pydantic_ai.models import Model

from memoryd.sdk import AsyncMemory
from memoryd.sdk.pydantic_ai import MemoryCapability


async def main(prompts: Iterable[str], model: Model | str) -> None:
    async with AsyncMemory() as memory:
        agent = Agent(model, instructions="You are a helpful assistant.", capabilities=[MemoryCapability(memory)])
        history: list[ModelMessage] = []
        for prompt in prompts:
            result = await agent.run(prompt, message_history=history)
            history = result.all_messages()
            print(result.output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:], os.environ.get("MODEL", "test")))
