"""Purging the journal: what is selected, which lines rest on it, and the one transaction that removes it all.

What stays is free of content: digests of event ids, and one rule a purge, so that neither imports, transcripts nor
replays bring back what it removed.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.tombstones import digest
from memoryd.daemon.journal.versions import put_blob, put_version
from memoryd.errors import Conflict
from memoryd.ipc.events import Tier
from memoryd.memory.changes import decode, encode
from memoryd.memory.ports import Author, FileChange
from memoryd.memory.text import fold
from memoryd.worker.ports import Run

#: what `--all` leaves: numbers, marks of what must not come back, and the pauses that a person set
KEPT_TABLES = ("meta", "counters", "tombstones", "purged", "purges", "pauses")

Rewrite = Callable[[str, str, str], str | None]  #: (root, path, text) -> the text without what is purged, None: no file


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The events that fit every criterion given; without any: everything."""

    sessions: tuple[tuple[str, str], ...] = ()  #: (host, session_id)
    host: str | None = None
    tier: Tier | None = None
    before: datetime | None = None

    @property
    def everything(self) -> bool:
        return not (self.sessions or self.host or self.tier or self.before)

    def may_hold(self, at: datetime | None, text: str) -> bool:
        """Whether a payload that nobody understood may belong to it: all but what certainly does not."""
        if self.before is not None and at is not None and at >= self.before:
            return False
        if self.host is not None and self.host not in text:
            return False
        return not self.sessions or any(session in text for _, session in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a selection holds now."""

    seqs: frozenset[int] = frozenset()
    sessions: tuple[str, ...] = ()  #: `host/session_id`
    sources: frozenset[str] = frozenset()  #: `host/session_id#seq`
    transcripts: tuple[str, ...] = ()  #: the hosts' own files
    gone: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)  #: (root, path) -> digests of lines
    quarantined: int = 0
    snapshots: int = 0


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


def find(connection: sqlite3.Connection, selection: Selection) -> Found:
    """What a purge would take: events, and the lines of memory that cite one of them."""
    rows = _events(connection, selection)
    seqs = frozenset(row["seq"] for row in rows)
    cited = connection.execute(
        "select root, path, line from citations where seq in (select value from json_each(?))", (_json(seqs),)
    )
    gone: dict[tuple[str, str], set[str]] = {}
    for root, path, line in cited:
        gone.setdefault((root, path), set()).add(line)
    sessions = {f"{row['host']}/{row['session_id']}": row["transcript_path"] for row in rows}
    named = {f"{host}/{session}": None for host, session in selection.sessions}
    return Found(
        seqs=seqs, sessions=tuple(sorted({**named, **sessions})),
        sources=frozenset(f"{row['host']}/{row['session_id']}#{row['seq']}" for row in rows),
        transcripts=tuple(sorted({path for path in sessions.values() if path})),
        gone={key: frozenset(lines) for key, lines in gone.items()},
        quarantined=len(_quarantined(connection, selection)),
        snapshots=int(connection.execute("select count(*) from snapshots").fetchone()[0]),
    )  # fmt: skip


def named(connection: sqlite3.Connection, name: str) -> tuple[tuple[str, str], ...]:
    """The sessions of that name, `host/session_id` or the id alone, each with the sub-agents that it started.

    However deep: they hold parts of the same conversation.
    """
    found = connection.execute(
        "select host, session_id from sessions where session_id = ?1 or host || '/' || session_id = ?1", (name,)
    ).fetchall()
    return tuple(
        dict.fromkeys(
            (host, row[0]) for host, session in found for row in connection.execute(_CHILDREN, (host, session))
        )
    )


_CHILDREN = """
    with recursive below (session_id) as (
        values (?2) union select child from spawns join below on parent = below.session_id where host = ?1
    )
    select session_id from below
"""


def commit(connection: sqlite3.Connection, removal: Removal, now: datetime) -> Counted:
    """Remove what is selected, in one transaction with the versions of the files that change."""
    selection = removal.selection
    rows = _events(connection, selection)  # once more: what came in since is taken too
    counted = Counted(events=len(rows))
    _mark(connection, rows, selection, now)
    if selection.everything:
        _empty(connection)
        for path, content in removal.seeds.items():
            put_version(connection, removal.run.dir, path, content, Author.RUN, None, rfc3339(now))
    else:
        found = find(connection, selection)
        if found.gone != removal.found.gone:
            raise Conflict("a run wrote memory meanwhile; purge again")
        counted.versions = _rewrite_versions(connection, removal)
        _forget_lines(connection, found)
        _forget_events(connection, rows)
        _forget_traces(connection, found, removal)
        for change in removal.changes:
            _put_change(connection, change, removal.run, rfc3339(now))
        _forget_names(connection)
        _forget_reviews(connection, found)
        _forget_goals(connection, selection)
    connection.execute("delete from blobs where digest not in (select digest from versions where digest is not null)")
    connection.execute("delete from intents where run_id = ?", (removal.run.id,))
    _end(connection, removal, rfc3339(now))
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


# -- what is selected --------------------------------------------------------------------------------------------


def _events(connection: sqlite3.Connection, selection: Selection) -> list[sqlite3.Row]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    before = rfc3339(selection.before) if selection.before else None
    rows = cursor.execute(
        "select seq, events.id, session, host, session_id, transcript_path, kind, data from events"
        " join sessions on sessions.id = session where (?1 is null or at < ?1) and (?2 is null or host = ?2)"
        " and (?3 = '[]' or host || '/' || session_id in (select value from json_each(?3)))",
        (before, selection.host, _json(f"{host}/{session}" for host, session in selection.sessions)),
    ).fetchall()
    if selection.tier is None:
        return rows
    return [
        row for row in rows if any(t is selection.tier for _, t, _ in parts_of(row["kind"], json.loads(row["data"])))
    ]


def _quarantined(connection: sqlite3.Connection, selection: Selection) -> list[str]:
    rows = connection.execute("select id, at, host, raw, error from quarantine").fetchall()
    return [row[0] for row in rows if selection.may_hold(datetime.fromisoformat(row[1]), f"{row[2]} {row[3]} {row[4]}")]


def _json(values: Iterable[object]) -> str:
    return json.dumps(list(values))


# -- what is removed ---------------------------------------------------------------------------------------------


def _mark(connection: sqlite3.Connection, rows: list[sqlite3.Row], selection: Selection, now: datetime) -> None:
    digests = [(digest(row["id"]),) for row in rows]
    for table in ("tombstones", "purged"):
        connection.executemany(f"insert or ignore into {table} (digest) values (?)", digests)
    until = rfc3339(selection.before or now + timedelta(milliseconds=1))
    sessions: list[bytes | None] = [digest(f"{host}/{name}") for host, name in selection.sessions]
    connection.executemany(
        "insert into purges (at, until, session, host, tier, unfinished) values (?,?,?,?,?,1)",
        [
            (rfc3339(now), until, session, selection.host, selection.tier and str(selection.tier))
            for session in sessions or [None]
        ],
    )


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
        " and root in (select value from json_each(?))", (_json({root for root, _ in removal.found.gone}),),
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


def _forget_lines(connection: sqlite3.Connection, found: Found) -> None:
    """Citations of the lines that go, facts taken back that no version holds any more, and what runs were refused."""
    connection.executemany(
        "delete from citations where root = ? and path = ? and line = ?",
        [(root, path, line) for (root, path), lines in found.gone.items() for line in lines],
    )
    for root in {root for root, _ in found.gone}:
        blobs = connection.execute(
            "select distinct content from blobs join versions using (digest) where root = ?", (root,)
        )
        held = "\n".join(fold(bytes(content).decode("utf-8", "replace")) for (content,) in blobs)
        facts = connection.execute("select id, fact, run_id from rejected where root = ?", (root,)).fetchall()
        lost = [(ident,) for ident, fact, run in facts if fold(fact) not in held and not run.startswith("review-")]
        connection.executemany("delete from rejected where id = ?", lost)
    for run, text in connection.execute("select id, refused from runs where refused != '[]'").fetchall():
        kept = [one for one in json.loads(text) if not _rests_on(one, found.seqs)]
        connection.execute("update runs set refused = ? where id = ?", (json.dumps(kept, ensure_ascii=False), run))


def _rests_on(refused: Mapping[str, str], seqs: frozenset[int]) -> bool:
    try:
        cites = json.loads(refused["proposal"])["cites"]
    except (ValueError, KeyError, TypeError):
        return True  # of a proposal that does not say what it cites nobody knows that it may stay
    return bool(seqs & set(cites))


def _forget_events(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> None:
    touched = _json({row["session"] for row in rows})
    connection.executemany("delete from events where seq = ?", [(row["seq"],) for row in rows])
    connection.execute("update sessions set note = '' where id in (select value from json_each(?))", (touched,))
    # a run that has read what is gone loses its token: it can no longer write, and starts again
    connection.execute(
        "update runs set outcome = 'conflict', reason = 'what it had read was purged', ended_at = started_at"
        " where id in (select run_id from jobs where run_id is not null)"
    )
    connection.execute(
        "update jobs set run_id = null, run_to = null, attempts = max(0, attempts - 1) where run_id is not null"
    )


def _forget_traces(connection: sqlite3.Connection, found: Found, removal: Removal) -> None:
    """What is left of sessions without events, and texts that may quote what is gone."""
    empty = [row[0] for row in connection.execute(_EMPTY_SESSIONS, _of_sessions(removal.selection, found))]
    for table in ("snapshots", "turns"):
        connection.executemany(f"delete from {table} where session = ?", [(session,) for session in empty])
    connection.executemany(
        "delete from spawns where exists (select 1 from sessions where id = ? and spawns.host = sessions.host"
        " and sessions.session_id in (parent, child))", [(session,) for session in empty],
    )  # fmt: skip
    connection.executemany("delete from sessions where id = ?", [(session,) for session in empty])
    if removal.changes or found.gone:
        connection.execute("delete from snapshots")
    else:
        touched = _json(found.sessions)
        connection.execute(
            "delete from snapshots where session in (select id from sessions where host || '/' || session_id in"
            " (select value from json_each(?)))", (touched,),
        )  # fmt: skip
    connection.executemany(
        "delete from quarantine where id = ?", [(ident,) for ident in _quarantined(connection, removal.selection)]
    )
    connection.execute("update jobs set last_error = null")
    connection.execute("update skipped set error = 'purged'")
    connection.execute("delete from stats where name = 'last_error'")
    connection.execute(
        "update runs set reason = null where outcome in ('rejected', 'failed', 'conflict', 'deferred')"
        " and reason is not 'what it had read was purged'"
    )


#: sessions that hold nothing any more: they lost their events now, or retention had taken them before
_EMPTY_SESSIONS = """
    select id from sessions where not exists (select 1 from events where session = sessions.id)
    and (host || '/' || session_id in (select value from json_each(?1)) or last_at < ?2 and coalesce(?3, host) = host)
"""


def _of_sessions(selection: Selection, found: Found) -> tuple[str, str, str | None]:
    wide = selection.tier is None and not selection.sessions
    before = rfc3339(selection.before) if selection.before else "9999"
    return _json(found.sessions), before if wide else "", selection.host


def _forget_names(connection: sqlite3.Connection) -> None:
    """Files whose whole past went leave no name in the record of runs: it tells what was in them."""
    known = {row[0] for row in connection.execute("select distinct path from versions")}
    for run, files in connection.execute("select id, files from runs where files != '[]'").fetchall():
        kept = [name for name in json.loads(files) if name.partition("/")[2] in known]
        connection.execute("update runs set files = ? where id = ?", (json.dumps(kept), run))


def _forget_reviews(connection: sqlite3.Connection, found: Found) -> None:
    """What waits for a person, or was decided, and rests on what is gone; the facts that were put away with it too."""
    roots = {root for root, _ in found.gone}
    versions = {row[0] for row in connection.execute("select digest from versions")}
    for ident, directory, kind, text in connection.execute("select id, dir, kind, detail from reviews").fetchall():
        detail = json.loads(text)
        if kind == "draft":
            gone = directory in roots or bool(found.seqs)
        elif kind == "outside":
            gone = not {digest for digest in (detail["before"], detail["after"]) if digest} <= versions
        else:
            gone = bool(found.seqs & set(detail.get("cites", ())))
        if gone:
            connection.execute("delete from reviews where id = ?", (ident,))
            connection.execute("delete from rejected where run_id = ?", (f"review-{ident}",))


def _forget_goals(connection: sqlite3.Connection, selection: Selection) -> None:
    """Goals that were set in a session, or in the time, that is purged."""
    before = rfc3339(selection.before) if selection.before else None
    wide = selection.tier is None and selection.host is None
    if (selection.sessions or before) and wide:
        connection.execute(
            "delete from goals where (?1 is null or created_at < ?1) and (?2 = '[]'"
            " or host || '/' || session_id in (select value from json_each(?2)))",
            (before, _json(f"{host}/{session}" for host, session in selection.sessions)),
        )


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
