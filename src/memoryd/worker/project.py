"""Rows of the journal -> a projection: each text once, in order, cut to a bounded chunk.

A text may have arrived up to three times: as a prompt or a final answer from a hook, inside `turn.messages`, and as
a message read from the transcript. The n-th copy from the transcript is the n-th copy from the hooks, by role, turn
and text; hooks say a text of a turn once, however many handlers report it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memoryd.ipc.events import TIER_OF_ROLE, EndStatus, FileTouch, Role, Tier
from memoryd.worker.projection import Projection, SessionSlice, ToolCall, TurnEnd, Utterance

MAX_CHUNK_CHARS = 200_000  #: text of one run; more stays due
COMPACTION_CUT_CHARS = 400  #: each text, for a compaction run only
COMPACTION_FLOOR_CHARS = 300  #: less in all is not worth a compaction run


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One event as the journal keeps it."""

    seq: int
    at: datetime
    kind: str
    turn_id: str | None
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRows:
    """A session with what is new of it, and the texts of its recent turns that earlier runs have read."""

    host: str
    session_id: str
    started_at: datetime
    cwd: str | None
    ended: bool
    note: str
    rows: Sequence[EventRow]
    read_before: Sequence[EventRow] = ()
    interrupted: Sequence[TurnEnd] = ()


def build(
    sessions: Iterable[SessionRows], *, from_seq: int, to_seq: int, compaction: bool, instructions: str
) -> Projection:
    """Return the projection of `(watermark, to_seq]` of each session."""
    slices = tuple(_slice(session) for session in sessions)
    partial = False
    if compaction:
        slices, partial = _for_compaction(slices)
    return Projection(from_seq=from_seq, to_seq=to_seq, sessions=slices, partial=partial, instructions=instructions)


def _for_compaction(slices: tuple[SessionSlice, ...]) -> tuple[tuple[SessionSlice, ...], bool]:
    """Cut every text; returns the slices and whether anything was cut or left out, and so must be read again."""
    if sum(len(u.text) for s in slices for u in s.utterances) < COMPACTION_FLOOR_CHARS:
        return (), True
    cut = tuple(replace(s, utterances=tuple(map(_cut, s.utterances))) for s in slices)
    return cut, cut != slices


def _slice(session: SessionRows) -> SessionSlice:
    known = _Known()
    for row in session.read_before:
        for utterance in texts(row):
            known.see(row.kind, utterance)
    fresh: list[Utterance] = []
    for row in sorted(session.rows, key=lambda row: (_PREFERENCE.get(row.kind, 3), row.seq)):
        fresh.extend(utterance for utterance in texts(row) if known.is_new(row.kind, utterance))
    return SessionSlice(
        host=session.host,
        session_id=session.session_id,
        started_at=session.started_at,
        cwd=session.cwd,
        utterances=tuple(sorted(fresh, key=lambda u: (u.at, u.seq))),
        tools=tuple(
            sorted((_tool(row) for row in session.rows if row.kind == "tool_use"), key=lambda t: (t.at, t.seq))
        ),
        turns=tuple(sorted([*_turns(session.rows), *session.interrupted], key=lambda t: t.seq)),
        ended=session.ended,
        projection=session.note,
    )


_PREFERENCE = {"message": 0, "pre_compact": 1, "turn": 1, "user_prompt": 2}  #: which copy of a text is kept


class _Known:
    """Texts met so far, counted by the way they came."""

    def __init__(self) -> None:
        self._hook: Counter[tuple[Role, str, str]] = Counter()
        self._transcript: Counter[tuple[Role, str, str]] = Counter()

    def see(self, kind: str, utterance: Utterance) -> None:
        self.is_new(kind, utterance)

    def is_new(self, kind: str, utterance: Utterance) -> bool:
        key = (utterance.role, utterance.turn_id or "", utterance.text)
        if kind == "message":
            self._transcript[key] += 1
            return self._hook[key] < self._transcript[key]
        if utterance.turn_id and self._hook[key]:
            return False
        self._hook[key] += 1
        return self._transcript[key] < self._hook[key]


def texts(row: EventRow) -> list[Utterance]:
    """Return what was said in an event: none, one or several texts."""
    data = row.data
    match row.kind:
        case "user_prompt":
            return _utterances(row, [("user", data["text"], None)])
        case "message":
            return _utterances(row, [(data["role"], data["text"], data.get("tier"))])
        case "turn":
            said = _messages(data)
            last = data.get("last_assistant_message")
            if last and not any(role == "assistant" and text == last for role, text, _ in said):
                said.append(("assistant", last, None))
            return _utterances(row, said)
        case "pre_compact" | "post_compact":
            return _utterances(row, _messages(data))
        case "subagent_stop":
            return _utterances(row, [("assistant", data.get("last_message") or "", None)])
        case _:
            return []


def _messages(data: Mapping[str, Any]) -> list[tuple[Role, str, str | None]]:
    return [(m["role"], m["text"], m.get("tier")) for m in data.get("messages", ())]


def _utterances(row: EventRow, said: Iterable[tuple[Role, str, str | None]]) -> list[Utterance]:
    return [
        Utterance(
            seq=row.seq, at=row.at, role=role, text=text, turn_id=row.turn_id,
            tier=Tier(tier) if tier else TIER_OF_ROLE[role],
        )
        for role, text, tier in said
        if text.strip()
    ]  # fmt: skip


def _cut(utterance: Utterance) -> Utterance:
    if len(utterance.text) <= COMPACTION_CUT_CHARS:
        return utterance
    return replace(utterance, text=utterance.text[:COMPACTION_CUT_CHARS])


def _tool(row: EventRow) -> ToolCall:
    data = row.data
    return ToolCall(
        seq=row.seq, at=row.at, name=data["name"], summary=data.get("summary", ""), ok=data.get("ok"),
        files=tuple(FileTouch(**touch) for touch in data.get("files", ())), turn_id=row.turn_id,
    )  # fmt: skip


def _turns(rows: Iterable[EventRow]) -> list[TurnEnd]:
    """One end a turn id, the latest; without an id each end stands."""
    ends: dict[object, TurnEnd] = {}
    for row in rows:
        if row.kind == "turn":
            end = TurnEnd(seq=row.seq, at=row.at, status=EndStatus(row.data.get("status", "ok")), turn_id=row.turn_id)
            ends[row.turn_id or row.seq] = end
    return list(ends.values())
