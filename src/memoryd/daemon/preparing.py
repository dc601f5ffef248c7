"""Recall prepared at the end of a turn: a model chooses what the next prompt may need, and that is kept until then.

A preparation is no run: it writes nothing. It begins only while no run works, and a run never waits for it. One at a
time, for the sessions that spoke last; when a session ends, what was prepared for it or is being prepared goes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import structlog

from memoryd.clock import Clock, mono
from memoryd.daemon import tuning
from memoryd.daemon.assisting import Assistant
from memoryd.daemon.config import Config
from memoryd.daemon.journal import lately
from memoryd.daemon.journal.journal import Appended
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.snapshots import Snapshots
from memoryd.daemon.journal.store import Store
from memoryd.daemon.looking import Looker
from memoryd.ipc.events import Event, SessionEnd
from memoryd.memory.candidates import candidates
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.model import Root
from memoryd.memory.recall import PREFETCH_LIMIT
from memoryd.memory.recall_blocks import entry_id
from memoryd.memory.text import bare
from memoryd.worker.agents.question import Row, Told

WANTED = PREFETCH_LIMIT
#: after the end of a turn: a run that it made due begins first, a session that ends is seen to end
SETTLE_SECONDS = 0.3
MAX_WAITING, MAX_SESSIONS = 8, 1000  #: the oldest go

Session = tuple[str, str]  #: (host, session_id)

V = TypeVar("V")

log = structlog.get_logger("assist")


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What a question is about."""

    prompts: tuple[str, ...]
    directory: Path
    roots: Mapping[Root, Path]
    catalogue: Catalogue
    known: tuple[Known, ...]  #: that the session was not shown, the best first


@dataclass(slots=True, kw_only=True)
class Preparer:
    """Follows what sessions do, and keeps a choice for each."""

    journal: Store
    runs: JournalRuns
    catalogue: Callable[[Mapping[Root, Path]], Catalogue]  #: of what may be shown there, as last loaded
    assistant: Assistant
    looker: Looker
    config: Callable[[], Config]
    clock: Clock
    running: Callable[[], bool]  #: whether a run works
    settled: Callable[[], Awaitable[None]]  #: waits until the run that works has ended
    _turns: dict[Session, int] = field(default_factory=dict)
    _waiting: dict[Session, None] = field(default_factory=dict)  #: the newest last
    _ready: dict[Session, tuple[str, ...]] = field(default_factory=dict)
    _now: tuple[Session, asyncio.Task[None]] | None = None
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def __repr__(self) -> str:
        return (
            f"<Preparer waiting {len(self._waiting)} | working {int(self._now is not None)} | ready {len(self._ready)}>"
        )

    def follow(self, event: Event, appended: Sequence[Appended]) -> None:
        """An event is durable."""
        session = (event.host, event.session_id)
        if isinstance(event, SessionEnd):
            self._forget(session)
        elif self._has_ended_a_turn(session, appended) and self.config().recall.assist == "prepare":
            _put(self._waiting, session, None, MAX_WAITING)
            self._wake.set()

    def take(self, host: str, session_id: str) -> tuple[str, ...]:
        """Return the ids of the entries that were chosen for a session's next prompt, once."""
        chosen = self._ready.pop((host, session_id), ())
        return () if self._tells_nothing() else chosen

    async def serve(self) -> None:
        """Prepare until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(SETTLE_SECONDS)
            while self._waiting:
                if self.running():
                    await self.settled()
                    continue
                session, _ = self._waiting.popitem()
                await self._prepare_one(session)

    def _has_ended_a_turn(self, session: Session, appended: Sequence[Appended]) -> bool:
        count = max((one.turn_count for one in appended), default=0)
        before = self._turns.get(session, 0)
        _put(self._turns, session, max(before, count), MAX_SESSIONS)
        return count > before

    def _forget(self, session: Session) -> None:
        self._waiting.pop(session, None)
        self._ready.pop(session, None)
        self._turns.pop(session, None)
        if self._now and self._now[0] == session:
            self._now[1].cancel()

    async def _prepare_one(self, session: Session) -> None:
        """In a task of its own, which the end of the session cancels and a fault does not get out of."""
        task = asyncio.create_task(self._prepare(session))
        self._now = (session, task)
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            await asyncio.wait([task])  # its process is gone with it
            self._now = None
        if not task.cancelled() and (error := task.exception()):
            log.warning("assist.failed", session=session[1], error=getattr(error, "code", type(error).__name__))

    async def _prepare(self, session: Session) -> None:
        started = mono()
        about = await asyncio.to_thread(self._looked_up, session)
        if about is None or len(about.known) <= WANTED:  # what there is has room: nothing is to be chosen
            return
        ids = {one.key: f"m{n}" for n, one in enumerate(about.known, start=1)}
        told = await self.assistant.ask(
            "choose", about.prompts, [Row(id=ids[one.key], text=_row(one)) for one in about.known],
            str(about.directory), wanted=WANTED, unasked=True,
            looking=self.looker.over(about.roots, about.catalogue, about.directory, ids),
        )  # fmt: skip
        if not isinstance(told, Told):
            log.info("assist.unanswered", session=session[1], code=told.why.partition(":")[0][:40])
            return
        named = {ids[one.key]: entry_id(one) for one in about.known}
        chosen = tuple(named[id] for id in dict.fromkeys(told.ids) if id in named)[:WANTED]
        _put(self._ready, session, chosen, MAX_SESSIONS)
        duration_ms = round((mono() - started) * 1000)
        log.info("assist.prepared", session=session[1], chosen=len(chosen), duration_ms=duration_ms)

    def _looked_up(self, session: Session) -> _About | None:
        """Return what to choose from; None when the session's next prompt is told nothing unasked. In a thread."""
        found, before = lately.read(self.journal, *session), Snapshots(self.journal).of(*session)
        if found is None or not found.prompts or before is None or before.stale or self._tells_nothing():
            return None
        roots = self.runs.roots_of(found.directory)
        catalogue = self.catalogue(roots)
        known = candidates(
            catalogue, "\n".join(found.prompts), now=self.clock(), shown=before.shown, tools=found.tools,
            weights=tuning.weights(self.config()),
        )  # fmt: skip
        return _About(
            prompts=found.prompts, directory=found.directory, roots=roots, catalogue=catalogue, known=tuple(known)
        )

    def _tells_nothing(self) -> bool:
        return self.config().recall.mode == "tools" or self.config().recall.assist == "off"


def _row(known: Known) -> str:
    """An entry on one line."""
    entry = known.entry
    first = next((bare(row) for row in entry.body.split("\n") if bare(row)), "")
    about = [text for text in (entry.description, first) if text and text != entry.name]
    return f'{entry.type}: "{entry.name}": {" / ".join(dict.fromkeys(about))}'


def _put(held: dict[Session, V], key: Session, value: V, limit: int) -> None:
    """Put it last, and let the oldest go."""
    held.pop(key, None)
    held[key] = value
    while len(held) > limit:
        held.pop(next(iter(held)))
