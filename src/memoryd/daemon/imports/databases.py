"""Databases of other programs, opened to read and nothing else. Looked at: claude-mem 3 to 8 (`claude-mem.db`)."""

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.daemon.imports.found import Memory
from memoryd.daemon.imports.walking import Refusal
from memoryd.ipc.events import Tier
from memoryd.ipc.hosts.record import parse
from memoryd.memory.model import EntryType

CLAUDE_MEM = "claude-mem"
GIST_CHARS = 480  #: what is kept of an observation: a fact, not an essay

MAGIC = b"SQLite format 3\0"
_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_claude_mem(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC) and {"observations", "sdk_sessions"} <= tables(path)


def claude_mem(path: Path) -> Iterator[Memory]:
    """Its observations and session summaries, oldest first. :raises Refusal: it cannot be read"""
    with reading(path) as connection:
        yield from (_observation(row) for row in _rows(connection, "observations"))
        yield from (_summary(row) for row in _rows(connection, "session_summaries") if row.get("learned"))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads. :raises Refusal: it is no database, or not one that can be read now"""
    try:
        opened = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1, check_same_thread=False)
        with contextlib.closing(opened) as connection:
            connection.row_factory = sqlite3.Row
            yield connection
    except sqlite3.Error as error:
        raise Refusal(f"its database cannot be read: {error}") from error


def is_settled(path: Path) -> bool:
    """Whether all that a database holds is in its file: what stands beside it changes no stamp of the file."""
    beside = path.with_name(f"{path.name}-wal")
    return not (beside.exists() and beside.stat().st_size)


def tables(path: Path) -> set[str]:
    with reading(path) as connection:
        return {row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")}


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    for row in connection.execute(f"select * from {table} order by created_at_epoch, id"):
        yield dict(row)


def _observation(row: dict[str, Any]) -> Memory:
    title = _text(row.get("title")) or _text(row.get("text"))
    facts = _list(row.get("facts"))
    whole = [title, _text(row.get("subtitle")), _text(row.get("narrative")), _text(row.get("text")), *facts]
    told = [title, *(facts or [_text(row.get("subtitle"))])]
    return Memory(
        text=_joined(whole), gist=_fitting(told), tier=Tier.HOST, place=f"observations {row['id']}",
        at=moment_of(row.get("created_at_epoch")), name=title[:60], kind=EntryType.PROJECT,
        project=_text(row.get("project")) or None, tags=tuple(filter(None, [_text(row.get("type"))])),
    )  # fmt: skip


def _summary(row: dict[str, Any]) -> Memory:
    return Memory(
        text=_joined(_text(row.get(name)) for name in _SUMMARY), gist=_fitting([_text(row["learned"])]),
        tier=Tier.HOST, at=moment_of(row.get("created_at_epoch")), place=f"session_summaries {row['id']}",
        kind=EntryType.PROJECT, name=_text(row.get("request"))[:60], project=_text(row.get("project")) or None,
        tags=("summary",),
    )  # fmt: skip


def _fitting(rows: list[str]) -> str:
    """As many whole rows as a fact may have; at least the beginning of the first."""
    kept = rows[0][:GIST_CHARS]
    for row in filter(None, rows[1:]):
        if len(kept) + len(row) + 1 > GIST_CHARS:
            break
        kept += f"\n{row}"
    return kept


def _joined(rows: Any) -> str:
    return "\n".join(dict.fromkeys(filter(None, rows)))


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _list(value: Any) -> list[str]:
    try:
        found = parse(value) if isinstance(value, str) else value
    except ValueError:
        return []
    return [_text(one) for one in found if _text(one)] if isinstance(found, list) else []


def moment_of(value: object) -> datetime:
    """A time in seconds or milliseconds since 1970; what is none, or beyond the calendar, counts as 1970."""
    seconds = float(value) if isinstance(value, int | float) else 0.0
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
