"""The memory agents. Each is imported at its first run: a daemon that starts, or idles, holds no patterns."""

import asyncio
from collections.abc import Callable

from memoryd.memory.model import MemoryView
from memoryd.worker.ports import AgentResult, MemoryAgent
from memoryd.worker.projection import Projection


class OnDemand:
    """An agent that is made by its first run."""

    def __init__(self, name: str, make: Callable[[], MemoryAgent]) -> None:
        self.name = name
        self._make = make
        self._agent: MemoryAgent | None = None

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        if self._agent is None:
            self._agent = await asyncio.to_thread(self._make)
        return await self._agent.propose(projection, memory, run_id)


def rules_agent() -> OnDemand:
    """The agent that needs no model."""
    return OnDemand("rules", _rules)


def _rules() -> MemoryAgent:
    from memoryd.worker.agents.rules import RulesAgent

    return RulesAgent()
