"""What every host owes, whatever its formats: checks over recordings of it, without a daemon.

A recording is what a host sent in one or a few sessions: the firings of its hooks in their order, the transcripts that
it left, and what a person who sat there would say was said. `docs/adding-a-host.md` tells how to make one.
"""

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from memoryd.clock import rfc3339
from memoryd.daemon.cleaning import clean_all
from memoryd.daemon.sessions import Counters, Triggers, advance
from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import RawHook, TranscriptState, Translated, TranslationError
from memoryd.worker.project import EventRow, SessionRows, build
from memoryd.worker.projection import SessionSlice

RECORDINGS = Path(__file__).parents[1] / "recordings"
BEGAN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
PLACES = 40  #: of a record in which something else is put
CONTEXT = 'a "quoted" line\nand 记忆'  #: what the daemon would have the host inject


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Firing(_Frozen):
    event: str | None  #: the argument that the hook was installed with
    stdin: Any
    env: dict[str, str] = {}


class Agent(_Frozen):
    """A sub-agent that a session started."""

    id: str
    type: str
    report: str | None = None


class Said(_Frozen):
    """What a person who sat there would say of a session."""

    prompts: tuple[str, ...] = ()  #: typed by a person, in their order
    answers: tuple[str, ...] = ()  #: all that the assistant said, in any order
    unheard: tuple[str, ...] = ()  #: those of the answers that the transcript alone holds
    turns: int = 0
    tools: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()

    @property
    def heard(self) -> Counter[str]:
        """What an agent may read of the assistant's: its answers, and the reports of its sub-agents that say more."""
        return Counter(self.answers) | Counter(agent.report for agent in self.agents if agent.report)


class Recording(_Frozen):
    host: str
    firings: tuple[Firing, ...]
    transcripts: dict[str, str] = {}  #: session -> file beside the recording
    said: dict[str, Said]
    never: tuple[str, ...] = ()  #: marks of what no person and no assistant said: injected text, instructions
    replies: dict[str, Any] = {}  #: event, or * -> what the hook prints for CONTEXT, as JSON or as it is

    def transcript(self, session: str, folder: Path) -> bytes:
        name = self.transcripts.get(session)
        return (folder / name).read_bytes() if name else b""


def recordings(folder: Path = RECORDINGS) -> dict[str, Path]:
    """Those of our own, `host/name` -> file."""
    return {f"{path.parent.name}/{path.stem}": path for path in sorted(folder.glob("*/*.json"))}


def load(path: Path) -> Recording:
    return Recording.model_validate_json(path.read_bytes())


@dataclass
class Record:
    """A journal in memory: events once, in the order of their arrival, with the daemon's own counting."""

    events: dict[str, Event] = field(default_factory=dict)
    counters: dict[str, Counters] = field(default_factory=dict)
    ended_turns: set[tuple[str, str]] = field(default_factory=set)

    def take(self, events: Iterable[Event]) -> int:
        """Returns how many were new."""
        fresh = [event for event, _ in clean_all(list(events)) if event.id not in self.events]
        for event in fresh:
            self.events[event.id] = event
            self._count(event)
        return len(fresh)

    def _count(self, event: Event) -> None:
        session, at = event.session_id, rfc3339(event.at)
        before = self.counters.get(session, Counters(last_at=at))
        done = advance(
            before, event, seq=len(self.events), at=at, triggers=Triggers(),
            known_turn=lambda turn: (session, turn) in self.ended_turns,
        )  # fmt: skip
        self.counters[session] = done.counters
        self.ended_turns |= {(session, turn) for turn, _ in done.ends if turn}

    def read(self, session: str) -> SessionSlice:
        """A session as a memory agent reads it."""
        rows = [
            EventRow(seq=seq, at=e.at, kind=e.kind, turn_id=e.turn_id, data=e.data.model_dump(exclude_defaults=True))
            for seq, e in enumerate(self.events.values(), 1)
            if e.session_id == session
        ]
        whole = SessionRows(
            host="x", session_id=session, started_at=BEGAN, cwd=None, ended=True, note="", rows=rows
        )  # fmt: skip
        return build([whole], from_seq=1, to_seq=len(rows), compaction=False, instructions="").sessions[0]


def translate(recording: Recording, n: int, **changed: Any) -> Translated:
    """The n-th firing, as the daemon takes it."""
    firing = recording.firings[n]
    raw = firing.stdin if isinstance(firing.stdin, str) else json.dumps(firing.stdin)
    given = {"raw": raw, "event": firing.event, "env": firing.env, **changed}
    hook = RawHook(
        id=f"{n:032x}", at=BEGAN + timedelta(seconds=n), host=recording.host, cwd="/somewhere", **given
    )  # fmt: skip
    return hosts.get(recording.host).translate(hook)


def read_whole(recording: Recording, session: str, chunk: bytes, *, pieces: Iterable[int] = ()) -> list[Event]:
    """A transcript, read as the daemon reads a file that grows to each of these sizes."""
    host, state, offset = hosts.get(recording.host), TranscriptState(), 0
    found: list[Event] = []
    for end in [*sorted(pieces), len(chunk)]:
        read = host.read_transcript(
            chunk[offset:end], session_id=session, cwd="/w", state=state, final=end == len(chunk)
        )  # fmt: skip
        assert 0 <= read.consumed <= max(end - offset, 0)
        found, offset, state = [*found, *read.events], offset + read.consumed, read.state
    return found


def recorded(recording: Recording, folder: Path, *, with_transcripts: bool = True) -> Record:
    record = Record()
    for n in range(len(recording.firings)):
        record.take(translate(recording, n).events)
    if with_transcripts:
        for session in recording.transcripts:
            record.take(read_whole(recording, session, recording.transcript(session, folder)))
    return record


# --- the checks -----------------------------------------------------------------------------------------------------


def each_text_once(recording: Recording, folder: Path) -> None:
    """Hooks and transcript together hold each prompt and each answer exactly once, and nothing that nobody said."""
    record = recorded(recording, folder)
    for session, said in recording.said.items():
        heard = record.read(session)
        assert tuple(u.text for u in heard.user_texts()) == said.prompts, session
        assert all(u.tier == "user" for u in heard.user_texts())
        answers = Counter(u.text for u in heard.utterances if u.role == "assistant")
        assert answers == said.heard, session
        assert Counter(tool.name for tool in heard.tools) == Counter(said.tools), session


def hooks_alone_are_enough(recording: Recording, folder: Path) -> None:
    """A transcript that is missing costs what only it holds, never a prompt."""
    record = recorded(recording, folder, with_transcripts=False)
    for session, said in recording.said.items():
        if not any(event.session_id == session for event in record.events.values()):
            continue  # a session of which only the transcript was kept
        heard = record.read(session)
        fired = tuple(u.text for u in heard.user_texts())
        assert Counter(fired) <= Counter(said.prompts)
        assert fired or not said.turns
        answers = Counter(u.text for u in heard.utterances if u.role == "assistant")
        assert answers == said.heard - Counter(said.unheard), session


def turns_are_counted(recording: Recording, folder: Path) -> None:
    """Each invocation is one turn of its session, however many handlers tell of it; a sub-agent's is none."""
    record = recorded(recording, folder)
    counted = {session: counters.turn_count for session, counters in record.counters.items()}
    expected = {session: said.turns for session, said in recording.said.items()}
    assert {session: counted.get(session, 0) for session in expected} == expected
    assert not any(counted[session] for session in counted.keys() - expected.keys())


def sub_agents_are_told(recording: Recording, folder: Path) -> None:
    """A session knows the sub-agents it started, by type and report; the host's own helpers are none."""
    record = recorded(recording, folder)
    found: dict[str, dict[str, Agent]] = {}
    for event in record.events.values():
        if event.kind in ("subagent_start", "subagent_stop"):
            known, ident = found.setdefault(event.session_id, {}), event.data.child_session_id
            before = known[ident].report if ident in known else None  # a log may tell of the start behind the hook
            report = getattr(event.data, "last_message", None) or before
            known[ident] = Agent(id=ident, type=event.data.agent_type, report=report)
    for session, said in recording.said.items():
        assert tuple(found.get(session, {}).values()) == said.agents, session


def injected_text_is_not_learnt(recording: Recording, folder: Path) -> None:
    """What memoryd, other hooks or the host put in is in no text of a person or of the assistant."""
    record = recorded(recording, folder)
    for session in recording.said:
        for utterance in record.read(session).utterances:
            if utterance.role != "tool":
                assert not [mark for mark in recording.never if mark in utterance.text], utterance


def replaying_adds_nothing(recording: Recording, folder: Path) -> None:
    """The same firings and transcripts again, whole or in pieces, change nothing."""
    record = recorded(recording, folder)
    for n in range(len(recording.firings)):
        assert record.take(translate(recording, n).events) == 0
    dice = random.Random(recording.host)
    for session in recording.transcripts:
        chunk = recording.transcript(session, folder)
        assert record.take(read_whole(recording, session, chunk)) == 0
        for _ in range(5):
            pieces = [dice.randrange(len(chunk) + 1) for _ in range(dice.randrange(1, 6))]
            in_pieces = Record()
            in_pieces.take(read_whole(recording, session, chunk, pieces=pieces))
            whole = {e.id: e for e in read_whole(recording, session, chunk)}
            assert in_pieces.events.keys() == whole.keys(), pieces


def replies_are_accepted(recording: Recording, folder: Path) -> None:
    """Context goes out in the host's form at the events that take it; at any other the hook is silent."""
    host = hosts.get(recording.host)
    events = {translate(recording, n).event_name for n in range(len(recording.firings))} | set(host.hook_events)
    for event in events | {"SomethingNew"}:
        assert host.reply(event, "") == "", event
        printed, expected = host.reply(event, CONTEXT), recording.replies.get(event, recording.replies.get("*", ""))
        assert (printed if isinstance(expected, str) else json.loads(printed)) == expected, event
    assert host.max_context_chars > 0


def garbage_is_refused(recording: Recording, folder: Path) -> None:
    """Whatever stands in a payload: events that hold, nothing, or TranslationError; a transcript never raises."""
    for n, firing in enumerate(recording.firings):
        for raw in _broken(firing.stdin):
            with contextlib.suppress(TranslationError):
                translate(recording, n, raw=raw)
    host = hosts.get(recording.host)
    for session in recording.transcripts:
        for chunk in _torn(recording.transcript(session, folder), random.Random(session)):
            for final in (False, True):
                read = host.read_transcript(chunk, session_id=session, cwd=None, state=TranscriptState(), final=final)
                assert 0 <= read.consumed <= len(chunk)


CHECKS = (
    each_text_once,
    hooks_alone_are_enough,
    turns_are_counted,
    sub_agents_are_told,
    injected_text_is_not_learnt,
    replaying_adds_nothing,
    replies_are_accepted,
    garbage_is_refused,
)

_ODD: tuple[object, ...] = (None, 5, -1.5, True, [], {}, "", " ", "x" * 5000, "\ud800", ["\x00"], {"a": [None]})


def _broken(stdin: object) -> Iterator[str]:
    yield from ("", " ", "{", "null", "[]", "{}", '"x"', "5", "[" * 5000, '{"session_id": 5}')
    if isinstance(stdin, Mapping):
        for key in stdin:
            yield json.dumps({other: value for other, value in stdin.items() if other != key})
            for odd in _ODD:
                yield json.dumps({**stdin, key: odd})


def _torn(chunk: bytes, dice: random.Random) -> Iterator[bytes]:
    """The transcript with lines cut, bytes turned, and values of each kind of record replaced."""
    lines = chunk.splitlines(keepends=True)
    for line in lines:
        yield line[: dice.randrange(len(line))] + b"\n"
        turned = bytearray(line)
        turned[dice.randrange(len(line))] = dice.randrange(256)
        yield bytes(turned)
        record = json.loads(line)
        places = list(_places(record))
        for place in dice.sample(places, min(len(places), PLACES)):
            yield json.dumps(_replaced(record, place, dice.choice(_ODD))).encode() + b"\n"


def _places(value: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*above, key)
        yield from _places(inner, (*above, key))


def _replaced(value: Any, place: tuple[Any, ...], by: object) -> Any:
    if not place:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = _replaced(value[place[0]], place[1:], by)
    return copy
