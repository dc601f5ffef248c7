"""How often each kind of secret was replaced before it could be written down; never what."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from memoryd.daemon.journal.store import Store


def count(connection: sqlite3.Connection, redacted: Mapping[str, int], now: str) -> None:
    """Add the replacements of one event, label -> number, in the transaction that writes it."""
    connection.executemany(
        "insert into redactions (label, count, last_at) values (?1,?2,?3)"
        " on conflict (label) do update set count = count + ?2, last_at = ?3",
        [(label, number, now) for label, number in redacted.items()],
    )


def counted(journal: Store) -> list[dict[str, Any]]:
    """`{label, count, last_at}` of each kind, the most frequent first. Blocking."""
    sql = "select label, count, last_at from redactions order by count desc, label"
    return journal.rows(sql)
