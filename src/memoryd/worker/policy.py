"""What follows from an agent's fault: the job waits and keeps its attempt, or the attempt is spent."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from memoryd.worker.agents.brief import Fault, FaultCode
from memoryd.worker.ports import Breaker, Deferred, Failed

MAX_ATTEMPTS = 3  #: of an agent; then the rules take the range, and where they fail too it is skipped

HOUR_SECONDS = 3600.0
MAX_WAIT_SECONDS = 24 * HOUR_SECONDS  #: whatever a provider says

#: faults of a provider, which hold every agent up: how long, where trying soon cannot help
OUTAGES: Mapping[FaultCode, float | None] = {
    "provider-down": None,
    "provider-slow": None,
    "rate-limited": None,
    "quota": HOUR_SECONDS,
    "login": HOUR_SECONDS,
}
#: faults of an answer: what gave it is up. A run too large for its first call ends so too: the next one sees for itself
ANSWERED: frozenset[FaultCode] = frozenset(("refused", "bad-answer", "no-end"))
#: faults that are ours to mend, and how long until the next look
WAITS: Mapping[FaultCode, float] = {
    "budget": HOUR_SECONDS,
    "configuration": HOUR_SECONDS,
    "cage": HOUR_SECONDS,
}


def after(fault: Fault, breaker: Breaker, now: datetime, *, asked: bool = False) -> Deferred | Failed:
    """The outcome of a run whose agent gave no answer. Blocking: an outage is written down, and its end.

    :param asked: a person wanted the run now; that it failed makes no pause longer
    """
    told = f"{fault.code}: {fault.reason}"
    seconds = _bounded(fault.retry_after_seconds)
    if fault.code in OUTAGES:
        outage = breaker.failed(fault.code, fault.reason, now, seconds or OUTAGES[fault.code], counts=not asked)
        return Deferred(reason=told, not_before=outage.until)
    if fault.code in WAITS:
        return Deferred(reason=told, not_before=now + timedelta(seconds=seconds or WAITS[fault.code]))
    if fault.code in ANSWERED:
        breaker.succeeded()
    return Failed(reason=told)


def _bounded(seconds: float | None) -> float | None:
    return None if seconds is None else min(max(seconds, 1.0), MAX_WAIT_SECONDS)
