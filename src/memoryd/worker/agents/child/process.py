"""The child: a keeper and the agent that it keeps. The agent enters its cage before it reads or imports anything."""

import asyncio
import os
import sys
from collections.abc import Callable
from importlib import import_module

from pydantic import BaseModel

from memoryd.worker.agents.brief import (
    AgentFault,
    Compare,
    Cost,
    Fault,
    Grant,
    Near,
    Need,
    Reserve,
    Spent,
    Work,
)
from memoryd.worker.agents.child import cage, keeper
from memoryd.worker.agents.child.order import LAST_WORDS, Order
from memoryd.worker.agents.question import GIVEN, Answering, Look, Question, Seen

MAX_BRIEF_BYTES = 16 * 1024 * 1024

Load = Callable[[str], Work]
Say = Callable[[BaseModel], None]


class DaemonGone(Exception):
    """Nobody listens any more."""


def load(kind: str) -> Work:
    """The work of an agent, which loads what it needs when it begins."""
    work: Work = import_module(f"memoryd.worker.agents.{kind}").work
    return work


def load_answering(kind: str) -> Answering:
    """The same of an agent that can be asked about memory."""
    answer: Answering = import_module(f"memoryd.worker.agents.{kind}").answer
    return answer


def main(load: Load = load) -> None:
    """Run as a child of the daemon; never returns."""
    order = Order.parse(sys.argv[-1])
    if order.inside:
        os._exit(_agent(order, load))
    keeper.adopt_orphans()
    agent = os.fork()
    os._exit(keeper.keep(agent, order) if agent else _agent(order, load))


def _agent(order: Order, load: Load) -> int:
    """The agent's whole life; returns the exit status: 0 when an answer was given."""
    keeper.end_with_parent()
    say = _speech(1)
    try:
        cage.enter(order)
        say = _speech(_taken_output())
        asyncio.run(_answer(say, load))
    except AgentFault as error:
        say(error.fault)
    except DaemonGone:
        return 1
    except Exception as error:  # its text may quote the conversation
        say(Fault(code="crashed", reason=f"the agent broke with {type(error).__name__}; {LAST_WORDS}"))
    return 0


def _taken_output() -> int:
    """The standard output, for the protocol alone; what is printed goes to the log instead."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _speech(out: int) -> Say:
    def say(line: BaseModel) -> None:
        text = line.model_dump_json().encode() + b"\n"
        while text:
            text = text[os.write(out, text) :]

    return say


async def _answer(say: Say, load: Load) -> None:
    lines = asyncio.StreamReader(limit=MAX_BRIEF_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    given = GIVEN.validate_json(await _line(lines))
    pipe = Pipe(lines, say)
    if isinstance(given, Question):
        say(await load_answering(given.settings.kind)(given, pipe, pipe.look))
    else:
        say(await load(given.settings.kind)(given, pipe, pipe.compare))


async def _line(lines: asyncio.StreamReader) -> bytes:
    if not (line := await lines.readline()):
        raise DaemonGone
    return line


class Pipe:
    """The daemon, as a child reaches it: its purse, and what looks for it."""

    def __init__(self, lines: asyncio.StreamReader, say: Say) -> None:
        self._lines, self._say = lines, say
        self._asking = asyncio.Lock()

    async def reserve(self, need: Need) -> str:
        """Return the reservation's id. :raises AgentFault: `budget`: no call may be made"""
        grant = Grant.model_validate_json(await self._asked(Reserve(need=need)))
        if grant.reservation is None:
            raise AgentFault("budget", grant.refusal)
        return grant.reservation

    async def spent(self, reservation: str, cost: Cost) -> None:
        self._say(Spent(reservation=reservation, cost=cost))

    async def compare(self, compare: Compare) -> Near:
        return Near.model_validate_json(await self._asked(compare))

    async def look(self, look: Look) -> Seen:
        return Seen.model_validate_json(await self._asked(look))

    async def _asked(self, line: BaseModel) -> bytes:
        async with self._asking:
            self._say(line)
            return await _line(self._lines)
