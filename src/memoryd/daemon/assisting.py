"""Questions about memory that is there already, put to the model that is configured. No answer is a value, with why."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from memoryd.clock import Clock
from memoryd.daemon import choosing, tuning
from memoryd.daemon.agents import Agents
from memoryd.daemon.config import Config
from memoryd.daemon.journal.ledger import JournalLedger
from memoryd.errors import MemorydError
from memoryd.worker import policy
from memoryd.worker.agents.brief import AgentFault, Fault, Settings
from memoryd.worker.agents.question import Look, Looking, Question, Row, Seen, Task, Told, nothing
from memoryd.worker.ports import Breaker
from memoryd.worker.second_net import Net, without_secrets

TIMEOUT_SECONDS = 60.0  #: of one question at most; a run may have longer
MAX_ROWS = 1000  #: further ones are not told to the child


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    why: str  #: a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """Asks in a child process of its own, beside runs: it writes nothing, and no run waits for it."""

    agents: Agents
    ledger: JournalLedger
    breaker: Breaker
    config: Callable[[], Config]
    net: Callable[[], Net]
    clock: Clock
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def order(self, query: str, rows: Sequence[Row], directory: str) -> list[str] | Unanswered:
        """Return all ids of the rows, the best first."""
        told = await self._in_turn("order", query, rows, directory)
        if isinstance(told, Unanswered):
            return told
        named = [id for id in told.ids if any(row.id == id for row in rows)]
        return list(dict.fromkeys([*named, *(row.id for row in rows)]))

    async def summarise(self, query: str, rows: Sequence[Row], directory: str) -> Told | Unanswered:
        """Return sentences that cite rows."""
        told = await self._in_turn("summarise", query, rows, directory)
        if isinstance(told, Unanswered):
            return told
        ids = {row.id for row in rows}
        sentences = tuple(one for one in told.sentences if one.cites and ids.issuperset(one.cites))
        return Told(sentences=sentences) if sentences else Unanswered(why="the model found nothing in the hits to say")

    async def _in_turn(self, task: Task, query: str, rows: Sequence[Row], directory: str) -> Told | Unanswered:
        """What people ask for is asked one after the other: each costs a process."""
        async with self._turn:
            return await self.ask(task, [query], rows, directory)

    async def ask(
        self, task: Task, asked: Sequence[str], rows: Sequence[Row], directory: str, *, wanted: int = 0,
        looking: Looking = nothing, unasked: bool = False,
    ) -> Told | Unanswered:  # fmt: skip
        """Ask one question, unless something stands against it; whatever goes wrong is told in a sentence.

        :param directory: of the memory, for the table of what was spent
        :param unasked: nobody waits for the answer: half of the budget is left to others
        """
        ledger = replace(self.ledger, directory=directory)
        if unasked:
            ledger = replace(ledger, limits=lambda: tuning.half(self.config().budget))
        if why := await asyncio.to_thread(self._hindrance, ledger):
            return Unanswered(why=why)
        try:
            ask = await self._question(task, asked, rows[:MAX_ROWS], wanted)
            agent = await asyncio.to_thread(self.agents.asked, ledger)
            told = await agent.answer(ask, f"ask-{uuid.uuid4().hex}", self._screening(looking))
            await asyncio.to_thread(self.breaker.succeeded)
        except AgentFault as error:
            return Unanswered(why=await asyncio.to_thread(self._after, error.fault))
        except MemorydError as error:
            return Unanswered(why=str(error))
        return told

    async def _question(
        self, task: Task, asked: Sequence[str], rows: Sequence[Row], wanted: int
    ) -> Callable[[Settings], Question]:
        """The question for whatever settings the agent has, without a secret that the second net knows."""
        texts = await self._screened([*asked, *(row.text for row in rows)])
        said = tuple(texts[: len(asked)])
        shown = tuple(_saying(row, text) for row, text in zip(rows, texts[len(asked) :], strict=True))
        return lambda given: Question(task=task, settings=_bounded(given), asked=said, rows=shown, wanted=wanted)

    def _hindrance(self, ledger: JournalLedger) -> str:
        """Why nothing is asked now. Blocking."""
        if why := choosing.unfit_to_answer(self.config().agent):
            return why
        if outage := self.breaker.paused(self.clock()):
            return f"{outage.code}: {outage.reason}"
        full = next((window for window in ledger.windows(self.clock()) if window.full), None)
        return f"budget: [budget] {full.setting} allows no more now; `memoryd usage` shows it" if full else ""

    def _after(self, fault: Fault) -> str:
        """An outage holds runs up too; that one question took long does not: a run has more time. Blocking."""
        if fault.code == "provider-slow":
            return f"{fault.code}: {fault.reason}"
        return policy.after(fault, self.breaker, self.clock(), asked=True).reason

    def _screening(self, looking: Looking) -> Looking:
        async def look(given: Look) -> Seen:
            seen = await looking(given)
            texts = await self._screened([row.text for row in seen.rows])
            return Seen(rows=tuple(_saying(row, text) for row, text in zip(seen.rows, texts, strict=True)))

        return look

    async def _screened(self, texts: Sequence[str]) -> list[str]:
        return await asyncio.to_thread(without_secrets, self.net(), texts)


def _saying(row: Row, text: str) -> Row:
    return row.model_copy(update={"text": text})


def _bounded(settings: Settings) -> Settings:
    """As many calls as a run on cut texts has, and less time than a run."""
    return settings.model_copy(
        update={
            "max_steps": settings.compaction_max_steps,
            "timeout_seconds": min(settings.timeout_seconds, TIMEOUT_SECONDS),
        }
    )
