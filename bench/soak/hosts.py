"""Hosts at work: four threads, a handful of open conversations each, together ten events a second.

Hooks go through the real script, one process each, so what a dead daemon does not take goes to the real spool; programs
publish through the client, and say each event again until it is acknowledged.
"""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from support.faults_publish import AGAIN, Ledger
from support.installation import Installation

from bench import talk
from bench.ground import Ground
from bench.process import run_seconds
from bench.soak.times import Taken
from memoryd.ipc.client import Client

EVENTS_PER_SECOND = 10.0
OPEN = 5  #: conversations of a host at a time
TURNS = 40  #: of a conversation; then a new one takes its place
FACT_EVERY = 6  #: prompts; the others hold nothing to learn
RETRY_SECONDS = 0.05

_TOOLS = ("Ruff", "pytest", "SQLite", "Docker", "uv")
_TASKS = (
    "formatting", "tests", "storage", "deploys", "packaging", "benchmarks", "reviews", "migrations", "fixtures", "logs",
    "tracing", "releases", "types", "docs", "caching", "queues", "search", "backups", "imports", "plots",
)  # fmt: skip
FACTS = tuple(f"I prefer {tool} for {task}." for tool in _TOOLS for task in _TASKS)  #: a person has so many, not more

Step = Callable[[], None]


def prompt(number: int) -> str:
    """What a user says: mostly tasks."""
    if number % FACT_EVERY == 0:
        return FACTS[number // FACT_EVERY * 7 % len(FACTS)]
    return f"Please fix ticket {number} in {talk.Speaker(number).file()} and run the tests again."


@dataclass(slots=True)
class Conversation(Ledger):
    """A session of a program, whose prompts are ours."""

    def text(self, number: int) -> str:
        return prompt(number * OPEN + len(self.session))


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a host tells of a turn: the names of its events and of their fields."""

    host: str
    asks: str
    ends: str
    answer: str
    turn: str | None = None
    transcript: bool = False


WAYS = (
    Way(
        host="claude-code", asks="UserPromptSubmit", ends="Stop", answer="last_assistant_message", turn="prompt_id",
        transcript=True,
    ),
    Way(host="codex", asks="UserPromptSubmit", ends="Stop", answer="last_assistant_message", turn="turn_id"),
    Way(host="gemini", asks="BeforeAgent", ends="AfterAgent", answer="prompt_response"),
)  # fmt: skip


class Host(threading.Thread):
    """Conversations in turn, an event every `pace_seconds`, late ones caught up, until `ending`."""

    def __init__(self, name: str, pace_seconds: float, taken: Taken) -> None:
        super().__init__(name=name, daemon=True)
        self.ending = threading.Event()
        self.events = 0
        self.failure: BaseException | None = None
        self.taken = taken
        self._pace_seconds = pace_seconds

    def conversation(self, number: int) -> Iterator[Step]:
        """Its events, in order; each is told by calling it."""
        raise NotImplementedError

    def run(self) -> None:
        try:
            self._talk()
        except BaseException as error:
            self.failure = error

    def _talk(self) -> None:
        running, begun = [self.conversation(n) for n in range(OPEN)], OPEN
        due = perf_counter()
        while not self.ending.wait(max(0.0, due - perf_counter())):
            place = self.events % OPEN
            step = next(running[place], None)
            if step is None:
                running[place], begun = self.conversation(begun), begun + 1
                continue
            step()
            self.events += 1
            due += self._pace_seconds


class Program(Host):
    """Publishes through the client; measured: publish to acknowledgement, without what a restart took."""

    def __init__(self, served: Installation, roots: list[str], pace_seconds: float, taken: Taken) -> None:
        super().__init__("generic", pace_seconds, taken)
        self.ledgers: list[Conversation] = []
        self._client, self._roots = served.client(), roots

    def conversation(self, number: int) -> Iterator[Step]:
        ledger = Conversation(f"generic-{number}", cwd=self._roots[number % len(self._roots)])
        self.ledgers.append(ledger)
        for _ in range(2 * TURNS):
            yield lambda: self._publish(self._client, ledger)

    def _publish(self, client: Client, ledger: Ledger) -> None:
        one = ledger.next()
        while one.seq is None and not self.ending.wait(0):
            try:
                with self.taken.timing("publish"):
                    ledger.send(client, one)
            except AGAIN:
                self.ending.wait(RETRY_SECONDS)


@dataclass(slots=True)
class _Hooked:
    """One conversation of a host with hooks."""

    session: str
    root: str
    transcript: talk.Transcript
    path: Path
    written: int = 0  #: lines of the transcript that stand in its file


class Hooking(Host):
    """Fires the hook script; measured: from the start of its process to its end."""

    def __init__(
        self, way: Way, script: Path, ground: Ground, roots: list[str], pace_seconds: float, taken: Taken
    ) -> None:
        super().__init__(way.host, pace_seconds, taken)
        self.prompts: dict[str, int] = {}  #: session -> how many were told
        self._way, self._script, self._ground, self._roots = way, script, ground, roots
        self._room = ground.room(f"host-{way.host}")

    def conversation(self, number: int) -> Iterator[Step]:
        session, root = f"{self.name}-{number}", self._roots[number % len(self._roots)]
        script = talk.Transcript(session, root, talk.Speaker(number))
        one = _Hooked(session, root, script, self._room / f"{session}.jsonl")
        yield lambda: self._fire(one, "SessionStart", source="startup")
        for turn in range(TURNS):
            yield lambda turn=turn: self._ask(one, turn)  # type: ignore[misc]
            yield lambda turn=turn: self._answer(one, turn)  # type: ignore[misc]
        yield lambda: self._fire(one, "SessionEnd", reason="exit")
        one.path.unlink(missing_ok=True)

    def _ask(self, one: _Hooked, turn: int) -> None:
        self._fire(one, self._way.asks, prompt=prompt(turn * OPEN + len(one.session)), **self._turn_of(one, turn))
        self.prompts[one.session] = self.prompts.get(one.session, 0) + 1

    def _answer(self, one: _Hooked, turn: int) -> None:
        if self._way.transcript:
            one.transcript.turn()
            with one.path.open("ab") as out:
                out.writelines(one.transcript.lines[one.written :])
            one.written = len(one.transcript.lines)
        self._fire(one, self._way.ends, **{self._way.answer: talk.text(400, seed=turn)}, **self._turn_of(one, turn))

    def _turn_of(self, one: _Hooked, turn: int) -> dict[str, str]:
        return {self._way.turn: f"{one.session}-{turn}"} if self._way.turn else {}

    def _fire(self, one: _Hooked, event: str, **said: Any) -> None:
        payload = {"session_id": one.session, "hook_event_name": event, "cwd": one.root, **said}
        if self._way.transcript:
            payload["transcript_path"] = str(one.path)
        stdin = self._room / "stdin"
        stdin.write_text(json.dumps(payload))
        with self.taken.timing("hook"):
            run_seconds([str(self._script), self._way.host, event], self._ground.env, stdin)


@dataclass(slots=True)
class Crowd:
    """All hosts of a soak."""

    program: Program
    hooking: list[Hooking] = field(default_factory=list)

    @property
    def hosts(self) -> list[Host]:
        return [self.program, *self.hooking]

    @property
    def events(self) -> int:
        return sum(one.events for one in self.hosts)

    def start(self) -> None:
        for one in self.hosts:
            one.start()

    def end(self) -> None:
        """:raises BaseException: what a host met"""
        for one in self.hosts:
            one.ending.set()
        for one in self.hosts:
            one.join(60)
            if one.failure is not None:
                raise one.failure


def crowd(served: Installation, ground: Ground, script: Path, roots: list[str], taken: Taken) -> Crowd:
    """Hosts that tell `EVENTS_PER_SECOND` together, over the projects at `roots`."""
    pace_seconds = (len(WAYS) + 1) / EVENTS_PER_SECOND
    program = Program(served, roots, pace_seconds, taken)
    return Crowd(program, [Hooking(way, script, ground, roots, pace_seconds, taken) for way in WAYS])
