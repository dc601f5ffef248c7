"""One run of the command agent: the program is asked about each part of what is new, once; its answers as proposals."""

import asyncio
from collections.abc import Sequence

from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answer import Item, read_output, schema
from memoryd.worker.agents.asking.batch import Batch
from memoryd.worker.agents.asking.filing import Filing
from memoryd.worker.agents.asking.fitting import Room, fitted
from memoryd.worker.agents.asking.prompt import LARGE, Sheet
from memoryd.worker.agents.brief import Brief, Done, Purse
from memoryd.worker.agents.command import calling
from memoryd.worker.agents.command.calling import Call

NOTED_TOKENS = 5 * LARGE.noted_chars // 2  #: at most, of what earlier parts gave


async def run(brief: Brief, purse: Purse) -> Done:
    """Ask the command about everything that is new.

    :raises AgentFault: see the table in `outcomes`
    """
    call = calling.prepared(brief.settings, purse, await asyncio.to_thread(_instructions), schema())
    sheet = await asyncio.to_thread(fitted, brief, LARGE, _room(brief, call))
    items = await _ask_all(sheet, call)
    return await asyncio.to_thread(_done, sheet, items)


def _room(brief: Brief, call: Call) -> Room:
    settings = brief.settings
    steps = settings.compaction_max_steps if brief.projection.partial else settings.max_steps
    return Room(calls=steps, tokens=settings.tokens_per_run, fixed=call.fixed + NOTED_TOKENS)


async def _ask_all(sheet: Sheet, call: Call) -> list[Item]:
    items: list[Item] = []
    for part in range(len(sheet.conversation.parts)):
        answer = await call.ask(sheet.request(part, [item.text for item in items]), read_output)
        items += answer.well_formed
    return items


def _done(sheet: Sheet, items: Sequence[Item]) -> Done:
    """What is obvious of all items together is settled; a question about the rest would cost one more start."""
    said = sheet.conversation.said
    filing = Filing(brief=sheet.brief, said=said, held=dict(sheet.manifest.shown))
    filing.take(Batch.of(items, sheet.manifest.everything, said).settled())
    return filing.done()


def _instructions() -> str:
    return prompt.system("json", schema=to_json(schema()).decode())
