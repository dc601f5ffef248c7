"""Keeping the progress of sessions current, behind the answers: a compaction then finds next to nothing left to read.

What it has not come to, whoever asks for a checkpoint catches up with.
"""

import asyncio
from dataclasses import dataclass, field

import structlog

from memoryd.daemon.journal import progress
from memoryd.daemon.journal.store import Store
from memoryd.errors import MemorydError

PAUSE_SECONDS = 5.0  #: between two passes, so that a crowd of events costs its answers little

log = structlog.get_logger("tracking")


@dataclass(slots=True)
class Tracker:
    """Follows the sessions that events come for, one pass for all of them; at rest it does nothing."""

    journal: Store
    _behind: set[tuple[str, str]] = field(default_factory=set)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self, host: str, session_id: str) -> None:
        """An event of this session is in the journal."""
        self._behind.add((host, session_id))
        self._news.set()

    async def serve(self) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(PAUSE_SECONDS)
            self._news.clear()
            await self.once()

    async def once(self) -> None:
        """One pass: the next events of each session that is behind."""
        wanted, self._behind = self._behind, set()
        for host, session_id in wanted:
            try:
                if await asyncio.to_thread(progress.advance, self.journal, host, session_id):
                    self.wake(host, session_id)
            except MemorydError as error:
                log.warning("progress.behind", session=session_id, error=error.code)
