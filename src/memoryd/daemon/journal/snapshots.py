"""What was injected into which session: recalled text is frozen, and never evidence."""

import json
from dataclasses import dataclass
from datetime import datetime

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The memory that a session was given. `stale`: a compaction has thrown it out of the host's context."""

    text: str
    generation: int
    shown: frozenset[str]
    stale: bool
    at: datetime | None = None  #: when it was put down; None: now


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Rows `(session, text, generation, shown, at)`. Blocking."""

    journal: Store

    def of(self, host: str, session_id: str) -> Snapshot | None:
        row = self.journal.read(
            lambda c: c.execute(
                "select snapshots.* from snapshots join sessions on sessions.id = session"
                " where host = ? and session_id = ?",
                (host, session_id),
            ).fetchone()
        )
        if row is None:
            return None
        return Snapshot(
            text=row["text"], generation=row["generation"], shown=frozenset(json.loads(row["shown"])),
            stale=bool(row["stale"]), at=parse_rfc3339(row["at"]),
        )  # fmt: skip

    def put(self, host: str, session_id: str, snapshot: Snapshot) -> None:
        self.journal.execute(
            "insert or replace into snapshots (session, text, generation, shown, at, stale)"
            " select id, ?, ?, ?, ?, ? from sessions where host = ? and session_id = ?",
            snapshot.text, snapshot.generation, json.dumps(sorted(snapshot.shown)),
            rfc3339(self.journal.clock()), snapshot.stale, host, session_id,
        )  # fmt: skip

    def forget(self, host: str, session_id: str) -> None:
        self.journal.execute(
            "delete from snapshots where session in (select id from sessions where host = ? and session_id = ?)",
            host, session_id,
        )  # fmt: skip

    def mark_stale(self, host: str, session_id: str, *, before: datetime | None = None) -> None:
        """After a compaction; a snapshot retaken since the compaction began stays (Claude starts before it ends).

        Of a host that does not tell when one begins every snapshot is from before.

        :param before: when the compaction was, where it is told later: what was taken since stays
        """
        self.journal.execute(
            "update snapshots set stale = 1"
            " where session in (select id from sessions where host = ? and session_id = ?)"
            " and at < (select coalesce(max(received_at), '9999') from events"
            " where events.session = snapshots.session and kind = 'pre_compact') and at < ?",
            host, session_id, rfc3339(before) if before else "9999",
        )  # fmt: skip
