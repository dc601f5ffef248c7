"""Purging the journal: the one transaction that removes a selection and all that rests on it.

What stays is free of content: digests of event ids, and one rule a purge, so that neither imports, transcripts nor
replays bring back what it removed.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.run_dirs import put_dirs
from memoryd.daemon.journal.selection import Found, Selection, as_json, events_of, find
from memoryd.daemon.journal.tombstones import digest
from memoryd.daemon.journal.traces import (
    forget_events,
    forget_goals_and_notes,
    forget_lines,
    forget_names,
    forget_retired,
    forget_reviews,
    forget_traces,
)
from memoryd.daemon.journal.versions import put_blob, put_version
from memoryd.errors import Conflict
from memoryd.memory.changes import decode, encode
from memoryd.memory.ports import Author, FileChange
from memoryd.worker.ports import Run

#: what `--all` leaves: numbers, marks of what must not come back, and the pauses that a person set
KEPT_TABLES = ("meta", "counters", "tombstones", "purged", "purges", "pauses")

Rewrite = Callable[[str, str, str], str | None]  #: (root, path, text) -> the text without what is purged, None: no file


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """All that becomes true at a purge's commit point."""

    run: Run
    selection: Selection
    found: Found  #: what the changes were computed for
    rewrite: Rewrite
    changes: tuple[FileChange, ...]
    seeds: Mapping[str, bytes] = field(default_factory=dict)  #: with everything: what the user's memory starts with
    duration_ms: int = 0


@dataclass(slots=True, kw_only=True)
class Counted:
    events: int = 0
    versions: int = 0


def commit(connection: sqlite3.Connection, removal: Removal, now: datetime) -> Counted:
    """Remove what is selected, in one transaction with the versions of the files that change."""
    selection = removal.selection
    rows = events_of(connection, selection)  # once more: what came in since is taken too
    counted = Counted(events=len(rows))
    _mark(connection, rows, selection, now)
    dirs = [""] if selection.everything else _dirs_of(connection, rows, removal)
    if selection.everything:
        _empty(connection)
        for path, content in removal.seeds.items():
            put_version(connection, removal.run.dir, path, content, Author.RUN, None, rfc3339(now))
    else:
        found = find(connection, selection)
        if found.gone != removal.found.gone:
            raise Conflict("a run wrote memory meanwhile; purge again")
        counted.versions = _rewrite_versions(connection, removal)
        forget_lines(connection, found)
        forget_events(connection, rows, found)
        forget_retired(connection, found)
        forget_traces(connection, found, selection, changed=bool(removal.changes))
        for change in removal.changes:
            _put_change(connection, change, removal.run, rfc3339(now))
        forget_names(connection)
        forget_reviews(connection, found)
        forget_goals_and_notes(connection, selection)
    connection.execute("delete from blobs where digest not in (select digest from versions where digest is not null)")
    connection.execute("delete from intents where run_id = ?", (removal.run.id,))
    _end(connection, removal, rfc3339(now))
    put_dirs(connection, removal.run.id, dirs)
    return counted


def unfinished(connection: sqlite3.Connection) -> bool:
    """Whether a purge was committed and the bytes that it freed were not overwritten."""
    return connection.execute("select 1 from purges where unfinished limit 1").fetchone() is not None


def end(connection: sqlite3.Connection) -> None:
    """Every purge is done."""
    connection.execute("update purges set unfinished = 0")


def forget_recent_snapshots(connection: sqlite3.Connection) -> None:
    """Snapshots since the last purge began: they may have been taken from memory as it was."""
    connection.execute("delete from snapshots where at >= (select min(at) from purges where unfinished)")


def _mark(connection: sqlite3.Connection, rows: list[sqlite3.Row], selection: Selection, now: datetime) -> None:
    digests = [(digest(row["id"]),) for row in rows]
    for table in ("tombstones", "purged"):
        connection.executemany(f"insert or ignore into {table} (digest) values (?)", digests)
    until = rfc3339(selection.before or now + timedelta(milliseconds=1))
    sessions: list[bytes | None] = [digest(f"{host}/{name}") for host, name in selection.sessions]
    connection.executemany(
        "insert into purges (at, until, session, host, tier, everything, unfinished) values (?,?,?,?,?,?,1)",
        [
            (rfc3339(now), until, session, selection.host, selection.tier and str(selection.tier), selection.everything)
            for session in sessions or [None]
        ],
    )


def _dirs_of(connection: sqlite3.Connection, rows: list[sqlite3.Row], removal: Removal) -> list[str]:
    """The directories that lose events or lines."""
    sessions = as_json({row["session"] for row in rows})
    bound = connection.execute(
        "select distinct dir from sessions where id in (select value from json_each(?))", (sessions,)
    )
    return [*(row[0] for row in bound), *(root for root, _ in removal.found.gone)]


def _empty(connection: sqlite3.Connection) -> None:
    connection.execute("pragma defer_foreign_keys = on")
    for table in _tables(connection):
        if table not in KEPT_TABLES and not table.startswith("sqlite_"):
            connection.execute(f"delete from {table}")


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]


def _rewrite_versions(connection: sqlite3.Connection, removal: Removal) -> int:
    """Every version without the lines that go; one that held nothing else goes itself, and its path with the last."""
    rewritten = 0
    rows = connection.execute(
        "select id, root, path, digest from versions where digest is not null"
        " and root in (select value from json_each(?))", (as_json({root for root, _ in removal.found.gone}),),
    ).fetchall()  # fmt: skip
    for ident, root, path, hashed in rows:
        blob = connection.execute("select content from blobs where digest = ?", (hashed,)).fetchone()
        text = decode(bytes(blob[0]))
        after = removal.rewrite(root, path, text)
        if after != text:
            rewritten += 1
            if after is None:
                connection.execute("delete from versions where id = ?", (ident,))
            else:
                fresh = put_blob(connection, encode(after))
                connection.execute("update versions set digest = ? where id = ?", (fresh, ident))
    connection.execute(
        "delete from versions where digest is null and not exists (select 1 from versions as other"
        " where other.root = versions.root and other.path = versions.path and other.digest is not null)"
    )
    return rewritten


def _put_change(connection: sqlite3.Connection, change: FileChange, run: Run, now: str) -> None:
    """The purge's own version; a file whose whole past went leaves no row, for its name tells what was in it."""
    known = connection.execute(
        "select 1 from versions where root = ? and path = ?", (str(change.root), change.path)
    ).fetchone()
    if known or change.new is not None:
        put_version(connection, change.root, change.path, change.new, run.author, run.id, now)


def _end(connection: sqlite3.Connection, removal: Removal, now: str) -> None:
    run = removal.run
    files = sorted(f"{_scope(run, c.root)}/{c.path}" for c in removal.changes if c.new is not None)
    connection.execute("delete from runs where id = ?", (run.id,))
    connection.execute(
        "insert into runs (id, dir, author, action, agent, outcome, files, started_at, ended_at, duration_ms)"
        " values (?,?,?,?,?,'applied',?,?,?,?)",
        (run.id, str(run.dir), run.author, run.action, run.agent, json.dumps(files), now, now, removal.duration_ms),
    )


def _scope(run: Run, root: Path) -> str:
    return "user" if root == run.dir else "project"
