"""The memory agents. Each is imported at its first run: a daemon that starts, or idles, holds no patterns."""

import asyncio
from importlib import import_module

from memoryd.memory.model import MemoryView
from memoryd.worker.ports import AgentResult, MemoryAgent
from memoryd.worker.projection import Projection

_MODULES = {"rules": ("memoryd.worker.agents.rules", "RulesAgent")}


class OnDemand:
    """The agent of a name, loaded by the first run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._agent: MemoryAgent | None = None

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        if self._agent is None:
            self._agent = await asyncio.to_thread(self._load)
        return await self._agent.propose(projection, memory, run_id)

    def _load(self) -> MemoryAgent:
        module, kind = _MODULES[self.name]
        agent: MemoryAgent = getattr(import_module(module), kind)()
        return agent
