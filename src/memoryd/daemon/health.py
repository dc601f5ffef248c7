"""Health: ok, degraded or stuck, and why. Healthy means that due work gets done."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from memoryd.clock import parse_rfc3339
from memoryd.daemon.journal.history import Row

if TYPE_CHECKING:
    from memoryd.daemon.daemon import Daemon

STUCK_MINUTES = 10  #: a job that waits longer, without a reason to wait, means that none gets done


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    state: Literal["ok", "degraded", "stuck"]
    reason: str | None
    summary: str


def judge_health(daemon: "Daemon") -> HealthReport:
    """Look at what is due and what could not be done. Blocking."""
    stuck = _oldest_waiting(daemon)
    if stuck is not None:
        return HealthReport(state="stuck", reason=stuck, summary=repr(daemon))
    reasons = list(_degraded(daemon))
    if reasons:
        return HealthReport(state="degraded", reason="; ".join(reasons), summary=repr(daemon))
    return HealthReport(state="ok", reason=None, summary=repr(daemon))


def _oldest_waiting(daemon: "Daemon") -> str | None:
    if daemon.worker.running:
        return None
    limit = daemon.clock() - timedelta(minutes=STUCK_MINUTES)
    row = daemon.history.oldest_due()
    if row is None or _since(row) >= limit:
        return None
    return f"a job for {row['dir']} is due since {row['due_at']} and none runs; `memoryd restart`, then see the log"


def _since(row: Row) -> datetime:
    return parse_rfc3339(max(row["due_at"], row["not_before"] or ""))


def _degraded(daemon: "Daemon") -> list[str]:
    skipped = sum(job["state"] == "skipped" for job in daemon.history.jobs())
    bad = daemon.spool.bad()
    quarantined = daemon.history.quarantined()
    found = []
    if skipped:
        found.append(f"{skipped} ranges were skipped after every attempt failed; `memoryd jobs` lists them")
    if bad:
        found.append(f"{bad} spooled events could not be read; see {daemon.places.spool / 'bad'}")
    if quarantined:
        found.append(f"{quarantined} hook payloads were not understood; `memoryd doctor` shows them")
    if daemon.spool.marked("full"):
        found.append(f"the spool was full and dropped events; see {daemon.places.spool}")
    return found
