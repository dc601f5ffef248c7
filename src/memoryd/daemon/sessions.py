"""Counting: what one event does to its session. Pure, so that it can be tested without a database.

Rules (docs/protocol.md, "Events"): a turn counts for the first end with its `(session, turn_id)`, failed and
interrupted ones too; without a turn id each end counts. A prompt while the last turn has no end closes that one as
interrupted. Nothing of a sub-agent counts for its parent.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from memoryd.ipc.events import (
    EndStatus,
    Event,
    MemoryWritten,
    Message,
    PostCompact,
    PreCompact,
    SessionEnd,
    TextMessage,
    ToolUse,
    Turn,
    UserPrompt,
)
from memoryd.ipc.methods.events import Due


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """When a session is due (`[consolidation]`)."""

    interval_turns: int = 3
    on_compaction: bool = True
    on_session_end: bool = True


class Counters(NamedTuple):
    """The part of a session that events change. A tuple: every event makes a few of them."""

    last_at: str  #: RFC 3339 with milliseconds, so text order is time order
    ended_at: str | None = None
    turn_count: int = 0
    failed_turns: int = 0
    interrupted_turns: int = 0
    tool_calls: int = 0
    turns_at_enqueue: int = 0
    open_turn: str | None = None  #: '' when the open turn has no id
    user_seq: int = 0
    due_seq: int = 0
    watermark: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """What an event did."""

    counters: Counters
    ends: tuple[tuple[str, EndStatus], ...] = ()  #: turn ids that now have this status
    due: Due | None = None


def advance(
    before: Counters, event: Event, *, seq: int, at: str, known_turn: Callable[[str], bool], triggers: Triggers
) -> Advance:
    """Apply one event that is new to the journal."""
    after = before._replace(last_at=max(before.last_at, at))
    if before.ended_at is not None and at > before.ended_at:
        after = after._replace(ended_at=None)
    ends: list[tuple[str, EndStatus]] = []
    match event:
        case UserPrompt():
            after = _prompt(after, event.turn_id or "", seq, ends, known_turn)
        case Message(data=data) if data.role == "user":
            after = after._replace(user_seq=seq)
        case ToolUse():
            after = after._replace(tool_calls=after.tool_calls + 1)
        case Turn(data=data):
            after = _end_turn(after, event.turn_id or "", data.status, ends, known_turn)
            after = _heard(after, data.messages, seq)
        case PreCompact(data=data) | PostCompact(data=data):
            after = _heard(after, data.messages, seq)
        case MemoryWritten():
            after = after._replace(turns_at_enqueue=after.turn_count)
        case SessionEnd():
            after = after._replace(ended_at=max(after.last_at, at))
    due = _due(after, event, triggers)
    if due is not None:
        after = after._replace(turns_at_enqueue=after.turn_count, due_seq=seq)
    return Advance(counters=after, ends=tuple(ends), due=due)


def _heard(counters: Counters, messages: Iterable[TextMessage], seq: int) -> Counters:
    """Messages that came with an event are text of the user if one of them is."""
    return counters._replace(user_seq=seq) if any(message.role == "user" for message in messages) else counters


def _prompt(
    counters: Counters, turn_id: str, seq: int, ends: list[tuple[str, EndStatus]], known_turn: Callable[[str], bool]
) -> Counters:
    interrupted = counters.open_turn
    if interrupted is not None and (interrupted != turn_id or not turn_id):
        counters = _end_turn(counters, interrupted, EndStatus.INTERRUPTED, ends, known_turn)
    if turn_id and known_turn(turn_id):  # it came after its own end, out of the spool
        return counters._replace(user_seq=seq)
    return counters._replace(open_turn=turn_id, user_seq=seq)


def _end_turn(
    counters: Counters,
    turn_id: str,
    status: EndStatus,
    ends: list[tuple[str, EndStatus]],
    known_turn: Callable[[str], bool],
) -> Counters:
    if counters.open_turn is not None and (counters.open_turn == turn_id or not turn_id):
        counters = counters._replace(open_turn=None)
    if turn_id:
        ends.append((turn_id, status))
        if known_turn(turn_id):
            return counters
    return counters._replace(
        turn_count=counters.turn_count + 1,
        failed_turns=counters.failed_turns + (status is EndStatus.FAILED),
        interrupted_turns=counters.interrupted_turns + (status is EndStatus.INTERRUPTED),
    )


def _due(counters: Counters, event: Event, triggers: Triggers) -> Due | None:
    unconsolidated = counters.user_seq > counters.watermark
    if isinstance(event, PreCompact) and triggers.on_compaction and unconsolidated:
        return "compaction"
    if isinstance(event, SessionEnd) and triggers.on_session_end and unconsolidated:
        return "session_end"
    if counters.turn_count - counters.turns_at_enqueue >= triggers.interval_turns:
        return "interval"
    return None
