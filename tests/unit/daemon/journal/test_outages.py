"""The breaker: how long a pause is, what survives a restart, what its end sets free."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from support.events import START, arrival

from memoryd.daemon.journal.journal import Journal, append_one, data_json
from memoryd.daemon.journal.outages import JournalBreaker
from memoryd.daemon.journal.queue import JournalQueue
from memoryd.daemon.journal.upkeep import Upkeep
from memoryd.daemon.sessions import Triggers
from memoryd.errors import NotFound
from memoryd.worker.ports import Deferred, Failed, Job, Outcome

HOUR = timedelta(hours=1)
DIRS = (Path("/memory/a"), Path("/memory/b"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.open(tmp_path / "state.db", triggers=Triggers(interval_turns=1), clock=lambda: START)
    yield journal
    journal.close()


@pytest.fixture
def queue(journal: Journal) -> JournalQueue:
    """A queue in which both directories are due."""
    for number, directory in enumerate(DIRS):
        append(journal, directory, f"s{number}")
    return JournalQueue(journal, Path("/memory/user"))


def append(journal: Journal, directory: Path, session: str) -> None:
    one = arrival("turn", dir=directory, session=session, turn="t", status="ok")
    data = data_json(one.event)
    journal.write(lambda c: append_one(c, one, data, journal.triggers, "2026-11-30T08:00:00.000Z"))


def settled(queue: JournalQueue, outcome: Outcome) -> Job:
    job = queue.claim(START)
    assert job is not None
    queue.settle(job, outcome, now=START, duration_ms=1, give_up=False)
    return job


def test_each_outage_in_a_row_doubles_the_pause_up_to_an_hour(journal: Journal) -> None:
    breaker = JournalBreaker(journal)
    pauses = [breaker.failed("provider-down", "no connection", START).until - START for _ in range(8)]
    assert [pause.total_seconds() for pause in pauses] == [60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_what_the_provider_says_wins(journal: Journal) -> None:
    breaker = JournalBreaker(journal)
    breaker.failed("provider-down", "no connection", START)
    assert breaker.failed("rate-limited", "wait", START, 7.0).until == START + timedelta(seconds=7)


def test_a_pause_survives_a_restart_and_its_row_goes_on_after_it(journal: Journal, tmp_path: Path) -> None:
    breaker = JournalBreaker(journal)
    for _ in range(2):
        breaker.failed("quota", "add credit", START)
    journal.close()
    again = Journal.open(tmp_path / "state.db", clock=lambda: START)
    outage = JournalBreaker(again).paused(START + timedelta(seconds=119))
    assert outage is not None
    assert (outage.code, outage.reason, outage.until) == (
        "quota",
        "add credit",
        START + timedelta(minutes=2),
    )
    assert JournalBreaker(again).paused(outage.until) is None  # one run may try
    assert JournalBreaker(again).failed("quota", "", START).until == START + timedelta(minutes=4)
    again.close()


def test_a_success_ends_the_row_and_frees_what_waited_for_its_end(journal: Journal, queue: JournalQueue) -> None:
    breaker = JournalBreaker(journal)
    until = breaker.failed("provider-down", "no connection", START).until
    settled(queue, Deferred(reason="provider-down", not_before=until))
    settled(queue, Deferred(reason="budget", not_before=START + HOUR))
    assert queue.claim(START) is None
    breaker.succeeded()
    freed = queue.claim(START)
    assert freed is not None
    assert queue.claim(START) is None  # the budget is not free for that
    assert breaker.failed("provider-down", "no connection", START).until == START + timedelta(minutes=1)


def test_other_settings_free_whatever_was_put_off(journal: Journal, queue: JournalQueue) -> None:
    breaker = JournalBreaker(journal)
    breaker.failed("login", "log in", START, 3600.0)
    for _ in DIRS:
        settled(queue, Deferred(reason="budget", not_before=START + HOUR))
    breaker.settings_changed()
    assert breaker.paused(START) is None
    assert {job.dir for job in (queue.claim(START), queue.claim(START)) if job} == set(DIRS)


def test_a_person_may_try_a_job_that_was_put_off_by_its_directory_or_all(journal: Journal, queue: JournalQueue) -> None:
    put_off = [settled(queue, Deferred(reason="budget", not_before=START + HOUR)).dir for _ in DIRS]
    upkeep = Upkeep(journal)
    with pytest.raises(NotFound, match="/nowhere"):
        upkeep.retry("/nowhere", START)
    assert upkeep.retry(str(put_off[0]), START) == 1
    job = queue.claim(START)
    assert job is not None
    assert (job.dir, job.reason, job.attempts) == (put_off[0], "manual", 1)
    queue.settle(job, Failed(reason="x"), now=START, duration_ms=1, give_up=True)
    assert upkeep.retry(None, START) == 2  # the range that is skipped now, and the other job
    assert upkeep.retry(None, START) == 0


def test_a_persons_own_tries_make_no_pause_longer(journal: Journal) -> None:
    breaker = JournalBreaker(journal)
    pauses = [breaker.failed("provider-down", "down", START, counts=one).until - START for one in (False, False, True)]
    assert [pause.total_seconds() for pause in pauses] == [60, 60, 60]
    pauses = [breaker.failed("provider-down", "down", START, counts=one).until - START for one in (False, True)]
    assert [pause.total_seconds() for pause in pauses] == [60, 120]
