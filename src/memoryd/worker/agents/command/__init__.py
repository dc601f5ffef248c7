"""The agent that asks the program a person has: `claude`, `codex`, `gemini`, or any argv that answers on its output.

`programs` knows the released ones: their flags, and what they need of the machine.
"""

import asyncio
from importlib import import_module

from memoryd.worker.agents.brief import Brief, Done, Purse, Work

__all__ = ["work"]


async def work(brief: Brief, purse: Purse) -> Done:
    """Run the configured command for each part of what is new.

    :raises AgentFault: for everything that can go wrong outside
    """
    return await (await asyncio.to_thread(_load))(brief, purse)


def _load() -> Work:
    run: Work = import_module("memoryd.worker.agents.command.running").run
    return run
