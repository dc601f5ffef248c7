"""One question about memory that is there already, put to a model: it chooses, orders or sums up.

Every model can answer as text, so no form is tried out. Choosing may take several calls: while it is not sure and there
is something left to pay with, the model looks again, with the searches that it asks for.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic_ai import Agent, ModelRetry, TextOutput
from pydantic_ai.settings import ModelSettings
from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt, remembering
from memoryd.worker.agents.asking.answer import Lenient
from memoryd.worker.agents.asking.remembering import Choice, Order, Summary
from memoryd.worker.agents.brief import AgentFault, Purse
from memoryd.worker.agents.model.opening import opened
from memoryd.worker.agents.model.paying import PayingModel
from memoryd.worker.agents.question import Look, Looking, Question, Row, Told

OUT_TOKENS = 800  #: of one answer

T = TypeVar("T", bound=Lenient)


async def answer(question: Question, purse: Purse, looking: Looking) -> Told:
    """Ask the model.

    :raises AgentFault: see the table in `faults`
    """
    async with opened(question.settings, purse, calls=question.settings.max_steps) as model:
        return await _TASKS[question.task](_Asking(question=question, model=model, looking=looking))


@dataclass(slots=True, kw_only=True)
class _Asking:
    question: Question
    model: PayingModel
    looking: Looking

    async def choose(self) -> Told:
        """Choose, look and choose again: as deep as it takes, as far as the calls go."""
        rows, found = _by_id(*self._shown()), list[Row]()
        choice = await self._choice(rows, found)
        while choice.sought and self.model.has_spare(0):
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

    async def order(self) -> Told:
        rows = self._shown()
        request = remembering.request(self.question, rows)
        told = await self._ask("ordering", request, Order, remembering.read_order)
        return Told(ids=tuple(remembering.named(told.order, _by_id(*rows))))

    async def summarise(self) -> Told:
        rows = self._shown()
        request = remembering.request(self.question, rows)
        told = await self._ask("summarising", request, Summary, remembering.read_summary)
        return Told(sentences=remembering.sentences(told, _by_id(*rows)))

    def _shown(self) -> list[Row]:
        return remembering.fitting(self.question.rows, self.model.manner.sizes[0].manifest_tokens)

    async def _choice(self, rows: Mapping[str, Row], found: list[Row]) -> Choice:
        request = remembering.request(self.question, rows.values(), found)
        return await self._ask("choosing", request, Choice, remembering.read_choice)

    async def _ask(self, page: str, request: str, form: type[T], read: Callable[[str], T]) -> T:
        schema = to_json(form.model_json_schema()).decode()
        told = await asyncio.to_thread(prompt.alone, page, schema)
        settings = ModelSettings(max_tokens=OUT_TOKENS, thinking=False)
        if self.model.manner.temperature is not None:
            settings["temperature"] = self.model.manner.temperature

        def output(text: str) -> T:
            try:
                return read(text)
            except ValueError as error:
                raise ModelRetry("Answer with one JSON object of the schema, and nothing else.") from error

        agent = Agent(self.model, output_type=TextOutput(output), instructions=told, model_settings=settings, retries=1)
        return (await agent.run(request)).output


def _by_id(*rows: Row) -> dict[str, Row]:
    return {row.id: row for row in rows if row.id}


_TASKS = {"choose": _Asking.choose, "order": _Asking.order, "summarise": _Asking.summarise}
