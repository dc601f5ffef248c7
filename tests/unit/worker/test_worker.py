import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryd.errors import RestartNeeded
from memoryd.memory.model import Root
from memoryd.worker.ports import Deferred, Failed, Job, NoChange, Outcome
from memoryd.worker.worker import Worker

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def job(attempts: int = 1) -> Job:
    return Job(
        dir=Path("/m"), roots={Root.USER: Path("/m")}, due_seq=1, attempts=attempts, run_id="r", reason="interval"
    )


class OneJob:
    """A queue that holds one job."""

    def __init__(self, attempts: int = 1) -> None:
        self.jobs = [job(attempts)]
        self.settled: list[tuple[Outcome, bool]] = []

    def claim(self, now: datetime) -> Job | None:
        return self.jobs.pop() if self.jobs else None

    def settle(self, job: Job, outcome: Outcome, *, now: datetime, duration_ms: int, give_up: bool) -> None:
        self.settled.append((outcome, give_up))

    def next_due(self) -> datetime | None:
        return NOW + timedelta(days=1) if not self.jobs else NOW


async def outcome_of(queue: OneJob, result: Outcome | Exception) -> tuple[Outcome, bool]:
    async def consolidate(_: Job) -> Outcome:
        if isinstance(result, Exception):
            raise result
        return result

    worker = Worker(queue, consolidate, clock=lambda: NOW)
    serving = asyncio.create_task(worker.serve())
    async with asyncio.timeout(5):
        await worker.settled()
    await worker.drain(seconds=1)
    await serving
    return queue.settled[0]


async def test_an_outcome_is_settled() -> None:
    assert await outcome_of(OneJob(), NoChange(to_seq=1)) == (NoChange(to_seq=1), False)


async def test_an_error_nobody_expected_costs_the_run_and_not_the_worker() -> None:
    outcome, give_up = await outcome_of(OneJob(), ZeroDivisionError("boom"))
    assert outcome == Failed(reason="ZeroDivisionError: boom")
    assert not give_up


async def test_the_third_failure_gives_the_range_up() -> None:
    assert (await outcome_of(OneJob(attempts=3), Failed(reason="x")))[1]


async def test_a_job_that_killed_the_daemon_three_times_is_not_run_again() -> None:
    outcome, give_up = await outcome_of(OneJob(attempts=4), NoChange(to_seq=1))
    assert isinstance(outcome, Failed)
    assert give_up


async def test_files_that_cannot_be_put_back_stop_the_process_without_spending_the_attempt() -> None:
    stopped: list[bool] = []

    async def consolidate(_: Job) -> Outcome:
        raise RestartNeeded("cannot put back")

    queue = OneJob()
    worker = Worker(queue, consolidate, clock=lambda: NOW, restart=lambda: stopped.append(True))
    serving = asyncio.create_task(worker.serve())
    async with asyncio.timeout(5):
        await worker.settled()
    await worker.drain(seconds=1)
    await serving
    assert isinstance(queue.settled[0][0], Deferred)
    assert stopped == [True]


async def test_draining_puts_a_run_that_takes_too_long_back() -> None:
    started = asyncio.Event()

    async def consolidate(_: Job) -> Outcome:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    queue = OneJob()
    worker = Worker(queue, consolidate, clock=lambda: NOW)
    serving = asyncio.create_task(worker.serve())
    await started.wait()
    await worker.drain(seconds=0.01)
    await serving
    assert queue.settled == [(Deferred(reason="the daemon is stopping"), False)]
