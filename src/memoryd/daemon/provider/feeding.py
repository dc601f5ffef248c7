"""The provider is told what happened: it follows the journal in its order, behind the answers, from a place of its own.

What it cannot take now waits in the journal. What it was given three times while it ran, and did not take, is passed
over. Saves of memory are told from a short queue instead, which a crash loses: memory has them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from memoryd.clock import Clock, parse_rfc3339, rfc3339
from memoryd.daemon.journal.provided import Happened, Place, Provided
from memoryd.daemon.provider import texts
from memoryd.daemon.provider.faults import Code, Unanswered
from memoryd.daemon.provider.provider import IDLE_SECONDS, ProviderHost
from memoryd.daemon.provider.settings import Kind, Provider
from memoryd.errors import MemorydError

SETTLE_SECONDS = 1.0  #: after an event: the transcript is read meanwhile
ATTEMPTS = 3  #: for one event, by a server that runs
FRESH_SECONDS = 60.0  #: the start of a turn, and what a compaction waits for, are not told later than that
MAX_SAVES = 100  #: that wait; the oldest go
MAX_TOLD = 1000  #: sessions whose text before a compaction is kept

#: kind of event -> the call that tells of it
CALLS: Mapping[str, Kind] = {
    "user_prompt": "turn_start", "turn": "sync", "session_start": "session_switch", "session_end": "session_end",
    "pre_compact": "pre_compact", "subagent_stop": "delegation",
}  # fmt: skip
_PASSING: tuple[Kind, ...] = ("turn_start", "pre_compact")

log = structlog.get_logger("provider")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    directory: Path
    name: str
    text: str


@dataclass(slots=True, kw_only=True)
class Feeder:
    """Tells one event at a time. At rest it does nothing, and without a provider it never begins."""

    host: ProviderHost
    rows: Provided
    clock: Clock
    keeps_out: Callable[[Path, str | None], bool]  #: whether a session of this memory and folder is off the record now
    sent: int = 0  #: events that were taken since the start
    passed_over: int = 0
    settle_seconds: float = SETTLE_SECONDS
    _place: Place | None = None
    _seen: int = 0  #: up to here nothing more is to be told
    _attempts: tuple[int, int] = (0, 0)  #: seq -> how often
    _saves: deque[Saved] = field(default_factory=lambda: deque(maxlen=MAX_SAVES))
    _compacting: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Events are in the journal, or may be told again."""
        if self._place is not None:
            self._news.set()

    def saved(self, directory: Path, cwd: str | None, name: str, text: str) -> None:
        """A memory was saved by a person or by an agent's tool."""
        if self.host.settings.call("memory_written") and not self.keeps_out(directory, cwd):
            self._saves.append(Saved(directory=directory, name=name, text=text))
            self.wake()

    def before_compaction(self, host: str, session_id: str) -> tuple[str, ...]:
        """What the provider wanted kept when the session was compacted last, as rows to show."""
        return self._compacting.get((host, session_id), ())

    @staticmethod
    def project_of(directory: Path) -> str:
        """The name under which the provider knows the project of a memory directory; no path."""
        return directory.parent.name

    async def renew(self, settings: Provider) -> None:
        """Take other settings. Between two events: what waited for one provider is not told another."""
        await self.host.close()  # nobody has to wait for an answer
        async with self._turn:
            await self.host.renew(settings)
            self._saves.clear()
            await self.settle()

    async def settle(self) -> None:
        """Begin, go on or forget, as the settings say."""
        self._place = await asyncio.to_thread(self.rows.settle, self.host.name, self.clock())
        self._seen = self._place.seq if self._place else 0
        self.wake()

    async def forget(self) -> None:
        """Something was purged: nothing that rests on what was said stays here."""
        self._saves.clear()
        self._compacting.clear()
        self.host.forget()

    async def waiting(self) -> int:
        """How many events it is still to be told of."""
        if self._place is None:
            return 0
        return await asyncio.to_thread(self.rows.waiting, self._from_here(self._place), self._wanted())

    async def serve(self) -> None:
        while True:
            paused = self.host.breaker.seconds_left
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), self._patience())
            if not self._news.is_set() and not paused:
                await self.host.rest()
                continue
            await asyncio.sleep(self.settle_seconds)
            self._news.clear()
            try:
                await self._tell_all()
            except MemorydError as error:
                log.warning("provider.behind", error=error.code)

    def _patience(self) -> float | None:
        """How long to wait for news: for ever while there is no process to be ended and nothing that waits."""
        if left := self.host.breaker.seconds_left:
            return left if self.host.settings.command else None
        return IDLE_SECONDS if self.host.state in ("ready", "starting") else None

    def _wanted(self) -> list[str]:
        return [kind for kind, call in CALLS.items() if self.host.settings.call(call)]

    def _from_here(self, place: Place) -> Place:
        return Place(seq=max(place.seq, self._seen), since=place.since)

    async def _tell_all(self) -> None:
        """Tell what there is, as far as it is taken."""
        more = True
        while more:
            async with self._turn:
                more = await self._tell_next()

    async def _tell_next(self) -> bool:
        """Tell of a save, else of an event; returns whether there may be more."""
        if self._place is None:
            return False
        if self._saves:
            return await self._tell_of_save(self._saves[0])
        newest = await asyncio.to_thread(self.rows.newest_seq)
        found = await asyncio.to_thread(self.rows.after, self._from_here(self._place), self._wanted(), 1)
        if found:
            return await self._tell(found[0])
        self._seen = max(self._seen, newest)
        return False

    async def _tell(self, one: Happened) -> bool:
        """Tell of one event; returns whether the next may be told. A crash before the place moves tells it again."""
        if self._is_for_it(one):
            try:
                await self._call(one)
                self.sent += 1
            except Unanswered as error:
                if not self._gives_up(one, error):
                    return False
        await asyncio.to_thread(self.rows.moved, one.seq)
        self._seen = one.seq
        return True

    def _is_for_it(self, one: Happened) -> bool:
        if self.keeps_out(one.directory, one.cwd):
            return False
        if one.kind == "session_start":
            return one.data.get("source") in ("resume", "fork", "clear")
        if one.kind == "turn":
            return bool(one.data.get("status") != "interrupted")
        age = (self.clock() - parse_rfc3339(one.at)).total_seconds()
        return CALLS[one.kind] not in _PASSING or age <= FRESH_SECONDS

    async def _call(self, one: Happened) -> None:
        """:raises Unanswered: it did not take it"""
        kind = CALLS[one.kind]
        answer = await self.host.tell(kind, {**self._about(one), **await asyncio.to_thread(self._values, one)})
        if answer is None:
            return
        if answer.is_error:
            raise Unanswered(Code.REFUSED, f"its tool for {kind} says that it failed")
        if kind == "pre_compact":
            self._compacting.pop((one.host, one.session_id), None)
            rows = await asyncio.to_thread(texts.rows, [answer.text])
            self._compacting[one.host, one.session_id] = tuple(rows)
            while len(self._compacting) > MAX_TOLD:
                self._compacting.pop(next(iter(self._compacting)))

    def _about(self, one: Happened) -> dict[str, str]:
        session = f"{one.host}/{one.session_id}"
        project = self.project_of(one.directory)
        return {"id": f"{session}#{one.seq}", "session": session, "project": project, "time": one.at}

    def _values(self, one: Happened) -> dict[str, str]:
        """What is told of an event beside whose it is. In a thread."""
        data = {name: str(value) for name, value in one.data.items() if isinstance(value, str)}
        match one.kind:
            case "user_prompt":
                return {"user": data.get("text", "")}
            case "turn":
                user, assistant = self.rows.exchange(one)
                return {"user": user, "assistant": assistant, "status": data.get("status", "ok")}
            case "subagent_stop":
                return {"agent": data.get("agent_type", ""), "report": data.get("last_message", "")}
            case _:
                parent = {"parent": data.get("parent_session_id", "")}
                return parent | {name: data.get(name, "") for name in ("source", "reason", "trigger")}

    def _gives_up(self, one: Happened, error: Unanswered) -> bool:
        """Whether it had its chances: what it is paused for, or cannot be started for, is none."""
        if error.code is Code.PAUSED or self.host.breaker.seconds_left:
            return False
        times = self._attempts[1] + 1 if self._attempts[0] == one.seq else 1
        self._attempts = (one.seq, times)
        if times < ATTEMPTS:
            self.wake()
            return False
        self.passed_over += 1
        log.warning("provider.passed_over", session=one.session_id, code=error.code.value)
        return True

    async def _tell_of_save(self, save: Saved) -> bool:
        values = {
            "name": save.name, "text": save.text, "project": self.project_of(save.directory),
            "time": rfc3339(self.clock()),
        }  # fmt: skip
        try:
            await self.host.tell("memory_written", values)
        except Unanswered as error:
            if error.code is Code.PAUSED or self.host.breaker.seconds_left:
                return False
            self.passed_over += 1
        if self._saves and self._saves[0] is save:
            self._saves.popleft()
        return True
