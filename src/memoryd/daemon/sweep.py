"""Once a minute: what no event starts. Idle sessions, lost jobs, the spool, retention, the configuration file.

An idle daemon should hardly wake: one look in one thread finds out whether there is anything to do.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from memoryd.clock import Clock
from memoryd.daemon.config import Config
from memoryd.daemon.expiring import Expiry
from memoryd.daemon.journal.notes import KeptNotes
from memoryd.daemon.journal.upkeep import Upkeep
from memoryd.daemon.maintenance import Maintenance
from memoryd.errors import MemorydError
from memoryd.ipc.spool import Spool

SWEEP_SECONDS = 60.0
RETENTION_HOURS = 1

log = structlog.get_logger("sweep")


@dataclass(slots=True, kw_only=True)
class Sweep:
    """Runs `once` every 60 s and when it is asked to."""

    upkeep: Upkeep
    spool: Spool
    config: Callable[[], Config]
    changed: Callable[[], bool]  #: whether the configuration file is another one than the one in force
    reload: Callable[[], Awaitable[None]]
    drain_spool: Callable[[], Awaitable[None]]
    late: Callable[[], object]  #: transcripts that may have gone on behind the last hook of their sessions, if any
    read_late: Callable[[], Awaitable[None]]
    expiry: Expiry
    maintenance: Maintenance
    notes: KeptNotes
    edited: Callable[[], bool]  #: whether a memory directory in use is another one than when it was last looked at
    observe: Callable[[], Awaitable[None]]
    rest: Callable[[], None]  #: gives back what nobody used for a while
    wake_worker: Callable[[], None]
    clock: Clock
    _now: asyncio.Event = field(default_factory=asyncio.Event)
    _retained_at: datetime | None = None

    def soon(self) -> None:
        self._now.set()

    async def serve(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SWEEP_SECONDS):
                    await self._now.wait()
            self._now.clear()
            await self.once()

    async def once(self) -> None:
        """One sweep; a step that fails is logged and does not keep the others from running."""
        try:
            steps = await asyncio.to_thread(self._look)
        except (MemorydError, OSError) as error:
            log.warning("sweep.failed", step="look", error=type(error).__name__)
            return
        for step in steps:
            try:
                await step()
            except (MemorydError, OSError) as error:
                log.warning("sweep.failed", step=step.__name__, error=type(error).__name__)

    def _look(self) -> list[Callable[[], Awaitable[None]]]:
        """What there is to do. In a thread: the one hand-over of a minute in which there is nothing."""
        now = self.clock()
        self.rest()
        steps: list[Callable[[], Awaitable[None]]] = []
        if self.changed():
            steps.append(self.reload)
        if self.spool.count():
            steps.append(self.drain_spool)
        if self.late():
            steps.append(self.read_late)
        if self.upkeep.anything(now, self.config().consolidation.idle_seconds):
            steps.append(self._sessions)
        if self.expiry.anything(now):
            steps.append(self.expiry.archive)
        if self.maintenance.anything():
            steps.append(self.maintenance.all)
        if self.maintenance.dreamer.due():
            steps.append(self.maintenance.dreamer.by_schedule)
        if self.notes.anything_expired(now):
            steps.append(self._notes)
        if self._retained_at is None or now - self._retained_at >= timedelta(hours=RETENTION_HOURS):
            steps.append(self._retention)
        if self.edited():
            steps.append(self.observe)
        return steps

    async def _sessions(self) -> None:
        now = self.clock()
        idle = self.config().consolidation.idle_seconds
        due = await asyncio.to_thread(self.upkeep.close_idle, now, idle)
        due += await asyncio.to_thread(self.upkeep.heal, now)
        if due:
            self.wake_worker()

    async def _notes(self) -> None:
        if gone := await asyncio.to_thread(self.notes.expire, self.clock()):
            log.info("note.expired", notes=gone)

    async def _retention(self) -> None:
        now = self.clock()
        self._retained_at = now
        keep = self.config().retention
        removed = await asyncio.to_thread(self.upkeep.retain, now, days=keep.days, max_bytes=keep.max_bytes)
        removed += await asyncio.to_thread(self.upkeep.expire_quarantine, now)
        if removed:
            log.info("retention.removed", events=removed)
