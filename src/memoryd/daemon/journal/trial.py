"""A trial of the journal: an event that goes in and out in one commit, through the one that writes."""

import sqlite3
import uuid

from memoryd.daemon.journal.journal import Journal
from memoryd.errors import MemorydError

_BYTES = 16 * 1024  #: more than a page: it needs room of its own also where one more row would still fit in


async def fault(journal: Journal) -> str | None:
    """Why the journal takes no event, None when it does: the pages reached the disk, and the rows are as they were."""
    try:
        await journal.writer.arun(_in_and_out)
    except MemorydError as error:
        return str(error)
    except sqlite3.Error as error:
        return f"the journal refuses events: {error}"
    return None


def _in_and_out(connection: sqlite3.Connection) -> None:
    row = (f"doctor-{uuid.uuid4().hex}",)
    connection.execute(
        "insert into sessions (host, session_id, dir, started_at, last_at) values ('memoryd', ?, '', '', '')", row
    )
    connection.execute(
        "insert into events (seq, id, session, kind, at, data, received_at)"
        f" select (select coalesce(max(seq), 0) + 1 from events), session_id, id, 'trial', '', zeroblob({_BYTES}), ''"
        " from sessions where host = 'memoryd' and session_id = ?",
        row,
    )
    connection.execute("delete from events where id = ?", row)
    connection.execute("delete from sessions where host = 'memoryd' and session_id = ?", row)


def newest_at(journal: Journal) -> str | None:
    """When the newest session was last heard, by its own events. Blocking."""
    found: str | None = journal.rows("select max(last_at) as at from sessions")[0]["at"]
    return found
