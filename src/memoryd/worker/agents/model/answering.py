"""A question about memory, put to a model over its API: every one can answer as text, so no form is tried out."""

import asyncio
from functools import partial

from pydantic_ai import Agent, ModelRetry, TextOutput
from pydantic_ai.settings import ModelSettings
from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answering import Answerer
from memoryd.worker.agents.asking.remembering import F, Form
from memoryd.worker.agents.brief import Purse
from memoryd.worker.agents.model.opening import opened
from memoryd.worker.agents.model.paying import PayingModel
from memoryd.worker.agents.question import Looking, Question, Told

OUT_TOKENS = 800  #: of one answer


async def answer(question: Question, purse: Purse, looking: Looking) -> Told:
    """Ask the model.

    :raises AgentFault: see the table in `faults`
    """
    async with opened(question.settings, purse, calls=question.settings.max_steps) as model:
        answerer = Answerer(
            question=question, looking=looking, ask=partial(_ask, model), has_spare=lambda: model.has_spare(0),
            shown_tokens=model.manner.sizes[0].manifest_tokens,
        )  # fmt: skip
        return await answerer.answer()


async def _ask(model: PayingModel, form: Form[F], request: str) -> F:
    told = await asyncio.to_thread(prompt.alone, form.page, to_json(form.schema).decode())
    settings = ModelSettings(max_tokens=OUT_TOKENS, thinking=False)
    if model.manner.temperature is not None:
        settings["temperature"] = model.manner.temperature

    def read(text: str) -> F:
        try:
            return form.read(text)
        except ValueError as error:
            raise ModelRetry("Answer with one JSON object of the schema, and nothing else.") from error

    agent = Agent(model, output_type=TextOutput(read), instructions=told, model_settings=settings, retries=1)
    return (await agent.run(request)).output
