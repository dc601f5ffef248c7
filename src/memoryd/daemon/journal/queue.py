"""`enqueue_latest`: one row a directory, at most one running and one waiting job, nothing lost by coalescing.

A job is waiting when `due_seq > max(run_to, done_seq)`. Enqueueing while one waits raises `coalesced_dropped`
and moves `due_seq` on: the range covers what the replaced job covered. Enqueueing what a run reads just now lowers
`run_to`: a run that reads it whole ends the wait, one that cuts its texts for a compaction does not.
"""

import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.counting import add_to_stats, set_stats
from memoryd.daemon.journal.roots import roots_of
from memoryd.daemon.journal.store import Store
from memoryd.errors import NotFound
from memoryd.ipc.redaction import redact
from memoryd.worker.ports import (
    Applied,
    Conflict,
    Deferred,
    Failed,
    Job,
    NoChange,
    Outcome,
    Rejection,
)

BACKOFF_SECONDS = (5, 30, 0)  #: after each failed attempt of an agent; after the last the rules take the range at once

WAITING = "due_seq > max(coalesce(run_to, 0), done_seq)"
#: when a waiting job may run: not before its backoff, and `?1` seconds after the last run unless a person asked; `?2`
#: is now: a last run that is still to come, and a backoff of days, are of a clock that was ahead and hold up nothing
READY_AT = (
    "max(iif(not_before <= strftime('%Y-%m-%dT%H:%M:%fZ', ?2, '2 days'), not_before, ''),"
    " iif(reason <> 'manual' and done_at <= ?2, strftime('%Y-%m-%dT%H:%M:%fZ', done_at, ?1 || ' seconds'), ''))"
)


def enqueue_latest(connection: sqlite3.Connection, dir_path: str, seq: int, reason: str, now: str) -> str:
    """Make a directory due up to `seq`; returns `queued`, or `coalesced` when a job was waiting already."""
    row = connection.execute(f"select {WAITING}, run_id from jobs where dir = ?", (dir_path,)).fetchone()
    waiting = bool(row and row[0])
    covered = reason == "compaction" and row is not None and (waiting or row[1])  # a run that a crash cuts is due again
    connection.execute(
        "insert into jobs (dir, due_seq, reason, due_at) values (?,?,?,?)"
        " on conflict (dir) do update set due_seq = max(due_seq, excluded.due_seq),"
        " done_seq = min(done_seq, excluded.due_seq - 1), run_to = min(run_to, excluded.due_seq - 1)"
        + ("" if covered else ", reason = excluded.reason")  # a full run covers it
        + ("" if waiting else ", due_at = excluded.due_at"),
        (dir_path, seq, reason, now),
    )
    if waiting:
        add_to_stats(connection, dir_path, coalesced_dropped=1)
    return "coalesced" if waiting else "queued"


@dataclass(frozen=True, slots=True)
class JournalQueue:
    """The queue of `worker.ports` on the journal's tables."""

    journal: Store
    user_memory: Path
    min_interval: Callable[[], int] = lambda: 0  #: seconds between two runs of a directory

    def claim(self, now: datetime) -> Job | None:
        if not self.journal.read(self._waits):  # an idle look costs no commit
            return None
        return self.journal.write(lambda connection: self._claim(connection, rfc3339(now)))

    @staticmethod
    def _waits(connection: sqlite3.Connection) -> bool:
        row = connection.execute(f"select 1 from jobs where run_id is null and {WAITING}").fetchone()
        return row is not None

    def _claim(self, connection: sqlite3.Connection, now: str) -> Job | None:
        row = connection.execute(
            f"select dir, due_seq, attempts, reason from jobs where run_id is null and {WAITING}"
            f" and {READY_AT} <= ?2 order by due_at limit 1",
            (str(self.min_interval()), now),
        ).fetchone()
        if row is None:
            return None
        dir_path, due_seq, attempts, reason = row
        run_id = uuid.uuid4().hex
        connection.execute(
            "update jobs set run_id = ?, run_to = ?, attempts = attempts + 1 where dir = ?",
            (run_id, due_seq, dir_path),
        )
        connection.execute(
            "insert into runs (id, dir, author, action, outcome, started_at)"
            " values (?,?,'run','consolidate','running',?)",
            (run_id, dir_path, now),
        )
        return Job(
            dir=Path(dir_path), roots=roots_of(connection, dir_path, self.user_memory), due_seq=due_seq,
            attempts=attempts + 1, run_id=run_id, reason=reason,
        )  # fmt: skip

    def settle(self, job: Job, outcome: Outcome, *, now: datetime, duration_ms: int, give_up: bool) -> None:
        told = _redacted(outcome)

        def write(connection: sqlite3.Connection) -> None:
            if settle(connection, job, told, now, duration_ms) and give_up:
                skip(connection, job, str(getattr(told, "reason", "")), rfc3339(now))

        self.journal.write(write)

    def next_due(self) -> datetime | None:
        now = self.journal.clock()
        row = self.journal.read(
            lambda connection: connection.execute(
                f"select min({READY_AT}) from jobs where run_id is null and {WAITING}",
                (str(self.min_interval()), rfc3339(now)),
            ).fetchone()
        )
        if row[0] is None:
            return None
        return parse_rfc3339(row[0]) if row[0] else now


def _redacted(outcome: Outcome) -> Outcome:
    """An outcome whose reason may be written down: an error may quote what it met."""
    if isinstance(outcome, Applied | NoChange):
        return outcome
    return replace(outcome, reason=redact(outcome.reason))


def settle(connection: sqlite3.Connection, job: Job, outcome: Outcome, now: datetime, duration_ms: int) -> bool:
    """Record how a run ended; an applied one is settled by its commit. False: another run holds the job."""
    if not _token_holds(connection, job):
        return False
    match outcome:
        case Applied(to_seq=to_seq):
            finish(connection, job, to_seq, rfc3339(now), partial=False)
        case NoChange(to_seq=to_seq, partial=partial):
            finish(connection, job, to_seq, rfc3339(now), partial=partial)
            add_to_stats(connection, str(job.dir), total_no_change=1)
        case Conflict(reason=reason):
            _put_back(connection, job, now, reason, spent=False)
            add_to_stats(connection, str(job.dir), total_conflict=1)
        case Deferred(reason=reason, not_before=not_before):
            _put_back(connection, job, not_before or now, reason, spent=False)
            if not_before is not None:  # else the daemon stops, which is no error
                _take_over(connection, job)
                set_stats(connection, str(job.dir), last_error=reason)
        case Rejection(reason=reason):
            _put_back(connection, job, _later(job, now), reason, spent=True)
            add_to_stats(connection, str(job.dir), total_rejected=1)
        case Failed(reason=reason):
            _put_back(connection, job, _later(job, now), reason, spent=True)
            add_to_stats(connection, str(job.dir), total_failed=1)
            set_stats(connection, str(job.dir), last_error=reason)
    record_end(connection, job, outcome, now, duration_ms)
    return True


def finish(connection: sqlite3.Connection, job: Job, to_seq: int, now: str, *, partial: bool) -> None:
    """The range up to `to_seq` is done; what became due meanwhile stays due.

    After a partial run the watermarks stay, and done is only what the job was claimed for.
    """
    if not partial:
        connection.execute(
            "update sessions set watermark = ?1 where dir = ?2 and watermark < ?1", (to_seq, str(job.dir))
        )
    connection.execute(
        "update jobs set run_id = null, run_to = null, attempts = 0, not_before = null, last_error = null, done_at = ?,"
        " done_seq = max(done_seq, iif(?, run_to, ?)) where dir = ?",
        (now, partial, to_seq, str(job.dir)),
    )


def skip(connection: sqlite3.Connection, job: Job, error: str, now: str) -> None:
    """Give a range up after every agent failed on it: kept in `skipped`, shown in status, `memoryd jobs retry`."""
    from_seq = connection.execute(
        "select coalesce(min(seq), ?) from events join sessions on sessions.id = session"
        " where dir = ? and seq > watermark",
        (job.due_seq, str(job.dir)),
    ).fetchone()[0]
    connection.execute(
        "insert into skipped (dir, from_seq, to_seq, error, at) values (?,?,?,?,?)",
        (str(job.dir), from_seq, job.due_seq, error, now),
    )
    finish(connection, job, job.due_seq, now, partial=False)


def retry(connection: sqlite3.Connection, skipped_id: int, now: str) -> str:
    """Make a skipped range due again; returns its directory.

    :raises NotFound: no such range
    """
    row = connection.execute("select dir, from_seq, to_seq from skipped where id = ?", (skipped_id,)).fetchone()
    if row is None:
        raise NotFound(f"no skipped range {skipped_id}; `memoryd jobs` lists them")
    dir_path, from_seq, to_seq = row
    connection.execute("delete from skipped where id = ?", (skipped_id,))
    connection.execute(
        "update sessions set watermark = ? where dir = ? and watermark >= ?"
        " and exists (select 1 from events where session = sessions.id and seq between ? and ?)",
        (from_seq - 1, dir_path, from_seq, from_seq, to_seq),
    )
    enqueue_latest(connection, dir_path, to_seq, "manual", now)
    return str(dir_path)


def _token_holds(connection: sqlite3.Connection, job: Job) -> bool:
    row = connection.execute("select run_id from jobs where dir = ?", (str(job.dir),)).fetchone()
    return bool(row and row[0] == job.run_id)


def _put_back(connection: sqlite3.Connection, job: Job, not_before: datetime, reason: str, *, spent: bool) -> None:
    connection.execute(
        "update jobs set run_id = null, run_to = null, attempts = attempts - ?, not_before = ?, last_error = ?"
        " where dir = ?",
        (0 if spent else 1, rfc3339(not_before), reason, str(job.dir)),
    )


def _take_over(connection: sqlite3.Connection, job: Job) -> None:
    """A person asked for one try: the next ones are the worker's own."""
    connection.execute("update jobs set reason = 'interval' where dir = ? and reason = 'manual'", (str(job.dir),))


def _later(job: Job, now: datetime) -> datetime:
    return now + timedelta(seconds=BACKOFF_SECONDS[min(job.attempts, len(BACKOFF_SECONDS)) - 1])


_NAMES = {
    Applied: "applied",
    NoChange: "no_change",
    Conflict: "conflict",
    Deferred: "deferred",
    Rejection: "rejected",
    Failed: "failed",
}


def record_end(connection: sqlite3.Connection, job: Job, outcome: Outcome, now: datetime, duration_ms: int) -> None:
    connection.execute(
        "update runs set outcome = ?, reason = ?, ended_at = ?, duration_ms = ? where id = ?",
        (_NAMES[type(outcome)], getattr(outcome, "reason", None), rfc3339(now), duration_ms, job.run_id),
    )
    set_stats(connection, str(job.dir), last_duration_ms=duration_ms)
