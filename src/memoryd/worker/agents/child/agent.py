"""The daemon's side of an agent in a child process: starts it, pays for it, bounds it, ends it, reaps it."""

import asyncio
import contextlib
import shutil
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd import fsio
from memoryd.clock import Clock, utc_now
from memoryd.errors import Busy, ConfigError
from memoryd.ipc.redaction import redact
from memoryd.memory.model import MemoryView
from memoryd.worker.agents import exits
from memoryd.worker.agents.brief import NOTHING, AgentFault, Brief, Comparing, Done, Learnt, Settings, incomparable
from memoryd.worker.agents.child import tree
from memoryd.worker.agents.child.order import Order
from memoryd.worker.agents.child.talk import MAX_LINE_BYTES, Talk
from memoryd.worker.agents.question import Looking, Question, Told, nothing
from memoryd.worker.ports import AgentResult, Ledger
from memoryd.worker.projection import Projection

CHILD = (sys.executable, "-P", "-m", "memoryd.worker.agents.child")
MAX_STDERR_BYTES = 1024 * 1024  #: then it is read no more
KEPT_STDERR_BYTES = 4096  #: its end, for the log
GRACE_SECONDS = 5.0  #: beyond a run's time, for an agent to end it itself
LINGER_SECONDS = 1.0  #: that something which outlived it may keep its errors open
END_SECONDS = 6.0  #: for the keeper to end what it keeps; longer than it takes itself at most

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
    heard: Callable[[Settings, Learnt], None] = lambda settings, learnt: None  #: of an endpoint. Blocking
    comparing: Comparing = incomparable
    argv: Sequence[str] = CHILD
    grace_seconds: float = GRACE_SECONDS
    clock: Clock = utc_now

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        """
        :raises AgentFault: no answer
        :raises MemorydError: no folder or no process for it now
        """
        settings = await self._settings()
        done = await self._asked(Brief.of(settings, projection, memory, self.clock()), settings, run_id, nothing)
        if not isinstance(done, Done):
            raise AgentFault("crashed", "the agent answered what it was not asked")
        await self._keep(settings, done.learnt)
        sessions = {(one.host, one.session_id) for one in projection.sessions}
        return AgentResult(
            proposals=done.proposals, to_seq=done.to_seq,
            notes={key: text for key, text in done.noted().items() if key in sessions},
        )  # fmt: skip

    async def answer(self, ask: Callable[[Settings], Question], run_id: str, looking: Looking = nothing) -> Told:
        """Ask about memory that is there already.

        :param ask: the question, for the settings of now
        :raises AgentFault: no answer
        :raises MemorydError: no folder or no process for it now
        """
        settings = await self._settings()
        told = await self._asked(ask(settings), settings, run_id, looking)
        if not isinstance(told, Told):
            raise AgentFault("crashed", "the agent answered what it was not asked")
        return told

    async def _settings(self) -> Settings:
        try:
            return await asyncio.to_thread(self.settings)
        except ConfigError as error:
            raise AgentFault("configuration", str(error)) from error

    async def _asked(self, given: Brief | Question, settings: Settings, run_id: str, looking: Looking) -> Done | Told:
        async with self._place(run_id) as place, self._started(settings, place, run_id) as child:
            try:
                return await self._bounded(self._talk(child, run_id, looking), given)
            except AgentFault as error:
                await self._keep(settings, error.fault.learnt)
                raise

    def _talk(self, child: Process, run_id: str, looking: Looking) -> Talk:
        return Talk(child, self.ledger, run_id, self.clock, looking=looking, comparing=self.comparing)

    async def _keep(self, settings: Settings, learnt: Learnt) -> None:
        if learnt != NOTHING:
            await asyncio.to_thread(self.heard, settings, learnt)

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

    async def _bounded(self, talk: Talk, given: Brief | Question) -> Done | Told:
        try:
            async with asyncio.timeout(given.settings.timeout_seconds + self.grace_seconds):
                return await talk.about(given)
        except TimeoutError:
            said = f"gave no answer within {given.settings.timeout_seconds:g} s; [agent] timeout_seconds is too short"
            if talk.open:
                raise AgentFault("provider-slow", f"the model {said}, or the model too slow") from None
            raise AgentFault("crashed", f"the agent {said}, or the agent hangs") from None


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
