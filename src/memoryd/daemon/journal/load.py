"""What an archive brings, into the journal: one transaction; known ids add nothing, and what was purged stays out."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339
from memoryd.daemon.journal.run_dirs import put_dirs
from memoryd.daemon.journal.tombstones import covers, digest
from memoryd.daemon.journal.versions import put_blob, put_version
from memoryd.memory.ports import FileChange
from memoryd.worker.ports import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One event of an archive, valid and cleaned; `seq` is the archive's."""

    seq: int
    id: str
    host: str
    session_id: str
    kind: str
    at: str
    turn_id: str | None
    data: str
    received_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What an archive brings, directories by their paths here."""

    run: Run
    projects: list[dict[str, Any]]
    dirs: list[tuple[str, str, str | None]]
    sessions: list[dict[str, Any]]
    events: list[Incoming]
    turns: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    run_dirs: list[dict[str, Any]]
    versions: list[tuple[dict[str, Any], bytes | None]]
    citations: list[dict[str, Any]]
    copies: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    marks: Mapping[str, list[str]]  #: tombstones and purged: digests in hex
    rules: list[dict[str, Any]]
    spawns: list[dict[str, Any]]
    goals: list[dict[str, Any]]
    notes: list[dict[str, Any]]
    changes: tuple[FileChange, ...]
    stands: Mapping[tuple[str, str], bytes]  #: (root, path) -> what the file holds once the changes are there


@dataclass(slots=True, kw_only=True)
class Loaded:
    events: int = 0
    duplicates: int = 0
    sessions: int = 0
    versions: int = 0
    seqs: dict[int, int] = field(default_factory=dict)  #: of the archive -> here
    dirs: set[str] = field(default_factory=set)  #: that got events or versions

    @property
    def nothing(self) -> bool:
        return not (self.events or self.sessions or self.versions)


def refused(connection: sqlite3.Connection, event: Incoming) -> bool:
    """Whether a purge here took this event, or would have."""
    gone = connection.execute("select 1 from purged where digest = ?", (digest(event.id),)).fetchone()
    return gone is not None or covers(
        connection, host=event.host, session_id=event.session_id, at=event.at, kind=event.kind, data=event.data
    )


def load(connection: sqlite3.Connection, incoming: Load, now: datetime) -> Loaded:
    """Add what is not here yet, in one transaction with the files' versions. Known ids add nothing."""
    done = Loaded()
    _load_places(connection, incoming)
    fresh = _load_sessions(connection, incoming, done)
    _load_events(connection, incoming, done, rfc3339(now))
    _set_watermarks(connection, incoming, done, fresh)
    _load_runs(connection, incoming)
    _load_citations(connection, incoming, done)
    _load_versions(connection, incoming, done, rfc3339(now))
    for table, digests in incoming.marks.items():
        connection.executemany(
            f"insert or ignore into {table} (digest) values (?)", [(bytes.fromhex(one),) for one in digests]
        )
    _load_rules(connection, incoming, now)
    _load_others(connection, incoming)
    _end(connection, incoming, done, rfc3339(now))
    return done


def _load_places(connection: sqlite3.Connection, incoming: Load) -> None:
    for row in incoming.projects:
        connection.execute(
            "insert or ignore into projects (key, path, dev, ino, root_commit, remote, created_at)"
            " values (:key, :path, null, null, :root_commit, :remote, :created_at)", row,
        )  # fmt: skip
    connection.executemany("insert or ignore into dirs (path, kind, project) values (?,?,?)", incoming.dirs)


_SESSION_COLUMNS = (
    "host", "session_id", "dir", "cwd", "headless", "parent_session_id", "started_at", "last_at", "ended_at",
    "turn_count", "failed_turns", "interrupted_turns", "tool_calls", "turns_at_enqueue", "note",
)  # fmt: skip


def _load_sessions(connection: sqlite3.Connection, incoming: Load, done: Loaded) -> set[tuple[str, str]]:
    """Sessions that are not known here; returns them. What was consolidated of them stays so."""
    fresh = set()
    for row in incoming.sessions:
        names, marks = ", ".join(_SESSION_COLUMNS), ", ".join("?" * len(_SESSION_COLUMNS))
        added = connection.execute(
            f"insert or ignore into sessions ({names}) values ({marks})", [row.get(name) for name in _SESSION_COLUMNS]
        ).rowcount
        if added:
            fresh.add((row["host"], row["session_id"]))
    done.sessions = len(fresh)
    return fresh


def _load_events(connection: sqlite3.Connection, incoming: Load, done: Loaded, now: str) -> None:
    ids = {(row[1], row[2]): row[0] for row in connection.execute("select id, host, session_id from sessions")}
    dirs = {(row["host"], row["session_id"]): row["dir"] for row in incoming.sessions}
    seq: int = connection.execute("select value from counters where name = 'seq'").fetchone()[0]
    for event in incoming.events:
        known = connection.execute("select seq from events where id = ?", (event.id,)).fetchone()
        gone = connection.execute("select 1 from tombstones where digest = ?", (digest(event.id),)).fetchone()
        if known or gone or refused(connection, event):
            done.duplicates += 1
            if known:
                done.seqs[event.seq] = known[0]
            continue
        seq += 1
        connection.execute(
            "insert into events (seq, id, session, kind, at, turn_id, data, received_at) values (?,?,?,?,?,?,?,?)",
            (seq, event.id, ids[event.host, event.session_id], event.kind, event.at, event.turn_id, event.data, now),
        )
        done.seqs[event.seq] = seq
        done.dirs.add(dirs[event.host, event.session_id])
        done.events += 1
    connection.execute("update counters set value = ? where name = 'seq'", (seq,))
    connection.executemany(
        "insert or ignore into turns (session, turn_id, seq, status) values (?,?,?,?)",
        [
            (ids[row["host"], row["session_id"]], row["turn_id"], done.seqs[row["seq"]], row["status"])
            for row in incoming.turns
            if row["seq"] in done.seqs
        ],
    )


def _set_watermarks(connection: sqlite3.Connection, incoming: Load, done: Loaded, fresh: set[tuple[str, str]]) -> None:
    """Of a session that is new here: what the archive had consolidated is. Of one that was known: what came in is."""
    by_session: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for event in incoming.events:
        if event.seq in done.seqs:
            by_session.setdefault((event.host, event.session_id), []).append((event.seq, done.seqs[event.seq]))
    for row in incoming.sessions:
        key = (row["host"], row["session_id"])
        seqs = by_session.get(key, [])
        read = max((here for there, here in seqs if there <= row["watermark"]), default=0)
        newest = max((here for there, here in seqs if there <= row["user_seq"]), default=0)
        if key in fresh:
            connection.execute(
                "update sessions set watermark = ?, user_seq = ?, due_seq = ? where host = ? and session_id = ?",
                (read, newest, newest if row["due_seq"] > row["watermark"] else read, *key),
            )
        else:
            connection.execute(
                "update sessions set watermark = max(watermark, ?) where host = ? and session_id = ?"
                " and user_seq <= watermark", (read, *key),
            )  # fmt: skip


def _load_runs(connection: sqlite3.Connection, incoming: Load) -> None:
    known = {row[1] for row in connection.execute("pragma table_info(runs)")}
    for row in incoming.runs:
        names = [name for name in row if name in known]
        connection.execute(
            f"insert or ignore into runs ({', '.join(names)}) values ({', '.join('?' * len(names))})",
            [row[name] for name in names],
        )
    for row in incoming.run_dirs:
        put_dirs(connection, row["run_id"], [row["dir"]])


def _load_citations(connection: sqlite3.Connection, incoming: Load, done: Loaded) -> None:
    connection.executemany(
        "insert or ignore into citations (root, path, line, seq, run_id) values (?,?,?,?,?)",
        [
            (row["root"], row["path"], row["line"], done.seqs[row["seq"]], row["run_id"])
            for row in incoming.citations
            if row["seq"] in done.seqs
        ],
    )
    for row in incoming.copies:
        connection.execute(
            "insert or ignore into copies (seq, source, session) select ?1, ?2, id from sessions"
            " where host = ?3 and session_id = ?4 and ?1 is not null",
            (done.seqs.get(row["seq"]), done.seqs.get(row["source"], 0), row["host"], row["session_id"]),
        )
    newest = connection.execute("select value from counters where name = 'seq'").fetchone()[0]
    connection.executemany(
        "insert into rejected (root, fact, after_seq, run_id) select ?1, ?2, ?3, ?4"
        " where not exists (select 1 from rejected where root = ?1 and fact = ?2)",
        [(row["root"], row["fact"], newest, row["run_id"]) for row in incoming.rejected],
    )


def _load_versions(connection: sqlite3.Connection, incoming: Load, done: Loaded, now: str) -> None:
    """Add the past of files that have none here but their seeds, then what the files hold now where that is new.

    The past of a file that has one here stays as it is: a run's change is what stands between two versions of its file.
    """
    used = set(connection.execute("select root, path from versions where author != 'run' or run_id is not null"))
    touched = set()
    for row, content in incoming.versions:
        if (row["root"], row["path"]) in used:
            continue
        hashed = put_blob(connection, content)
        added = connection.execute(
            "insert into versions (root, path, digest, author, run_id, at) select ?1, ?2, ?3, ?4, ?5, ?6"
            " where not exists (select 1 from versions where root = ?1 and path = ?2 and digest is ?3"
            " and author = ?4 and at = ?6)",
            (row["root"], row["path"], hashed, row["author"], row["run_id"], row["at"]),
        ).rowcount
        if added:
            done.dirs.add(row["root"])
            done.versions += 1
            touched.add((row["root"], row["path"]))
    changed = {(str(change.root), change.path) for change in incoming.changes}
    for root, path in touched | changed:
        content = incoming.stands.get((root, path))
        newest = connection.execute(
            "select digest from versions where root = ? and path = ? order by id desc limit 1", (root, path)
        ).fetchone()
        if newest is None or newest[0] != put_blob(connection, content):
            put_version(connection, Path(root), path, content, incoming.run.author, incoming.run.id, now)


def _load_rules(connection: sqlite3.Connection, incoming: Load, now: datetime) -> None:
    connection.executemany(
        "insert into purges (at, until, session, host, tier, everything, unfinished) select ?1, ?2, ?3, ?4, ?5, ?6, 0"
        " where not exists (select 1 from purges where until = ?2 and session is ?3 and host is ?4 and tier is ?5"
        " and everything = ?6)",
        [
            (
                row["at"],
                row["until"],
                row["session"] and bytes.fromhex(row["session"]),
                row["host"],
                row["tier"],
                bool(row.get("everything")),
            )
            for row in incoming.rules
            if row["until"] <= rfc3339(now)  # a rule for what is still to come would silence this installation
        ],
    )


def _load_others(connection: sqlite3.Connection, incoming: Load) -> None:
    """The graph of sub-agents, goals and notes; the same text in the same place is one goal, or one note."""
    connection.executemany(
        "insert or ignore into spawns (host, parent, child, agent_type, opened_at, closed_at)"
        " values (:host, :parent, :child, :agent_type, :opened_at, :closed_at)", incoming.spawns,
    )  # fmt: skip
    connection.executemany(
        "insert into goals (dir, text, status, host, session_id, created_at, updated_at)"
        " select :dir, :text, :status, :host, :session_id, :created_at, :updated_at"
        " where not exists (select 1 from goals where dir = :dir and text = :text)", incoming.goals,
    )  # fmt: skip
    connection.executemany(
        "insert into notes (dir, kind, text, steps, author, host, session_id, with_session, file, digest, created_at,"
        " updated_at, expires_at) select :dir, :kind, :text, :steps, :author, :host, :session_id, :with_session, :file,"
        " :digest, :created_at, :updated_at, :expires_at"
        " where not exists (select 1 from notes where dir = :dir and kind = :kind and text = :text)", incoming.notes,
    )  # fmt: skip


def _end(connection: sqlite3.Connection, incoming: Load, done: Loaded, now: str) -> None:
    run = incoming.run
    names = {str(path): str(root) for root, path in run.roots.items()}
    files = sorted(f"{names.get(str(c.root), 'project')}/{c.path}" for c in incoming.changes)
    connection.execute(
        "update runs set outcome = ?1, files = ?2, ended_at = ?3,"
        " duration_ms = round((julianday(?3) - julianday(started_at)) * 86400000) where id = ?4",
        ("no_change" if done.nothing and not files else "applied", json.dumps(files), now, run.id),
    )
    connection.execute("delete from intents where run_id = ?", (run.id,))
    put_dirs(connection, run.id, done.dirs | {str(c.root) for c in incoming.changes})
