"""The transcripts of sub-agents that are still to be read: their ends tell where they are, and a crash forgets none."""

import sqlite3

from memoryd.ipc.events import SubagentStop

MIGRATION = """
    create table unread_agents (
        host text not null, session_id text not null, parent text not null, path text not null,
        primary key (host, session_id)
    ) without rowid;
"""

#: as rows of the sessions that they will be: where their parents are bound
POSITIONS = (
    "select u.host, u.session_id, cwd, dir, kind, project, u.path as transcript_path, null as transcript_dev,"
    " null as transcript_ino, 0 as transcript_offset, null as transcript_turn, 0 as transcript_ordinal,"
    " last_at as ended_at, 1 as unread from unread_agents u"
    " join sessions on sessions.host = u.host and sessions.session_id = parent join dirs on dirs.path = dir"
)

_ELSEWHERE = (
    "select 1 from sessions child join sessions parent on parent.host = child.host and parent.session_id = ?3"
    " where child.host = ?1 and child.session_id = ?2 and child.dir != parent.dir"
)

IS_UNREAD = "exists (select 1 from unread_agents u where u.host = sessions.host and u.session_id = sessions.session_id)"


def note(connection: sqlite3.Connection, event: SubagentStop, path: str) -> None:
    """A sub-agent has ended, and this is its transcript; of one whose id was used before, the newer one.

    An id that a session of another memory directory has is not this one's: what was said here is not read into there.
    """
    child = (event.host, event.data.child_session_id)
    if connection.execute(_ELSEWHERE, (*child, event.session_id)).fetchone():
        return
    connection.execute("insert or replace into unread_agents values (?,?,?,?)", (*child, event.session_id, path))
    connection.execute("update sessions set transcript_path = ? where host = ? and session_id = ?", (path, *child))


def forget(connection: sqlite3.Connection, host: str, session_id: str) -> None:
    """It was read to its end, or cannot be read."""
    connection.execute("delete from unread_agents where host = ? and session_id = ?", (host, session_id))
