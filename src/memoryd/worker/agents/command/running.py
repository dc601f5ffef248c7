"""One run of the command agent: the program is asked about each part of what is new, once; its answers as proposals."""

import asyncio
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from memoryd.clock import mono
from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answer import Answer, Item, read_output, schema
from memoryd.worker.agents.asking.batch import Batch
from memoryd.worker.agents.asking.filing import Filing
from memoryd.worker.agents.asking.fitting import Room, fitted, tokens_at_most
from memoryd.worker.agents.asking.prompt import LARGE, Sheet
from memoryd.worker.agents.brief import AgentFault, Brief, Cost, Done, FaultCode, Need, Purse, Settings
from memoryd.worker.agents.child.tree import MARK
from memoryd.worker.agents.command import outcomes, output, process, programs
from memoryd.worker.agents.command.output import Told
from memoryd.worker.agents.command.process import Ended
from memoryd.worker.agents.command.programs import Program

OUT_TOKENS = 6_000  #: of one answer, thoughts included; no program can be told a limit
NOTED_TOKENS = 5 * LARGE.noted_chars // 2  #: at most, of what earlier parts gave
_COST_NOTHING: tuple[FaultCode, ...] = ("login", "quota", "rate-limited", "configuration")  #: no model has worked
_MILLION = 1_000_000


async def run(brief: Brief, purse: Purse) -> Done:
    """Ask the command about everything that is new.

    :raises AgentFault: see the table in `outcomes`
    """
    program = programs.of(brief.settings.command)
    if not brief.settings.command:
        raise outcomes.absent(program)
    instructions = await asyncio.to_thread(_instructions)
    call = _Call(
        settings=brief.settings, program=program, purse=purse, instructions=instructions,
        ends_mono=mono() + brief.settings.timeout_seconds,
    )  # fmt: skip
    sheet = await asyncio.to_thread(fitted, brief, LARGE, call.room(brief))
    items = await _ask_all(sheet, call)
    return await asyncio.to_thread(_done, sheet, items)


async def _ask_all(sheet: Sheet, call: "_Call") -> list[Item]:
    items: list[Item] = []
    for part in range(len(sheet.conversation.parts)):
        answer = await call.ask(sheet.request(part, [item.text for item in items]))
        items += answer.well_formed
    return items


def _done(sheet: Sheet, items: Sequence[Item]) -> Done:
    """What is obvious of all items together is settled; a question about the rest would cost one more start."""
    said = sheet.conversation.said
    filing = Filing(brief=sheet.brief, said=said, held=dict(sheet.manifest.shown))
    filing.take(Batch.of(items, sheet.manifest.everything, said).settled())
    return filing.done()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """How the program is asked once."""

    settings: Settings
    program: Program
    purse: Purse
    instructions: str
    ends_mono: float

    def room(self, brief: Brief) -> Room:
        steps = self.settings.compaction_max_steps if brief.projection.partial else self.settings.max_steps
        return Room(calls=steps, tokens=self.settings.tokens_per_run, fixed=self._fixed + NOTED_TOKENS)

    async def ask(self, request: str) -> Answer:
        """Reserve, run the program, read its answer, settle. :raises AgentFault: there is none"""
        reservation = await self.purse.reserve(self._need(request))
        cost: Cost | None = None
        try:
            ended = await self._run(f"{self.instructions}\n{request}\n")
            told = output.read(self.program.prints, ended.out, ended.error)
            cost = told.cost
            return self._answer(ended, told)
        except AgentFault as error:
            cost = Cost() if cost is None and error.fault.code in _COST_NOTHING else cost
            raise
        finally:
            if cost is not None:
                await self.purse.spent(reservation, cost)

    def _answer(self, ended: Ended, told: Told) -> Answer:
        """An answer counts when the program says that it did not fail, and its text is what was asked for."""
        now = datetime.now(UTC)
        if failure := outcomes.failure(self.program, ended, told, now):
            raise failure
        try:
            return read_output(told.text)
        except ValueError:
            raise outcomes.of_no_answer(self.program, ended, told, now) from None

    async def _run(self, text: str) -> Ended:
        command = self.settings.command
        place = Path(os.environ.get("TMPDIR") or tempfile.gettempdir(), f"call-{secrets.token_hex(8)}")
        await asyncio.to_thread(place.mkdir, mode=0o700)
        try:
            await asyncio.to_thread(programs.prepare, command, place, to_json(_closed(schema())).decode())
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
        mark = os.environ.get(MARK) or "1"
        return {**os.environ, **programs.sets(self.settings.command, place), "TMPDIR": str(place), MARK: mark}

    @property
    def _fixed(self) -> int:
        return self.program.tokens + OUT_TOKENS + tokens_at_most(self.instructions)

    def _need(self, request: str) -> Need:
        tokens_in = self._fixed - OUT_TOKENS + tokens_at_most(request)
        usd = (tokens_in * self.program.usd_in + OUT_TOKENS * self.program.usd_out) / _MILLION
        return Need(tokens=tokens_in + OUT_TOKENS, usd=usd)


def _instructions() -> str:
    return prompt.system("json", schema=to_json(schema()).decode())


def _closed(value: Any) -> Any:
    """A schema whose objects have no other fields than those it names: OpenAI takes no other for an answer."""
    if isinstance(value, list):
        return [_closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    closed = {name: _closed(one) for name, one in value.items()}
    return closed | {"additionalProperties": False} if value.get("type") == "object" else closed
