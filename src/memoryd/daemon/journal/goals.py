"""Goals in the journal: what a person works towards here, each with a status. Blocking."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import LimitExceeded, NotFound
from memoryd.memory.blocks import Goal

MAX_OPEN = 50  #: of one directory


@dataclass(frozen=True, slots=True)
class Goals:
    journal: Store

    def add(self, directory: Path, text: str, host: str | None, session_id: str | None) -> Row:
        """Add an open goal; the same text twice is one goal. :raises LimitExceeded: too many are open"""
        now = rfc3339(self.journal.clock())
        return self.journal.write(lambda connection: _add(connection, str(directory), text, host, session_id, now))

    def list(self, directory: Path, status: str | None, *, limit: int, offset: int) -> list[Row]:
        """Open ones first, then the newest."""
        return self.journal.read(
            lambda connection: [
                dict(row)
                for row in connection.execute(
                    "select * from goals where dir = ?1 and (?2 is null or status = ?2)"
                    " order by status = 'open' desc, id desc limit ?3 offset ?4",
                    (str(directory), status, limit, offset),
                )
            ]
        )

    def open_of(self, directories: Iterable[Path]) -> tuple[Goal, ...]:
        """The open goals of these directories, in their order, the oldest first."""
        rows = self.journal.read(
            lambda connection: [
                row
                for directory in directories
                for row in connection.execute(
                    "select id, text, created_at from goals where dir = ? and status = 'open' order by id",
                    (str(directory),),
                )
            ]
        )
        return tuple(Goal(id=row[0], text=row[1], since=parse_rfc3339(row[2])) for row in rows)

    def update(self, goal_id: int, status: str | None, text: str | None) -> Row:
        """Change a goal. :raises NotFound: no such goal :raises LimitExceeded: too many are open"""
        now = rfc3339(self.journal.clock())
        return self.journal.write(lambda connection: _update(connection, goal_id, status, text, now))


def _add(
    connection: sqlite3.Connection, directory: str, text: str, host: str | None, session_id: str | None, now: str
) -> Row:
    same = connection.execute(
        "select id from goals where dir = ? and text = ? and status = 'open'", (directory, text)
    ).fetchone()
    if same:
        return _row(connection, same[0])
    _must_have_room(connection, directory)
    added = connection.execute(
        "insert into goals (dir, text, status, host, session_id, created_at, updated_at) values (?,?,'open',?,?,?,?)",
        (directory, text, host, session_id, now, now),
    )
    return _row(connection, int(added.lastrowid or 0))


def _update(connection: sqlite3.Connection, goal_id: int, status: str | None, text: str | None, now: str) -> Row:
    before = _row(connection, goal_id)
    if status == "open" != before["status"]:
        _must_have_room(connection, before["dir"])
    connection.execute(
        "update goals set status = coalesce(?, status), text = coalesce(?, text), updated_at = ? where id = ?",
        (status, text, now, goal_id),
    )
    return _row(connection, goal_id)


def _must_have_room(connection: sqlite3.Connection, directory: str) -> None:
    row = connection.execute("select count(*) from goals where dir = ? and status = 'open'", (directory,)).fetchone()
    if row[0] >= MAX_OPEN:
        raise LimitExceeded(f"{MAX_OPEN} goals are open here; finish or drop some: `memoryd goals done ID`")


def _row(connection: sqlite3.Connection, goal_id: int) -> Row:
    found = connection.execute("select * from goals where id = ?", (goal_id,))
    names = [column[0] for column in found.description]
    row = found.fetchone()
    if row is None:
        raise NotFound(f"no goal {goal_id}; `memoryd goals` lists them")
    return dict(zip(names, row, strict=True))
