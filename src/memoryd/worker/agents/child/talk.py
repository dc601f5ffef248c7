"""What a child says while it works, answered line by line: reservations, looks, and its end."""

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from typing import assert_never

from pydantic import BaseModel, ValidationError

from memoryd.clock import Clock
from memoryd.worker.agents.brief import AgentFault, Brief, Compare, Comparing, Done, Fault, Grant, Need, Reserve, Spent
from memoryd.worker.agents.child.order import LAST_WORDS
from memoryd.worker.agents.question import SAID, Look, Looking, Question, Said, Told
from memoryd.worker.budget import BudgetSpent, Cost
from memoryd.worker.ports import Ledger

MAX_LINE_BYTES = 1024 * 1024
MAX_OUTPUT_BYTES = 4 * 1024 * 1024  #: of a run
MAX_REASON_CHARS = 500
MAX_LOOKS = 50  #: as many as there may be steps


class Talk:
    """What the child says, answered line by line."""

    def __init__(
        self, child: Process, ledger: Ledger, run_id: str, clock: Clock, *, looking: Looking, comparing: Comparing
    ) -> None:
        self._child, self._ledger, self._run_id, self._clock = child, ledger, run_id, clock
        self._looking, self._comparing = looking, comparing
        self._looks = 0
        self._refused: BudgetSpent | None = None
        self.open: set[str] = set()  #: reservations of calls that have not ended

    async def about(self, given: Brief | Question) -> Done | Told:
        """:raises AgentFault: no answer"""
        await self._write(given)
        async for said in self._said():
            match said:
                case Reserve(need=need):
                    await self._write(await self._reserved(need))
                case Spent(reservation=reservation, cost=cost):
                    await self._settle(reservation, cost)
                case Look():
                    self._count_look()
                    await self._write(await self._looking(said))
                case Compare():
                    self._count_look()
                    await self._write(await self._comparing(said))
                case Done() | Told():
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

    def _count_look(self) -> None:
        self._looks += 1
        if self._looks > MAX_LOOKS:
            raise AgentFault("crashed", f"the agent wanted to look more than {MAX_LOOKS} times")

    async def _settle(self, reservation: str, cost: Cost) -> None:
        if reservation not in self.open:
            raise AgentFault("crashed", "the agent paid for a call that it had not asked for")
        self.open.remove(reservation)
        await asyncio.to_thread(self._ledger.settle, reservation, cost)

    def _told(self, fault: Fault) -> AgentFault:
        """The child's fault; of a budget, what the ledger said."""
        if fault.code != "budget" or self._refused is None:
            return AgentFault(
                fault.code, fault.reason[:MAX_REASON_CHARS], fault.retry_after_seconds, learnt=fault.learnt
            )
        if self._refused.not_before is None:  # of this run alone: waiting does not help
            return AgentFault("no-end", str(self._refused), learnt=fault.learnt)
        seconds = (self._refused.not_before - self._clock()).total_seconds()
        return AgentFault("budget", str(self._refused), max(0.0, seconds), learnt=fault.learnt)
