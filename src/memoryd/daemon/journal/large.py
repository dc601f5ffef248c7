"""What descriptors stand for, as the journal holds it. Reads only; blocking."""

import json
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeText:
    dir: Path  #: the memory directory of its session
    name: str
    text: str


def of_event(journal: Store, seq: int) -> LargeText:
    """All that was said in an event. :raises NotFound: no such event with text"""
    row = _one(
        journal, "select dir, kind, data, host, session_id from events join sessions on sessions.id = session"
        " where seq = ?", seq, f"event:{seq}",
    )  # fmt: skip
    text = "\n\n".join(text for _, _, text in parts_of(row["kind"], json.loads(row["data"])) if text)
    if not text:
        raise NotFound(f"event:{seq} holds no text; `memoryd search --sessions` finds what was said")
    return LargeText(dir=Path(row["dir"]), name=f"{row['host']}/{row['session_id']} #{seq}", text=text)


def session_of(journal: Store, number: int) -> Row:
    """The session of a checkpoint: `host, session_id, dir`. :raises NotFound: no such session"""
    sql = "select host, session_id, dir from sessions where id = ?"
    return _one(journal, sql, number, f"checkpoint:{number}")


def _one(journal: Store, sql: str, value: int, name: str) -> Row:
    rows = journal.rows(sql, value)
    if not rows:
        raise NotFound(f"no {name}: it was removed, or never was")
    return rows[0]
