"""What hooks could not deliver comes in from the spool, in order."""

import asyncio
from dataclasses import dataclass, field

import structlog

from memoryd.daemon.ingest import Ingest
from memoryd.errors import InternalError
from memoryd.ipc.methods.events import HookDeliver
from memoryd.ipc.protocol import parse_request
from memoryd.ipc.spool import Spool

log = structlog.get_logger("daemon")


@dataclass(slots=True, kw_only=True)
class Drainer:
    spool: Spool
    ingest: Ingest
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  #: one at a time, or the order were lost

    async def drain(self) -> None:
        """Take all of it, the oldest first; replay computes no recall."""
        async with self._lock:
            if not await asyncio.to_thread(self.spool.count):
                return
            taken = await self.spool.drain(self._replay)
            log.info("spool.drained", files=taken)

    async def _replay(self, line: bytes) -> None:
        request = parse_request(line)
        if isinstance(request.params, HookDeliver):
            try:
                await self.ingest.deliver(request.params, replay=True)
            except InternalError as error:  # counts against this file; the others need not wait for it
                raise RuntimeError(str(error)) from error
