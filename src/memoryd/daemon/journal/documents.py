"""Session documents out of the journal and into it; a session copied. Each change is one transaction."""

import json
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.journal import Appended, Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.queue import enqueue_latest
from memoryd.daemon.sessions import Triggers
from memoryd.errors import Conflict, LimitExceeded, NotFound
from memoryd.ipc.documents import MAX_DOCUMENT_BYTES, DocumentEvent, DocumentSession, SessionDocument

_QUIET = Triggers(interval_turns=10**9, on_compaction=False, on_session_end=False)  #: the whole is due once, or not


@dataclass(frozen=True, slots=True)
class SessionDocuments:
    """Blocking."""

    journal: Journal

    def of(self, host: str, session_id: str) -> SessionDocument:
        """The document of a session.

        :raises NotFound: no such session, or retention has removed its events
        :raises LimitExceeded: its events are larger than a document may be
        """
        return self.journal.read(lambda connection: _document(connection, host, session_id))

    def add(self, head: DocumentSession, arrivals: Sequence[Arrival]) -> list[Appended]:
        """Append what is new of a session, and make its directory due for it.

        Known ids change nothing, removed ones stay out.
        """
        rows = [(arrival, data_json(arrival.event)) for arrival in arrivals]
        return self.journal.write(lambda c: _add(c, head, rows, rfc3339(self.journal.clock())))

    def copy(self, host: str, session_id: str, new_id: str) -> int:
        """Make a session that goes on from this one, with events of its own; none of them is consolidated again.

        Its sub-agents stay the original's. Returns how many events it has.

        :raises NotFound: no such session
        :raises Conflict: there is a session `new_id`, or the session was purged meanwhile
        """
        document = self.of(host, session_id)
        binding = self.journal.binding_of(host, session_id)
        assert binding is not None
        mark = uuid.uuid4().hex
        events = tuple(e.model_copy(update={"id": f"{mark}/{n}"}) for n, e in enumerate(document.events))
        head = document.session.model_copy(update={"session_id": new_id, "parent_session_id": session_id})
        copied = document.model_copy(update={"session": head, "events": events})
        arrivals = [Arrival(event=e, binding=binding, headless=head.headless) for e in copied.as_events()]
        rows = [(arrival, data_json(arrival.event)) for arrival in arrivals]
        originals = [event.id for event in document.events]
        self.journal.write(lambda c: _copy(c, session_id, head, rows, originals, rfc3339(self.journal.clock())))
        return len(rows)


def _document(connection: sqlite3.Connection, host: str, session_id: str) -> SessionDocument:
    row = connection.execute(
        "select sessions.*, kind from sessions join dirs on path = dir where host = ? and session_id = ?",
        (host, session_id),
    ).fetchone()
    if row is None:
        raise NotFound(f"no session {host}/{session_id}; `memoryd sessions list` shows them")
    size = connection.execute(
        "select sum(length(cast(data as blob))) from events where session = ?", (row["id"],)
    ).fetchone()[0]
    if size is None:
        raise NotFound(f"no event of {host}/{session_id} is left; retention has removed them")
    if size > MAX_DOCUMENT_BYTES:
        raise LimitExceeded(f"the events hold {size} bytes, a document at most {MAX_DOCUMENT_BYTES}")
    events = connection.execute(
        "select id, kind, at, turn_id, data from events where session = ? order by seq", (row["id"],)
    )
    return SessionDocument(
        session=DocumentSession(
            host=row["host"], session_id=row["session_id"], cwd=row["cwd"], headless=bool(row["headless"]),
            memory_dir=row["dir"] if row["kind"] == "explicit" else None, parent_session_id=row["parent_session_id"],
            started_at=parse_rfc3339(row["started_at"]),
        ),
        events=tuple(DocumentEvent(**{**dict(event), "data": json.loads(event["data"])}) for event in events),
    )  # fmt: skip


def _add(
    connection: sqlite3.Connection, head: DocumentSession, rows: Sequence[tuple[Arrival, str]], now: str
) -> list[Appended]:
    known = connection.execute(f"select 1 from sessions where {_SESSION}", (head.host, head.session_id)).fetchone()
    appended = [append_one(connection, arrival, data, _QUIET, now) for arrival, data in rows]
    if all(one.duplicate for one in appended):
        if known is None:  # all of it was removed here, or belongs to another session
            connection.execute(f"delete from sessions where {_SESSION}", (head.host, head.session_id))
        return appended
    if known is None:
        _head(connection, head)
    session, dir_path, user_seq, watermark = connection.execute(
        f"select id, dir, user_seq, watermark from sessions where {_SESSION}", (head.host, head.session_id)
    ).fetchone()
    if user_seq > watermark:
        connection.execute(
            "update sessions set due_seq = user_seq, turns_at_enqueue = turn_count where id = ?", (session,)
        )
        enqueue_latest(connection, dir_path, user_seq, "manual", now)
    return appended


_SESSION = "host = ?1 and session_id = ?2"


def _head(connection: sqlite3.Connection, head: DocumentSession) -> None:
    """What the events alone do not tell."""
    connection.execute(
        f"update sessions set started_at = ?3, parent_session_id = ?4 where {_SESSION}",
        (head.host, head.session_id, rfc3339(head.started_at), head.parent_session_id),
    )


def _copy(
    connection: sqlite3.Connection,
    source: str,
    head: DocumentSession,
    rows: Sequence[tuple[Arrival, str]],
    originals: Sequence[str],
    now: str,
) -> None:
    key = (head.host, head.session_id)
    if connection.execute(f"select 1 from sessions where {_SESSION}", key).fetchone():
        raise Conflict(f"there is a session {head.host}/{head.session_id} already; choose another id")
    sources = [_first_of(connection, ident) for ident in originals]
    seqs = [append_one(connection, arrival, data, _QUIET, now).seq for arrival, data in rows]
    connection.executemany(
        "insert into copies (seq, source, session) values (?,?,?)",
        [(seq, *source) for seq, source in zip(seqs, sources, strict=True)],
    )
    _head(connection, head)
    connection.execute(
        "update sessions set watermark = ?3, due_seq = ?3, turns_at_enqueue = turn_count,"
        f" note = (select note from sessions where host = ?1 and session_id = ?4) where {_SESSION}",
        (*key, seqs[-1], source),
    )
    connection.execute("delete from spawns where host = ? and parent = ?", key)


def _first_of(connection: sqlite3.Connection, ident: str) -> tuple[int, int]:
    """The event of that id, or the one that it is a copy of, and its session."""
    row = connection.execute(
        "select coalesce(source, events.seq), coalesce(copies.session, events.session)"
        " from events left join copies using (seq) where id = ?", (ident,),
    ).fetchone()  # fmt: skip
    if row is None:
        raise Conflict("the session was purged while it was copied; nothing was copied")
    return row[0], row[1]
