"""The log store, `logs.db`: structured log events, apart from the journal and never synced with it.

Nothing depends on it. A damaged one is replaced by a new one; one that cannot be written loses its rows, and memory
goes on. It holds names, ids, sizes and codes (`logkeeper`), never memory text.
"""

import json
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.errors import CannotWrite, NotFound

TOTAL_ROWS = 50_000  #: of all sessions together; the oldest are dropped
BUSY_SECONDS = 1.0  #: to wait for a reader
PAGE_ROWS = 1000

LEVELS = {name.lower(): logging.getLevelName(name) for name in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")}

_VERSION = 1
_SCHEMA = f"""
    begin;
    create table if not exists logs (
        id integer primary key autoincrement,  -- a dropped id never comes again: followers go on after the last
        at text not null, level integer not null, logger text not null, event text not null,
        session text not null, fields text not null, bytes integer not null
    );
    create index if not exists logs_by_session on logs (session, id);
    pragma user_version = {_VERSION};
    commit;
"""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One log event. `session`: id of the session it is about, '' when it is about none."""

    at: datetime
    level: int
    logger: str
    event: str
    session: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    id: int = 0  #: its place in the store


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What is kept; the oldest are dropped."""

    session_rows: int = 1000
    session_bytes: int = 10 * 1024 * 1024
    days: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which lines. `after`: only those with a greater id, oldest first; without it the newest."""

    since: datetime | None = None
    level: int = 0
    session: str | None = None
    after: int | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class LogStore:
    """Opened anew for each batch and each look, so that at rest there is no connection. Blocking."""

    path: Path
    caps: Caps = Caps()

    def write(self, lines: Sequence[LogLine]) -> None:
        """Write a batch in one transaction, without a sync, and drop what is over the caps.

        :raises CannotWrite: it did not work; the rows are lost, nothing else is
        """
        try:
            try:
                self._write(lines)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                    raise
                self._remove()
                self._write(lines)
        except (sqlite3.Error, OSError) as error:
            raise CannotWrite(f"cannot write {self.path}: {error}") from error

    def read(self, query: Query) -> list[LogLine]:
        """Return lines, the oldest first.

        :raises NotFound: there is no store yet, or it cannot be read
        """
        try:
            with _connection(f"{self.path.absolute().as_uri()}?mode=ro") as connection:
                found = connection.execute(*_select(query)).fetchall()
        except sqlite3.Error as error:
            if not self.path.exists():
                raise NotFound(f"no log store yet at {self.path}; the daemon makes it") from error
            raise NotFound(f"cannot read {self.path}: {error}; a damaged one is replaced at the next event") from error
        lines = [_line(row) for row in found]
        return lines if query.after is not None else lines[::-1]

    def _write(self, lines: Sequence[LogLine]) -> None:
        self.path.touch(mode=0o600)
        with _connection(self.path.absolute().as_uri()) as connection:
            connection.execute("pragma synchronous = off")
            if connection.execute("pragma user_version").fetchone()[0] != _VERSION:
                connection.executescript(_SCHEMA)
            connection.execute("begin immediate")
            connection.executemany(_INSERT, [_row(line) for line in lines])
            for session in {line.session for line in lines}:
                connection.execute(_DROP, (session, self.caps.session_rows, self.caps.session_bytes))
            oldest = rfc3339(lines[-1].at - timedelta(days=self.caps.days))
            connection.execute(_DROP_OLD, (TOTAL_ROWS, oldest))
            connection.execute("commit")

    def _remove(self) -> None:
        for suffix in ("", "-journal", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


_INSERT = "insert into logs (at, level, logger, event, session, fields, bytes) values (?,?,?,?,?,?,?)"
_DROP = """
    delete from logs where session = ?1 and id <= (select max(id) from (
        select id, row_number() over newest as rows, sum(bytes) over newest as total from logs where session = ?1
        window newest as (order by id desc)) where rows > ?2 or total > ?3)
"""
_DROP_OLD = "delete from logs where id <= (select max(id) from logs) - ?1 or at < ?2"


@contextmanager
def _connection(uri: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        connection.execute("pragma cache_size = -128")
        yield connection
    finally:
        connection.close()


def _row(line: LogLine) -> tuple[Any, ...]:
    fields = json.dumps(line.fields, ensure_ascii=False, separators=(",", ":"))
    size = sum(map(len, (line.logger, line.event, line.session, fields))) + 24
    return rfc3339(line.at), line.level, line.logger, line.event, line.session, fields, size


def _line(row: tuple[Any, ...]) -> LogLine:
    ident, at, level, logger, event, session, fields = row
    return LogLine(
        id=ident, at=parse_rfc3339(at), level=level, logger=logger, event=event, session=session,
        fields=json.loads(fields),
    )  # fmt: skip


def _select(query: Query) -> tuple[str, tuple[Any, ...]]:
    order = "id" if query.after is not None else "id desc"
    return (
        "select id, at, level, logger, event, session, fields from logs where level >= ?1"
        " and (?2 is null or session = ?2) and (?3 is null or at >= ?3) and (?4 is null or id > ?4)"
        f" order by {order} limit ?5",
        (query.level, query.session, query.since and rfc3339(query.since), query.after, query.limit),
    )
