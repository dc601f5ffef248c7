"""The tables of the journal as JSON rows. Sessions and events go by their own ids, not by row numbers."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryd.errors import CannotWrite

#: derived, of this machine, or written as files of their own
_LEFT_OUT = (
    "meta", "counters", "intents", "jobs", "snapshots", "stats", "quarantine", "blobs", "skipped", "reservations",
    "outage", "adoptions", "progress", "unread_agents", "imported", "trusted",
    "work", "procedure_hits", "recall_hits", "named",
)  # fmt: skip
_BY_SESSION = ("events", "turns", "copies")  #: their `session` is told as host and session_id

Connection = sqlite3.Connection
NameOf = Callable[[str], str]  #: a directory's path -> its name in the archive


@contextmanager
def frozen(connection: sqlite3.Connection) -> Iterator[None]:
    """One state of the database for all that is read in the block; writers go on."""
    connection.execute("begin")
    try:
        yield
    finally:
        connection.execute("commit")


def tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("select name from sqlite_master where type = 'table' order by name")
    return [row[0] for row in rows if row[0] not in _LEFT_OUT and not row[0].startswith("sqlite_")]


def rows(connection: sqlite3.Connection, table: str, name_of: NameOf) -> Iterator[dict[str, Any]]:
    """The rows of a table; bytes in hex, directories by their names."""
    sql = f"select * from {table}"
    if table in _BY_SESSION:
        sql = f"select host, session_id, {table}.* from {table} join sessions on sessions.id = session order by seq"
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    for values in cursor:
        row = {n: v.hex() if isinstance(v, bytes) else v for n, v in zip(names, values, strict=True)}
        if table in _BY_SESSION:
            del row["session"]
        for column in ("root", "dir") if table != "dirs" else ():
            if row.get(column):
                row[column] = name_of(row[column])
        if table == "events":
            row["data"] = json.loads(row["data"])
        yield row


def blobs(connection: sqlite3.Connection) -> Iterator[tuple[str, bytes]]:
    """Every content that some version has."""
    for digest_, content in connection.execute("select digest, content from blobs order by digest"):
        yield digest_, bytes(content)


def copy_to(connection: sqlite3.Connection, target: Path) -> None:
    """A copy of the whole database, consistent, without free pages.

    :raises CannotWrite: no space
    """
    try:
        connection.execute("vacuum into ?", (str(target),))
    except sqlite3.Error as error:
        raise CannotWrite(f"cannot copy the journal to {target}: {error}; free space and try again") from error
