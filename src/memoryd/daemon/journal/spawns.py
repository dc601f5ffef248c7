"""The agent graph: which session started which sub-agent, and whether that one still runs."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.store import Row, Store
from memoryd.ipc.events import Event, SessionEnd, SubagentStart, SubagentStop

MIGRATION = """
    -- an edge of the agent graph; open until the sub-agent stops or a session above it ends
    create table spawns (
        host text not null, parent text not null, child text not null, agent_type text not null,
        opened_at text not null, closed_at text,
        primary key (host, parent, child)
    ) without rowid;
    create index spawns_by_child on spawns (host, child);
    insert into spawns
        select host, session_id, json_extract(data, '$.child_session_id'),
            max(coalesce(json_extract(data, '$.agent_type'), '')), min(at),
            coalesce(max(case kind when 'subagent_stop' then at end), ended_at)
        from events join sessions on sessions.id = session
        where kind in ('subagent_start', 'subagent_stop') group by 1, 2, 3;
"""


REPORTS = """
    -- what a sub-agent said at its end stands in its parent's session
    create index events_reports on events (session, json_extract(data, '$.child_session_id'))
        where kind = 'subagent_stop';
"""
#: of a row of `sessions`: another session of its memory started it as its sub-agent. An id alone does not say so: hosts
#: count their sub-agents, and another project's session may have that id
IS_CHILD = (
    "exists (select 1 from spawns where spawns.host = sessions.host and child = sessions.session_id and not exists"
    " (select 1 from sessions above where above.host = spawns.host and above.session_id = parent"
    " and above.dir != sessions.dir))"
)
#: of a row of `spawns`: the session of that id, where there is one, is the sub-agent's
_IS_OURS = (
    "not exists (select 1 from sessions below join sessions above on above.host = below.host"
    " where below.host = spawns.host and below.session_id = child and above.session_id = parent"
    " and above.dir != below.dir)"
)

#: a session, `?2` of host `?1`, and all the sub-agents below it, however deep
FAMILY = f"""
    with recursive family (session_id) as (
        values (?2) union select child from spawns join family on parent = family.session_id
        where host = ?1 and {_IS_OURS}
    )
"""


def note(connection: sqlite3.Connection, event: Event, at: str) -> None:
    """Follow the graph: a start opens an edge, a stop closes it, an end closes all that is below the session.

    Starts and stops may come in any order, out of the spool.
    """
    match event:
        case SubagentStart(data=data):
            _open(connection, (event.host, event.session_id, data.child_session_id), data.agent_type, at)
        case SubagentStop(data=data):
            edge = (event.host, event.session_id, data.child_session_id)
            connection.execute("insert or ignore into spawns values (?,?,?,?,?,null)", (*edge, data.agent_type, at))
            connection.execute(f"update spawns set closed_at = ?4 where {_EDGE} and closed_at is null", (*edge, at))
            close_below(connection, event.host, data.child_session_id, at)
        case SessionEnd():
            close_below(connection, event.host, event.session_id, at)


_EDGE = "host = ?1 and parent = ?2 and child = ?3"


def _open(connection: sqlite3.Connection, edge: tuple[str, str, str], agent_type: str, at: str) -> None:
    """Open an edge, unless what is above it is known to have ended since."""
    connection.execute(
        "insert into spawns select ?1, ?2, ?3, ?4, ?5, min(ended) from ("
        " select ended_at as ended from sessions where host = ?1 and session_id = ?2 and ended_at > ?5"
        " union all select closed_at from spawns where host = ?1 and child = ?2 and closed_at > ?5) where true"
        " on conflict do update set opened_at = min(opened_at, excluded.opened_at), closed_at ="
        " case when excluded.opened_at > coalesce(closed_at, opened_at) then excluded.closed_at else closed_at end",
        (*edge, agent_type, at),
    )
    closed = connection.execute(f"select closed_at from spawns where {_EDGE}", edge).fetchone()[0]
    if closed is not None:
        close_below(connection, edge[0], edge[2], closed)


def is_child(connection: sqlite3.Connection, host: str, session_id: str, directory: Path) -> bool:
    """Whether another session of this memory directory started this one, which may be new, as its sub-agent."""
    found = connection.execute(
        "select 1 from spawns where host = ?1 and child = ?2 and not exists (select 1 from sessions above"
        " where above.host = ?1 and above.session_id = parent and above.dir != ?3) limit 1",
        (host, session_id, str(directory)),
    )
    return found.fetchone() is not None


def close_below(connection: sqlite3.Connection, host: str, session_id: str, at: str) -> None:
    """Close every open edge that leads down from a session."""
    connection.execute(
        "with recursive below (id) as (select ?2 union select child from spawns join below on parent = id"
        f" where host = ?1 and {_IS_OURS})"
        " update spawns set closed_at = ?3 where host = ?1 and parent in (select id from below)"
        " and closed_at is null and opened_at <= ?3",
        (host, session_id, at),
    )


@dataclass(frozen=True, slots=True)
class AgentGraph:
    """Questions about the graph. Blocking."""

    journal: Store

    def children(self, host: str, session_id: str) -> list[Row]:
        return self.journal.read(lambda c: _children(c, host, [session_id], open_only=False))

    def parent(self, host: str, session_id: str) -> str | None:
        """The session that started this one as its sub-agent."""
        row = self.journal.read(
            lambda c: c.execute(
                f"select parent from spawns where host = ? and child = ? and {_IS_OURS} order by opened_at limit 1",
                (host, session_id),
            ).fetchone()
        )
        return row and str(row["parent"])

    def parent_at(self, host: str, session_id: str, moment: str) -> str | None:
        """The session whose sub-agent of that id had not ended by then: a later session of the id is another one's."""
        rows = self.journal.rows(
            "select parent from spawns where host = ? and child = ? and (closed_at is null or closed_at >= ?)"
            " order by opened_at limit 1", host, session_id, moment,
        )  # fmt: skip
        return str(rows[0]["parent"]) if rows else None

    def with_reports(self, rows: Iterable[Row]) -> list[Row]:
        """Edges, each with what its sub-agent said to its parent at its end: `report`, in the event `report_seq`."""
        return [
            {**row, **found[0]} if found else row
            for row in rows
            for found in [self.journal.rows(_REPORT, row["host"], row["parent"], row["session_id"])]
        ]

    def descendants(self, host: str, session_id: str, *, open_only: bool = False) -> list[Row]:
        """All sub-agents below a session, breadth first: those nearer to it come first, then the older ones.

        A session that resumes another one gets that one's open sub-agents too. Below a closed edge nothing is open.
        """
        return self.journal.read(lambda c: _descendants(c, host, session_id, open_only))


def _descendants(connection: sqlite3.Connection, host: str, session_id: str, open_only: bool) -> list[Row]:
    resumed = _resumed(connection, host, session_id)
    seen = {session_id, *resumed}
    level = _children(connection, host, [session_id], open_only=open_only)
    level += _children(connection, host, resumed, open_only=True)
    found: list[Row] = []
    depth = 1
    while level:
        fresh = list({row["session_id"]: {**row, "depth": depth} for row in level[::-1]}.values())[::-1]
        fresh = [row for row in fresh if row["session_id"] not in seen]
        found += fresh
        below = [row["session_id"] for row in fresh if row["recorded"]]
        seen.update(below)
        level, depth = _children(connection, host, below, open_only=open_only), depth + 1
    return found


def _children(connection: sqlite3.Connection, host: str, parents: list[str], *, open_only: bool) -> list[Row]:
    return [
        dict(row)
        for row in connection.execute(
            "select host, child as session_id, parent, agent_type, opened_at, closed_at,"
            f" {_IS_OURS} and exists (select 1 from sessions s where s.host = spawns.host and s.session_id = child)"
            " as recorded"
            " from spawns where host = ? and parent in (select value from json_each(?))"
            " and (closed_at is null or not ?) order by opened_at, child",
            (host, json.dumps(parents), open_only),
        )
    ]


#: what a sub-agent said at its end, the newest first
_REPORT = (
    "select seq as report_seq, json_extract(data, '$.last_message') as report from events"
    " where session = (select id from sessions where host = ? and session_id = ?) and kind = 'subagent_stop'"
    " and json_extract(data, '$.child_session_id') = ? and report is not null order by seq desc limit 1"
)


def _resumed(connection: sqlite3.Connection, host: str, session_id: str) -> list[str]:
    """The sessions that this one resumes, the nearest first."""
    rows = connection.execute(
        "with recursive up (id) as (select ?2 union select parent_session_id from sessions s"
        " join up on s.session_id = up.id"
        " where host = ?1 and parent_session_id is not null and exists (select 1 from events where session = s.id"
        " and kind = 'session_start' and json_extract(data, '$.source') = 'resume'))"
        " select id from up where id != ?2",
        (host, session_id),
    )
    return [row["id"] for row in rows]
