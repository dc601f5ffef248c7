"""Past conversations as the search takes them: texts in the order in which they were said. Reads only; blocking.

What a copied session repeats is left out: it is found in the session in which it was said.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memoryd.clock import parse_rfc3339
from memoryd.daemon.journal.copies import COPIED
from memoryd.daemon.journal.store import Store
from memoryd.memory.search.documents import Spoken, TurnId
from memoryd.worker.project import EventRow, texts

BEFORE = 12  #: events before a new one that may hold its neighbours and the copies of its text

_KINDS = "kind in ('user_prompt', 'message', 'turn', 'tool_use', 'subagent_stop')"
_ROW = (
    "select events.seq, events.kind, events.at, events.turn_id, events.data, events.session as number,"
    f" sessions.host, sessions.session_id, sessions.dir, {COPIED} as copied"
    " from events join sessions on sessions.id = events.session"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Texts of one session, in order, the copies left out; those from index `since` on are new or changed."""

    spoken: tuple[Spoken, ...]
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    passages: tuple[Passage, ...]
    to_seq: int  #: all events up to here are in it or hold no text


@dataclass(frozen=True, slots=True)
class Conversations:
    """Questions of the index."""

    journal: Store

    def after(self, seq: int, limit: int) -> Batch | None:
        """The texts of the next events, at most `limit`; None when there are none."""

        def query(connection: sqlite3.Connection) -> Batch | None:
            rows = connection.execute(
                f"{_ROW} where events.seq > ? and {_KINDS} order by events.seq limit ?", (seq, limit)
            ).fetchall()
            if not rows:
                return None
            told = [row for row in rows if not row["copied"]]
            by_session = groupby(sorted(told, key=lambda row: (row["number"], row["seq"])), lambda row: row["number"])
            passages = (_passage(connection, list(group)) for _, group in by_session)
            return Batch(passages=tuple(passages), to_seq=rows[-1]["seq"])

        return self.journal.read(query)

    def newest(self, after_seq: int, limit: int, directory: Path | None) -> list[Spoken]:
        """The newest texts after a seq, for an answer without the index; each text of a session once."""
        rows = self.journal.read(
            lambda c: c.execute(
                f"{_ROW} where events.seq > ?1 and {_KINDS} and not copied and (?3 is null or sessions.dir = ?3)"
                " order by events.seq desc limit ?2",
                (after_seq, limit, directory and str(directory)),
            ).fetchall()
        )
        return list({spoken.twin: spoken for row in reversed(rows) for spoken in _spoken(row)}.values())

    def sessions_of(self, seqs: Iterable[int]) -> Mapping[int, str]:
        """`host/id` of the session of each event that still exists; no text is read."""
        wanted = tuple(seqs)
        rows = self.journal.read(
            lambda c: c.execute(
                "select seq, host, session_id from events join sessions on sessions.id = session"
                f" where seq in ({','.join('?' * len(wanted))})", wanted,
            ).fetchall()
        )  # fmt: skip
        return {row["seq"]: f"{row['host']}/{row['session_id']}" for row in rows}

    def spoken(self, ids: Iterable[TurnId]) -> Mapping[TurnId, Spoken]:
        """The texts of documents that still exist."""
        seqs = sorted({id.seq for id in ids})
        marks = ",".join("?" * len(seqs))
        rows = self.journal.read(lambda c: c.execute(f"{_ROW} where events.seq in ({marks})", seqs).fetchall())
        return {spoken.id: spoken for row in rows for spoken in _spoken(row)}

    def around(self, spoken: Spoken) -> list[str]:
        """What was said just before and after a text: the exchange that it stands in."""
        host, _, session_id = spoken.session.partition("/")
        where = f"sessions.host = ? and sessions.session_id = ? and {_KINDS} and kind != 'tool_use'"

        def query(connection: sqlite3.Connection) -> list[sqlite3.Row]:
            found = []
            for side, order in (("<", "desc"), (">", "asc")):
                found += connection.execute(
                    f"{_ROW} where {where} and events.seq {side} ? order by events.seq {order} limit ?",
                    (host, session_id, spoken.seq, 3),
                ).fetchall()
            return found

        return [other.text for row in self.journal.read(query) for other in _spoken(row)]

    def newest_seq(self) -> int:
        return int(
            self.journal.read(lambda c: c.execute("select value from counters where name = 'seq'").fetchone()[0])
        )

    def threads(self, sessions: Iterable[str]) -> Mapping[str, str]:
        """The session that each goes back to by resume, fork or clear; itself when it was the first."""
        return self.journal.read(lambda c: {session: _first(c, session) for session in sessions})


def _passage(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Passage:
    first = rows[0]["seq"]
    before = connection.execute(
        f"{_ROW} where events.session = ? and events.seq < ? and {_KINDS} and not copied"
        " order by events.seq desc limit ?",
        (rows[0]["number"], first, BEFORE),
    ).fetchall()
    known: dict[str, Spoken] = {}
    for row in (*reversed(before), *rows):
        for spoken in _spoken(row):
            known.setdefault(spoken.twin, spoken)
    in_order = sorted(known.values(), key=lambda spoken: (spoken.at, spoken.seq, spoken.nth))
    news = [index for index, spoken in enumerate(in_order) if spoken.seq >= first]
    return Passage(spoken=tuple(in_order), since=max(0, min(news, default=len(in_order)) - 1))


def _spoken(row: sqlite3.Row) -> list[Spoken]:
    data = json.loads(row["data"])
    at = parse_rfc3339(row["at"])
    known = {"seq": row["seq"], "at": at, "dir": row["dir"], "session": f"{row['host']}/{row['session_id']}"}
    if row["kind"] == "tool_use":
        return [Spoken(**known, nth=0, role="tool", text=f"{data['name']} {data.get('summary', '')}".strip())]
    event = EventRow(seq=row["seq"], at=at, kind=row["kind"], turn_id=row["turn_id"], data=data)
    agent = data.get("agent_type") or data["child_session_id"] if row["kind"] == "subagent_stop" else ""
    said = enumerate(texts(event))
    return [Spoken(**known, nth=nth, role=one.role, text=one.text, agent=agent) for nth, one in said]


def _first(connection: sqlite3.Connection, session: str) -> str:
    host, _, session_id = session.partition("/")
    (first,) = connection.execute(_FIRST, (host, session_id)).fetchone() or (session_id,)
    return f"{host}/{first}"


#: the end of the chain of parents that are known; `union` ends a circle
_FIRST = """
    with recursive up (session_id, parent, depth) as (
        select session_id, parent_session_id, 0 from sessions where host = ?1 and session_id = ?2
        union
        select s.session_id, s.parent_session_id, depth + 1
        from sessions s join up on s.session_id = up.parent where s.host = ?1 and depth < 1000
    )
    select session_id from up order by depth desc limit 1
"""
