"""Housekeeping of the journal: idle sessions, lost jobs, retention, quarantine, pauses. Called by the sweep."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.queue import WAITING, enqueue_latest, retry
from memoryd.daemon.journal.store import Store
from memoryd.daemon.journal.tombstones import digest
from memoryd.errors import NotFound

QUARANTINE_DAYS = 7
_RETENTION_BATCH = 5_000  #: events a sweep removes at the most, so that appends never wait long


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time in which nothing is recorded: everywhere when `dir` is '', else for one directory.

    It is kept when it is over: a transcript that is read later still holds what was said meanwhile.
    """

    dir: str
    since: datetime
    until: datetime | None  #: None: until resumed

    def covers(self, directory: Path, moment: datetime) -> bool:
        return self.dir in ("", str(directory)) and self.is_on(moment)

    def is_on(self, moment: datetime) -> bool:
        return self.since <= moment and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Writes of the sweep. Blocking calls from a worker thread."""

    journal: Store

    def anything(self, now: datetime, idle_seconds: int) -> bool:
        """Whether `close_idle` or `heal` would find something: a read, so that an idle sweep writes nothing."""
        limit = rfc3339(now - timedelta(seconds=idle_seconds))
        sql = f"select exists (select 1 from sessions where ended_at is null and last_at < ?) or exists ({_LOST})"
        return bool(self.journal.read(lambda c: c.execute(sql, (limit,)).fetchone()[0]))

    def close_idle(self, now: datetime, idle_seconds: int) -> int:
        """Do for sessions idle that long what a session end does; returns how many directories became due."""
        limit = rfc3339(now - timedelta(seconds=idle_seconds))
        return self.journal.write(lambda connection: _close_idle(connection, limit, rfc3339(now)))

    def heal(self, now: datetime) -> int:
        """Enqueue directories that are dirty with no waiting, running or deferred job."""
        return self.journal.write(lambda connection: _heal(connection, rfc3339(now)))

    def make_due(self, directory: Path, now: datetime) -> bool:
        """Enqueue all that is not consolidated of a directory; False when there is nothing."""
        return self.journal.write(lambda connection: _make_due(connection, str(directory), rfc3339(now)))

    def retry(self, ident: str | None, now: datetime) -> int:
        """Make a skipped range due again, or let a put-off job run at once; None: all of both. Returns how many.

        :param ident: as `jobs` shows it: the number of a range, the directory of a job
        :raises NotFound: nothing of that name is skipped or put off
        """

        def write(connection: sqlite3.Connection) -> int:
            ranges = {str(row[0]): row[0] for row in connection.execute("select id from skipped")}
            put_off = {row[0] for row in connection.execute(_PUT_OFF, (rfc3339(now),))}
            if ident is not None and ident not in ranges.keys() | put_off:
                raise NotFound(f"nothing that is called {ident!r} was skipped or put off; `memoryd jobs` lists them")
            for one in put_off if ident is None else put_off & {ident}:
                connection.execute("update jobs set not_before = null, reason = 'manual' where dir = ?", (one,))
            for one in ranges.values() if ident is None else [ranges[ident]] if ident in ranges else []:
                retry(connection, one, rfc3339(now))
            return len(ranges) + len(put_off) if ident is None else 1

        return self.journal.write(write)

    def retain(self, now: datetime, *, days: int, max_bytes: int) -> int:
        """Remove consolidated events that are too old, or the oldest while the database is too large; old reservations.

        Each leaves a content-free tombstone, so that a transcript read again does not bring it back, and whose it was
        and which tiers spoke in it, so that a purge finds the lines that rest on it.
        """
        limit = rfc3339(now - timedelta(days=days))
        self.journal.execute("delete from reservations where at < ?", limit)
        return self.journal.write(lambda connection: _retain(connection, limit, max_bytes))

    def expire_quarantine(self, now: datetime) -> int:
        limit = rfc3339(now - timedelta(days=QUARANTINE_DAYS))
        return self.journal.execute("delete from quarantine where at < ?", limit)

    def pauses(self) -> list[Pause]:
        """All pauses, those that are over too."""
        rows = self.journal.read(lambda c: c.execute("select dir, since, until from pauses").fetchall())
        return [
            Pause(
                dir=row["dir"],
                since=parse_rfc3339(row["since"]),
                until=parse_rfc3339(row["until"]) if row["until"] else None,
            )
            for row in rows
        ]

    def pause(self, directory: Path | None, now: datetime, until: datetime | None) -> None:
        where, ends = str(directory) if directory else "", rfc3339(until) if until else None
        self.journal.execute("insert or replace into pauses values (?,?,?)", where, rfc3339(now), ends)

    def resume(self, directory: Path | None, now: datetime) -> int:
        """End a pause now; without a directory all of them. Returns how many there were."""
        return self.journal.execute(
            "update pauses set until = ?1 where (until is null or until > ?1) and (?2 is null or dir = ?2)",
            rfc3339(now), str(directory) if directory else None,
        )  # fmt: skip


def _close_idle(connection: sqlite3.Connection, limit: str, now: str) -> int:
    rows = connection.execute(
        "select id, dir, user_seq, watermark from sessions where ended_at is null and last_at < ?", (limit,)
    ).fetchall()
    due = 0
    for session, dir_path, user_seq, watermark in rows:
        connection.execute("update sessions set ended_at = last_at where id = ?", (session,))
        if user_seq > watermark:
            connection.execute(
                "update sessions set due_seq = user_seq, turns_at_enqueue = turn_count where id = ?", (session,)
            )
            enqueue_latest(connection, dir_path, user_seq, "idle", now)
            due += 1
    return due


def _make_due(connection: sqlite3.Connection, dir_path: str, now: str) -> bool:
    newest = connection.execute(
        "select max(seq) from events join sessions on sessions.id = session where dir = ? and seq > watermark",
        (dir_path,),
    ).fetchone()[0]
    if newest is None:
        return False
    connection.execute("update jobs set not_before = null where dir = ?", (dir_path,))
    connection.execute(
        "update sessions set due_seq = ?, turns_at_enqueue = turn_count where dir = ? and user_seq > watermark",
        (newest, dir_path),
    )
    enqueue_latest(connection, dir_path, newest, "manual", now)
    return True


_PUT_OFF = f"select dir from jobs where run_id is null and {WAITING} and not_before > ?"

#: directories that are due with no waiting, running or deferred job
_LOST = (
    "select sessions.dir, max(sessions.due_seq) from sessions left join jobs on jobs.dir = sessions.dir"
    " where sessions.due_seq > watermark and (jobs.dir is null or (run_id is null and jobs.due_seq <= done_seq))"
    " group by sessions.dir"
)


def _heal(connection: sqlite3.Connection, now: str) -> int:
    rows = connection.execute(_LOST).fetchall()
    for dir_path, due_seq in rows:
        enqueue_latest(connection, dir_path, due_seq, "idle", now)
    return len(rows)


def _retain(connection: sqlite3.Connection, limit: str, max_bytes: int) -> int:
    pages, size, free = (connection.execute(f"pragma {p}").fetchone()[0] for p in _PAGES)
    over = (pages - free) * size > max_bytes
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    rows = cursor.execute(_OLDEST, (limit, over, _RETENTION_BATCH)).fetchall()
    connection.executemany(
        "insert or ignore into tombstones (digest) values (?)", [(digest(row["id"]),) for row in rows]
    )
    connection.executemany(
        "insert or ignore into retired (seq, session, at, first, tiers) values (?,?,?,?,?)",
        [(row["seq"], row["session"], row["at"], row["first"], _tiers(row)) for row in rows],
    )
    connection.executemany("delete from events where seq = ?", [(row["seq"],) for row in rows])
    return len(rows)


#: what is said is read where a line of memory rests on it, for a purge by tier
_OLDEST = """
    select events.seq, events.id, events.session, at, kind, copies.session as first,
        case when exists (select 1 from citations where citations.seq = events.seq) then data end as cited
    from events join sessions on sessions.id = events.session left join copies on copies.seq = events.seq
    where events.seq <= watermark and (at < ? or ?) order by events.seq limit ?
"""


def _tiers(row: sqlite3.Row) -> str:
    said = parts_of(row["kind"], json.loads(row["cited"])) if row["cited"] else ()
    return " ".join(sorted({tier for _, tier, _ in said}))


_PAGES = ("page_count", "page_size", "freelist_count")
