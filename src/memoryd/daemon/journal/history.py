"""What the journal tells: stats, sessions, jobs, runs, versions, citations. Reads only; blocking."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.queue import READY_AT, WAITING
from memoryd.daemon.journal.runs import line_digest
from memoryd.daemon.journal.spawns import AgentGraph
from memoryd.daemon.journal.store import Store
from memoryd.errors import NotFound

Row = dict[str, Any]

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
        return self._rows("select path, kind, project from dirs order by path")

    def hosts(self) -> list[str]:
        """The hosts that sessions came from."""
        return [row["host"] for row in self._rows("select distinct host from sessions order by host")]

    def sessions(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        directory: Path | None = None,
        kind: str | None = None,
        thread: tuple[str, str] | None = None,
    ) -> list[Row]:
        """Sessions, the latest first; `kind`: interactive, headless or sub-agent; `thread`: those joined with this one.

        :raises NotFound: no session of that thread
        """
        host, joined = (thread[0], json.dumps(self.thread(*thread))) if thread else (None, None)
        return self._rows(
            f"select {_SESSION} from sessions where (?1 is null or dir = ?1) and (?4 is null or kind = ?4)"
            " and (?5 is null or host = ?5 and session_id in (select value from json_each(?6)))"
            " order by last_at desc, id desc limit ?2 offset ?3",
            directory and str(directory), limit, offset, kind, host, joined,
        )  # fmt: skip

    def thread(self, host: str, session_id: str) -> list[str]:
        """The sessions that a resume, a fork or a clear joins with this one, itself too, oldest first.

        :raises NotFound: no such session
        """
        rows = self._rows(_THREAD, host, session_id)
        if not rows:
            raise NotFound(_NO_SESSION.format(f"{host}/{session_id}"))
        return [row["session_id"] for row in rows]

    def knows(self, directory: Path) -> bool:
        """Whether any session or command was about this memory directory."""
        return bool(self._rows("select 1 from dirs where path = ?", str(directory)))

    def hosts_of(self, session_id: str) -> list[str]:
        """The hosts that have a session of that id."""
        return [row["host"] for row in self._rows("select host from sessions where session_id = ?", session_id)]

    def session(self, host: str, session_id: str) -> Row:
        """:raises NotFound: no such session"""
        rows = self._rows(f"select {_SESSION} from sessions where host = ? and session_id = ?", host, session_id)
        if not rows:
            raise NotFound(_NO_SESSION.format(f"{host}/{session_id}"))
        graph = AgentGraph(self.journal)
        return {
            **rows[0], "parent": rows[0]["parent_session_id"] or graph.parent(host, session_id),
            "children": graph.children(host, session_id), "thread": self.thread(host, session_id),
            "files": self._files(host, session_id),
        }  # fmt: skip

    def _files(self, host: str, session_id: str) -> list[Row]:
        rows = self._rows(
            "select data, at from events join sessions on sessions.id = session"
            " where host = ? and session_id = ? and kind = 'tool_use' order by seq", host, session_id,
        )  # fmt: skip
        return [
            {"path": touch["path"], "action": touch.get("action", "read"), "by_session": session_id, "at": row["at"]}
            for row in rows
            for touch in json.loads(row["data"]).get("files", ())
        ]

    def jobs(self) -> list[Row]:
        """Waiting, running and deferred jobs, then the ranges that every agent failed on."""
        jobs = self._rows(
            "select dir, reason, due_seq, done_seq, attempts, not_before, last_error,"
            " case when run_id is not null then 'running' when not_before is not null then 'deferred'"
            " else 'waiting' end as state"
            " from jobs where due_seq > done_seq or run_id is not null order by due_at"
        )
        skipped = self._rows("select id, dir, from_seq, to_seq, error, at, 'skipped' as state from skipped order by id")
        return [*jobs, *skipped]

    def put_off(self, now: datetime) -> list[str]:
        """Why jobs wait for a time to come, each reason once."""
        rows = self._rows(
            f"select distinct last_error from jobs where run_id is null and {WAITING} and not_before > ?"
            " and last_error is not null order by last_error", rfc3339(now),
        )  # fmt: skip
        return [row["last_error"] for row in rows]

    def is_due(self, directory: Path) -> bool:
        """Whether a job of the directory waits or runs now; one that is put off does not count."""
        rows = self._rows(
            "select 1 from jobs where dir = ? and (run_id is not null or (due_seq > done_seq"
            " and coalesce(not_before, '') <= ?))", str(directory), rfc3339(self.journal.clock()),
        )  # fmt: skip
        return bool(rows)

    def last_run(self, directory: Path) -> Row:
        """The run of the directory that began last.

        :raises NotFound: none yet
        """
        rows = self._rows(
            "select * from runs where dir = ? and action = 'consolidate' order by started_at desc limit 1",
            str(directory),
        )
        if not rows:
            raise NotFound(f"no run of {directory} yet")
        return {**rows[0], "files": json.loads(rows[0]["files"])}

    def oldest_due(self, min_interval_seconds: int) -> Row | None:
        """The job that could have run the longest, and since when: `ready_at`."""
        rows = self._rows(
            f"select dir, max(due_at, {READY_AT}) as ready_at from jobs where run_id is null and {WAITING}"
            " order by ready_at limit 1", str(min_interval_seconds),
        )  # fmt: skip
        return rows[0] if rows else None

    def runs(
        self,
        *,
        since: str | None = None,
        limit: int = 50,
        offset: int = 0,
        writes: bool = False,
        directory: Path | None = None,
    ) -> list[Row]:
        """Runs, newest first; `writes`: whatever changed files, what hosts and editors wrote included (id `v<N>`)."""
        rows = self._rows(
            f"select * from (select {_RUN}, 0 as seen from runs where not ?2 or outcome = 'applied'"
            f" union all {_SEEN}) where (?1 is null or started_at >= ?1) and (?4 is null or dir = ?4)"
            " order by started_at desc, id limit ?3 offset ?5",
            since, writes, limit, directory and str(directory), offset,
        )  # fmt: skip
        found = [{**row, **{name: json.loads(row[name]) for name in ("files", "refused", "flags")}} for row in rows]
        return [_with_scope(row, self._kind(row["dir"])) if row["seen"] else row for row in found]

    def _kind(self, directory: str) -> str:
        rows = self._rows("select kind from dirs where path = ?", directory)
        return str(rows[0]["kind"]) if rows else "user"

    def run_of(self, run_id: str) -> Row | None:
        """The run of exactly that id."""
        rows = self._rows("select * from runs where id = ?", run_id)
        return rows[0] if rows else None

    def run(self, run_id: str | None, dirs: Collection[Path] | None = None) -> Row:
        """A run by id or unique beginning of it; None: the newest that changed files and was not taken back.

        :param dirs: look for the newest among the runs of these directories only
        :raises NotFound: none, or more than one
        """
        if run_id is None:
            rows = self._rows(
                "select * from runs where outcome = 'applied' and action not in ('undo', 'purge')"
                " and id not in (select reason from runs where action = 'undo' and outcome = 'applied')"
                " and (?1 is null or dir in (select value from json_each(?1)))"
                " order by started_at desc limit 1",
                None if dirs is None else json.dumps([str(path) for path in dirs]),
            )
        else:
            rows = self._rows(
                "select * from runs where outcome = 'applied' and id like ? || '%' limit 2", run_id.replace("%", "")
            )
        if len(rows) != 1:
            which = f"run {run_id} that changed files" if run_id else "run that changed files"
            raise NotFound(f"{'more than one' if rows else 'no'} {which}; `memoryd log` lists the runs")
        return {**rows[0], "files": json.loads(rows[0]["files"])}

    def undone(self, run_id: str) -> bool:
        """Whether a run was taken back."""
        return bool(
            self._rows("select 1 from runs where action = 'undo' and outcome = 'applied' and reason = ?", run_id)
        )

    def changes(self, run_id: str) -> list[Row]:
        """What a run did: root, path, and digests before and after."""
        return self._rows(
            "select root, path, digest as after, (select digest from versions as old where old.root = v.root"
            " and old.path = v.path and old.id < v.id order by id desc limit 1) as before"
            " from versions as v where run_id = ? order by root, path", run_id,
        )  # fmt: skip

    def file_versions(self, root: Path, path: str) -> list[Row]:
        return self._rows(
            "select digest, author, run_id, at from versions where root = ? and path = ? order by id", str(root), path
        )

    def versions_by_path(self, root: Path) -> dict[str, list[Row]]:
        """Every version of every file of a directory, by path, oldest first."""
        found: dict[str, list[Row]] = {}
        sql = "select path, digest, author, run_id, at from versions where root = ? order by id"
        for row in self._rows(sql, str(root)):
            found.setdefault(row["path"], []).append(row)
        return found

    def versions_since(self, ident: int) -> list[Row]:
        """The versions after the one of that number, oldest first, with the action of their run.

        All of them when there is none of that number any more: after a purge the numbers may begin anew.
        """
        return self._rows(
            "select versions.id, root, path, digest, versions.author, run_id, at, action from versions"
            " left join runs on runs.id = run_id"
            " where versions.id > ?1 or ?1 > (select max(id) from versions) order by versions.id", ident,
        )  # fmt: skip

    def newest_files(self) -> list[Row]:
        """Root, path and digest of every file that is there."""
        return self._rows(
            "select root, path, digest from versions where digest is not null"
            " and id in (select max(id) from versions group by root, path) order by root, path"
        )

    def installation(self) -> str:
        """A name for this data directory, made once."""
        self.journal.execute("insert or ignore into meta values ('installation', lower(hex(randomblob(8))))")
        return str(self._rows("select value from meta where name = 'installation'")[0]["value"])

    def citations(self, root: Path, paths: Sequence[str], line: str | None) -> list[Row]:
        """The events that a line of a file rests on (None: that any line does): session, seq, at, and its texts.

        :param paths: the file, and the names that it had before
        """
        rows = self._rows(
            "select distinct citations.seq, host, session_id, kind, at, data from citations"
            " join events on events.seq = citations.seq join sessions on sessions.id = session"
            " where root = ?1 and path in (select value from json_each(?2)) and (?3 is null or line = ?3)"
            " order by citations.seq",
            str(root), json.dumps(list(paths)), line and line_digest(line),
        )  # fmt: skip
        return [_quoted(row) for row in rows]

    def written_by_a_host(self, path: Path) -> bool:
        """Whether one of the newest tool calls of an agent wrote this file."""
        rows = self._rows(
            "select 1 from (select data from events where kind = 'tool_use' order by seq desc limit ?),"
            " json_each(data, '$.files') where json_extract(value, '$.path') = ?"
            " and json_extract(value, '$.action') = 'write' limit 1",
            _TOOL_CALLS, str(path),
        )  # fmt: skip
        return bool(rows)

    def recent_prompts(self, directory: Path, limit: int) -> tuple[int, ...]:
        """Seqs of the newest prompts of the user in a directory's sessions."""
        rows = self._rows(
            "select seq from events join sessions on sessions.id = session where dir = ? and kind = 'user_prompt'"
            " order by seq desc limit ?", str(directory), limit,
        )  # fmt: skip
        return tuple(row["seq"] for row in rows)

    def newest_seq(self) -> int:
        return int(self.journal.read(lambda c: c.execute("select value from counters").fetchone()[0]))

    def quarantined(self) -> int:
        return int(self.journal.read(lambda c: c.execute("select count(*) from quarantine").fetchone()[0]))

    def _rows(self, sql: str, *parameters: object) -> list[Row]:
        return self.journal.read(lambda c: [dict(row) for row in c.execute(sql, parameters)])


_SESSION = (
    "host, session_id, dir, cwd, started_at, last_at, ended_at, turn_count, failed_turns, interrupted_turns, tool_calls"
    ", (select count(*) from events where session = sessions.id) as event_count"
    ", coalesce((select max(seq) from events where session = sessions.id), watermark) as last_seq"
    ", turns_at_enqueue, watermark, parent_session_id, headless, transcript_state"
    ", case when exists (select 1 from spawns where spawns.host = sessions.host and child = session_id)"
    " then 'sub-agent' when headless then 'headless' else 'interactive' end as kind"
)

_NO_SESSION = "no session {}; `memoryd sessions list` shows them"

#: what one session goes on from, and what goes on from any of them; `union` ends a circle
_THREAD = """
    with recursive up (session_id, parent) as (
        select session_id, parent_session_id from sessions where host = ?1 and session_id = ?2
        union select s.session_id, s.parent_session_id
        from sessions s join up on s.session_id = up.parent where s.host = ?1
    ), joined (session_id) as (
        select session_id from up
        union select s.session_id
        from sessions s join joined on s.parent_session_id = joined.session_id where s.host = ?1
    )
    select s.session_id from sessions s join joined using (session_id) where s.host = ?1 order by s.started_at, s.id
"""


_RUN = (
    "id, dir, author, action, agent, outcome, reason, from_seq, to_seq, started_at, ended_at, duration_ms, files"
    ", refused, flags, tokens_in, tokens_out, cost_usd"
)
#: what no run wrote, as rows of the same shape: the files that one look found changed
_SEEN = (
    "select 'v' || min(id), root, author, 'seen', null, 'applied', null, null, null, at, at, 0"
    ", json_group_array(path), '[]', '[]', 0, 0, 0.0, 1 from versions"
    " where ?2 and run_id is null and author in ('host', 'outside') group by root, at, author"
)


def _with_scope(row: Row, kind: str) -> Row:
    scope = "project" if kind == "project" else "user"
    return {**row, "files": [f"{scope}/{path}" for path in sorted(set(row["files"]))]}


def _quoted(row: Row) -> Row:
    texts = parts_of(row["kind"], json.loads(row["data"]))
    return {"session": f"{row['host']}/{row['session_id']}", "seq": row["seq"], "at": row["at"], "texts": texts}


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
