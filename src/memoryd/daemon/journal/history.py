"""What the journal tells: stats, jobs, versions, citations. Reads only; blocking."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.queue import READY_AT, WAITING
from memoryd.daemon.journal.runs import line_digest
from memoryd.daemon.journal.store import Row, Store

_TOOL_CALLS = 500  #: newest tool calls that may have written a memory file that changed

COUNTS = (
    "total_completed", "total_failed", "coalesced_dropped", "total_no_change", "total_rejected", "total_conflict",
    "tokens_in", "tokens_out",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class History:
    """Questions that people and hosts ask."""

    journal: Store

    def stats(self, directory: Path | None = None) -> Row:
        """WorkerStats of a directory, or of all together."""
        return self.journal.read(lambda c: _stats(c, str(directory) if directory else None))

    def directories(self) -> list[Row]:
        return self.journal.rows("select path, kind, project from dirs order by path")

    def knows(self, directory: Path) -> bool:
        """Whether any session or command was about this memory directory."""
        return bool(self.journal.rows("select 1 from dirs where path = ?", str(directory)))

    def jobs(self) -> list[Row]:
        """Waiting, running and deferred jobs, then the ranges that every agent failed on."""
        jobs = self.journal.rows(
            "select dir, reason, due_seq, done_seq, attempts, not_before, last_error,"
            " case when run_id is not null then 'running' when not_before is not null then 'deferred'"
            " else 'waiting' end as state"
            " from jobs where due_seq > done_seq or run_id is not null order by due_at"
        )
        skipped = self.journal.rows(
            "select id, dir, from_seq, to_seq, error, at, 'skipped' as state from skipped order by id"
        )
        return [*jobs, *skipped]

    def is_due(self, directory: Path) -> bool:
        """Whether a job of the directory waits or runs now; one that is put off does not count."""
        rows = self.journal.rows(
            "select 1 from jobs where dir = ? and (run_id is not null or (due_seq > done_seq"
            " and coalesce(not_before, '') <= ?))", str(directory), rfc3339(self.journal.clock()),
        )  # fmt: skip
        return bool(rows)

    def oldest_due(self, min_interval_seconds: int) -> Row | None:
        """The job that could have run the longest, and since when: `ready_at`."""
        rows = self.journal.rows(
            f"select dir, max(due_at, {READY_AT}) as ready_at from jobs where run_id is null and {WAITING}"
            " order by ready_at limit 1", str(min_interval_seconds), rfc3339(self.journal.clock()),
        )  # fmt: skip
        return rows[0] if rows else None

    def file_versions(self, root: Path, path: str) -> list[Row]:
        return self.journal.rows(
            "select digest, author, run_id, at from versions where root = ? and path = ? order by id", str(root), path
        )

    def versions_by_path(self, root: Path) -> dict[str, list[Row]]:
        """Every version of every file of a directory, by path, oldest first."""
        found: dict[str, list[Row]] = {}
        sql = "select path, digest, author, run_id, at from versions where root = ? order by id"
        for row in self.journal.rows(sql, str(root)):
            found.setdefault(row["path"], []).append(row)
        return found

    def versions_since(self, ident: int) -> list[Row]:
        """The versions after the one of that number, oldest first, with the action of their run.

        All of them when there is none of that number any more: after a purge the numbers may begin anew.
        """
        return self.journal.rows(
            "select versions.id, root, path, digest, versions.author, run_id, at, action from versions"
            " left join runs on runs.id = run_id"
            " where versions.id > ?1 or ?1 > (select max(id) from versions) order by versions.id", ident,
        )  # fmt: skip

    def newest_files(self) -> list[Row]:
        """Root, path and digest of every file that is there."""
        return self.journal.rows(
            "select root, path, digest from versions where digest is not null"
            " and id in (select max(id) from versions group by root, path) order by root, path"
        )

    def installation(self) -> str:
        """A name for this data directory, made once."""
        self.journal.execute("insert or ignore into meta values ('installation', lower(hex(randomblob(8))))")
        return str(self.journal.rows("select value from meta where name = 'installation'")[0]["value"])

    def citations(self, root: Path, paths: Sequence[str], line: str | None) -> list[Row]:
        """The events that a line of a file rests on (None: that any line does): session, seq, at, and its texts.

        :param paths: the file, and the names that it had before
        """
        rows = self.journal.rows(
            "select distinct citations.seq, host, session_id, kind, at, data from citations"
            " join events on events.seq = citations.seq join sessions on sessions.id = session"
            " where root = ?1 and path in (select value from json_each(?2)) and (?3 is null or line = ?3)"
            " order by citations.seq",
            str(root), json.dumps(list(paths)), line and line_digest(line),
        )  # fmt: skip
        return [_quoted(row) for row in rows]

    def written_by_a_host(self, path: Path) -> bool:
        """Whether one of the newest tool calls of an agent wrote this file."""
        rows = self.journal.rows(
            "select 1 from (select data from events where kind = 'tool_use' order by seq desc limit ?),"
            " json_each(data, '$.files') where json_extract(value, '$.path') = ?"
            " and json_extract(value, '$.action') = 'write' limit 1",
            _TOOL_CALLS, str(path),
        )  # fmt: skip
        return bool(rows)

    def recent_prompts(self, directory: Path, limit: int) -> tuple[int, ...]:
        """Seqs of the newest prompts of the user in a directory's sessions."""
        rows = self.journal.rows(
            "select seq from events join sessions on sessions.id = session where dir = ? and kind = 'user_prompt'"
            " order by seq desc limit ?", str(directory), limit,
        )  # fmt: skip
        return tuple(row["seq"] for row in rows)

    def newest_seq(self) -> int:
        return int(self.journal.rows("select value from counters where name = 'seq'")[0]["value"])

    def quarantined(self) -> int:
        return int(self.journal.read(lambda c: c.execute("select count(*) from quarantine").fetchone()[0]))


def _quoted(row: Row) -> Row:
    data = json.loads(row["data"])
    source = data.get("source") if row["kind"] == "message" else None
    return {
        "session": f"{row['host']}/{row['session_id']}", "seq": row["seq"], "at": row["at"],
        "texts": parts_of(row["kind"], data), "source": source if isinstance(source, str) else "",
    }  # fmt: skip


def _stats(connection: sqlite3.Connection, dir_path: str | None) -> Row:
    values: Row = dict.fromkeys(COUNTS, 0)
    values.update(cost_usd=0.0, last_completed_at=None, last_error=None, last_duration_ms=None)
    for name, value in connection.execute(
        "select name, value from stats where ?1 is null or dir = ?1 order by name", (dir_path,)
    ):
        if name in COUNTS or name == "cost_usd":
            values[name] += value
        else:
            values[name] = max(filter(None, (values.get(name), value)), default=None)
    values["queued"], values["running"] = connection.execute(
        "select coalesce(sum(due_seq > max(coalesce(run_to, 0), done_seq)), 0), coalesce(sum(run_id is not null), 0)"
        " from jobs where ?1 is null or dir = ?1", (dir_path,),
    ).fetchone()  # fmt: skip
    return values
