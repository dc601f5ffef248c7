"""Where a session works: the files that its newest tool calls touched."""

import json
import sqlite3
from pathlib import Path

from memoryd.daemon.journal.store import Store

TOOL_CALLS, PATHS = 100, 30  #: newest ones that are looked at; paths that count


def touched(journal: Store, directory: Path, host: str | None, session_id: str | None) -> tuple[str, ...]:
    """Paths, the newest first: of the session; of the directory's last one when it has none yet. Blocking."""
    return journal.read(lambda connection: _touched(connection, str(directory), host, session_id))


def _touched(
    connection: sqlite3.Connection, directory: str, host: str | None, session_id: str | None
) -> tuple[str, ...]:
    own = connection.execute("select id from sessions where host = ? and session_id = ?", (host, session_id))
    last = connection.execute("select id from sessions where dir = ? order by last_at desc limit 3", (directory,))
    sessions = [row[0] for row in [*own, *last]]
    found = (_paths(connection, session) for session in sessions)
    return next(filter(None, found), ())


def _paths(connection: sqlite3.Connection, session: int) -> tuple[str, ...]:
    rows = connection.execute(
        "select data from events where session = ? and kind = 'tool_use' order by seq desc limit ?",
        (session, TOOL_CALLS),
    )
    paths = [touch["path"] for (text,) in rows for touch in json.loads(text).get("files", ())]
    return tuple(dict.fromkeys(paths))[:PATHS]
