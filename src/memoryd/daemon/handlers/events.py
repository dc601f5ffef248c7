"""Events in, from hooks and by hand."""

import asyncio

from memoryd.daemon.handlers.base import Handlers
from memoryd.errors import Busy
from memoryd.ipc.methods import events as m

ACK_SECONDS = 0.9  #: to drain the spool before a live event of the same hook; then the hook spools it in order


class Events(Handlers):
    async def hook_deliver(self, params: m.HookDeliver) -> m.HookDelivered:
        await self._spool_first()
        return await self.daemon.ingest.deliver(params)

    async def hook_test(self, params: m.HookTest) -> m.HookTested:
        return self.daemon.ingest.tests.result(params.nonce)

    async def event_publish(self, params: m.EventPublish) -> m.EventPublished:
        return await self.daemon.ingest.publish(params)

    async def _spool_first(self) -> None:
        """What hooks spooled comes before later live events."""
        if not await asyncio.to_thread(self.daemon.spool.count):
            return
        try:
            async with asyncio.timeout(ACK_SECONDS):
                await self.daemon.drainer.drain()
        except TimeoutError as error:
            raise Busy("spooled events are being taken in first; this one may be spooled behind them") from error
