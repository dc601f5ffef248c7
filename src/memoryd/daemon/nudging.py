"""The nudge: each N turns memory is held against what was said lately; then at most one line, with the next prompt.

The count is that of turns since memory was last written, by an agent, a person or an external provider, or since the
last look. After a restart it is the session's turns mod N. What a look found is kept until it is told or the session
ends; lost, it costs nothing.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import structlog

from memoryd.clock import Clock
from memoryd.daemon.config import Config
from memoryd.daemon.journal import lately
from memoryd.daemon.journal.journal import Appended
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.store import Store
from memoryd.errors import MemorydError
from memoryd.ipc.events import Event, SessionEnd, Turn
from memoryd.memory import labels, nudge
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import Root

SETTLE_SECONDS = 1.0  #: after a turn, so that its transcript is read
MAX_SESSIONS = 1000  #: that are counted; the oldest go

Session = tuple[str, str]  #: (host, session_id)

V = TypeVar("V")

log = structlog.get_logger("nudge")


@dataclass(slots=True, kw_only=True)
class Nudger:
    journal: Store
    runs: JournalRuns
    catalogue: Callable[[Mapping[Root, Path]], Catalogue]  #: as last loaded
    language: Callable[[Catalogue], str]
    config: Callable[[], Config]
    clock: Clock
    _since: dict[Session, int] = field(default_factory=dict)  #: the turn from which a session's are counted
    _due: dict[Session, int] = field(default_factory=dict)  #: with its number of turns
    _ready: dict[Session, str] = field(default_factory=dict)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def follow(self, event: Event, appended: Sequence[Appended]) -> None:
        """An event is durable."""
        session, every = (event.host, event.session_id), self.config().nudge.every_turns
        if isinstance(event, SessionEnd):
            for held in (self._since, self._due, self._ready):
                held.pop(session, None)
        elif every and (turns := max((one.turn_count for one in appended), default=0)):
            before = turns - isinstance(event, Turn)
            if turns - _kept(self._since, session, before - before % every) >= every and isinstance(event, Turn):
                self._due[session] = turns
                self._wake.set()

    def take(self, host: str, session_id: str) -> str:
        """Return the line for a session's next prompt, once."""
        return self._ready.pop((host, session_id), "")

    async def serve(self) -> None:
        """Look back when it is due, until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            self._wake.clear()
            await self.once()

    async def once(self) -> None:
        """Look back in each session in which it is due."""
        while self._due:
            session, turns = self._due.popitem()
            try:
                since = await asyncio.to_thread(lately.turns_since_written, self.journal, *session)
                if since >= self.config().nudge.every_turns:
                    since = 0
                    _put(self._ready, session, await asyncio.to_thread(self._look, session))
                _put(self._since, session, turns - since)
            except MemorydError as error:  # the next turn tries again
                log.warning("nudge.failed", session=session[1], error=error.code)

    def _look(self, session: Session) -> str:
        """Blocking; nothing for a session that no person talks with."""
        every = self.config().nudge.every_turns
        found = lately.read(self.journal, *session, prompts=every)
        if found is None:
            return ""
        catalogue = self.catalogue(self.runs.roots_of(found.directory))
        line = nudge.reminder(catalogue, found.prompts, labels.of(self.language(catalogue)), self.clock())
        log.info("nudge.looked", session=session[1], lines=int(bool(line)))
        return line


def _kept(held: dict[Session, V], key: Session, value: V) -> V:
    if key not in held:
        _put(held, key, value)
    return held[key]


def _put(held: dict[Session, V], key: Session, value: V) -> None:
    """Put it last, and let the oldest go."""
    held.pop(key, None)
    held[key] = value
    while len(held) > MAX_SESSIONS:
        held.pop(next(iter(held)))
