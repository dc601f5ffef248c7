"""The breaker: while an outage lasts no agent that asks a model is started; a restart does not forget it. Blocking."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.store import Store
from memoryd.ipc.redaction import redact
from memoryd.worker.ports import Outage

MIGRATION = """
    -- why no agent that asks a model is started, and until when: no row, or one
    create table outage (
        id integer primary key check (id = 1), code text not null, reason text not null, until text not null,
        times integer not null                       -- outages in a row
    );
"""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 60.0, 3600.0  #: doubled by each outage in a row


@dataclass(frozen=True, slots=True)
class JournalBreaker:
    """`worker.ports.Breaker` on the journal's tables."""

    journal: Store

    def paused(self, now: datetime) -> Outage | None:
        row = self.journal.read(lambda c: c.execute("select * from outage").fetchone())
        if row is None or row["until"] <= rfc3339(now):
            return None
        return Outage(code=row["code"], reason=row["reason"], until=parse_rfc3339(row["until"]))

    def failed(
        self, code: str, reason: str, now: datetime, retry_after_seconds: float | None = None, *, counts: bool = True
    ) -> Outage:
        told = redact(reason)

        def write(connection: sqlite3.Connection) -> Outage:
            before = connection.execute("select times from outage").fetchone()
            times = (before[0] if before else 0) + counts
            doubled = min(FIRST_PAUSE_SECONDS * 2.0 ** min(max(times - 1, 0), 16), LONGEST_PAUSE_SECONDS)
            until = now + timedelta(seconds=retry_after_seconds or doubled)
            connection.execute(
                "insert or replace into outage (id, code, reason, until, times) values (1,?,?,?,?)",
                (code, told, rfc3339(until), times),
            )
            return Outage(code=code, reason=told, until=parse_rfc3339(rfc3339(until)))

        return self.journal.write(write)

    def succeeded(self) -> None:
        """The jobs that were put off until the end of the outage need not wait for it any longer."""
        if self.journal.read(lambda c: c.execute("select 1 from outage").fetchone()):
            self.journal.write(lambda connection: _end(connection, "not_before = (select until from outage)"))

    def settings_changed(self) -> None:
        """A person has changed what agents work with: whatever was put off may be tried at once."""
        self.journal.write(lambda connection: _end(connection, "not_before is not null"))


def _end(connection: sqlite3.Connection, waiting: str) -> None:
    connection.execute(f"update jobs set not_before = null where run_id is null and {waiting}")
    connection.execute("delete from outage")
