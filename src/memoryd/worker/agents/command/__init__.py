"""The agent that asks the program a person has: `claude`, `codex`, `gemini`, or any argv that answers on its output.

`programs` knows the released ones: their flags, and what they need of the machine.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from memoryd.worker.agents.brief import Brief, Comparing, Done, Purse, incomparable
from memoryd.worker.agents.question import Answering, Looking, Question, Told

__all__ = ["answer", "work"]


async def work(brief: Brief, purse: Purse, comparing: Comparing = incomparable) -> Done:
    """Run the configured command for each part of what is new.

    :raises AgentFault: for everything that can go wrong outside
    """
    run: Callable[[Brief, Purse], Awaitable[Done]] = await asyncio.to_thread(_load, "running", "run")
    return await run(brief, purse)


async def answer(question: Question, purse: Purse, looking: Looking) -> Told:
    """Run the configured command about memory that is there already.

    :raises AgentFault: for everything that can go wrong outside
    """
    ask: Answering = await asyncio.to_thread(_load, "answering", "answer")
    return await ask(question, purse, looking)


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"memoryd.worker.agents.command.{module}"), name)
