"""Hook payloads that no host file understood, redacted, kept 7 days for `memoryd doctor`."""

import sqlite3
from collections.abc import Mapping

from memoryd.clock import rfc3339
from memoryd.daemon.journal import redactions
from memoryd.daemon.journal.store import Store

MAX_RAW_CHARS = 64 * 1024


def keep(
    journal: Store, *, id: str, host: str, event: str | None, raw: str, error: str, redacted: Mapping[str, int]
) -> None:
    """Keep one payload; its texts must be sanitised already. Blocking.

    :param redacted: what was replaced in it, by label
    """

    def write(connection: sqlite3.Connection) -> None:
        row = (id, rfc3339(journal.clock()), host, event, raw[:MAX_RAW_CHARS], error)
        if connection.execute("insert or ignore into quarantine values (?,?,?,?,?,?)", row).rowcount:
            redactions.count(connection, redacted, rfc3339(journal.clock()))

    journal.write(write)
