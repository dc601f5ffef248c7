BEGIN TRANSACTION;
CREATE TABLE adoptions (
        path text primary key, key text not null,    -- of the project whose memory the path has
        at text not null
    ) without rowid;
INSERT INTO "adoptions" VALUES('a path of adoptions','a key of adoptions','2026-11-30T08:00:00.000Z');
CREATE TABLE blobs (digest text primary key, content blob not null) without rowid;
INSERT INTO "blobs" VALUES('a digest of blobs',X'626C6F627320636F6E74656E74');
CREATE TABLE citations (
        root text not null, path text not null, line text not null, seq integer not null, run_id text not null,
        primary key (root, path, line, seq)
    ) without rowid;
INSERT INTO "citations" VALUES('a root of citations','a path of citations','a line of citations',1,'a run_id of citations');
CREATE TABLE copies (
        seq integer primary key references events (seq) on delete cascade,
        source integer not null, session integer not null  -- the first of them when a copy was copied, and its session
    ) without rowid;
INSERT INTO "copies" VALUES(1,1,1);
CREATE TABLE counters (name text primary key, value integer not null) without rowid;
INSERT INTO "counters" VALUES('seq',1);
CREATE TABLE dirs (path text primary key, kind text not null, project text) without rowid;
INSERT INTO "dirs" VALUES('a path of dirs','turn','a project of dirs');
CREATE TABLE events (
        seq integer primary key, id text not null unique, session integer not null references sessions (id),
        kind text not null, at text not null, turn_id text, data text not null, received_at text not null
    );
INSERT INTO "events" VALUES(1,'a id of events',1,'turn','2026-11-30T08:00:00.000Z','a turn_id of events','{}','2026-11-30T08:00:00.000Z');
CREATE TABLE goals (
        id integer primary key, dir text not null, text text not null, status text not null,  -- open, done, dropped
        host text, session_id text,                  -- the session that it came up in, when one was named
        created_at text not null, updated_at text not null
    );
INSERT INTO "goals" VALUES(1,'a dir of goals','a text of goals','open','a host of goals','a session_id of goals','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z');
CREATE TABLE imported (
        path text primary key, dev integer not null, ino integer not null, size integer not null,
        mtime_ns integer not null, at text not null
    ) without rowid;
INSERT INTO "imported" VALUES('a path of imported',1,1,1,1,'2026-11-30T08:00:00.000Z');
CREATE TABLE intents (run_id text primary key, dir text not null, changes text not null) without rowid;
INSERT INTO "intents" VALUES('a run_id of intents','a dir of intents','[]');
CREATE TABLE jobs (
        dir text primary key, due_seq integer not null, reason text not null, done_seq integer not null default 0,
        done_at text,
        run_id text, run_to integer, attempts integer not null default 0, not_before text, last_error text,
        due_at text not null
    ) without rowid;
INSERT INTO "jobs" VALUES('a dir of jobs',1,'a reason of jobs',1,'2026-11-30T08:00:00.000Z','a run_id of jobs',1,1,'a not_before of jobs','a last_error of jobs','2026-11-30T08:00:00.000Z');
CREATE TABLE meta (name text primary key, value text not null) without rowid;
INSERT INTO "meta" VALUES('written_by','0.0.1');
CREATE TABLE named (
        root text not null, path text not null, name text not null, seen_at text not null, gone_at text,
        primary key (root, path, name)
    ) without rowid;
INSERT INTO "named" VALUES('a root of named','a path of named','a name of named','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z');
CREATE TABLE notes (
        id integer primary key, dir text not null, kind text not null,  -- priority, working, plan
        text text not null, steps text not null default '[]',           -- of a plan: [{"text", "done"}]
        author text not null,                        -- person, host
        host text, session_id text,                  -- the session that it is told to alone; null: to every one here
        with_session integer not null default 0,     -- it expires when that session ends
        file text, digest text,                      -- where its text came from, and that file's SHA-256 then
        created_at text not null, updated_at text not null, expires_at text
    );
INSERT INTO "notes" VALUES(1,'a dir of notes','turn','a text of notes','[]','a author of notes','a host of notes','a session_id of notes',1,'a file of notes','a digest of notes','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z');
CREATE TABLE outage (
        id integer primary key check (id = 1), code text not null, reason text not null, until text not null,
        times integer not null                       -- outages in a row
    );
INSERT INTO "outage" VALUES(1,'a code of outage','a reason of outage','a until of outage',1);
CREATE TABLE pauses (
        dir text not null, since text not null, until text, primary key (dir, since)  -- dir '': everywhere
    ) without rowid;
INSERT INTO "pauses" VALUES('a dir of pauses','a since of pauses','a until of pauses');
CREATE TABLE procedure_hits (root text not null, path text not null, session integer not null, at text not null);
INSERT INTO "procedure_hits" VALUES('a root of procedure_hits','a path of procedure_hits',1,'2026-11-30T08:00:00.000Z');
CREATE TABLE progress (
        session integer not null, kind text not null, text text not null,
        seq integer not null references events (seq) on delete cascade, nth integer not null, at text not null,
        primary key (session, kind, text)
    ) without rowid;
INSERT INTO "progress" VALUES(1,'turn','a text of progress',1,1,'2026-11-30T08:00:00.000Z');
CREATE TABLE projects (
        key text primary key, path text not null, dev integer, ino integer, root_commit text, remote text,
        created_at text not null
    ) without rowid;
INSERT INTO "projects" VALUES('a key of projects','a path of projects',1,1,'a root_commit of projects','a remote of projects','2026-11-30T08:00:00.000Z');
CREATE TABLE provider (
        id integer primary key check (id = 1), name text not null, since text not null, seq integer not null
    );
INSERT INTO "provider" VALUES(1,'a name of provider','a since of provider',1);
CREATE TABLE purged (digest blob primary key) without rowid;
INSERT INTO "purged" VALUES(X'70757267656420646967657374');
CREATE TABLE purges (
        id integer primary key, at text not null, until text not null,  -- events before `until` are refused, of:
        session blob, host text, tier text,          -- a digest of `host/session_id`; null: of any
        unfinished integer not null                  -- the bytes that it freed are not overwritten yet
    , everything integer not null default 0);
INSERT INTO "purges" VALUES(1,'2026-11-30T08:00:00.000Z','a until of purges',X'7075726765732073657373696F6E','a host of purges','a tier of purges',1,1);
CREATE TABLE quarantine (
        id text primary key, at text not null, host text not null, event text, raw text not null, error text not null
    ) without rowid;
INSERT INTO "quarantine" VALUES('a id of quarantine','2026-11-30T08:00:00.000Z','a host of quarantine','a event of quarantine','a raw of quarantine','a error of quarantine');
CREATE TABLE recall_hits (
        root text not null, path text not null, query text not null, session integer not null, at text not null,
        place integer not null,                      -- among the hits, from 1
        primary key (root, path, query, session)
    ) without rowid;
INSERT INTO "recall_hits" VALUES('a root of recall_hits','a path of recall_hits','a query of recall_hits',1,'2026-11-30T08:00:00.000Z',1);
CREATE TABLE redactions (label text primary key, count integer not null, last_at text not null) without rowid;
INSERT INTO "redactions" VALUES('a label of redactions',1,'2026-11-30T08:00:00.000Z');
CREATE TABLE rejected (
        id integer primary key, root text not null, fact text not null, after_seq integer not null,
        run_id text not null
    );
INSERT INTO "rejected" VALUES(1,'a root of rejected','a fact of rejected',1,'a run_id of rejected');
CREATE TABLE reservations (
        id text primary key, run_id text not null, dir text not null, agent text not null, model text not null,
        at text not null, day text not null,         -- of the ledger; the day is a local date
        calls integer not null, tokens integer not null, usd real not null,
        settled_at text, tokens_in integer, tokens_out integer, tokens_cached integer, spent_usd real
    ) without rowid;
INSERT INTO "reservations" VALUES('a id of reservations','a run_id of reservations','a dir of reservations','a agent of reservations','a model of reservations','2026-11-30T08:00:00.000Z','a day of reservations',1,1,0.5,'2026-11-30T08:00:00.000Z',1,1,1,0.5);
CREATE TABLE retired (seq integer primary key, session integer not null, at text not null, tiers text, first integer);
INSERT INTO "retired" VALUES(1,1,'2026-11-30T08:00:00.000Z','a tiers of retired',1);
CREATE TABLE reviews (
        id integer primary key, digest text not null unique,  -- of the wish: seen again it changes nothing
        dir text not null, scope text not null,
        kind text not null,                          -- save, supersede, lines, archive; outside; draft
        detail text not null,                        -- a proposal as JSON; of an outside write path, before, after
        reason text not null, tier text not null, run_id text, at text not null,
        status text not null default 'open',         -- open, accepted, rejected
        decided_at text
    , decided_run text);
INSERT INTO "reviews" VALUES(1,'a digest of reviews','a dir of reviews','a scope of reviews','turn','{}','a reason of reviews','a tier of reviews','a run_id of reviews','2026-11-30T08:00:00.000Z','open','2026-11-30T08:00:00.000Z','a decided_run of reviews');
CREATE TABLE run_dirs (
        run_id text not null, dir text not null, primary key (run_id, dir)  -- dir '': every directory there was
    ) without rowid;
INSERT INTO "run_dirs" VALUES('a run_id of run_dirs','a dir of run_dirs');
CREATE TABLE runs (
        id text primary key, dir text not null, author text not null, action text not null, agent text,
        outcome text not null, reason text, from_seq integer, to_seq integer,
        started_at text not null, ended_at text, duration_ms integer,
        files text not null default '[]', refused text not null default '[]',
        tokens_in integer not null default 0, tokens_out integer not null default 0, cost_usd real not null default 0
    , flags text not null default '[]', memories integer not null default 0) without rowid;
INSERT INTO "runs" VALUES('a id of runs','a dir of runs','a author of runs','a action of runs','a agent of runs','applied','a reason of runs',1,1,'2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z',1,'[]','[]',1,1,0.5,'[]',1);
CREATE TABLE sessions (
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
        transcript_ordinal integer not null default 0, transcript_read_at text, progress_seq integer not null default 0, work_seq integer not null default 0,
        unique (host, session_id)
    );
INSERT INTO "sessions" VALUES(1,'a host of sessions','a session_id of sessions','a dir of sessions','a cwd of sessions',1,'a parent_session_id of sessions','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z',1,1,1,1,1,'a open_turn of sessions',1,1,1,'a note of sessions','a transcript_path of sessions','a transcript_state of sessions',1,1,1,'a transcript_turn of sessions',1,'2026-11-30T08:00:00.000Z',1,1);
CREATE TABLE skipped (
        id integer primary key, dir text not null, from_seq integer not null, to_seq integer not null,
        error text not null, at text not null
    );
INSERT INTO "skipped" VALUES(1,'a dir of skipped',1,1,'a error of skipped','2026-11-30T08:00:00.000Z');
CREATE TABLE snapshots (
        session integer primary key, text text not null, generation integer not null, shown text not null,
        at text not null, stale integer not null default 0
    );
INSERT INTO "snapshots" VALUES(1,'a text of snapshots',1,'[]','2026-11-30T08:00:00.000Z',1);
CREATE TABLE spawns (
        host text not null, parent text not null, child text not null, agent_type text not null,
        opened_at text not null, closed_at text,
        primary key (host, parent, child)
    ) without rowid;
INSERT INTO "spawns" VALUES('a host of spawns','a parent of spawns','a child of spawns','a agent_type of spawns','2026-11-30T08:00:00.000Z','2026-11-30T08:00:00.000Z');
CREATE TABLE stats (dir text not null, name text not null, value, primary key (dir, name)) without rowid;
INSERT INTO "stats" VALUES('a dir of stats','a name of stats','a value of stats');
CREATE TABLE tombstones (digest blob primary key) without rowid;
INSERT INTO "tombstones" VALUES(X'746F6D6273746F6E657320646967657374');
CREATE TABLE trusted (
        project text not null, path text not null,   -- path: below .memoryd/memory, `/`-separated
        digest text not null,                        -- of the file as it was looked at
        text text not null, at text not null,        -- text: without secrets, to compare with what comes later
        primary key (project, path)
    ) without rowid;
INSERT INTO "trusted" VALUES('a project of trusted','a path of trusted','a digest of trusted','a text of trusted','2026-11-30T08:00:00.000Z');
CREATE TABLE turns (
        session integer not null, turn_id text not null, seq integer not null, status text not null,
        primary key (session, turn_id)
    ) without rowid;
INSERT INTO "turns" VALUES(1,'a turn_id of turns',1,'open');
CREATE TABLE unread_agents (
        host text not null, session_id text not null, parent text not null, path text not null,
        primary key (host, session_id)
    ) without rowid;
INSERT INTO "unread_agents" VALUES('a host of unread_agents','a session_id of unread_agents','a parent of unread_agents','a path of unread_agents');
CREATE TABLE versions (
        id integer primary key, root text not null, path text not null, digest text, author text not null,
        run_id text, at text not null
    );
INSERT INTO "versions" VALUES(1,'a root of versions','a path of versions','a digest of versions','a author of versions','a run_id of versions','2026-11-30T08:00:00.000Z');
CREATE TABLE work (
        seq integer primary key references events (seq) on delete cascade, session integer not null,
        to_seq integer not null, at text not null, outcome text not null, detail text not null
    );
INSERT INTO "work" VALUES(1,1,1,'2026-11-30T08:00:00.000Z','applied','{}');
CREATE INDEX projects_by_path on projects (path);
CREATE INDEX sessions_by_dir on sessions (dir);
CREATE INDEX sessions_open on sessions (last_at) where ended_at is null;
CREATE INDEX events_by_session on events (session, seq);
CREATE INDEX runs_by_start on runs (started_at);
CREATE INDEX versions_by_file on versions (root, path, id);
CREATE INDEX versions_by_run on versions (run_id);
CREATE INDEX citations_by_seq on citations (seq);
CREATE INDEX spawns_by_child on spawns (host, child);
CREATE INDEX events_prompts on events (session, turn_id) where kind = 'user_prompt';
CREATE INDEX reviews_open on reviews (dir, id) where status = 'open';
CREATE INDEX events_subagents on events (session) where kind = 'subagent_start';
CREATE INDEX goals_by_dir on goals (dir, status);
CREATE INDEX purges_by_until on purges (until);
CREATE INDEX copies_by_session on copies (session);
CREATE INDEX events_tool_calls on events (seq) where kind = 'tool_use';
CREATE INDEX reservations_by_time on reservations (at);
CREATE INDEX reservations_by_day on reservations (day);
CREATE INDEX reservations_by_run on reservations (run_id);
CREATE INDEX events_said on events (at) where kind in ('user_prompt', 'turn', 'message');
CREATE INDEX retired_by_session on retired (session);
CREATE INDEX progress_by_seq on progress (seq);
CREATE INDEX notes_by_dir on notes (dir, kind);
CREATE INDEX notes_by_expiry on notes (expires_at) where expires_at is not null;
CREATE INDEX events_reports on events (session, json_extract(data, '$.child_session_id'))
        where kind = 'subagent_stop';
CREATE INDEX work_by_session on work (session, seq);
CREATE INDEX work_by_time on work (at);
CREATE TRIGGER work_without_its_events after delete on events begin
        delete from work where session = old.session and seq <= old.seq and to_seq >= old.seq;
    end;
CREATE INDEX procedure_hits_by_file on procedure_hits (root, path);
CREATE INDEX recall_hits_by_session on recall_hits (session);
CREATE TRIGGER recall_hits_without_their_session after delete on sessions begin
        delete from recall_hits where session = old.id;
    end;
COMMIT;
PRAGMA user_version = 26;
