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
