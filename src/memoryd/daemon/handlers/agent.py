"""The memory agent."""

import asyncio

from memoryd.daemon import choosing
from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods.agent import AgentInfo
from memoryd.ipc.methods.base import NoParams


class MemoryAgents(Handlers):
    async def agent_get(self, params: NoParams) -> AgentInfo:
        agents = self.daemon.agents
        return await asyncio.to_thread(
            choosing.report, self.daemon.configured, agents.env, agents.config_dir, agents.ways.all
        )
