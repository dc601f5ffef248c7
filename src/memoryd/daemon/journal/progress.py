"""Where each session stands: bounded rows, kept current behind its events, so that a compaction has little to gather.

A row goes with its event, so what a purge or retention removes is told no more. All of it is derived: a session whose
events came in before there were any rows, or in an archive, is caught up like any other.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoryd.daemon.journal.steps import KEPT, Kind, Step, step
from memoryd.daemon.journal.store import Row, Store
from memoryd.ipc.events import Original

MIGRATION = """
    -- what a session's events tell of where it stands (kinds: journal/steps.py); bounded for each kind
    create table progress (
        session integer not null, kind text not null, text text not null,
        seq integer not null references events (seq) on delete cascade, nth integer not null, at text not null,
        primary key (session, kind, text)
    ) without rowid;
    create index progress_by_seq on progress (seq);
    alter table sessions add column progress_seq integer not null default 0;  -- the newest event that is in it
"""

EVENTS = 500  #: that one pass takes in

Told = dict[Kind, dict[str, tuple[int, int, str]]]  #: kind -> text -> (seq, its place in the event, time), oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a session stands: texts by kind, oldest first."""

    session: int  #: its number in the journal
    rows: Mapping[Kind, tuple[Row, ...]]  #: each `{text, seq, at}`; of a result also `name`, `chars` and `original`
    cwd: str | None = None  #: where it works now

    def texts(self, kind: Kind) -> tuple[str, ...]:
        return tuple(row["text"] for row in self.rows.get(kind, ()))


def read(journal: Store, host: str, session_id: str) -> Progress | None:
    """Where a session stands, None when it has asked nothing yet. Blocking: takes in what is new before."""
    while advance(journal, host, session_id):
        pass
    found = journal.read(lambda connection: _read(connection, host, session_id))
    return found if found is not None and found.rows.get(Kind.ASK) else None


def files(journal: Store, host: str, sessions: Sequence[str], kind: Kind) -> list[Row]:
    """The files that these sessions together changed, or read: `{text, at}`, oldest first. Blocking."""
    for session_id in sessions:
        while advance(journal, host, session_id):
            pass
    rows = journal.rows(
        "select text, at, max(progress.seq) as newest from progress join sessions on sessions.id = session"
        " where host = ? and session_id in (select value from json_each(?)) and kind = ?"
        " group by text order by newest, nth", host, json.dumps(list(sessions)), kind,
    )  # fmt: skip
    return rows[-KEPT[kind] :]


def advance(journal: Store, host: str, session_id: str, *, events: int = EVENTS) -> bool:
    """Take the next events of a session in; returns whether there may be more. Blocking.

    Two at a time do no harm: the one that comes second finds that the place has moved, and leaves it.
    """
    found = journal.read(lambda connection: _behind(connection, host, session_id, events))
    if found is None:
        return False
    session, place, before, rows = found
    after = fold({kind: dict(texts) for kind, texts in before.items()}, rows)
    journal.write(lambda connection: _put(connection, session, place, rows[-1]["seq"], before, after))
    return len(rows) == events


def fold(told: Told, events: Iterable[Row]) -> Told:
    """Add what events tell, in their order, to what was told; pure but for `told`, which it changes."""
    for event in events:
        made = step(event["kind"], event["data"], event["seq"], event["at"])
        if made is not None:
            _take(told, made, event["seq"])
    return told


def _take(told: Told, made: Step, seq: int) -> None:
    for cleared in made.clears:
        told.pop(cleared, None)
    for nth, (kind, text) in enumerate(made.rows):
        texts = told.setdefault(kind, {})
        if kind is Kind.GOAL and texts:
            continue
        texts.pop(text, None)
        texts[text] = (seq, nth, made.at)
        if len(texts) > KEPT[kind]:
            del texts[next(iter(texts))]


def _behind(
    connection: sqlite3.Connection, host: str, session_id: str, events: int
) -> tuple[int, int, Told, list[Row]] | None:
    """The session's number and place, what is told of it, and its next events; None when there are none."""
    known = connection.execute(
        "select id, progress_seq from sessions where host = ? and session_id = ?", (host, session_id)
    ).fetchone()
    if known is None:
        return None
    rows = connection.execute(
        "select seq, kind, data, at from events where session = ? and seq > ? order by seq limit ?", (*known, events)
    ).fetchall()
    return (*known, _told(connection, known[0]), [dict(row) for row in rows]) if rows else None


def _told(connection: sqlite3.Connection, session: int) -> Told:
    told: Told = {}
    for kind, text, *place in connection.execute(
        "select kind, text, seq, nth, at from progress where session = ? order by seq, nth", (session,)
    ):
        seq, nth, at = place
        told.setdefault(Kind(kind), {})[text] = (seq, nth, at)
    return told


def _put(connection: sqlite3.Connection, session: int, place: int, to_seq: int, before: Told, after: Told) -> None:
    """Write what changed; nothing of an event that was removed meanwhile."""
    moved = connection.execute(
        "update sessions set progress_seq = ? where id = ? and progress_seq = ?", (to_seq, session, place)
    )
    if not moved.rowcount:
        return
    old, new = dict(_flat(before)), dict(_flat(after))
    connection.executemany(
        "delete from progress where session = ? and kind = ? and text = ?",
        [(session, *key) for key in old.keys() - new],
    )
    connection.executemany(
        "insert or replace into progress (session, kind, text, seq, nth, at) select ?1, ?2, ?3, ?4, ?5, ?6"
        " where exists (select 1 from events where seq = ?4)",
        [(session, *key, *value) for key, value in new.items() if old.get(key) != value],
    )


def _flat(told: Told) -> Iterator[tuple[tuple[str, str], tuple[int, int, str]]]:
    return (((kind, text), place) for kind, texts in told.items() for text, place in texts.items())


def _read(connection: sqlite3.Connection, host: str, session_id: str) -> Progress | None:
    known = connection.execute(
        "select id, cwd from sessions where host = ? and session_id = ?", (host, session_id)
    ).fetchone()
    if known is None:
        return None
    rows = {
        kind: tuple(
            {"text": text, "seq": seq, "at": at, **(_large(connection, known[0], seq) if kind is Kind.RESULT else {})}
            for text, (seq, _, at) in texts.items()
        )
        for kind, texts in _told(connection, known[0]).items()
    }
    return Progress(session=known[0], cwd=known[1], rows=rows)


def _large(connection: sqlite3.Connection, session: int, seq: int) -> Row:
    """Of a large result: how long it is and what gave it: the tool that was called last before it, with its input."""
    kept = connection.execute(
        "select length(data), json_extract(data, '$.original') from events where seq = ?", (seq,)
    ).fetchone()
    tool = connection.execute(
        "select trim(json_extract(data, '$.name') || ' ' || coalesce(json_extract(data, '$.summary'), ''))"
        " from events where session = ? and seq < ? and kind = 'tool_use' order by seq desc limit 1", (session, seq),
    ).fetchone()  # fmt: skip
    original = Original.model_validate_json(kept[1]) if kept and kept[1] else None
    chars = original.chars if original else kept[0] if kept else 0
    return {"chars": chars, "name": tool[0] if tool else "tool", "original": original}
