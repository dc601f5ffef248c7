"""What descriptors stand for, as the journal holds it. Reads only; blocking."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import NotFound
from memoryd.ipc.events import Original


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeText:
    dir: Path  #: the memory directory of its session
    host: str
    session_id: str
    name: str
    text: str  #: as far as the journal holds it
    original: Original | None = None  #: of a text of which that is the beginning


def of_event(journal: Store, seq: int) -> LargeText:
    """All that was said in an event. :raises NotFound: no such event with text"""
    row = _one(
        journal, "select dir, kind, data, host, session_id from events join sessions on sessions.id = session"
        " where seq = ?", seq, f"event:{seq}",
    )  # fmt: skip
    data = json.loads(row["data"])
    text = "\n\n".join(text for _, _, text in parts_of(row["kind"], data) if text)
    if not text:
        raise NotFound(f"event:{seq} holds no text; `memoryd search --sessions` finds what was said")
    return LargeText(
        dir=Path(row["dir"]), host=row["host"], session_id=row["session_id"],
        name=f"{row['host']}/{row['session_id']} #{seq}", text=text, original=_original(data),
    )  # fmt: skip


def _original(data: Mapping[str, Any]) -> Original | None:
    return Original.model_validate(data["original"]) if data.get("original") else None


def session_of(journal: Store, number: int) -> Row:
    """The session of a checkpoint: `host, session_id, dir`. :raises NotFound: no such session"""
    sql = "select host, session_id, dir from sessions where id = ?"
    return _one(journal, sql, number, f"checkpoint:{number}")


def _one(journal: Store, sql: str, value: int, name: str) -> Row:
    rows = journal.rows(sql, value)
    if not rows:
        raise NotFound(f"no {name}: it was removed, or never was")
    return rows[0]
