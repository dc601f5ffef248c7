"""What keeps a purged event out for good, without a word of what it held."""

import hashlib
import json
import sqlite3

from memoryd.daemon.journal.evidence import parts_of


def digest(name: str) -> bytes:
    """What is kept of a name: 16 bytes of a hash."""
    return hashlib.sha256(name.encode()).digest()[:16]


def covers(connection: sqlite3.Connection, *, host: str, session_id: str, at: str, kind: str, data: str) -> bool:
    """Whether an event that arrives now was purged before it came, by the rule of some purge."""
    rules = connection.execute("select session, host, tier from purges where until > ?", (at,)).fetchall()
    if not rules:
        return False
    tiers = {str(tier) for _, tier, _ in parts_of(kind, json.loads(data))}
    mine = digest(f"{host}/{session_id}")
    return any(
        session in (None, mine) and by in (None, host) and (tier is None or tier in tiers)
        for session, by, tier in rules
    )


def emptied_until(connection: sqlite3.Connection) -> str:
    """Nothing older than this comes in from an archive: everything was purged then. '' when it never was."""
    found: str = connection.execute("select coalesce(max(until), '') from purges where everything").fetchone()[0]
    return found


def covers_goal(connection: sqlite3.Connection, *, host: str | None, session_id: str | None, created_at: str) -> bool:
    """Whether a goal was purged before it came: by its session, or by a time."""
    rules = connection.execute(
        "select session from purges where until > ? and host is null and tier is null", (created_at,)
    )
    return any(session in (None, digest(f"{host}/{session_id}")) for (session,) in rules)
