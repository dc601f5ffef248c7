"""Where each session stands, kept current row by row as its events come: a compaction has nothing left to gather.

A row goes with its event, so what a purge or retention removes is told no more. Derived: rows of a session that has
none are made from its events.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from memoryd.daemon.journal.steps import KEPT, Kind, step
from memoryd.daemon.journal.store import Row, Store

MIGRATION = """
    -- what a session's events tell of where it stands (kinds: journal/steps.py); bounded for each kind
    create table progress (
        session integer not null, kind text not null, text text not null,
        seq integer not null references events (seq) on delete cascade, nth integer not null, at text not null,
        primary key (session, kind, text)
    ) without rowid;
    create index progress_by_seq on progress (seq);
"""

_FILLING = 5_000  #: newest events of a session without rows that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a session stands: texts by kind, oldest first."""

    session: int  #: its number in the journal
    rows: Mapping[Kind, tuple[Row, ...]]  #: each `{text, seq, at}`; of a result also `name` and `chars`
    spawned: bool  #: a sub-agent's: its prompts are another agent's words

    def texts(self, kind: Kind) -> tuple[str, ...]:
        return tuple(row["text"] for row in self.rows.get(kind, ()))


def note(connection: sqlite3.Connection, session: int, seq: int, kind: str, data: str, at: str) -> None:
    """Take an event in. Inside the transaction that appends it; the cost depends on the event alone."""
    made = step(kind, data, seq, at)
    if made is None:
        return
    for cleared in made.clears:
        connection.execute("delete from progress where session = ? and kind = ?", (session, cleared))
    for nth, (told, text) in enumerate(made.rows):
        connection.execute(_FIRST if told is Kind.GOAL else _NEWEST, (session, told, text, seq, nth, made.at))
    for told in {told for told, _ in made.rows}:
        connection.execute(_PRUNE, (session, told, KEPT[told] - 1))


_NEWEST = (
    "insert into progress (session, kind, text, seq, nth, at) values (?,?,?,?,?,?) on conflict do update"
    " set seq = excluded.seq, nth = excluded.nth, at = excluded.at"
)
_FIRST = (
    "insert into progress (session, kind, text, seq, nth, at) select ?1, ?2, ?3, ?4, ?5, ?6"
    " where not exists (select 1 from progress where session = ?1 and kind = ?2)"
)
_PRUNE = (
    "delete from progress where session = ?1 and kind = ?2 and (seq, nth) < (select seq, nth from progress"
    " where session = ?1 and kind = ?2 order by seq desc, nth desc limit 1 offset ?3)"
)


def read(journal: Store, host: str, session_id: str) -> Progress | None:
    """Where a session stands, None when it has asked nothing yet. Blocking."""
    known = journal.read(
        lambda c: c.execute("select id from sessions where host = ? and session_id = ?", (host, session_id)).fetchone()
    )
    return of_number(journal, known[0]) if known else None


def of_number(journal: Store, session: int) -> Progress | None:
    """The same for a session by its number. Blocking."""
    found = journal.read(lambda connection: _read(connection, session))
    if not found.rows:
        journal.write(lambda connection: _fill(connection, session))
        found = journal.read(lambda connection: _read(connection, session))
    return found if found.rows.get(Kind.ASK) else None


def _read(connection: sqlite3.Connection, session: int) -> Progress:
    rows: dict[Kind, list[Row]] = {}
    for row in connection.execute(
        "select kind, text, seq, at from progress where session = ? order by seq, nth", (session,)
    ):
        kind = Kind(row["kind"])
        told = {"text": row["text"], "seq": row["seq"], "at": row["at"]}
        if kind is Kind.RESULT:
            told |= _large(connection, session, row["seq"])
        rows.setdefault(kind, []).append(told)
    spawned = connection.execute(
        "select exists (select 1 from spawns join sessions s on s.host = spawns.host and s.session_id = child"
        " where s.id = ?)", (session,),
    ).fetchone()[0]  # fmt: skip
    return Progress(session=session, rows={kind: tuple(found) for kind, found in rows.items()}, spawned=bool(spawned))


def _large(connection: sqlite3.Connection, session: int, seq: int) -> Row:
    """Of a large result: how long it is and which tool gave it: the one that was called last before it."""
    chars = connection.execute("select length(data) from events where seq = ?", (seq,)).fetchone()
    tool = connection.execute(
        "select json_extract(data, '$.name') from events where session = ? and seq < ? and kind = 'tool_use'"
        " order by seq desc limit 1", (session, seq),
    ).fetchone()  # fmt: skip
    return {"chars": chars[0] if chars else 0, "name": tool[0] if tool else "tool"}


def _fill(connection: sqlite3.Connection, session: int) -> None:
    """Make the rows of a session whose events came in before there were any, or in an archive."""
    events = connection.execute(
        "select seq, kind, data, at from events where session = ? order by seq desc limit ?", (session, _FILLING)
    ).fetchall()
    for seq, kind, data, at in reversed(events):
        note(connection, session, seq, kind, data, at)
