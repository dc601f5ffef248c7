"""How far the external memory provider was told what happened: a place in the journal, which it follows in order.

A call that was answered moves the place; a crash between the two tells that event again. What happened before the
provider was configured is never told. Blocking.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339
from memoryd.daemon.journal.copies import COPIED
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.spawns import IS_CHILD
from memoryd.daemon.journal.store import Store
from memoryd.ipc.events import Tier

MIGRATION = """
    -- the one provider that is configured: no row, or one; `seq`: the newest event that it was told, or passed over
    create table provider (
        id integer primary key check (id = 1), name text not null, since text not null, seq integer not null
    );
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    seq: int
    since: str  #: what was said before is not for it, whenever it came in


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One event, as far as the provider is told of it."""

    seq: int
    kind: str
    at: str
    host: str
    session_id: str
    directory: Path  #: of the memory
    cwd: str | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provided:
    """The provider's rows."""

    journal: Store

    def settle(self, name: str | None, now: datetime) -> Place | None:
        """Begin with the provider of this name at the newest event, or go on where it was; None: forget any."""
        return self.journal.write(lambda connection: _settle(connection, name, rfc3339(now)))

    def moved(self, seq: int) -> None:
        self.journal.execute("update provider set seq = ?", seq)

    def after(self, place: Place, kinds: Collection[str], limit: int) -> list[Happened]:
        """The next events of these kinds in the sessions of people, without what copies repeat."""
        rows = self.journal.rows(
            "select seq, kind, at, data, host, session_id, dir, sessions.cwd from events"
            " join sessions on sessions.id = session where seq > ? and at >= ?"
            f" and kind in (select value from json_each(?)) and not {IS_CHILD} and not {COPIED} order by seq limit ?",
            place.seq, place.since, json.dumps(sorted(kinds)), limit,
        )  # fmt: skip
        return [Happened(directory=Path(row.pop("dir")), data=json.loads(row.pop("data")), **row) for row in rows]

    def newest_seq(self) -> int:
        return int(self.journal.rows("select value from counters where name = 'seq'")[0]["value"])

    def waiting(self, place: Place, kinds: Collection[str]) -> int:
        """How many events it is still to be told of."""
        return int(self.journal.rows(
            "select count(*) as waiting from events join sessions on sessions.id = session where seq > ? and at >= ?"
            f" and kind in (select value from json_each(?)) and not {IS_CHILD} and not {COPIED}",
            place.seq, place.since, json.dumps(sorted(kinds)),
        )[0]["waiting"])  # fmt: skip

    def exchange(self, turn: Happened) -> tuple[str, str]:
        """What the user said in a turn and what the assistant answered last, as far as it is known by now."""
        return self.journal.read(lambda connection: _exchange(connection, turn.seq))


def _settle(connection: sqlite3.Connection, name: str | None, now: str) -> Place | None:
    known = connection.execute("select name, since, seq from provider").fetchone()
    if name is None:
        if known:
            connection.execute("delete from provider")
        return None
    if known and known[0] == name:
        return Place(since=known[1], seq=known[2])
    (seq,) = connection.execute("select value from counters where name = 'seq'").fetchone()
    connection.execute("insert or replace into provider (id, name, since, seq) values (1, ?, ?, ?)", (name, now, seq))
    return Place(seq=seq, since=now)


def _exchange(connection: sqlite3.Connection, seq: int) -> tuple[str, str]:
    """From the turn's prompt, or where there is none from the turn before, to the next one's: a transcript is late."""
    found = connection.execute("select session from events where seq = ?", (seq,)).fetchone()
    if found is None:  # removed meanwhile
        return "", ""
    session = found["session"]
    first, before, after = connection.execute(
        "select max(case when kind = 'user_prompt' and seq < ?2 then seq end),"
        " max(case when kind = 'turn' and seq < ?2 then seq end),"
        " min(case when seq > ?2 then seq end) from events"
        " where session = ?1 and kind in ('user_prompt', 'turn')", (session, seq),
    ).fetchone()  # fmt: skip
    begin = first if first is not None and first > (before or 0) else (before or 0) + 1
    rows = connection.execute(
        "select kind, data from events where session = ? and seq >= ? and seq < ?"
        " and kind in ('user_prompt', 'message', 'turn') order by seq", (session, begin, after or 2**62),
    )  # fmt: skip
    return _said([(kind, json.loads(data)) for kind, data in rows], prompted=first == begin)


def _said(rows: list[tuple[str, Mapping[str, Any]]], *, prompted: bool) -> tuple[str, str]:
    spoken = [(kind, part) for kind, data in rows for part in parts_of(kind, data)]
    users = dict.fromkeys(
        text for kind, (role, tier, text) in spoken
        if role == "user" and tier is Tier.USER and (not prompted or kind == "user_prompt")
    )  # fmt: skip
    answers = [(kind, text) for kind, (role, _, text) in spoken if role == "assistant" and text]
    last = [text for kind, text in answers if kind == "turn"] or [text for _, text in answers]
    return "\n".join(users), last[-1] if last else ""
