"""Dreaming on the journal's tables: what users said of late, what each session was shown, and the staged candidates.

A candidate is a row of the review inbox of kind `dream`. It rests on what its `cites` name, so a purge takes it along.
Blocking.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.evidence import SPOKEN, foreign_in, said
from memoryd.daemon.journal.reviews import digest_of, put
from memoryd.daemon.journal.spawns import IS_CHILD
from memoryd.daemon.journal.store import Row, Store
from memoryd.ipc.events import Tier

KIND = "dream"
MAX_TEXTS = 4_000  #: newest texts of a directory's users that one pass reads
MAX_FOREIGN = 20_000  #: newest events of a directory in which others' texts are looked for
LIVE, BACKFILL = "live", "backfill"  #: lanes: what came of late; what old notes and summaries told


_SPOKEN_IN = (
    "select kind, at, data from events join sessions on sessions.id = session"
    f" where dir = ? and kind in {SPOKEN} order by seq desc limit ?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text that a user wrote."""

    seq: int
    at: datetime
    session: tuple[str, str]  #: host, id
    text: str


def texts(journal: Store, directory: Path, since: datetime) -> list[Said]:
    """What users wrote in a directory's sessions, the oldest first, each text of a session once."""
    rows = journal.rows(
        "select seq, kind, at, data, host, session_id from events join sessions on sessions.id = session"
        " where dir = ? and at >= ? and not headless and (kind = 'user_prompt' or kind = 'message' and"
        f" json_extract(data, '$.role') = 'user') and not {IS_CHILD} order by seq desc limit ?",
        str(directory), rfc3339(since), MAX_TEXTS,
    )  # fmt: skip
    found: dict[tuple[str, str, str], Said] = {}
    for row in reversed(rows):
        role, tier, text = said(row["kind"], json.loads(row["data"]))
        if role == "user" and tier is Tier.USER and text.strip():
            session = (row["host"], row["session_id"])
            one = Said(seq=row["seq"], at=parse_rfc3339(row["at"]), session=session, text=text)
            found.setdefault((*session, " ".join(text.split())), one)
    return list(found.values())


def first_quoted(journal: Store, directory: Path, statements: Sequence[str]) -> list[datetime | None]:
    """When a tool, a page or an agent first said each statement in any session of a directory; None: never."""
    from memoryd.worker.agents.rules.quoting import Repeated  # an idle daemon holds no patterns

    repeated = Repeated(statements)
    first: list[str | None] = [None] * len(statements)

    def query(connection: sqlite3.Connection) -> list[datetime | None]:
        for kind, at, data in connection.execute(_SPOKEN_IN, (str(directory), MAX_FOREIGN)):
            for text in foreign_in(kind, json.loads(data)):
                for n in repeated.by(text):
                    first[n] = min(at, first[n] or at)
        return [parse_rfc3339(at) if at else None for at in first]

    return journal.read(query)


def shown(journal: Store, sessions: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, frozenset[str]]]:
    """What memory each session was told at its start, and the ids of all that it was shown."""
    rows = journal.rows(
        "select host, session_id, text, shown from snapshots join sessions on sessions.id = session"
        " where host || '/' || session_id in (select value from json_each(?))",
        json.dumps(sorted({f"{host}/{name}" for host, name in sessions})),
    )
    return {(row["host"], row["session_id"]): (row["text"], frozenset(json.loads(row["shown"]))) for row in rows}


def quiet_since(journal: Store) -> datetime | None:
    """When the newest event came in; None: none ever did."""
    rows = journal.rows("select received_at from events order by seq desc limit 1")
    return parse_rfc3339(rows[0]["received_at"]) if rows else None


def candidates(journal: Store, dirs: Sequence[Path] | None, *, decided: bool = True) -> list[Row]:
    """The candidates of these directories, None: of all; each with its `detail` read, those that wait first."""
    rows = journal.rows(
        "select * from reviews where kind = ? and (? or dir in (select value from json_each(?)))"
        " and (? or status = 'open') order by status != 'open', id desc limit 1000",
        KIND, dirs is None, json.dumps([str(path) for path in dirs or ()]), decided,
    )  # fmt: skip
    return [{**row, "detail": json.loads(row["detail"])} for row in rows]


def stage(journal: Store, directory: Path, scope: str, text: str, detail: Mapping[str, Any], reason: str) -> None:
    """Stage a new candidate."""
    now = rfc3339(journal.clock())
    journal.write(lambda connection: put(
        connection, digest=digest_of(KIND, str(directory), text), dir=str(directory), scope=scope, kind=KIND,
        detail=json.dumps(detail, ensure_ascii=False), reason=reason, tier=detail["tier"], run_id=None, at=now,
    ))  # fmt: skip


def refresh(journal: Store, ident: int, detail: Mapping[str, Any], reason: str) -> None:
    """Note what an open candidate rests on by now."""
    journal.execute(
        "update reviews set detail = ?, reason = ?, tier = ? where id = ? and status = 'open'",
        json.dumps(detail, ensure_ascii=False), reason, detail["tier"], ident,
    )  # fmt: skip


def promote(journal: Store, ident: int, run: str) -> None:
    """Note that a run of memoryd's own made memory of a candidate."""
    journal.execute(
        "update reviews set status = 'accepted', decided_at = ?, decided_run = ?, run_id = ? where id = ?",
        rfc3339(journal.clock()), run, run, ident,
    )  # fmt: skip


def promoted(row: Row) -> bool:
    """Whether memoryd itself, and no person, let a candidate in."""
    return row["status"] == "accepted" and row["run_id"] is not None and row["run_id"] == row["decided_run"]


def drop(journal: Store, idents: Sequence[int]) -> None:
    """Take candidates out that nothing speaks for any more."""
    journal.write(lambda connection: connection.executemany(
        "delete from reviews where id = ? and status = 'open'", [(ident,) for ident in idents]
    ) and None)  # fmt: skip


def remember(journal: Store, name: str, moment: datetime) -> None:
    journal.execute("insert or replace into meta values (?, ?)", name, rfc3339(moment))


def remembered(journal: Store, name: str) -> datetime | None:
    rows = journal.rows("select value from meta where name = ?", name)
    return parse_rfc3339(rows[0]["value"]) if rows else None
