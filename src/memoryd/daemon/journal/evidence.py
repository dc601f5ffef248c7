"""The journal as acceptance sees it: the spans that a proposal may cite, and the texts that a user may have quoted."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.clock import parse_rfc3339
from memoryd.daemon.journal.store import Store
from memoryd.ipc.events import TIER_OF_ROLE, Role, Tier
from memoryd.memory.ports import Span

_FOREIGN_EVENTS = 400  #: newest tool, web and assistant texts of a session that are compared with a user's text

#: kinds of events in which others may speak than the user
SPOKEN = "('message', 'turn', 'tool_use', 'pre_compact', 'post_compact', 'subagent_stop')"

#: `spawned`: the session belongs to a sub-agent, so its prompts are the parent agent's
_SPAN = (
    "select seq, at, kind, data, host, session_id, exists (select 1 from events as spawn"
    " where spawn.kind = 'subagent_start' and json_extract(spawn.data, '$.child_session_id') = session_id) as spawned"
    " from events join sessions on sessions.id = session where seq = ?"
)


@dataclass(frozen=True, slots=True)
class JournalEvidence:
    """`memory.ports.Evidence` on the journal's tables."""

    journal: Store

    def spans(self, seqs: Iterable[int]) -> Mapping[int, Span]:
        wanted = sorted(set(seqs))

        def query(connection: sqlite3.Connection) -> dict[int, Span]:
            rows = (connection.execute(_SPAN, (seq,)).fetchone() for seq in wanted)
            return {row["seq"]: _span(row) for row in rows if row is not None}

        return self.journal.read(query)

    def foreign(self, seqs: Iterable[int], *, later: bool = False) -> Sequence[tuple[Tier, str]]:
        """What was said before: an answer that repeats the user's words must not make them foreign."""
        wanted = sorted(set(seqs))
        if not wanted:
            return ()

        def query(connection: sqlite3.Connection) -> list[tuple[Tier, str]]:
            marks = ",".join("?" * len(wanted))
            rows = connection.execute(
                f"select kind, data from events where kind in {SPOKEN}"
                f" and session in (select session from events where seq in ({marks}))"
                f" and (? or at < (select max(at) from events where seq in ({marks}))) order by seq desc limit ?",
                (*wanted, later, *wanted, _FOREIGN_EVENTS),
            )
            parts = (part for kind, data in rows for part in parts_of(kind, json.loads(data)))
            return [(tier, text) for role, tier, text in parts if text and not _is_users(role, tier)]

        return self.journal.read(query)


def _span(row: sqlite3.Row) -> Span:
    role, tier, text = said(row["kind"], json.loads(row["data"]))
    if row["spawned"] and role == "user":
        role, tier = "assistant", Tier.HOST
    return Span(
        seq=row["seq"], at=parse_rfc3339(row["at"]), host=row["host"], session_id=row["session_id"],
        role=role, tier=tier, text=text,
    )  # fmt: skip


def said(kind: str, data: Mapping[str, Any]) -> tuple[Role, Tier, str]:
    """Who said what in an event: role, tier and text ('' for an event without text); the user first."""
    parts = parts_of(kind, data)
    users = "\n".join(text for role, tier, text in parts if _is_users(role, tier))
    if users and kind != "message":
        return "user", Tier.USER, users
    return parts[-1] if parts else ("tool", Tier.TOOL, "")


def foreign_in(kind: str, data: Mapping[str, Any]) -> list[str]:
    """What others than the user say in an event."""
    return [text for role, tier, text in parts_of(kind, data) if text and not _is_users(role, tier)]


def _is_users(role: Role, tier: Tier) -> bool:
    return role == "user" and tier is Tier.USER


def parts_of(kind: str, data: Mapping[str, Any]) -> list[tuple[Role, Tier, str]]:
    """All that an event holds of the conversation, in its order."""
    match kind:
        case "user_prompt":
            return [("user", Tier.USER, data["text"])]
        case "message":
            return [_spoken(data)]
        case "turn" | "pre_compact" | "post_compact":
            spoken = [_spoken(message) for message in data.get("messages", ())]
            last = data.get("last_assistant_message") or data.get("summary")
            return [*spoken, ("assistant", Tier.HOST, last)] if last else spoken
        case "subagent_stop":
            return [("assistant", Tier.HOST, data.get("last_message") or "")]
        case "tool_use":
            return [("tool", Tier.TOOL, data.get("summary", ""))]
        case _:
            return []


def _spoken(message: Mapping[str, Any]) -> tuple[Role, Tier, str]:
    role: Role = message["role"]
    return role, Tier(message.get("tier") or TIER_OF_ROLE[role]), message["text"]
