"""Hermes agent's conversations, out of the database in which it keeps them. Looked at: 0.19 (`state.db`).

Only what a person said to it alone is taken: its sub-agents, schedules and group chats are passed over. It copies rows
at a compaction, a fork and an undo, so a text is known by what it says and when, not by its row.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memoryd.clock import rfc3339
from memoryd.daemon import originals
from memoryd.daemon.imports.databases import MAGIC, moment_of, reading, tables
from memoryd.daemon.imports.found import Talk
from memoryd.ipc.events import Event, EventAdapter, Tier
from memoryd.ipc.hosts.hermes import NOBODY, REVIEW, uses_tool
from memoryd.ipc.hosts.jsonhooks import Fields
from memoryd.ipc.hosts.record import cut, parse, text_of

HOST = "hermes"
_JSON = "\0json:"  #: how a content of parts is marked
_SUMMARY = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")  #: how the summary of a compaction begins
_ALONE = (None, "", "dm")  #: kinds of chats in which one person speaks

Rows = Sequence[Mapping[str, Any]]


def is_hermes(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC) and {"sessions", "messages", "state_meta"} <= tables(path)


def talks(path: Path) -> Iterator[Talk]:
    """Its conversations, the oldest first. Blocking. :raises Refusal: it cannot be read"""
    with reading(path) as connection:
        found = [dict(row) for row in connection.execute("select * from sessions order by started_at")]
        known = {session["id"]: session for session in found}
        for session in found:
            if _is_a_persons(session, known.get(session.get("parent_session_id"))):
                cwd = text_of(session.get("cwd"))
                yield Talk(str(session["id"]), cwd, _events(connection, str(session["id"]), cwd))


def _is_a_persons(session: Mapping[str, Any], parent: Mapping[str, Any] | None) -> bool:
    """A session below another one is a sub-agent's, unless it goes on from it: a branch, or after a compaction."""
    marks = _loaded(session.get("model_config"))
    nobody = session.get("source") in NOBODY or session.get("chat_type") not in _ALONE or "_delegate_from" in marks
    if nobody or session.get("parent_session_id") is None or "_branched_from" in marks:
        return not nobody
    return parent is not None and parent.get("end_reason") in ("compression", "branched")


def _events(connection: sqlite3.Connection, session_id: str, cwd: str | None) -> list[Event]:
    sql = "select * from messages where session_id = ? order by id"
    rows = [dict(row) for row in connection.execute(sql, (session_id,))]
    envelope = {"host": HOST, "session_id": session_id, "cwd": cwd}
    found = dict[str, Event]()
    for fields in _said(_kept(rows), cwd or ""):
        try:
            event: Event = EventAdapter.validate_python({**fields, **envelope})
        except ValidationError:
            continue
        found.setdefault(event.id, event)
    return originals.shortened(list(found.values()))


def _kept(rows: Rows) -> Iterator[Mapping[str, Any]]:
    """Without what was taken back or overheard, a summary, and what was copied in the moment of one."""
    copied_at = {row["timestamp"] for row in rows if _text(row).startswith(_SUMMARY)}
    for row in rows:
        taken_back = row.get("active") == 0 and not row.get("compacted")
        if not taken_back and not row.get("observed") and row["timestamp"] not in copied_at:
            yield row


def _said(rows: Iterator[Mapping[str, Any]], cwd: str) -> Iterator[Fields]:
    calls = dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]()
    for row in rows:
        match row["role"]:
            case "user" if not _text(row).startswith(REVIEW):
                yield from _interrupted(calls, cwd)
                yield from _message(row, "user", Tier.USER)
            case "assistant":
                yield from _message(row, "assistant", Tier.HOST)
                calls.update((str(call.get("id")), (row, call)) for call in _calls(row))
            case "tool":
                asked, call = calls.pop(str(row.get("tool_call_id")), (row, {}))
                yield from _used(asked, call, cwd, result=row)
    yield from _interrupted(calls, cwd)


def _message(row: Mapping[str, Any], role: str, tier: Tier) -> Iterator[Fields]:
    if text := _text(row):
        data = {"role": role, "text": cut(text), "tier": tier}
        yield {"kind": "message", "id": _id(row, role, text), "at": moment_of(row["timestamp"]), "data": data}


def _interrupted(calls: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]], cwd: str) -> Iterator[Fields]:
    """Calls that will get no result any more."""
    for row, call in calls.values():
        yield from _used(row, call, cwd)
    calls.clear()


def _used(
    row: Mapping[str, Any], call: Mapping[str, Any], cwd: str, *, result: Mapping[str, Any] | None = None
) -> Iterator[Fields]:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    name = str(function.get("name") or (result or {}).get("tool_name") or "unknown")
    text = _text(result) if result else ""
    told = uses_tool(
        name, _loaded(function.get("arguments")), text, cwd=cwd, turn=None,
        ok=None if result is None else not _loaded(text).get("error"),
    )  # fmt: skip
    ident, at = _id(row, name, str(call.get("id"))), moment_of((result or row)["timestamp"])
    for n, fields in enumerate(told):
        yield {"id": f"{ident}/{n}", "at": at, **fields}


def _calls(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = _parsed(row.get("tool_calls"))
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


def _text(row: Mapping[str, Any]) -> str:
    """The text of a row; of a content of parts, of those that hold one."""
    content = row.get("content")
    if isinstance(content, str) and content.startswith(_JSON):
        found = _parsed(content.removeprefix(_JSON))
        parts = found if isinstance(found, list) else [found]
        return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text")).strip()
    return content.strip() if isinstance(content, str) else ""


def _id(row: Mapping[str, Any], *what: str) -> str:
    at = rfc3339(moment_of(row["timestamp"]))
    return hashlib.sha256("\n".join((HOST, at, *what)).encode(errors="replace")).hexdigest()


def _loaded(text: object) -> dict[str, Any]:
    found = _parsed(text)
    return found if isinstance(found, dict) else {}


def _parsed(text: object) -> Any:
    try:
        return parse(text) if isinstance(text, str) else None
    except ValueError:
        return None
