"""The consolidation worker: one run at a time, claimed from the queue, settled whatever happens."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

import structlog

from memoryd.clock import Clock, mono, utc_now
from memoryd.errors import MemorydError, RestartNeeded, Retry
from memoryd.worker.policy import MAX_ATTEMPTS
from memoryd.worker.ports import Applied, Deferred, Failed, Job, Outcome, Queue, Rejection

RETRY_SECONDS = 5.0  #: between two tries to write to the queue while the disk is full
LOOK_SECONDS = 60.0  #: at most between two looks at what waits: a clock may be set, a machine sleep
PUT_OFF_SECONDS = 30.0  #: a run that could not write is tried again then

T = TypeVar("T")

log = structlog.get_logger("run")

Consolidate = Callable[[Job], Awaitable[Outcome]]


@dataclass(slots=True)
class Worker:
    """Takes due jobs and runs `consolidate` on each."""

    queue: Queue
    consolidate: Consolidate
    clock: Clock = utc_now
    attempts: Callable[[], int] = lambda: MAX_ATTEMPTS  #: then the range is skipped, and kept for `memoryd jobs retry`
    restart: Callable[[], None] = lambda: None  #: the process must start again to put files back
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _serving: asyncio.Task[Any] | None = None
    _running: asyncio.Task[Outcome] | None = None
    _settled: asyncio.Condition = field(default_factory=asyncio.Condition)

    def wake(self) -> None:
        """A job may be due."""
        self._wake.set()

    @property
    def running(self) -> bool:
        return self._running is not None

    async def serve(self) -> None:
        """Run jobs until `drain`."""
        self._serving = asyncio.current_task()
        while not self._stopping.is_set():
            self._wake.clear()
            job = await self._patiently(lambda: self.queue.claim(self.clock()))
            if job is None:
                await self._sleep()
            else:
                await self._run(job)

    async def _patiently(self, ask: Callable[[], T]) -> T | None:
        """Ask the queue, again and again while the disk is full or fails; None when drained before it answers."""
        while True:
            try:
                return await asyncio.to_thread(ask)
            except MemorydError as error:
                if error.retry is not Retry.LATER:
                    raise
                log.warning("queue.waiting", code=error.code)
            if self._stopping.is_set():
                return None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS):
                    await self._stopping.wait()

    async def drain(self, *, seconds: float) -> None:
        """Claim no more; give a running job that long, then put it back unspent. On return every claim is settled."""
        self._stopping.set()
        self._wake.set()
        if self._serving is None:
            return
        await asyncio.wait([self._serving], timeout=seconds)
        if self._running is not None:
            self._running.cancel()
        await asyncio.wait([self._serving], timeout=max(seconds, RETRY_SECONDS))

    def resume(self) -> None:
        """After a drain that led to no end: `serve` may be called again."""
        self._stopping.clear()

    async def settled(self) -> None:
        """Wait until the next job has been settled."""
        async with self._settled:
            await self._settled.wait()

    async def _sleep(self) -> None:
        due = await self._patiently(self.queue.next_due)
        seconds = None if due is None else min(LOOK_SECONDS, max(0.0, (due - self.clock()).total_seconds()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _run(self, job: Job) -> None:
        started = mono()
        log.info("run.started", run=job.run_id, dir=str(job.dir), reason=job.reason, attempt=job.attempts)
        outcome = await self._outcome(job)
        duration_ms = round((mono() - started) * 1000)
        spent = job.attempts >= self.attempts() and isinstance(outcome, Failed | Rejection)
        await self._patiently(
            lambda: self.queue.settle(job, outcome, now=self.clock(), duration_ms=duration_ms, give_up=spent)
        )
        _log_outcome(job, outcome, duration_ms, given_up=spent)
        async with self._settled:
            self._settled.notify_all()

    async def _outcome(self, job: Job) -> Outcome:
        """The outcome of a run; nothing that happens in one reaches the worker's loop."""
        if job.attempts > self.attempts():
            return Failed(reason=f"the daemon stopped {job.attempts - 1} times during this run")
        if self._stopping.is_set():
            return Deferred(reason="the daemon is stopping")
        self._running = asyncio.ensure_future(self.consolidate(job))
        try:
            return await self._running
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise
            return Deferred(reason="the daemon is stopping")
        except RestartNeeded as error:
            log.error("run.broke", run=job.run_id, error=error.code)
            self.restart()
            return Deferred(reason=str(error))
        except MemorydError as error:
            if error.retry is Retry.NEVER:
                return Failed(reason=str(error))
            later = self.clock() + timedelta(seconds=PUT_OFF_SECONDS)
            return Deferred(reason=str(error), not_before=later)  # a full disk must not cost the range
        except Exception as error:  # a broken promise of any kind costs this run, not the daemon
            log.exception("run.broke", run=job.run_id, error=type(error).__name__)
            return Failed(reason=f"{type(error).__name__}: {error}")
        finally:
            self._running = None


def _log_outcome(job: Job, outcome: Outcome, duration_ms: int, *, given_up: bool) -> None:
    name = type(outcome).__name__.lower()
    if isinstance(outcome, Failed | Rejection):
        log.warning(
            "run.failed", run=job.run_id, outcome=name, attempt=job.attempts, skipped=given_up, duration_ms=duration_ms
        )
    elif isinstance(outcome, Applied):
        log.info("run.succeeded", run=job.run_id, outcome=name, files=len(outcome.files), duration_ms=duration_ms)
    else:
        log.info("run.succeeded", run=job.run_id, outcome=name, duration_ms=duration_ms)
