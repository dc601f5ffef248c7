"""What transcripts of JSON lines share: walking complete lines, calls that wait for their result, ids and times.

Lines that are not wanted are told without being parsed. An id comes from the host's own record id where there is one,
else from session, place and line, so that reading a line again gives the same ids.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from memoryd.clock import parse_rfc3339
from memoryd.ipc.events import TIER_OF_ROLE, Event, EventAdapter, Role, Tier
from memoryd.ipc.hosts.base import TranscriptRead, TranscriptState
from memoryd.ipc.hosts.record import cut, parse, summary_of

MAX_LINE_BYTES = 32 * 1024 * 1024  #: longer lines are skipped

_TIMESTAMP = re.compile(rb'"timestamp"\s*:\s*"([^"]{1,40})"')
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call that waits for its result."""

    event_id: str
    name: str
    given: object  #: its input
    files: Sequence[dict[str, str]]
    tier: Tier  #: of its result
    at: datetime
    turn_id: str | None
    session_id: str
    offset: int  #: where its record starts
    state: TranscriptState  #: before its record


@dataclass(slots=True)
class LineReader:
    """Reads one chunk. A subclass says which lines it wants and what a record means."""

    host: str
    session_id: str
    cwd: str | None
    state: TranscriptState
    at: datetime = _EPOCH  #: of the record that is read
    agent: str | None = None  #: of the record that is read: the sub-agent whose it is
    events: list[Event] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)  #: in the order of the file
    bad_lines: int = 0
    _offset: int = 0
    _before: TranscriptState = field(default_factory=TranscriptState)

    def wants(self, line: bytes) -> bool:
        """Whether a line is worth parsing; most bytes of a file are not."""
        return True

    def record(self, record: dict[str, Any], line: bytes) -> None:
        """Say what a record means, by calling `message`, `call`, `result`, ...

        :raises ValueError, TypeError: it is not what this host writes; the line is counted as bad
        """
        raise NotImplementedError

    # -- walking --

    def read(self, chunk: bytes, *, final: bool) -> TranscriptRead:
        """See `Host.read_transcript`."""
        self.at = _first_time(chunk)
        consumed = 0
        for start, end in _lines(chunk):
            self._offset, self._before = start, self.state
            self._line(chunk[start:end].strip())
            consumed = end
        if len(chunk) - consumed > MAX_LINE_BYTES:  # a line without end in sight: its rest is skipped as a bad line
            consumed = len(chunk)
        if final:
            self.interrupt()
        call = next(iter(self.calls.values()), None)
        offset, state = (call.offset, call.state) if call else (consumed, self.state)
        return TranscriptRead(events=tuple(self.events), consumed=offset, state=state, bad_lines=self.bad_lines)

    def _line(self, line: bytes) -> None:
        if not line or (len(line) <= MAX_LINE_BYTES and _is_object(line) and not self.wants(line)):
            return
        try:
            self.record(_parsed(line), line)
        except (ValueError, TypeError, ValidationError):
            self.bad_lines += 1

    # -- what a record may mean --

    def turn(self, turn_id: object) -> None:
        """What follows belongs to this turn."""
        self.state = replace(self.state, turn_id=identifier(turn_id))

    def moment(self, timestamp: object) -> None:
        """What follows happened then; a time that cannot be read leaves the one before."""
        self.at = time_of(timestamp) or self.at

    def unnamed_id(self, line: bytes) -> str:
        """The id of a record that has none of its own: its session, its place among such records, its bytes."""
        nth = self.state.ordinal
        self.state = replace(self.state, ordinal=nth + 1)
        return hashlib.sha256(f"{self.session_id}\n{nth}\n".encode() + line).hexdigest()

    def message(self, event_id: str, role: Role, text: str, tier: Tier | None = None) -> None:
        """A text of the conversation; an empty one is none."""
        self._text(event_id, role, cut(text), tier or TIER_OF_ROLE[role])

    def compaction(self, event_id: str, summary: str) -> None:
        """The conversation was compacted, which no hook of the host tells before or after."""
        data = {"trigger": "auto", "summary": cut(summary)}
        self._emit({"kind": "pre_compact", "id": event_id, "at": self.at, "data": data})

    def starts_agent(self, event_id: str, child: str, agent_type: str) -> None:
        """The session has started a sub-agent, whose records follow in the same file."""
        data = {"child_session_id": child, "agent_type": agent_type}
        fields = {"session_id": self.session_id, "id": event_id, "at": self.at}
        self._emit({"kind": "subagent_start", **fields, "data": data})

    def stopped_agent(self, event_id: str, child: str, agent_type: str, report: str) -> None:
        """A sub-agent of the session has ended, which no hook tells."""
        data = {"child_session_id": child, "agent_type": agent_type, "last_message": cut(report)}
        self._emit({"kind": "subagent_stop", "id": event_id, "at": self.at, "data": data})

    def call(
        self, call_id: str, event_id: str, name: str, given: object, *,
        tier: Tier = Tier.TOOL, files: Sequence[dict[str, str]] = (),
    ) -> None:  # fmt: skip
        """A tool was called; it is told when its result is there, or when none can come any more."""
        replaced = self.calls.pop(call_id, None)  # hosts count call ids anew after a resume
        if replaced is not None:
            self._tool_use(replaced, ok=None, ended_at=None)
        self.calls[call_id] = Call(
            event_id=event_id, name=name, given=given, files=files, tier=tier, at=self.at,
            turn_id=self.state.turn_id, session_id=self._speaker, offset=self._offset, state=self._before,
        )  # fmt: skip

    def result(self, call_id: str, event_id: str, text: str, *, ok: bool) -> None:
        """A call's result, whole; one of a call that nobody saw is a message alone."""
        call = self.calls.pop(call_id, None)
        if call is not None:
            self._tool_use(call, ok=ok, ended_at=self.at)
        self._text(event_id, "tool", text, call.tier if call else Tier.TOOL)

    def interrupt(self) -> None:
        """No call that waits will get a result any more."""
        for call in self.calls.values():
            self._tool_use(call, ok=None, ended_at=None)
        self.calls.clear()

    def _text(self, event_id: str, role: Role, text: str, tier: Tier) -> None:
        if text.strip():
            data = {"role": role, "text": text, "tier": tier}
            self._emit({"kind": "message", "id": event_id, "at": self.at, "turn_id": self.state.turn_id, "data": data})

    def _tool_use(self, call: Call, *, ok: bool | None, ended_at: datetime | None) -> None:
        took_ms = int((ended_at - call.at).total_seconds() * 1000) if ended_at else -1
        data = {
            "name": call.name,
            "summary": summary_of(call.given, interrupted=ended_at is None),
            "ok": ok,
            "duration_ms": took_ms if took_ms >= 0 else None,
            "files": () if ok is False else call.files,  # what failed touched none
        }
        fields = {"session_id": call.session_id, "id": call.event_id, "at": call.at, "turn_id": call.turn_id}
        self._emit({"kind": "tool_use", **fields, "data": data})

    @property
    def _speaker(self) -> str:
        """The session of the record that is read."""
        return self.agent or self.session_id

    def _emit(self, fields: dict[str, Any]) -> None:
        envelope = {"host": self.host, "session_id": self._speaker, "cwd": self.cwd, **fields}
        self.events.append(EventAdapter.validate_python(envelope))


def identifier(value: object) -> str | None:
    """A host's own id, if an event may bear it."""
    return value if isinstance(value, str) and value.isprintable() and 0 < len(value) <= 200 else None


def nth(record_id: str, n: int) -> str:
    """The id of the n-th block of a record."""
    return record_id if n == 0 else f"{record_id}/{n}"


def time_of(value: object) -> datetime | None:
    try:
        return parse_rfc3339(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _is_object(line: bytes) -> bool:
    return line.startswith(b"{") and line.endswith(b"}")


def _parsed(line: bytes) -> dict[str, Any]:
    """:raises ValueError: no JSON object, or longer than any line that is read"""
    if len(line) > MAX_LINE_BYTES or not _is_object(line):
        raise ValueError("no JSON object of a size that is read")
    found: dict[str, Any] = parse(line)
    return found


def _lines(chunk: bytes) -> Iterator[tuple[int, int]]:
    """Start and end, LF included, of each complete line."""
    start = 0
    while (end := chunk.find(b"\n", start) + 1) > 0:
        yield start, end
        start = end


def _first_time(chunk: bytes) -> datetime:
    """The time of records before the first one that carries a time."""
    match = _TIMESTAMP.search(chunk)
    return (time_of(match[1].decode("utf-8", "replace")) if match else None) or _EPOCH
