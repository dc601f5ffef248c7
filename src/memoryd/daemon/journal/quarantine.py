"""Hook payloads that no host file understood, redacted, kept 7 days for `memoryd doctor`."""

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store

MAX_RAW_CHARS = 64 * 1024


async def keep(journal: Store, *, id: str, host: str, event: str | None, raw: str, error: str) -> None:
    """Keep one payload; `raw` must be sanitised already."""
    values = (id, rfc3339(journal.clock()), host, event, raw[:MAX_RAW_CHARS], error)
    await journal.writer.arun(
        lambda c: c.execute("insert or ignore into quarantine values (?,?,?,?,?,?)", values) and None
    )
