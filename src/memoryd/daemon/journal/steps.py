"""What one event says of where its session stands: rows of `progress`. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.ipc.events import Tier
from memoryd.memory.terms import terms
from memoryd.memory.text import cut

LARGE_CHARS = 4_000  #: a tool's result from this length on is named by a descriptor
SLACK = timedelta(seconds=2)  #: between a tool's last write and the end that its event tells
MAX_LIST_CHARS = 4_000  #: of the input of a call that writes an agent's list
MAX_PARTS = 40  #: newest messages of one event that are looked at
MAX_PATH_CHARS = 4_096  #: a longer one names no file
_CHARS = 300  #: of one row


class Kind(StrEnum):
    """What a row tells."""

    GOAL = "goal"  #: the first request
    ASK = "ask"
    UNFINISHED = "unfinished"  #: the request whose turn has not ended well
    CONSTRAINT = "constraint"
    DECISION = "decision"
    TODO = "todo"  #: an open item of the agent's own list
    CHANGED = "changed"
    READ = "read"
    REPORT = "report"  #: of a sub-agent
    RESULT = "result"  #: a large one of a tool; the text is the event's seq
    ANSWER = "answer"


#: rows of a kind that are kept, the newest
KEPT: Mapping[Kind, int] = {
    Kind.GOAL: 1, Kind.ASK: 8, Kind.UNFINISHED: 1, Kind.CONSTRAINT: 24, Kind.DECISION: 16, Kind.TODO: 24,
    Kind.CHANGED: 40, Kind.READ: 40, Kind.REPORT: 8, Kind.RESULT: 5, Kind.ANSWER: 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an event adds, in its order, and the kinds that it clears before."""

    rows: Sequence[tuple[Kind, str]] = ()
    clears: Sequence[Kind] = ()
    at: str = ""  #: RFC 3339; of a tool call, when it had surely ended


def step(kind: str, data_text: str, seq: int, at: str) -> Step | None:
    """Return what an event changes, None for nothing.

    :param data_text: the event's `data` as the journal keeps it
    """
    match kind:
        case "user_prompt" | "message" | "turn" | "pre_compact" | "subagent_stop":
            data = json.loads(data_text)
            clears = [Kind.UNFINISHED] if kind == "turn" and data.get("status", "ok") == "ok" else []
            return Step(rows=list(_spoken(kind, data, seq)), clears=clears, at=at)
        case "tool_use":
            return _tool_step(json.loads(data_text), at)
        case _:
            return None


def _spoken(kind: str, data: Mapping[str, Any], seq: int) -> Iterator[tuple[Kind, str]]:
    for role, tier, text in parts_of(kind, data)[-MAX_PARTS:]:
        if not text.strip():
            continue
        if role == "user" and tier is Tier.USER:
            yield from _asked(text, prompt=kind == "user_prompt")
        elif kind == "subagent_stop":
            yield Kind.REPORT, cut(f"{data.get('agent_type') or data['child_session_id']}: {text}", _CHARS)
        elif role == "assistant" and kind == "turn":
            yield Kind.ANSWER, cut(text, _CHARS)
        elif role == "tool" and max(len(text), (data.get("original") or {}).get("chars", 0)) >= LARGE_CHARS:
            yield Kind.RESULT, str(seq)


def _asked(text: str, *, prompt: bool) -> Iterator[tuple[Kind, str]]:
    short = cut(text, _CHARS)
    yield Kind.GOAL, short
    yield Kind.ASK, short
    if prompt:
        yield Kind.UNFINISHED, short
    yield from ((Kind(name), said) for name, said in terms(text))


def _tool_step(data: Mapping[str, Any], at: str) -> Step:
    ended = _ended(at, data.get("duration_ms") or 0)
    files = [(_action(touch), touch["path"]) for touch in data.get("files", ()) if len(touch["path"]) <= MAX_PATH_CHARS]
    if data.get("name") not in _LISTS:
        return Step(rows=files, at=ended)
    todo = [(Kind.TODO, cut(text, _CHARS)) for text in open_items(data.get("summary", ""))]
    return Step(rows=[*files, *todo], clears=[Kind.TODO], at=ended)


def _ended(at: str, duration_ms: int) -> str:
    """When a call has surely written its last; as it began, where that is beyond the calendar."""
    try:
        return rfc3339(parse_rfc3339(at) + timedelta(milliseconds=duration_ms) + SLACK)
    except OverflowError:
        return at


def _action(touch: Mapping[str, str]) -> Kind:
    return Kind.READ if touch.get("action", "read") == "read" else Kind.CHANGED


#: the tools by which agents keep their own list of work; each call holds the whole list
_LISTS = frozenset({"TodoWrite", "todo_write", "write_todos", "todowrite", "update_plan"})
_STRING = r'"((?:[^"\\]|\\.)*)"'
_ITEM = re.compile(
    rf'\{{[^{{}}]*?"(?:content|step|description)"\s*:\s*{_STRING}[^{{}}]*?"status"\s*:\s*"(\w+)"'
    rf'|\{{[^{{}}]*?"status"\s*:\s*"(\w+)"[^{{}}]*?"(?:content|step|description)"\s*:\s*{_STRING}'
)
_DONE = frozenset({"completed", "done", "cancelled", "canceled"})


def open_items(summary: str) -> list[str]:
    """The items of a list tool's input that are not done; the input may be cut anywhere, and be no JSON at all."""
    found = (
        (text, status) if text else (late, early)
        for text, status, early, late in _ITEM.findall(summary[:MAX_LIST_CHARS])
    )
    told = (_plain(text) for text, status in found if status not in _DONE)
    return [text for text in told if text.strip()]


def _plain(text: str) -> str:
    """A JSON string without its escapes; one that is none as it stands."""
    try:
        return str(json.loads(f'"{text}"', strict=False)).encode(errors="replace").decode()
    except ValueError:
        return text
