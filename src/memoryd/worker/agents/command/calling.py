"""One call of a person's program: paid for, run in a place of its own, its output read or its words understood."""

import asyncio
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import to_json

from memoryd.clock import mono
from memoryd.ipc import hook
from memoryd.worker.agents.asking.fitting import tokens_at_most
from memoryd.worker.agents.brief import AgentFault, Cost, FaultCode, Need, Purse, Settings
from memoryd.worker.agents.command import outcomes, output, process, programs
from memoryd.worker.agents.command.output import Told
from memoryd.worker.agents.command.process import Ended
from memoryd.worker.agents.command.programs import Program

OUT_TOKENS = 6_000  #: of one answer, thoughts included; no program can be told a limit
_COST_NOTHING: tuple[FaultCode, ...] = ("login", "quota", "rate-limited", "configuration")  #: no model has worked
_MILLION = 1_000_000

T = TypeVar("T")


def prepared(settings: Settings, purse: Purse, instructions: str, schema: Mapping[str, Any]) -> "Call":
    """:raises AgentFault: no program is named"""
    program = programs.of(settings.command)
    if not settings.command:
        raise outcomes.absent(program)
    return Call(
        settings=settings, program=program, purse=purse, instructions=instructions, schema=schema,
        ends_mono=mono() + settings.timeout_seconds,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """How the program is asked, each time anew."""

    settings: Settings
    program: Program
    purse: Purse
    instructions: str
    schema: Mapping[str, Any]  #: of the answer, for a program that is given one
    ends_mono: float

    async def ask(self, request: str, read: Callable[[str], T]) -> T:
        """Reserve, run the program, read its answer, settle.

        :param read: raises ValueError for what is no answer
        :raises AgentFault: there is none
        """
        reservation = await self.purse.reserve(self._need(request))
        cost: Cost | None = None
        try:
            ended = await self._run(f"{self.instructions}\n{request}\n")
            told = output.read(self.program.prints, ended.out, ended.error)
            cost = told.cost
            return self._answer(ended, told, read)
        except AgentFault as error:
            cost = Cost() if cost is None and error.fault.code in _COST_NOTHING else cost
            raise
        finally:
            if cost is not None:
                await self.purse.spent(reservation, cost)

    def _answer(self, ended: Ended, told: Told, read: Callable[[str], T]) -> T:
        """An answer counts when the program says that it did not fail, and its text is what was asked for."""
        now = datetime.now(UTC)
        if failure := outcomes.failure(self.program, ended, told, now):
            raise failure
        try:
            return read(told.text)
        except ValueError:
            raise outcomes.of_no_answer(self.program, ended, told, now) from None

    async def _run(self, text: str) -> Ended:
        command = self.settings.command
        place = Path(os.environ.get("TMPDIR") or tempfile.gettempdir(), f"call-{secrets.token_hex(8)}")
        await asyncio.to_thread(place.mkdir, mode=0o700)
        try:
            await asyncio.to_thread(programs.prepare, command, place, to_json(_closed(self.schema)).decode())
            argv = await asyncio.to_thread(programs.argv, command, place, os.environ)
            return await self._ended(argv, text, place)
        finally:
            await asyncio.to_thread(programs.clear, command, place, os.environ)

    async def _ended(self, argv: list[str], text: str, place: Path) -> Ended:
        left = max(1.0, self.ends_mono - mono())
        try:
            return await process.run(argv, text, place=place, env=self._environment(place), seconds=left)
        except TimeoutError:
            raise outcomes.fault(self.program, "provider-slow") from None
        except OSError as error:
            raise outcomes.absent(self.program) from error

    def _environment(self, place: Path) -> Mapping[str, str]:
        """With the mark, by which hooks that a program fires all the same end at once."""
        mark = os.environ.get(hook.CHILD) or "1"
        return {**os.environ, **programs.sets(self.settings.command, place), "TMPDIR": str(place), hook.CHILD: mark}

    @property
    def fixed(self) -> int:
        """Tokens of each call beside its request."""
        return self.program.tokens + OUT_TOKENS + tokens_at_most(self.instructions)

    def _need(self, request: str) -> Need:
        tokens_in = self.fixed - OUT_TOKENS + tokens_at_most(request)
        usd = (tokens_in * self.program.usd_in + OUT_TOKENS * self.program.usd_out) / _MILLION
        return Need(tokens=tokens_in + OUT_TOKENS, usd=usd)


def _closed(value: Any) -> Any:
    """A schema whose objects have no other fields than those it names: OpenAI takes no other for an answer."""
    if isinstance(value, list):
        return [_closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    closed = {name: _closed(one) for name, one in value.items()}
    return closed | {"additionalProperties": False} if value.get("type") == "object" else closed
