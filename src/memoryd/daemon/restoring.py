"""At start, before anything listens: what a crash left half done is put back."""

import asyncio
from pathlib import Path

import structlog

from memoryd.clock import Clock
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.memory.model import Root
from memoryd.memory.recovery import recover
from memoryd.memory.shelf import Shelf

log = structlog.get_logger("daemon")


async def restore(runs: JournalRuns, shelf: Shelf, history: History, user_memory: Path, clock: Clock) -> None:
    """Put files of runs that did not commit back, then look at what was moved aside. Under the data lock."""
    for intent in await asyncio.to_thread(runs.open_intents):
        found = await asyncio.to_thread(recover, intent, runs.versions.content, clock=clock)
        await asyncio.to_thread(runs.versions.record, found)
        await asyncio.to_thread(runs.abandon, intent.run_id)
        log.warning("run.recovered", run=intent.run_id, files=len(intent.changes))
    shelf.place(user_memory, Root.USER)  # before the loop: the first sight decides the role
    for row in await asyncio.to_thread(history.directories):
        await shelf.recover(Path(row["path"]))
    await asyncio.to_thread(shelf.seed, user_memory)
    await shelf.recover(user_memory)
