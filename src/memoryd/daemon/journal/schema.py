"""The schema of `state.db` and its migrations.

`PRAGMA user_version` is the number of migrations applied. An upgrade first copies the database to
`state.db.v<N>.bak`; a database that is newer than this program is refused, naming the version that wrote it.
"""

import sqlite3
from pathlib import Path

from memoryd import __version__
from memoryd.daemon.journal import (
    adoptions,
    copies,
    imported,
    ledger,
    notes,
    outages,
    progress,
    prompts,
    provided,
    recalled,
    reviews,
    run_dirs,
    spawns,
    trusts,
    unread,
    worked,
)
from memoryd.errors import CannotWrite, RestartNeeded

#: what waits for a person's word, and which runs kept text that shows signs of an attack because a person said it
_REVIEWS = """
    create table reviews (
        id integer primary key, digest text not null unique,  -- of the wish: seen again it changes nothing
        dir text not null, scope text not null,
        kind text not null,                          -- save, supersede, lines, archive; outside; draft
        detail text not null,                        -- a proposal as JSON; of an outside write path, before, after
        reason text not null, tier text not null, run_id text, at text not null,
        status text not null default 'open',         -- open, accepted, rejected
        decided_at text
    );
    create index reviews_open on reviews (dir, id) where status = 'open';
    alter table runs add column flags text not null default '[]';
    create index events_subagents on events (session) where kind = 'subagent_start';
    """
_REDACTIONS = """
    -- how often each kind of secret or personal datum was replaced; never a value
    create table redactions (label text primary key, count integer not null, last_at text not null) without rowid;
"""
_GOALS = """
    create table goals (
        id integer primary key, dir text not null, text text not null, status text not null,  -- open, done, dropped
        host text, session_id text,                  -- the session that it came up in, when one was named
        created_at text not null, updated_at text not null
    );
    create index goals_by_dir on goals (dir, status);
"""
#: purges: `purged` marks the tombstones that a purge left, not retention; a rule keeps out what had not come in yet
_PURGES = """
    create table purged (digest blob primary key) without rowid;
    create table purges (
        id integer primary key, at text not null, until text not null,  -- events before `until` are refused, of:
        session blob, host text, tier text,          -- a digest of `host/session_id`; null: of any
        unfinished integer not null                  -- the bytes that it freed are not overwritten yet
    );
    create index purges_by_until on purges (until);
"""
#: who wrote a file is asked for each that changed: without it that reads every event
_TOOL_CALLS = """
    create index events_tool_calls on events (seq) where kind = 'tool_use';
"""

#: a purge of everything keeps out whatever is older, also what rests on nothing that was said
_EMPTIED = "alter table purges add column everything integer not null default 0;"

#: of events that retention removed whose they were: a purge of them still finds the lines that rest on them
_RETIRED = """
    create table retired (seq integer primary key, session integer not null, at text not null);
    create index retired_by_session on retired (session);
"""

#: and who said them, and of a copy the session that was first: null for what was removed before this was kept
_RETIRED_SAID = """
    alter table retired add column tiers text;  -- with a space between; '' when no line rests on the event
    alter table retired add column first integer;
"""

MIGRATIONS: tuple[str, ...] = (
    """
    create table meta (name text primary key, value text not null) without rowid;
    create table counters (name text primary key, value integer not null) without rowid;
    insert into counters values ('seq', 0);

    -- every directory that jobs are about; kind: user, project, explicit (given by an event's memory_dir)
    create table dirs (path text primary key, kind text not null, project text) without rowid;
    create table projects (
        key text primary key, path text not null, dev integer, ino integer, root_commit text, remote text,
        created_at text not null
    ) without rowid;
    create index projects_by_path on projects (path);

    create table sessions (
        id integer primary key,
        host text not null, session_id text not null,
        dir text not null, cwd text, headless integer not null default 0, parent_session_id text,
        started_at text not null, last_at text not null, ended_at text,
        turn_count integer not null default 0, failed_turns integer not null default 0,
        interrupted_turns integer not null default 0, tool_calls integer not null default 0,
        turns_at_enqueue integer not null default 0,
        open_turn text,                              -- id of the turn that has no end yet, '' when it has no id
        user_seq integer not null default 0,         -- newest event that holds text of the user
        due_seq integer not null default 0,          -- newest event that some job was enqueued for
        watermark integer not null default 0,        -- newest event that is consolidated
        note text not null default '',               -- session projection, at most 2 000 characters
        transcript_path text, transcript_state text, transcript_dev integer, transcript_ino integer,
        transcript_offset integer not null default 0, transcript_turn text,
        transcript_ordinal integer not null default 0, transcript_read_at text,
        unique (host, session_id)
    );
    create index sessions_by_dir on sessions (dir);
    create index sessions_open on sessions (last_at) where ended_at is null;

    create table events (
        seq integer primary key, id text not null unique, session integer not null references sessions (id),
        kind text not null, at text not null, turn_id text, data text not null, received_at text not null
    );
    create index events_by_session on events (session, seq);
    create table turns (
        session integer not null, turn_id text not null, seq integer not null, status text not null,
        primary key (session, turn_id)
    ) without rowid;
    create table tombstones (digest blob primary key) without rowid;
    create table quarantine (
        id text primary key, at text not null, host text not null, event text, raw text not null, error text not null
    ) without rowid;

    create table jobs (
        dir text primary key, due_seq integer not null, reason text not null, done_seq integer not null default 0,
        done_at text,
        run_id text, run_to integer, attempts integer not null default 0, not_before text, last_error text,
        due_at text not null
    ) without rowid;
    create table skipped (
        id integer primary key, dir text not null, from_seq integer not null, to_seq integer not null,
        error text not null, at text not null
    );
    create table runs (
        id text primary key, dir text not null, author text not null, action text not null, agent text,
        outcome text not null, reason text, from_seq integer, to_seq integer,
        started_at text not null, ended_at text, duration_ms integer,
        files text not null default '[]', refused text not null default '[]',
        tokens_in integer not null default 0, tokens_out integer not null default 0, cost_usd real not null default 0
    ) without rowid;
    create index runs_by_start on runs (started_at);
    create table stats (dir text not null, name text not null, value, primary key (dir, name)) without rowid;

    create table blobs (digest text primary key, content blob not null) without rowid;
    create table versions (
        id integer primary key, root text not null, path text not null, digest text, author text not null,
        run_id text, at text not null
    );
    create index versions_by_file on versions (root, path, id);
    create index versions_by_run on versions (run_id);
    create table intents (run_id text primary key, dir text not null, changes text not null) without rowid;
    create table citations (
        root text not null, path text not null, line text not null, seq integer not null, run_id text not null,
        primary key (root, path, line, seq)
    ) without rowid;
    create index citations_by_seq on citations (seq);
    create table rejected (
        id integer primary key, root text not null, fact text not null, after_seq integer not null,
        run_id text not null
    );
    create table snapshots (
        session integer primary key, text text not null, generation integer not null, shown text not null,
        at text not null, stale integer not null default 0
    );
    create table pauses (
        dir text not null, since text not null, until text, primary key (dir, since)  -- dir '': everywhere
    ) without rowid;
    """,
    spawns.MIGRATION,
    prompts.MIGRATION,
    _REVIEWS,
    _REDACTIONS,
    _GOALS,
    _PURGES,
    _EMPTIED,
    copies.MIGRATION,
    run_dirs.MIGRATION,
    _TOOL_CALLS,
    ledger.MIGRATION + outages.MIGRATION,
    adoptions.MIGRATION,
    prompts.SAID,
    _RETIRED,
    trusts.MIGRATION,
    unread.MIGRATION,
    _RETIRED_SAID,
    progress.MIGRATION,
    notes.MIGRATION,
    spawns.REPORTS,
    imported.MIGRATION,
    worked.MIGRATION,
    reviews.MIGRATION,
    provided.MIGRATION,
    recalled.MIGRATION,
)


def migrate(connection: sqlite3.Connection, path: Path, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the database to the newest schema.

    :raises RestartNeeded: a newer program wrote this database
    :raises CannotWrite: the backup before an upgrade cannot be written
    """
    found = version_of(connection, path, migrations)
    if 0 < found < len(migrations):
        _back_up(connection, path, found)
    bring_up(connection, found, migrations)
    written_by = connection.execute("select value from meta where name = 'written_by'").fetchone()
    if not written_by or written_by[0] != __version__:
        connection.execute("insert or replace into meta values ('written_by', ?)", (__version__,))


def version_of(connection: sqlite3.Connection, path: Path, migrations: tuple[str, ...] = MIGRATIONS) -> int:
    """How many of the migrations were applied.

    :raises RestartNeeded: more than this program knows
    """
    found: int = connection.execute("pragma user_version").fetchone()[0]
    if found > len(migrations):
        raise RestartNeeded(_too_new(connection, path, found, len(migrations)))
    return found


def bring_up(connection: sqlite3.Connection, found: int, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Apply the migrations after the first `found`, in one transaction: each of its own would be a sync of its own."""
    if found < len(migrations):
        script = ";".join(migrations[found:])
        connection.executescript(f"begin immediate;{script};pragma user_version = {len(migrations)};commit;")


def _too_new(connection: sqlite3.Connection, path: Path, found: int, known: int) -> str:
    row = connection.execute("select value from meta where name = 'written_by'").fetchone()
    return (
        f"{path} has schema {found}, this is memoryd {__version__} with schema {known}: "
        f"install memoryd {row[0] if row else 'of a newer version'} or newer, or restore {path.name}.v{known}.bak"
    )


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    target = path.with_name(f"{path.name}.v{version}.bak")
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        connection.execute("vacuum into ?", (str(part),))
        part.chmod(0o600)
        part.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise CannotWrite(f"cannot back up {path} before its upgrade: {error}; free space and start again") from error
