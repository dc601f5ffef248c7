"""One question about memory, put to whatever answers one request at a time: it chooses, orders or sums up.

Choosing may take several requests: while it is not sure and there is something left to pay with, it looks again, with
the searches that it asks for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from memoryd.worker.agents.asking import remembering
from memoryd.worker.agents.asking.remembering import CHOICE, ORDER, SUMMARY, Choice, F, Form
from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.question import Look, Looking, Question, Row, Told


class Ask(Protocol):
    """Puts one request. :raises AgentFault: no answer"""

    async def __call__(self, form: Form[F], request: str, /) -> F: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    question: Question
    looking: Looking
    ask: Ask
    has_spare: Callable[[], bool]  #: whether one more request can be put
    shown_tokens: int  #: of rows, at most

    async def answer(self) -> Told:
        """:raises AgentFault: no answer"""
        match self.question.task:
            case "choose":
                return await self._choose()
            case "order":
                return await self._order()
            case "summarise":
                return await self._summarise()

    async def _choose(self) -> Told:
        rows, found = _by_id(*self._shown()), list[Row]()
        choice = await self._choice(rows, found)
        while choice.sought and self.has_spare():
            seen = await self.looking(Look(sought=choice.sought))
            fresh = [row for row in seen.rows if row not in found and row.id not in rows]
            if not fresh:
                break
            found += fresh
            try:
                choice = await self._choice(rows, found)
            except AgentFault:  # what was chosen before holds
                break
        chosen = remembering.named(choice.chosen, rows | _by_id(*found))
        return Told(ids=tuple(chosen[: self.question.wanted]))

    async def _choice(self, rows: Mapping[str, Row], found: list[Row]) -> Choice:
        return await self.ask(CHOICE, remembering.request(self.question, rows.values(), found))

    async def _order(self) -> Told:
        rows = self._shown()
        told = await self.ask(ORDER, remembering.request(self.question, rows))
        return Told(ids=tuple(remembering.named(told.order, _by_id(*rows))))

    async def _summarise(self) -> Told:
        rows = self._shown()
        told = await self.ask(SUMMARY, remembering.request(self.question, rows))
        return Told(sentences=remembering.sentences(told, _by_id(*rows)))

    def _shown(self) -> list[Row]:
        return remembering.fitting(self.question.rows, self.shown_tokens)


def _by_id(*rows: Row) -> dict[str, Row]:
    return {row.id: row for row in rows if row.id}
