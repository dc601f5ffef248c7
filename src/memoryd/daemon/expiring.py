"""Dated facts whose time is over leave memory: archived by the sweep as a run of memoryd's own."""

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.commands import Commands
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.memory import draft
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Archive
from memoryd.memory.shelf import Shelf
from memoryd.worker.ports import Run
from memoryd.worker.run import Plan, Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """Looks at the catalogues that are loaded: recall drops what is over anyway, and others nobody reads."""

    shelf: Shelf
    runs: JournalRuns
    commands: Commands
    clock: Clock

    def anything(self, now: datetime) -> bool:
        return any(True for _ in self.shelf.expired(now))

    async def archive(self) -> None:
        for path, slugs in list(self.shelf.expired(self.clock())):
            roots = await asyncio.to_thread(self._roots, path)
            run = Run(id=uuid.uuid4().hex, dir=path, roots=roots, author=Author.RUN, action="expire", agent="memoryd")
            await self.commands.carry_out(roots, "expire", self._planner(roots, slugs), run)

    def _roots(self, path: Path) -> Mapping[Root, Path]:
        if path == self.runs.user_memory:
            return {Root.USER: path}
        return {root: found for root, found in self.runs.roots_of(path).items() if found == path}

    def _planner(self, roots: Mapping[Root, Path], slugs: Iterable[str]) -> Planner:
        (root,) = roots
        archives = [Archive(root=root, slug=slug, reason="expired") for slug in slugs]

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            made = draft.build(
                base, archives, now=self.clock(), has_project=root is Root.PROJECT, sources=self.runs.sources,
                ours=lambda key, line: self.runs.ours(roots[key.root], key.path, line),
            )  # fmt: skip
            return Plan(changes=made.changes)

        return plan
