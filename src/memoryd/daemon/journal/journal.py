"""The journal: events in, once and durably; sessions, turns and jobs change in the same transaction."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.clock import Clock, rfc3339, utc_now
from memoryd.daemon import delegated
from memoryd.daemon.journal import notes, redactions, schema, spawns, unread
from memoryd.daemon.journal.projects import Projects
from memoryd.daemon.journal.queue import enqueue_latest
from memoryd.daemon.journal.store import Store
from memoryd.daemon.journal.tombstones import covers, digest
from memoryd.daemon.journal.writer import Writer, connect, damaged, translate
from memoryd.daemon.sessions import Advance, Counters, Triggers, advance
from memoryd.errors import BadEvent
from memoryd.ipc.events import MAX_EVENT_BYTES, Event, SessionStart, SubagentStop
from memoryd.ipc.methods.events import Due


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where a session belongs; taken at its first event, kept from then on."""

    dir: Path
    kind: str  #: user, project or explicit
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One event on its way into the journal."""

    event: Event
    binding: Binding
    transcript_path: str | None = None
    child_transcript_path: str | None = None  #: of the sub-agent whose end the event is
    headless: bool = False
    redacted: Mapping[str, int] = field(default_factory=dict)  #: what was replaced in it, by label


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """The durable fact. `job`: None, queued or coalesced."""

    seq: int
    duplicate: bool
    turn_count: int
    due: Due | None = None
    job: str | None = None


_MEMORY = ("user/memory/*.md", "projects/*/memory/*.md")


@dataclass(slots=True)
class Journal(Store):
    """Events go in here."""

    triggers: Triggers = field(default_factory=Triggers)

    @classmethod
    def open(cls, path: Path, *, triggers: Triggers | None = None, clock: Clock = utc_now) -> "Journal":
        """Open, recover and migrate the database.

        The checkpoint comes first: what recovery found in the WAL must be synced before it can answer "duplicate".

        A job that a crash cut waits a little longer each time, so that one that kills the daemon is no restart storm.

        :raises RestartNeeded: a newer program wrote it
        :raises JournalFull: no space, not even to open it
        :raises CannotWrite: it cannot be written
        :raises InternalError: it is damaged, or there and empty though memory stands beside it
        """
        try:
            return cls._open(path, triggers or Triggers(), clock)
        except sqlite3.Error as error:
            raise translate(error) from error
        except UnicodeDecodeError as error:  # what SQLite says quotes a schema that is no text any more
            raise damaged("its schema is no text") from error

    @classmethod
    def _open(cls, path: Path, triggers: Triggers, clock: Clock) -> "Journal":
        was_there = path.exists()
        if was_there and not path.stat().st_size:  # before SQLite would drop its WAL
            _refuse_beside_memory(path)
        connection = connect(path)
        try:
            if was_there and not schema.version_of(connection, path):
                _refuse_beside_memory(path)
            cls._make_ready(connection, path, clock)
        except BaseException:
            connection.close()
            raise
        return cls(path, Writer(connection), clock, triggers=triggers)

    @staticmethod
    def _make_ready(connection: sqlite3.Connection, path: Path, clock: Clock) -> None:
        path.chmod(0o600)
        connection.execute("pragma wal_checkpoint(truncate)")
        schema.migrate(connection, path)
        connection.execute(
            "update jobs set run_id = null, run_to = null, not_before ="
            " case when attempts > 1 then strftime('%Y-%m-%dT%H:%M:%fZ', ?, (attempts * 5) || ' seconds') end"
            " where run_id is not null",
            (rfc3339(clock()),),
        )
        connection.execute(
            "update runs set outcome = 'failed', reason = 'the daemon stopped during the run', ended_at = started_at"
            " where outcome = 'running'"
        )

    async def append(self, arrivals: Sequence[Arrival]) -> list[Appended]:
        """Append events and return once they survive a power cut.

        One commit covers every caller that is waiting. Known ids are returned as duplicates and change nothing.

        :param arrivals: 1 to 256 events, each at most 1 MiB as JSON
        :raises JournalFull: no space; nothing was appended, safe to send again later
        :raises Busy: 10 000 appends wait already
        """
        rows = [(arrival, data_json(arrival.event)) for arrival in arrivals]
        return await self.writer.arun(lambda connection: self._append(connection, rows))

    def _append(self, connection: sqlite3.Connection, rows: Sequence[tuple[Arrival, str]]) -> list[Appended]:
        now = rfc3339(self.clock())
        return [append_one(connection, arrival, data, self.triggers, now) for arrival, data in rows]

    def binding_of(self, host: str, session_id: str) -> Binding | None:
        """Where a session was bound at its first event, None for a session that is new. Blocking."""
        row = self.read(
            lambda c: c.execute(
                "select dir, kind, project from sessions join dirs on path = dir where host = ? and session_id = ?",
                (host, session_id),
            ).fetchone()
        )
        return Binding(dir=Path(row["dir"]), kind=row["kind"], project=row["project"]) if row else None

    def binding_above(self, event: Event) -> Binding | None:
        """Where the session is bound whose sub-agent the event comes from. Blocking."""
        parent = spawns.AgentGraph(self).parent_at(event.host, event.session_id, rfc3339(event.at))
        return self.binding_of(event.host, parent) if parent else None

    def project_root(self, directory: Path) -> Path | None:
        """The root of the project that a memory directory belongs to. Blocking."""
        row = self.read(lambda c: c.execute("select project from dirs where path = ?", (str(directory),)).fetchone())
        roots = [Path(path) for path in self.projects.roots_of(row["project"])] if row and row["project"] else []
        return next((root for root in roots if root.is_dir()), next(iter(roots), None))

    @property
    def projects(self) -> Projects:
        return Projects(self)


def data_json(event: Event) -> str:
    data = event.data.model_dump_json(exclude_defaults=True)
    size = len(data) if data.isascii() else len(data.encode())
    if size > MAX_EVENT_BYTES:
        raise BadEvent(f"event {event.id} holds {size} bytes, at most {MAX_EVENT_BYTES}: split it into messages")
    return data


def _refuse_beside_memory(path: Path) -> None:
    """An empty journal is a new one where nothing was remembered yet; else it is one that was lost.

    :raises InternalError: memory stands beside it
    """
    if any(any(path.parent.glob(pattern)) for pattern in _MEMORY):
        raise damaged("it is empty, though memory stands beside it")


def append_one(connection: sqlite3.Connection, arrival: Arrival, data: str, triggers: Triggers, now: str) -> Appended:
    event = arrival.event
    at = rfc3339(event.at)
    if delegated.matters(event) and spawns.is_child(connection, event.host, event.session_id, arrival.binding.dir):
        event, triggers = delegated.as_told(event), delegated.TRIGGERS
        data = data_json(event)
    if covers(connection, host=event.host, session_id=event.session_id, at=at, kind=event.kind, data=data):
        return Appended(seq=0, duplicate=True, turn_count=0)
    known = _session(connection, arrival)
    if known is None:
        if _is_known(connection, event.id):
            return _duplicate(connection, arrival)  # a session of nothing but duplicates is none
        _bind(connection, arrival, at)
        known = _session(connection, arrival)
    assert known is not None
    session, counters = known
    row = connection.execute(
        _INSERT, (event.id, session, event.kind, at, event.turn_id, data, now, digest(event.id))
    ).fetchone()
    if row is None:
        return _duplicate(connection, arrival)
    seq: int = row[0]
    connection.execute("update counters set value = ? where name = 'seq'", (seq,))
    redactions.count(connection, arrival.redacted, now)
    step = advance(
        counters, event, seq=seq, at=at, triggers=triggers,
        known_turn=lambda turn: _turn_known(connection, session, turn),
    )  # fmt: skip
    _store(connection, session, seq, counters, step, arrival)
    spawns.note(connection, event, at)
    notes.session_ended(connection, event, at)
    if isinstance(event, SubagentStop) and arrival.child_transcript_path:
        unread.note(connection, event, arrival.child_transcript_path)
    job = enqueue_latest(connection, _dir_of(connection, session), seq, step.due, now) if step.due else None
    return Appended(seq=seq, duplicate=False, turn_count=step.counters.turn_count, due=step.due, job=job)


#: a seq is given to new ids only: none for an id that is known, or that was purged and left its tombstone
_INSERT = (
    "insert into events (seq, id, session, kind, at, turn_id, data, received_at)"
    " select value + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7 from counters where name = 'seq'"
    " and not exists (select 1 from tombstones where digest = ?8)"
    " on conflict (id) do nothing returning seq"
)


def _duplicate(connection: sqlite3.Connection, arrival: Arrival) -> Appended:
    """A known id changes nothing but where the transcript is: a resumed session may have moved it."""
    if arrival.transcript_path:
        connection.execute(
            "update sessions set transcript_path = ? where host = ? and session_id = ? and transcript_path is not ?",
            (arrival.transcript_path, arrival.event.host, arrival.event.session_id, arrival.transcript_path),
        )
    known = connection.execute(
        "select seq, turn_count from events join sessions on sessions.id = events.session where events.id = ?",
        (arrival.event.id,),
    ).fetchone()
    return Appended(seq=known[0] if known else 0, duplicate=True, turn_count=known[1] if known else 0)


def _turn_known(connection: sqlite3.Connection, session: int, turn_id: str) -> bool:
    row = connection.execute("select 1 from turns where session = ? and turn_id = ?", (session, turn_id)).fetchone()
    return row is not None


_COUNTERS = Counters._fields
_SELECT = f"select id, {', '.join(_COUNTERS)} from sessions where host = ? and session_id = ?"


def _session(connection: sqlite3.Connection, arrival: Arrival) -> tuple[int, Counters] | None:
    row = connection.execute(_SELECT, (arrival.event.host, arrival.event.session_id)).fetchone()
    return (row[0], Counters._make(row[1:])) if row is not None else None


def _is_known(connection: sqlite3.Connection, event_id: str) -> bool:
    found = connection.execute(
        "select 1 from events where id = ? union all select 1 from tombstones where digest = ?",
        (event_id, digest(event_id)),
    )
    return found.fetchone() is not None


def _bind(connection: sqlite3.Connection, arrival: Arrival, at: str) -> None:
    event, binding = arrival.event, arrival.binding
    parent = event.data.parent_session_id if isinstance(event, SessionStart) else None
    connection.execute(
        "insert or ignore into dirs (path, kind, project) values (?,?,?)",
        (str(binding.dir), binding.kind, binding.project),
    )
    connection.execute(
        "insert into sessions (host, session_id, dir, cwd, headless, parent_session_id, started_at, last_at)"
        " values (?,?,?,?,?,?,?,?)",
        (event.host, event.session_id, str(binding.dir), event.cwd, arrival.headless, parent, at, at),
    )


def _dir_of(connection: sqlite3.Connection, session: int) -> str:
    return str(connection.execute("select dir from sessions where id = ?", (session,)).fetchone()[0])


def _store(
    connection: sqlite3.Connection, session: int, seq: int, before: Counters, step: Advance, arrival: Arrival
) -> None:
    changed: dict[str, Any] = {
        name: getattr(step.counters, name)
        for name in _COUNTERS
        if getattr(step.counters, name) != getattr(before, name)
    }
    if arrival.event.cwd:
        changed["cwd"] = arrival.event.cwd
    if arrival.transcript_path:
        changed["transcript_path"] = arrival.transcript_path
    if changed:
        names = ", ".join(f"{name} = ?" for name in changed)
        connection.execute(f"update sessions set {names} where id = ?", (*changed.values(), session))
    for turn_id, status in step.ends:
        connection.execute(
            "insert into turns (session, turn_id, seq, status) values (?,?,?,?)"
            " on conflict (session, turn_id) do update set seq = excluded.seq, status = excluded.status",
            (session, turn_id, seq, status),
        )
