"""The ways in which a model can be made to answer in our form, the surest first, and which of them an endpoint has.

Servers differ: one knows no tools and answers with a fenced block, one fails on a schema and wants an object with a
schema, one knows neither. A short question tries each way once; what works is remembered by the daemon.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, TextOutput, Tool, ToolOutput
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelRequestRejectedError,
    ModelServerError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import CacheConfig, ModelSettings
from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answer import Answer, read_text, schema
from memoryd.worker.agents.brief import AgentFault, Learnt, Way
from memoryd.worker.agents.model.grades import Manner

_PROBE = "[u1] user, 2026-03-02, Monday:\n| Please remember that I prefer short commit messages."
#: says that this way is none
MISFITS = (ModelRequestRejectedError, UnexpectedModelBehavior, UserError)
#: of those, what no other way would change
ENDS = (ModelAuthenticationError, ModelNotFoundError, ModelContextWindowExceededError, ContentFilterError)


def _read(text: str) -> Answer:
    try:
        return read_text(text)
    except ValueError as error:
        raise ModelRetry("Answer with one JSON object of the schema, and nothing else.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One way to ask for an answer."""

    way: Way
    output: Any  #: an output type of pydantic-ai
    told: bool  #: whether the prompt has to tell the schema
    response_format: dict[str, Any] | None = None

    def agent(
        self, model: Model, max_tokens: int, manner: Manner, tools: Sequence[Tool[object]] = (), *, retries: int = 1
    ) -> Agent[object, Answer]:
        """An agent that asks in this way. `tools`: to look around with, before it answers by a tool too."""
        settings = ModelSettings(max_tokens=max_tokens, thinking=False, cache=CacheConfig(messages=bool(tools)))
        if manner.temperature is not None:
            settings["temperature"] = manner.temperature
        if self.response_format:
            settings["extra_body"] = {"response_format": self.response_format}
        return Agent(
            model, output_type=self.output, instructions=self._instructions(bool(tools)), model_settings=settings,
            retries=retries, tools=tools,
        )  # fmt: skip

    def _instructions(self, looks: bool) -> str:
        if self.told:
            return prompt.system("json", schema=to_json(schema()).decode())
        return prompt.system("tools") if looks else prompt.system()


LADDER = (
    Rung(way="tools", output=ToolOutput(Answer, name="propose"), told=False),
    Rung(way="json-schema", output=NativeOutput(Answer, name="memory"), told=True),
    Rung(
        way="json-object", output=PromptedOutput(Answer, template=False), told=True,
        response_format={"type": "json_object", "schema": schema()},
    ),
    Rung(way="text", output=TextOutput(_read), told=True),
)  # fmt: skip


@dataclass(slots=True)
class Findings:
    """What a run finds out about the way of its endpoint."""

    way: Way | None = None  #: that answered; else the next one to try
    none: bool = False  #: neither the way that was known nor the one below it gave an answer

    @property
    def learnt(self) -> Learnt:
        return Learnt(way=None if self.none else self.way, forget=self.none)


async def probe(model: Model, manner: Manner, findings: Findings) -> Way:
    """Return the first way that works at this endpoint, by one short question each: better with an item than without.

    A run that may ask no more leaves the next way to the run after it.

    :raises Exception: that of the last way, when none does; whatever ends a run at once
    """
    failure: Exception = UnexpectedModelBehavior("no way was tried")
    empty: Way | None = None
    for rung in LADDER:
        try:
            done = await rung.agent(model, manner.probe_tokens, manner, retries=0).run(_PROBE)
        except ENDS:
            raise
        except AgentFault:
            findings.way = empty or (None if rung is LADDER[0] else rung.way)
            raise
        except (*MISFITS, ModelServerError) as error:
            failure = error
            continue
        if done.output.well_formed:
            findings.way = rung.way
            return rung.way
        empty = empty or rung.way
    if empty is None:
        raise failure
    findings.way = empty
    return empty


async def descend(
    way: Way, ask: Callable[[Rung], Awaitable[Answer]], findings: Findings, asks_again: Callable[[], bool]
) -> tuple[Answer, Way]:
    """Ask in a way that worked before; when it fails on this question, in the one below it, which is kept if it works.

    :param asks_again: whether the newest call was made because the answer before it was none
    :raises Exception: that of the last way
    """
    rung = next(rung for rung in LADDER if rung.way == way)
    if rung is LADDER[-1]:
        return await ask(rung), way
    below = LADDER[LADDER.index(rung) + 1]
    try:
        return await ask(rung), way
    except ENDS:
        raise
    except AgentFault:
        findings.way = below.way if asks_again() else findings.way
        raise
    except MISFITS:
        return await _in_the_next(below, ask, findings), below.way


async def _in_the_next(below: Rung, ask: Callable[[Rung], Awaitable[Answer]], findings: Findings) -> Answer:
    try:
        answer = await ask(below)
    except ENDS:
        raise
    except AgentFault:  # no call was left for it
        findings.way = below.way
        raise
    except MISFITS:
        findings.none = True
        raise
    findings.way = below.way
    return answer
