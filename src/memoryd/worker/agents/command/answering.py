"""A question about memory, put to a person's program: each request is a start of it."""

import asyncio
from dataclasses import dataclass

from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answering import Answerer
from memoryd.worker.agents.asking.prompt import LARGE
from memoryd.worker.agents.asking.remembering import F, Form
from memoryd.worker.agents.brief import Purse, Settings
from memoryd.worker.agents.command import calling
from memoryd.worker.agents.question import Looking, Question, Told


async def answer(question: Question, purse: Purse, looking: Looking) -> Told:
    """Ask the command.

    :raises AgentFault: see the table in `outcomes`
    """
    calls = _Calls(settings=question.settings, purse=purse, left=question.settings.max_steps)
    answerer = Answerer(
        question=question, looking=looking, ask=calls.ask, has_spare=lambda: calls.left > 0,
        shown_tokens=LARGE.manifest_tokens,
    )  # fmt: skip
    return await answerer.answer()


@dataclass(slots=True, kw_only=True)
class _Calls:
    settings: Settings
    purse: Purse
    left: int

    async def ask(self, form: Form[F], request: str) -> F:
        """Ask once. :raises AgentFault: no answer"""
        self.left -= 1
        instructions = await asyncio.to_thread(prompt.alone, form.page, to_json(form.schema).decode())
        call = calling.prepared(self.settings, self.purse, instructions, form.schema)
        return await call.ask(request, form.read_output)
