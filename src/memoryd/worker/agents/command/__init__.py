"""The agent that asks the program a person has: `claude`, `codex`, `gemini`, or any argv that answers on its output.

`programs` knows the released ones: their flags, and what they need of the machine.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from memoryd.worker.agents.brief import Brief, Comparing, Done, Purse, incomparable

__all__ = ["work"]


async def work(brief: Brief, purse: Purse, comparing: Comparing = incomparable) -> Done:
    """Run the configured command for each part of what is new.

    :raises AgentFault: for everything that can go wrong outside
    """
    run: Callable[[Brief, Purse], Awaitable[Done]] = await asyncio.to_thread(_load)
    return await run(brief, purse)


def _load() -> Any:
    return import_module("memoryd.worker.agents.command.running").run
