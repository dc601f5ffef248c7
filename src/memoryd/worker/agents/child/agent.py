"""The daemon's side of an agent in a child process: starts it, pays for it, bounds it, ends it, reaps it."""

import asyncio
import contextlib
import shutil
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import structlog
from pydantic import BaseModel, ValidationError

from memoryd import fsio
from memoryd.clock import Clock, utc_now
from memoryd.errors import Busy, ConfigError
from memoryd.ipc.redaction import redact
from memoryd.memory.model import MemoryView
from memoryd.worker.agents import exits
from memoryd.worker.agents.brief import (
    SAID,
    AgentFault,
    Brief,
    Done,
    Fault,
    Grant,
    Need,
    Reserve,
    Said,
    Settings,
    Spent,
    Way,
)
from memoryd.worker.agents.child import tree
from memoryd.worker.agents.child.order import LAST_WORDS, Order
from memoryd.worker.budget import BudgetSpent, Cost
from memoryd.worker.ports import AgentResult, Ledger
from memoryd.worker.projection import Projection

CHILD = (sys.executable, "-P", "-m", "memoryd.worker.agents.child")
MAX_LINE_BYTES = 1024 * 1024
MAX_OUTPUT_BYTES = 4 * 1024 * 1024  #: of a run
MAX_STDERR_BYTES = 1024 * 1024  #: then it is read no more
KEPT_STDERR_BYTES = 4096  #: its end, for the log
GRACE_SECONDS = 5.0  #: beyond a run's time, for an agent to end it itself
LINGER_SECONDS = 1.0  #: that something which outlived it may keep its errors open
END_SECONDS = 6.0  #: for the keeper to end what it keeps; longer than it takes itself at most
MAX_REASON_CHARS = 500

log = structlog.get_logger("agent")


@dataclass(slots=True, kw_only=True)
class ChildAgent:
    """A memory agent in a caged child process, one for each run."""

    name: str
    settings: Callable[[], Settings]  #: of now. Blocking. :raises ConfigError: nothing can be asked with them
    ledger: Ledger
    places: Path  #: the folder of the working directories: one for each run, empty, removed after it
    order: Callable[[Settings, Path], Order]  #: the cage of a run that works in a directory
    environment: Callable[[Settings, Path], Mapping[str, str]]  #: all of it but the mark
    heard: Callable[[Settings, Way], None] = lambda settings, way: None  #: in which an endpoint has answered. Blocking
    argv: Sequence[str] = CHILD
    grace_seconds: float = GRACE_SECONDS
    clock: Clock = utc_now

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        """
        :raises AgentFault: no answer
        :raises MemorydError: no folder or no process for it now
        """
        try:
            settings = await asyncio.to_thread(self.settings)
        except ConfigError as error:
            raise AgentFault("configuration", str(error)) from error
        brief = Brief.of(settings, projection, memory, self.clock())
        async with self._place(run_id) as place, self._started(settings, place, run_id) as child:
            try:
                done = await self._bounded(_Talk(child, self.ledger, run_id, self.clock), brief)
            except AgentFault as error:
                await self._keep(settings, error.fault.way)
                raise
        await self._keep(settings, done.way)
        sessions = {(one.host, one.session_id) for one in projection.sessions}
        return AgentResult(
            proposals=done.proposals, notes={key: text for key, text in done.noted().items() if key in sessions}
        )

    async def _keep(self, settings: Settings, way: Way | None) -> None:
        if way is not None:
            await asyncio.to_thread(self.heard, settings, way)

    @contextlib.asynccontextmanager
    async def _place(self, run_id: str) -> AsyncIterator[Path]:
        place = self.places / run_id
        await asyncio.to_thread(fsio.make_dirs, place)
        try:
            yield place
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    @contextlib.asynccontextmanager
    async def _started(self, settings: Settings, place: Path, run_id: str) -> AsyncIterator[Process]:
        """A child in a session of its own; on leaving, it and all that it started are gone."""
        order = await asyncio.to_thread(self.order, settings, place)
        argv, env = [*self.argv, order.line()], {**self.environment(settings, place), tree.MARK: run_id}
        try:
            child = await exits.start(argv, cwd=place, env=env, limit=MAX_LINE_BYTES)
        except OSError as error:
            raise Busy(f"cannot start the agent's process: {error.strerror}; end some programs") from error
        assert child.process.stderr is not None
        errors = asyncio.create_task(
            exits.last_words(child.process.stderr, kept_bytes=KEPT_STDERR_BYTES, max_bytes=MAX_STDERR_BYTES)
        )
        try:
            yield child.process
        finally:
            await _end(child, run_id)
            await asyncio.wait([errors], timeout=LINGER_SECONDS)
            errors.cancel()
            if words := (await errors)[0]:
                log.debug("agent.stderr", run=run_id, text=redact(words.decode("utf-8", "replace")))
            child.close()

    async def _bounded(self, talk: "_Talk", brief: Brief) -> Done:
        try:
            async with asyncio.timeout(brief.settings.timeout_seconds + self.grace_seconds):
                return await talk.with_brief(brief)
        except TimeoutError:
            said = f"gave no answer within {brief.settings.timeout_seconds:g} s; [agent] timeout_seconds is too short"
            if talk.open:
                raise AgentFault("provider-slow", f"the model {said}, or the model too slow") from None
            raise AgentFault("crashed", f"the agent {said}, or the agent hangs") from None


class _Talk:
    """What the child says, answered line by line."""

    def __init__(self, child: Process, ledger: Ledger, run_id: str, clock: Clock) -> None:
        self._child, self._ledger, self._run_id, self._clock = child, ledger, run_id, clock
        self._refused: BudgetSpent | None = None
        self.open: set[str] = set()  #: reservations of calls that have not ended

    async def with_brief(self, brief: Brief) -> Done:
        """:raises AgentFault: no answer"""
        await self._write(brief)
        async for said in self._said():
            match said:
                case Reserve(need=need):
                    await self._write(await self._reserved(need))
                case Spent(reservation=reservation, cost=cost):
                    await self._settle(reservation, cost)
                case Done():
                    return said
                case Fault():
                    raise self._told(said)
                case _:
                    assert_never(said)
        raise AgentFault("crashed", f"the agent's process ended without an answer; {LAST_WORDS}")

    async def _said(self) -> AsyncIterator[Said]:
        assert self._child.stdout is not None
        left = MAX_OUTPUT_BYTES
        try:
            while line := await self._child.stdout.readline():
                left -= len(line)
                if left < 0:
                    raise AgentFault("crashed", f"the agent said more than {MAX_OUTPUT_BYTES} bytes")
                yield SAID.validate_json(line)
        except ValidationError:
            raise AgentFault("crashed", "the agent said what is no line of the protocol") from None
        except ValueError:  # of `readline`
            raise AgentFault("crashed", f"the agent said a line of more than {MAX_LINE_BYTES} bytes") from None

    async def _write(self, line: BaseModel) -> None:
        assert self._child.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended; its output says why
            self._child.stdin.write(line.model_dump_json().encode() + b"\n")
            await self._child.stdin.drain()

    async def _reserved(self, need: Need) -> Grant:
        try:
            reservation = await asyncio.to_thread(self._ledger.reserve, self._run_id, need, self._clock())
        except BudgetSpent as error:
            self._refused = error
            return Grant(refusal=str(error))
        self.open.add(reservation)
        return Grant(reservation=reservation)

    async def _settle(self, reservation: str, cost: Cost) -> None:
        if reservation not in self.open:
            raise AgentFault("crashed", "the agent paid for a call that it had not asked for")
        self.open.remove(reservation)
        await asyncio.to_thread(self._ledger.settle, reservation, cost)

    def _told(self, fault: Fault) -> AgentFault:
        """The child's fault; of a budget, what the ledger said."""
        if fault.code != "budget" or self._refused is None:
            return AgentFault(fault.code, fault.reason[:MAX_REASON_CHARS], fault.retry_after_seconds, way=fault.way)
        if self._refused.not_before is None:  # of this run alone: waiting does not help
            return AgentFault("no-end", str(self._refused), way=fault.way)
        seconds = (self._refused.not_before - self._clock()).total_seconds()
        return AgentFault("budget", str(self._refused), max(0.0, seconds), way=fault.way)


async def _end(child: exits.Started, run_id: str) -> None:
    """Close its input, which ends it; kill what is left. On return it is reaped."""
    assert child.process.stdin is not None
    child.process.stdin.close()
    if not await child.has_ended(END_SECONDS):
        log.warning("agent.killed", run=run_id)
    await child.kill()
    await asyncio.to_thread(_kill_marked, run_id)


def _kill_marked(run_id: str) -> None:
    """The second net, for a keeper that was killed itself: everything that carries the run's mark."""
    for pid in tree.marked(run_id):
        tree.kill(pid)
