"""What models have cost."""

import asyncio

from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import usage as m


class Costs(Handlers):
    async def usage_get(self, params: m.UsageParams) -> m.Usage:
        return await asyncio.to_thread(self.daemon.spending.usage, params.days, params.by)
