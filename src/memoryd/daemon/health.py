"""Health: ok, degraded or stuck, and why. Healthy means that due work gets done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon import choosing
from memoryd.daemon.config import Config
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.store import Row
from memoryd.daemon.journal.upkeep import Pause
from memoryd.ipc.methods.daemon import HealthState
from memoryd.ipc.spool import Spool
from memoryd.worker import second_net
from memoryd.worker.policy import WAITS

STUCK_MINUTES = 10  #: a job that waits longer, without a reason to wait, means that none gets done


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    state: HealthState
    reason: str | None  #: with the remedy


def hindrances(
    config: Config,
    pauses: Sequence[Pause],
    *,
    now: datetime,
    disk_full: bool,
    index_fault: str,
    provider_fault: str = "",
) -> Iterator[str]:
    """What keeps part of the work from being done beside jobs and agents, each with its remedy."""
    for pause in pauses:
        if pause.is_on(now):
            where = f"for {pause.dir}" if pause.dir else "everywhere"
            until = f"until {rfc3339(pause.until)}" if pause.until else "until `memoryd resume`"
            yield f"recording is paused {where} {until}, `memoryd resume` goes on"
    if disk_full:
        yield "the disk is full and events are refused; free space"
    if index_fault:
        yield f"search reads the texts themselves: {index_fault}"
    if config.recall.assist != "off" and (why := choosing.unfit_to_answer(config.agent)):
        yield f"[recall] assist prepares nothing: {why}"
    if provider_fault:
        yield f"the external memory provider is left alone for a while: {provider_fault}; see `memoryd doctor`"
    if config.privacy.scanner and not second_net.is_installed():
        yield "[privacy] scanner is true but not installed: `pip install 'memoryd[scan]'`"


def judge_health(
    history: History,
    spool: Spool,
    *,
    running: bool,
    now: datetime,
    min_interval_seconds: int = 0,
    hindered: Sequence[str] = (),
) -> HealthReport:
    """Look at what is due and what could not be done. Blocking.

    :param running: a run is in progress
    :param min_interval_seconds: a job rests that long after the run before
    :param hindered: what else keeps part of the work from being done, each with its remedy
    """
    if not running and (stuck := _stuck(history, now, min_interval_seconds)):
        return HealthReport(state="stuck", reason=stuck)
    reasons = "; ".join([*hindered, *_degraded(history, spool, now, hindered)])
    return HealthReport(state="degraded" if reasons else "ok", reason=reasons or None)


def _stuck(history: History, now: datetime, min_interval_seconds: int) -> str | None:
    row = history.oldest_due(min_interval_seconds)
    if row is None:
        return None
    if parse_rfc3339(row["ready_at"]) >= now - timedelta(minutes=STUCK_MINUTES):
        return None
    return f"a job for {row['dir']} could run since {row['ready_at']}, none runs; `memoryd restart`, then see the log"


def _degraded(history: History, spool: Spool, now: datetime, told: Sequence[str]) -> Iterator[str]:
    jobs = history.jobs()
    put_off = [job for job in jobs if job["state"] == "deferred" and job["last_error"]]
    waiting = [job for job in put_off if parse_rfc3339(job["not_before"]) > now]
    untold = [job for job in waiting if not any(str(job["last_error"]) in one for one in told)]
    yield from dict.fromkeys(map(_put_off, untold))
    if skipped := sum(job["state"] == "skipped" for job in jobs):
        yield f"{skipped} ranges were skipped after every attempt failed; `memoryd jobs` lists them"
    if bad := spool.bad():
        yield f"{bad} spooled events could not be read; `memoryd doctor` shows where"
    if quarantined := history.quarantined():
        yield f"{quarantined} hook payloads were not understood; `memoryd doctor` shows them"
    if spool.marked("full"):
        yield "the spool was full and dropped events; `memoryd doctor` shows where"


def _put_off(job: Row) -> str:
    """Why a job waits; what keeps the agent from working is told once for all directories."""
    reason = str(job["last_error"])
    if reason.partition(":")[0] in WAITS:
        return f"the agent cannot work, and what is due waits ({reason})"
    return f"the job for {job['dir']} is put off: {reason}"
