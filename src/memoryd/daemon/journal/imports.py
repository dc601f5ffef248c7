"""What an import brings into the journal: events quietly, each once. Blocking."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.journal import Appended, Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.tombstones import digest
from memoryd.daemon.sessions import Triggers

IDLE_SECONDS = 1800  #: a session that is imported and older than that has ended

_QUIET = Triggers(interval_turns=10**9, on_compaction=False, on_session_end=False)  #: what is due is said by the import
_SESSION = "host = ?1 and session_id = ?2"


@dataclass(frozen=True, slots=True)
class Imports:
    """The journal, as an import needs it."""

    journal: Journal

    def known(self, ids: Collection[str]) -> int:
        """How many of these events are here, or were removed for good."""
        names, marks = json.dumps(list(ids)), [digest(one) for one in ids]
        here = self.journal.rows("select count(*) as n from events where id in (select value from json_each(?))", names)
        gone = self.journal.read(
            lambda c: sum(
                bool(c.execute("select 1 from tombstones where digest = ?", (one,)).fetchone()) for one in marks
            )
        )
        return int(here[0]["n"]) + gone

    def told_live(self, host: str, session_id: str) -> bool:
        """Whether the host's hooks told the turns of a session."""
        rows = self.journal.rows(
            "select 1 from events join sessions on sessions.id = session"
            f" where {_SESSION} and kind in ('user_prompt', 'turn') and events.id not like '%+turn' limit 1",
            host, session_id,
        )  # fmt: skip
        return bool(rows)

    def take(self, arrivals: Sequence[Arrival], *, consolidate: bool) -> list[Appended]:
        """Append what is new of one session, in one transaction; nothing becomes due by its turns.

        :param consolidate: the session's text is due with the next job of its directory; else it counts as read, unless
            some of it waited before
        """
        rows = [(arrival, data_json(arrival.event)) for arrival in arrivals]
        return self.journal.write(lambda connection: self._take(connection, rows, consolidate))

    def _take(
        self, connection: sqlite3.Connection, rows: Sequence[tuple[Arrival, str]], consolidate: bool
    ) -> list[Appended]:
        now = self.journal.clock()
        key = (rows[0][0].event.host, rows[0][0].event.session_id)
        waited = connection.execute(f"select user_seq > watermark from sessions where {_SESSION}", key).fetchone()
        appended = [append_one(connection, arrival, data, _QUIET, rfc3339(now)) for arrival, data in rows]
        newest = max((one.seq for one in appended if not one.duplicate), default=0)
        if newest and consolidate:
            connection.execute(
                f"update sessions set due_seq = user_seq, turns_at_enqueue = turn_count where {_SESSION}"
                " and user_seq > watermark", key,
            )  # fmt: skip
        elif newest and not (waited and waited[0]):
            connection.execute(
                "update sessions set watermark = max(watermark, ?3), due_seq = max(due_seq, ?3),"
                f" turns_at_enqueue = turn_count where {_SESSION}", (*key, newest),
            )  # fmt: skip
        connection.execute(
            f"update sessions set ended_at = last_at where {_SESSION} and ended_at is null and last_at < ?3",
            (*key, rfc3339(now - timedelta(seconds=IDLE_SECONDS))),
        )
        return appended

    def path_of_project(self, name: str) -> str | None:
        """The one project whose folder is called so; None: none, or several."""
        rows = self.journal.rows("select path from projects")
        found = [row["path"] for row in rows if Path(row["path"]).name == name]
        return found[0] if len(found) == 1 else None
