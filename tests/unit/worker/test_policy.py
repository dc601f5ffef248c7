from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from support.purses import MemoryBreaker

from memoryd.worker import policy
from memoryd.worker.agents.brief import Fault, FaultCode
from memoryd.worker.ports import Deferred, Failed

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def after(code: FaultCode, seconds: float | None = None, breaker: MemoryBreaker | None = None) -> Deferred | Failed:
    fault = Fault(code=code, reason="mend it", retry_after_seconds=seconds)
    return policy.after(fault, breaker or MemoryBreaker(), NOW)


def test_every_fault_has_its_outcome() -> None:
    waits = {"provider-down": 60, "provider-slow": 60, "rate-limited": 60} | dict.fromkeys(
        ("quota", "login", "budget", "configuration", "cage"), 3600
    )
    for code in get_args(FaultCode):
        told = f"{code}: mend it"
        until = NOW + timedelta(seconds=waits.get(code, 0))
        expected = Deferred(reason=told, not_before=until) if code in waits else Failed(reason=told)
        assert after(code) == expected


@pytest.mark.parametrize("code", ["rate-limited", "quota", "budget"])
@pytest.mark.parametrize(("said", "seconds"), [(7.0, 7), (-3.0, 1), (0.0, 1), (1e12, 24 * 3600)])
def test_what_is_said_about_when_wins_within_reason(code: FaultCode, said: float, seconds: float) -> None:
    outcome = after(code, said)
    assert isinstance(outcome, Deferred)
    assert outcome.not_before == NOW + timedelta(seconds=seconds)


def test_outages_in_a_row_are_told_to_the_breaker_and_faults_of_ours_are_not() -> None:
    breaker = MemoryBreaker()
    for code in ("provider-down", "provider-slow", "configuration", "cage", "budget", "crashed"):
        after(code, breaker=breaker)
    assert breaker.outages == 2


@pytest.mark.parametrize("code", ["refused", "bad-answer", "no-end"])
def test_a_fault_that_only_an_answer_can_have_ends_the_outage(code: FaultCode) -> None:
    breaker = MemoryBreaker()
    after("provider-down", breaker=breaker)
    assert isinstance(after(code, breaker=breaker), Failed)
    assert breaker.paused(NOW) is None


def test_a_run_that_a_person_wanted_now_makes_no_pause_longer() -> None:
    breaker = MemoryBreaker()
    policy.after(Fault(code="provider-down", reason="mend it"), breaker, NOW, asked=True)
    assert breaker.outages == 0
