"""Hook payloads that no host file understood, redacted, kept 7 days for `memoryd doctor`."""

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store

MAX_RAW_CHARS = 64 * 1024


def keep(journal: Store, *, id: str, host: str, event: str | None, raw: str, error: str) -> None:
    """Keep one payload; `raw` must be sanitised already. Blocking."""
    journal.execute(
        "insert or ignore into quarantine values (?,?,?,?,?,?)",
        id, rfc3339(journal.clock()), host, event, raw[:MAX_RAW_CHARS], error,
    )  # fmt: skip
