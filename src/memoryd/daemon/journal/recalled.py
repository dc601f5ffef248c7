"""Which entries a prompt or a search found, and what entries name that is gone: how memories wear. Blocking.

Of a query only a hash is kept. A hit tells that a person wanted a memory; it is no evidence of what the memory says.
"""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.store import Store
from memoryd.memory.catalogue import Wear
from memoryd.memory.text import fold

MIGRATION = """
    -- an entry was found for a prompt or a search; `query`: a hash, `session` 0: asked for outside of a session
    create table recall_hits (
        root text not null, path text not null, query text not null, session integer not null, at text not null,
        place integer not null,                      -- among the hits, from 1
        primary key (root, path, query, session)
    ) without rowid;
    create index recall_hits_by_session on recall_hits (session);
    create trigger recall_hits_without_their_session after delete on sessions begin
        delete from recall_hits where session = old.id;
    end;
    -- what an entry names, a path, a command or a symbol, and when it was last in the repository
    create table named (
        root text not null, path text not null, name text not null, seen_at text not null, gone_at text,
        primary key (root, path, name)
    ) without rowid;
"""
KEPT_DAYS = 180  #: of hits
MAX_ROWS = 20_000


_HIT = (
    "insert or replace into recall_hits (root, path, query, session, at, place)"
    " values (?, ?, ?, coalesce((select id from sessions where host = ? and session_id = ?), 0), ?, ?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An entry was found once."""

    path: str
    query: str  #: a hash
    session: int
    at: datetime
    place: int  #: among the hits, from 1


def hit(
    journal: Store, found: Sequence[tuple[str, str]], query: str, at: datetime, session: tuple[str, str] = ("", "")
) -> None:
    """Count entries, by root and path, the best first, that a query found; the same query once a session."""
    digest = hashlib.sha256(fold(query).encode(errors="surrogatepass")).hexdigest()[:16]
    rows = [(*file, digest, *session, rfc3339(at), place) for place, file in enumerate(found, start=1)]
    journal.write(lambda connection: connection.executemany(_HIT, rows) and None)


def hits(journal: Store, root: str, since: datetime) -> list[Hit]:
    """The hits of a root's entries, the oldest first."""
    rows = journal.rows(
        "select * from recall_hits where root = ? and at >= ? order by at limit ?", root, rfc3339(since), MAX_ROWS
    )
    return [
        Hit(
            path=row["path"], query=row["query"], session=row["session"], at=parse_rfc3339(row["at"]),
            place=row["place"],
        )
        for row in rows
    ]  # fmt: skip


def wear(journal: Store, root: str) -> Mapping[str, Wear]:
    """How the entries of a root have worn, by path."""
    uses = journal.rows("select path, count(distinct query) as n from recall_hits where root = ? group by path", root)
    gone = journal.rows("select path, name from named where root = ? and gone_at is not null order by name", root)
    names: dict[str, list[str]] = {}
    for row in gone:
        names.setdefault(row["path"], []).append(row["name"])
    counts = {row["path"]: row["n"] for row in uses}
    return {path: Wear(uses=counts.get(path, 0), gone=tuple(names.get(path, ()))) for path in {**counts, **names}}


def look(journal: Store, root: str, found: Mapping[tuple[str, str], bool], at: datetime) -> list[tuple[str, str]]:
    """Note which names are in the repository now; returns, by path and name, those that are gone since the last look.

    A name that was never there is nothing that is gone. Of entries that are not told of, the names are forgotten.

    :param found: path of an entry and what it names -> whether that is there
    """
    known = {
        (row["path"], row["name"]): row["gone_at"]
        for row in journal.rows("select * from named where root = ?", root)
    }  # fmt: skip
    present = [key for key, there in found.items() if there and (key not in known or known[key] is not None)]
    gone = [key for key, there in found.items() if not there and key in known and known[key] is None]
    dropped = [key for key in known if key not in found]

    def write(connection: sqlite3.Connection) -> None:
        now = rfc3339(at)
        connection.executemany(
            "insert or replace into named (root, path, name, seen_at) values (?, ?, ?, ?)",
            [(root, *key, now) for key in present],
        )
        connection.executemany(
            "update named set gone_at = ? where root = ? and path = ? and name = ?",
            [(now, root, *key) for key in gone],
        )
        connection.executemany(
            "delete from named where root = ? and path = ? and name = ?", [(root, *key) for key in dropped]
        )

    if present or gone or dropped:
        journal.write(write)
    return gone


def expire(journal: Store, before: datetime) -> int:
    """Forget the hits of long ago; returns how many."""
    return journal.execute("delete from recall_hits where at < ?", rfc3339(before))
