"""Publishers: threads with a session each that say something, turn after turn, until every word is acknowledged."""

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339, utc_now
from memoryd.errors import Busy, JournalFull, MemorydError, NoDaemon, ShuttingDown
from memoryd.ipc.client import Client
from support.installation import Installation, pause, until

HOST = "generic"
AGAIN = (NoDaemon, ShuttingDown, Busy, JournalFull)
ACK_SECONDS = 20.0
FACT_EVERY = 4  #: turns; the others hold nothing to learn
FACTS = 12  #: of one session; then it repeats itself, so that long tests do not measure a memory of thousands of facts


@dataclass(slots=True)
class Sent:
    """One event that was sent at least once, and what the daemon said about it."""

    event: dict[str, Any]
    turns: int  #: of its session, with this event
    seq: int | None = None  #: None: never acknowledged

    @property
    def id(self) -> str:
        return str(self.event["id"])


@dataclass(slots=True)
class Ledger:
    """What one session sent, in order; the next event is sent after the acknowledgement of the one before."""

    session: str
    cwd: str | None = None
    memory_dir: str | None = None
    sent: list[Sent] = field(default_factory=list)
    turns: int = 0

    def next(self) -> Sent:
        """A prompt, now and then one that the rules agent learns from, then the end of its turn."""
        number, ends = divmod(len(self.sent), 2)
        data: dict[str, Any] = (
            {"status": "ok", "last_assistant_message": f"done {number}"} if ends else {"text": self.text(number)}
        )
        event = {
            "id": f"{self.session}/{len(self.sent)}", "kind": "turn" if ends else "user_prompt", "host": HOST,
            "session_id": self.session, "at": rfc3339(utc_now()), "turn_id": f"{self.session}-{number}", "data": data,
        }  # fmt: skip
        if self.cwd:
            event["cwd"] = self.cwd
        if self.memory_dir:
            event["memory_dir"] = self.memory_dir
        self.turns += ends
        self.sent.append(Sent(event, self.turns))
        return self.sent[-1]

    def unacknowledged(self) -> Sent | None:
        """The first event that nobody acknowledged: one of the last, as each is sent after the one before."""
        found = None
        for one in reversed(self.sent):
            if one.seq is not None:
                break
            found = one
        return found

    def text(self, number: int) -> str:
        """What the user says in a turn."""
        if number % FACT_EVERY:
            return f"Please fix ticket {number} of {self.session}."
        fact = f"{number // FACT_EVERY % FACTS}-{self.session}"
        return f"I prefer tool-{fact} for task-{fact}."

    def acknowledged(self) -> list[Sent]:
        return [one for one in self.sent if one.seq is not None]

    def send(self, client: Client, one: Sent) -> None:
        """Publish once and note the answer. :raises MemorydError: as the client does"""
        answer = client.call("event.publish", {"event": one.event}, timeout=ACK_SECONDS)
        assert answer.seq > 0, f"{one.id}: acknowledged without a seq"
        most = self.turns if answer.duplicate else one.turns
        assert one.turns <= answer.turn_count <= most, f"{one.id}: {answer.turn_count} turns counted, {most} sent"
        one.seq = answer.seq


class Publisher(threading.Thread):
    """Sends the ledger's events one after the other; the same event again until it is acknowledged."""

    def __init__(
        self, installation: Installation, ledger: Ledger, *, limit: int | None = None, pace_seconds: float = 0.0
    ) -> None:
        super().__init__(name=f"publisher-{ledger.session}", daemon=True)
        self.ledger = ledger
        self.up = threading.Event()  #: a daemon should answer
        self.ending = threading.Event()
        self.in_flight = False
        self.cut_off = 0  #: publishes that a daemon had taken when it went away
        self.refused: list[str] = []  #: codes of the answers that said "later"
        self.failure: BaseException | None = None
        self._installation = installation
        self._limit = limit
        self._pace_seconds = pace_seconds

    def run(self) -> None:
        try:
            with self._installation.client() as client:
                while not self._done():
                    self.ledger.next()
                    self._deliver(client)
                    self.ending.wait(self._pace_seconds)
        except BaseException as error:
            self.failure = error

    def _done(self) -> bool:
        """Only between two turns: a prompt whose turn never ends is not due."""
        sent = len(self.ledger.sent)
        enough = self.ending.is_set() or (self._limit is not None and sent >= self._limit)
        return enough and sent % 2 == 0 and not self.ledger.unacknowledged()

    def _deliver(self, client: Client) -> None:
        while one := self.ledger.unacknowledged():
            if not self.up.wait(0.1):
                continue
            self.in_flight = True
            try:
                self.ledger.send(client, one)
            except AGAIN as error:
                self._note(error)
                pause(0.005)
            finally:
                self.in_flight = False

    def _note(self, error: MemorydError) -> None:
        if isinstance(error, NoDaemon):
            self.cut_off += "went away" in str(error)
        else:
            self.refused.append(error.code)


class Crowd:
    """Publishers that are told together that a daemon is up or down."""

    def __init__(
        self,
        installation: Installation,
        ledgers: Iterable[Ledger],
        *,
        limit: int | None = None,
        pace_seconds: float = 0.0,
    ) -> None:
        """
        :param limit: events of each; None: until `end`
        :param pace_seconds: thinking time between two events of one publisher
        """
        self.installation = installation
        self.publishers = [
            Publisher(installation, ledger, limit=limit, pace_seconds=pace_seconds) for ledger in ledgers
        ]

    @property
    def ledgers(self) -> list[Ledger]:
        return [one.ledger for one in self.publishers]

    @property
    def cut_off(self) -> int:
        return sum(one.cut_off for one in self.publishers)

    @property
    def acknowledged(self) -> int:
        return sum(len(one.ledger.acknowledged()) for one in self.publishers)

    @property
    def refused(self) -> list[str]:
        """Codes of the answers that said "later"."""
        return [code for one in self.publishers for code in one.refused]

    def told(self) -> set[str]:
        """Ids of the events that were acknowledged so far."""
        return {one.id for ledger in self.ledgers for one in ledger.acknowledged()}

    def forget_all_but(self, told: Collection[str]) -> None:
        """Take back, of publishers that are down, every other acknowledgement: those events are sent again."""
        for one in (one for ledger in self.ledgers for one in ledger.acknowledged()):
            if one.id not in told:
                one.seq = None

    def progress(self, count: int) -> None:
        """Wait for that many more acknowledgements."""
        wanted = self.acknowledged + count
        until(lambda: self.acknowledged >= wanted, seconds=60, what=self.installation.tail)

    def start(self) -> None:
        for one in self.publishers:
            one.start()

    def up(self) -> None:
        for one in self.publishers:
            one.up.set()

    def down(self) -> None:
        """The daemon is dead: wait until every publisher has noticed, so that what it was told is all noted."""
        for one in self.publishers:
            one.up.clear()
        until(lambda: not any(one.in_flight for one in self.publishers), what=lambda: "publishers notice the end")
        self.check()

    def end(self) -> None:
        """Let each finish its event and stop."""
        for one in self.publishers:
            one.ending.set()
        for one in self.publishers:
            one.join(ACK_SECONDS + 10)
            assert not one.is_alive(), f"{one.name} does not end"
        self.check()

    def finish(self) -> None:
        """Wait until each has sent up to its limit."""
        for one in self.publishers:
            one.join(120)
            assert not one.is_alive(), f"{one.name} does not end"
        self.check()

    def check(self) -> None:
        for one in self.publishers:
            if one.failure is not None:
                raise one.failure


def projects(home: Path, count: int) -> list[str]:
    """Directories that are repositories, as far as memoryd looks."""
    found = []
    for number in range(count):
        root = home / "work" / f"project-{number}"
        (root / ".git").mkdir(parents=True, exist_ok=True)
        found.append(str(root))
    return found
