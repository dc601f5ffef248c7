"""opencode's conversations, out of the database in which it keeps them. Looked at: opencode 1.18 (`opencode.db`).

Texts have the ids of their parts, turns that of their prompt, which is what its plugin calls them while they go on.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memoryd.daemon import originals
from memoryd.daemon.imports.databases import MAGIC, moment_of, reading, tables
from memoryd.daemon.imports.found import Talk
from memoryd.ipc.events import Event, EventAdapter, Tier
from memoryd.ipc.hosts.jsonhooks import Fields
from memoryd.ipc.hosts.opencode import uses_tool
from memoryd.ipc.hosts.record import cut, parse, text_of

HOST = "opencode"
_PARTS = (
    "select part.id, part.data, message.id as message, message.data as head, message.time_created as at from part"
    " join message on message.id = part.message_id where part.session_id = ? order by message.time_created, part.id"
)


def is_opencode(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC) and {"session", "message", "part"} <= tables(path)


def talks(path: Path) -> Iterator[Talk]:
    """Its conversations, the oldest first. Blocking. :raises Refusal: it cannot be read"""
    with reading(path) as connection:
        rows = connection.execute("select * from session where parent_id is null order by time_created").fetchall()
        for row in rows:
            session = dict(row)
            cwd = text_of(session.get("directory"))
            yield Talk(str(session["id"]), cwd, _events(connection, str(session["id"]), cwd))


def _events(connection: sqlite3.Connection, session_id: str, cwd: str | None) -> list[Event]:
    found = []
    for row in connection.execute(_PARTS, (session_id,)):
        part, head = _loaded(row["data"]), _loaded(row["head"])
        at = moment_of(row["at"])
        turn = row["message"] if head.get("role") == "user" else head.get("parentID")
        envelope = {"host": HOST, "session_id": session_id, "cwd": cwd, "at": at, "turn_id": turn}
        for fields in _said(str(row["id"]), part, head):
            try:
                found.append(EventAdapter.validate_python({**fields, **envelope}))
            except ValidationError:
                continue
    return originals.shortened(found)


def _said(ident: str, part: Mapping[str, Any], head: Mapping[str, Any]) -> Iterator[Fields]:
    """The events of a part. What the host put beside a prompt, and the summary of a compaction, nobody said."""
    made_by_host = part.get("synthetic") or head.get("summary") is True
    match part:
        case {"type": "text", "text": str(text)} if text.strip() and not made_by_host:
            role = "user" if head.get("role") == "user" else "assistant"
            tier = Tier.USER if role == "user" else Tier.HOST
            yield {"kind": "message", "id": ident, "data": {"role": role, "text": cut(text), "tier": tier}}
        case {"type": "tool", "tool": str(tool), "state": dict(state)}:
            for id, fields in zip((ident, f"{ident}/result"), _used(tool, state), strict=False):
                yield {"id": id, **fields}


def _used(tool: str, state: Mapping[str, Any]) -> tuple[Fields, ...]:
    given = state.get("input")
    given = given if isinstance(given, dict) else {}
    status, path = state.get("status"), given.get("filePath")
    return uses_tool(
        tool, given, str(state.get("output") or state.get("error") or ""), turn=None,
        ok=status == "completed" if status in ("completed", "error") else None,
        path=path if isinstance(path, str) else None,
    )  # fmt: skip


def _loaded(text: Any) -> dict[str, Any]:
    try:
        found = parse(text)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
