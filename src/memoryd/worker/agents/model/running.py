"""One run of the model agent: the brief as a sheet, a question for each part of it, the answers as proposals."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic_ai import Agent, Tool
from pydantic_ai.exceptions import ModelContextWindowExceededError
from pydantic_ai.settings import ModelSettings

from memoryd.memory.grouping import Similarity
from memoryd.worker.agents.asking import electing, prompt
from memoryd.worker.agents.asking.answer import Answer, Item
from memoryd.worker.agents.asking.batch import Batch
from memoryd.worker.agents.asking.conversation import is_citable
from memoryd.worker.agents.asking.filing import Filing
from memoryd.worker.agents.asking.fitting import Room, fitted, tokens_at_most
from memoryd.worker.agents.asking.prompt import Sheet, Size
from memoryd.worker.agents.brief import MAX_COMPARED, AgentFault, Brief, Compare, Comparing, Done, Purse, Way
from memoryd.worker.agents.model import deciding, ladder, looking
from memoryd.worker.agents.model.grades import Manner
from memoryd.worker.agents.model.ladder import LADDER, Findings, Rung
from memoryd.worker.agents.model.opening import opened
from memoryd.worker.agents.model.paying import FRAME_TOKENS, PayingModel

ANYWHERE: Way = "text"  #: for a run that has no calls to find out what works
PLANNED_SHARE = 0.75  #: of a run's tokens; the rest is for what has to be asked twice

T = TypeVar("T")


async def run(brief: Brief, purse: Purse, comparing: Comparing) -> Done:
    """Ask the model about everything that is new.

    :raises AgentFault: see the table in `faults`
    """
    steps = brief.settings.compaction_max_steps if brief.projection.partial else brief.settings.max_steps
    await asyncio.to_thread(prompt.system, *prompt.PAGES)  # read once, not on the loop
    findings = Findings()
    try:
        async with opened(brief.settings, purse, calls=steps) as model:
            done = await _Run(brief=brief, model=model, findings=findings, comparing=comparing).done()
    except AgentFault as error:
        raise error.having(findings.learnt) from error
    return done.model_copy(update={"learnt": findings.learnt})


@dataclass(slots=True, kw_only=True)
class _Run:
    brief: Brief
    model: PayingModel
    findings: Findings
    comparing: Comparing

    @property
    def manner(self) -> Manner:
        return self.model.manner

    async def done(self) -> Done:
        sessions = self.brief.projection.sessions
        if not any(is_citable(text) for session in sessions for text in session.utterances):
            return await asyncio.to_thread(Filing(brief=self.brief, said={}).done)
        if self.manner.copies:
            read, copied = await _in_sizes(self.manner.sizes, self._copied)
            return await asyncio.to_thread(electing.done, read, copied)
        way = self.brief.settings.way or ANYWHERE
        if self.brief.settings.way is None and self.model.limits.calls > len(LADDER):
            way = await ladder.probe(self.model, self.manner, self.findings)
        filing = await _in_sizes(self.manner.sizes, partial(self._ask_parts, way=way))
        return await asyncio.to_thread(filing.done)

    async def _ask_parts(self, size: Size, *, way: Way) -> Filing:
        """Ask about each part."""
        sheet = await asyncio.to_thread(fitted, self.brief, size, self._room())
        looks = self.manner.looks and bool(sheet.manifest.left_out)  # where all is shown there is nothing to look for
        held = sheet.manifest.everything if looks else sheet.manifest.shown
        items: list[Item] = []
        for part in range(len(sheet.conversation.parts)):
            rest = len(sheet.conversation.parts) - part
            tools = looking.tools(sheet.manifest, partial(self.model.has_spare, rest)) if looks else ()
            request = sheet.request(part, [item.text for item in items])
            answer, way = await ladder.descend(
                way, partial(self._ask, request, tools), self.findings, lambda: self.model.asks_again
            )
            items += answer.well_formed
        filing = Filing(brief=sheet.brief, said=sheet.conversation.said, held=dict(held))
        filing.take(await self._settled(items, sheet))
        return filing

    async def _copied(self, size: Size) -> tuple[Brief, list[str]]:
        """What was read, and what a tiny model copies out of it; any server can be asked for that: nothing is tried."""
        sheet = await asyncio.to_thread(fitted, self.brief, size, self._room())
        settings = ModelSettings(max_tokens=self.manner.out_tokens, stop_sequences=["\n[u", "\nuser"])
        if self.manner.temperature is not None:
            settings["temperature"] = self.manner.temperature
        agent = Agent(self.model, output_type=str, instructions=prompt.lines(), model_settings=settings)
        parts = [await agent.run(f"{part.text}\nNotes:") for part in sheet.conversation.parts]
        return sheet.brief, [line for part in parts for line in electing.lines(part.output)]

    async def _settled(self, items: Sequence[Item], sheet: Sheet) -> list[Item]:
        """Everything together: what is obvious without a question, for the rest at most one more."""
        near = self._nearness() if self.brief.settings.compares and self.manner.looks else None
        held, said = sheet.manifest.everything, sheet.conversation.said
        batch = await asyncio.to_thread(partial(Batch.of, items, held, said, similarity=near))
        asks = batch.asked and self.manner.looks
        return batch.settled(await deciding.decisions(self.model, batch.question()) if asks else ())

    def _nearness(self) -> Similarity:
        """What the daemon's embedder says, for a thread of this run; nothing where it cannot be asked."""
        loop = asyncio.get_running_loop()

        def near(texts: Sequence[str], others: Sequence[str]) -> Sequence[Sequence[float]]:
            if max(len(texts), len(others)) > MAX_COMPARED:
                return ()
            asked = self.comparing(Compare(texts=tuple(texts), others=tuple(others)))
            return asyncio.run_coroutine_threadsafe(asked, loop).result().rows

        return near

    async def _ask(self, request: str, tools: Sequence[Tool[object]], rung: Rung) -> Answer:
        tools = tools if rung.way == "tools" else ()
        agent = rung.agent(self.model, self.manner.out_tokens, self.manner, tools)
        return (await agent.run(request)).output

    def _room(self) -> Room:
        limits, fixed = self.model.limits, tokens_at_most(prompt.system("json"))
        return Room(
            calls=limits.calls - self.model.calls, tokens=int(PLANNED_SHARE * (limits.tokens - self.model.tokens)),
            fixed=fixed + FRAME_TOKENS + self.manner.out_tokens,
        )  # fmt: skip


async def _in_sizes(sizes: Sequence[Size], ask: Callable[[Size], Awaitable[T]]) -> T:
    """Show as much as the first size; when that does not fit into the model's context, the next smaller one."""
    for size in sizes[:-1]:
        try:
            return await ask(size)
        except ModelContextWindowExceededError:
            continue
    return await ask(sizes[-1])
