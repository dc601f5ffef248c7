"""Daily notes: added and taken out as runs, through the same gates as every write."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.commands import Commands
from memoryd.errors import LimitExceeded, NotFound
from memoryd.memory import daily
from memoryd.memory.changes import readable
from memoryd.memory.model import Root
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Lines
from memoryd.worker.ports import Applied

MAX_NOTES = 100  #: of one day

Roots = Mapping[Root, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    day: date
    index: int  #: from 1
    text: str
    root: Root
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    commands: Commands
    clock: Clock

    async def add(self, roots: Roots, text: str, author: Author = Author.PERSON) -> Note:
        """Note a line under today's date, by the local calendar.

        :raises LimitExceeded: the day is full
        :raises ScanRejected: it holds a secret or hidden text
        """
        now, root = self.clock().astimezone(), _root(roots)
        path, known = daily.path_of(now.date()), await self.of(roots, now.date())
        if len(known) >= MAX_NOTES:
            raise LimitExceeded(f"{now.date()} holds {MAX_NOTES} notes; remove some: `memoryd note remove DATE INDEX`")
        line = f"{now:%H:%M} {daily.AGENT if author is Author.HOST else ''}{text}"
        run = await self._change(roots, Lines(root=root, file=path, add=(line,)), author)
        return Note(day=now.date(), index=len(known) + 1, text=line, root=root, run=run)

    async def of(self, roots: Roots, day: date | None = None) -> list[Note]:
        """The notes of a day, today when none is named."""
        day, root = day or self.clock().astimezone().date(), _root(roots)
        text = await asyncio.to_thread(self._text, roots[root], daily.path_of(day))
        return [Note(day=day, index=n, text=row, root=root) for n, row in enumerate(daily.notes(text), start=1)]

    async def remove(self, roots: Roots, day: date, index: int) -> Note:
        """:raises NotFound: no such note"""
        known = await self.of(roots, day)
        if index > len(known):
            raise NotFound(f"{day} has {len(known)} notes; `memoryd note list --date {day}` numbers them")
        note = known[index - 1]
        proposal = Lines(root=note.root, file=daily.path_of(day), remove=(note.text,))
        run = await self._change(roots, proposal, Author.PERSON)
        return Note(day=day, index=index, text=note.text, root=note.root, run=run)

    async def _change(self, roots: Roots, proposal: Lines, author: Author) -> str:
        run, outcome, _ = await self.commands.change(roots, "note", (proposal,), author=author)
        return run.id if isinstance(outcome, Applied) else ""

    def _text(self, root: Path, path: str) -> str:
        files = self.commands.runner.shelf.place(root).directory.read_all()
        return readable(files.get(path, b""))


def _root(roots: Roots) -> Root:
    return Root.PROJECT if Root.PROJECT in roots else Root.USER
