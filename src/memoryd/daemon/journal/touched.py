"""Where a session works: the files that its newest tool calls, and those of its sub-agents, touched."""

import heapq
import json
import sqlite3
from itertools import islice
from pathlib import Path

from memoryd.daemon.journal.spawns import FAMILY
from memoryd.daemon.journal.store import Store

TOOL_CALLS, PATHS = 100, 30  #: newest ones that are looked at; paths that count
AGENTS = 20  #: newest sessions of a session and its sub-agents that are looked at


def touched(journal: Store, directory: Path, host: str | None, session_id: str | None) -> tuple[str, ...]:
    """Paths, the newest first: of the session; of the directory's last one when it has none yet. Blocking."""
    return journal.read(lambda connection: _touched(connection, str(directory), host, session_id))


def _touched(
    connection: sqlite3.Connection, directory: str, host: str | None, session_id: str | None
) -> tuple[str, ...]:
    last = connection.execute(
        "select host, session_id from sessions where dir = ? order by last_at desc limit 3", (directory,)
    )
    found = (_paths(connection, *key) for key in [(host, session_id), *last])
    return next(filter(None, found), ())


def _paths(connection: sqlite3.Connection, host: str | None, session_id: str | None) -> tuple[str, ...]:
    agents = connection.execute(
        f"{FAMILY} select id from sessions where host = ?1 and session_id in (select session_id from family)"
        " order by last_at desc limit ?3",
        (host, session_id, AGENTS),
    ).fetchall()
    calls = heapq.merge(*(_calls(connection, row[0]) for row in agents), key=lambda call: call[0], reverse=True)
    paths = [touch["path"] for _, text in islice(calls, TOOL_CALLS) for touch in json.loads(text).get("files", ())]
    return tuple(dict.fromkeys(paths))[:PATHS]


def _calls(connection: sqlite3.Connection, session: int) -> list[tuple[int, str]]:
    """The newest tool calls of one session, the newest first."""
    rows = connection.execute(
        "select seq, data from events where session = ? and kind = 'tool_use' order by seq desc limit ?",
        (session, TOOL_CALLS),
    )
    return [(row[0], row[1]) for row in rows]
