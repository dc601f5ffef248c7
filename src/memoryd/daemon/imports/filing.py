"""What notebooks say into memory: evidence in the journal first, then proposals that rest on it, through the gates.

Nobody vouches for what another tool kept: it becomes dated facts or waits in the review inbox, as an agent's own words
do. The user's own rule files are the user's words when the user says so.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from memoryd.daemon import ignoring
from memoryd.daemon.commands import Commands
from memoryd.daemon.imports import evidence, notebooks
from memoryd.daemon.imports.found import Memory, Notebook
from memoryd.daemon.imports.places import place_of
from memoryd.daemon.imports.tally import Tally
from memoryd.daemon.imports.wishes import Told, is_there, wishes
from memoryd.daemon.ingest import Ingest
from memoryd.daemon.journal.imports import Imports
from memoryd.daemon.journal.journal import Binding
from memoryd.daemon.slow_disk import SlowDisk
from memoryd.ipc.events import Message, Tier
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.model import CORE_FILES, Root, directory_of
from memoryd.memory.ports import Author
from memoryd.memory.proposal_rules import ATTACK
from memoryd.memory.proposals import Proposal
from memoryd.worker.ports import Applied, Run
from memoryd.worker.run import Plan, Runner

PIECE = 50  #: memories of one transaction, and proposals of one run


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """Takes notebooks in, or only counts what is in them."""

    imports: Imports
    ingest: Ingest
    runner: Runner
    commands: Commands
    user_memory: Path
    disk: SlowDisk
    told: dict[Path, list[Told]] = field(default_factory=dict)  #: by the directory that they are about

    async def take(self, source: Notebook, tally: Tally, *, dry: bool, mine: bool) -> AsyncIterator[int]:
        """Put what one notebook says into the journal; yields 0 after each piece.

        :raises Refusal: it cannot be read
        """
        found = await asyncio.to_thread(lambda: list(notebooks.memories(source, mine=mine)))
        tally.memories += len(found)
        if await asyncio.to_thread(_ignored, source.path):
            tally.off_record += len(found)
            return
        tally.doubted += [(source.path, memory.place) for memory in found if memory.doubted]
        for (project, named), group in groupby(found, key=lambda memory: (memory.project, memory.cwd)):
            memories = list(group)
            wanted = named or source.cwd
            cwd = await self._place(project, wanted)
            if cwd is None and (project or wanted):
                tally.unplaced += len(memories)
                continue
            for start in range(0, len(memories), PIECE):
                piece = memories[start : start + PIECE]
                await (self._count if dry else self._append)(source, cwd, piece, tally)
                yield 0

    async def _place(self, project: str | None, cwd: str | None) -> str | None:
        if project:
            cwd = await asyncio.to_thread(self.imports.path_of_project, project)
        return await place_of(cwd, self.disk)

    async def file(self, tally: Tally) -> AsyncIterator[int]:
        """Propose what was told, project by project; yields 0 after each run.

        What an earlier import proposed is proposed again: what became of it then stays so.
        """
        for directory, told in self.told.items():
            roots = self._roots(directory)
            view = await self.runner.shelf.view(roots)
            wanted = await asyncio.to_thread(wishes, told, view)
            doubted = frozenset(one.seq for one in told if one.memory.doubted)
            tally.duplicates += wanted.duplicates
            tally.left += wanted.left
            for start in range(0, len(wanted.proposals), PIECE):
                await self._run(roots, wanted.proposals[start : start + PIECE], doubted, tally)
                yield 0

    async def _append(self, source: Notebook, cwd: str | None, piece: Sequence[Memory], tally: Tally) -> None:
        events = [evidence.message(source, cwd, memory) for memory in piece]
        memories = {event.id: memory for event, memory in zip(events, piece, strict=True)}
        arrivals = await self.ingest.admit(events, headless=False)
        tally.off_record += len(events) - len(arrivals)
        appended = await asyncio.to_thread(self.imports.take, arrivals, consolidate=False) if arrivals else []
        for arrival, one in zip(arrivals, appended, strict=True):
            tally.added += not one.duplicate
            tally.known += one.duplicate and one.seq > 0
            tally.removed += one.seq == 0
            memory = memories.get(arrival.event.id)
            if one.seq and memory and isinstance(arrival.event, Message):
                text = sanitise(memory.gist) if memory.gist else arrival.event.data.text
                known = self.told.setdefault(arrival.binding.dir, [])
                known.append(Told(memory=memory, seq=one.seq, text=text))

    async def _count(self, source: Notebook, cwd: str | None, piece: Sequence[Memory], tally: Tally) -> None:
        binding: Binding = await self.ingest.binder.of_folder(cwd)
        ids = [evidence.message(source, cwd, memory).id for memory in piece]
        tally.known += await asyncio.to_thread(self.imports.known, ids)
        view = await self.runner.shelf.view(self._roots(binding.dir))
        tally.duplicates += sum(is_there(memory.gist or memory.text, view) for memory in piece)

    async def _run(
        self, roots: Mapping[Root, Path], proposals: Sequence[Proposal], doubted: frozenset[int], tally: Tally
    ) -> None:
        run = Run(
            id=uuid.uuid4().hex, dir=directory_of(roots), roots=roots, author=Author.RUN,
            action="import", agent="import",
        )  # fmt: skip
        proposed = self.runner.propose(run, proposals)
        outcome, plan = await self.commands.attempt(run, lambda base: _shown(proposed(base), doubted))
        if isinstance(outcome, Applied):
            tally.runs.append(run.id)
        waiting = sum(one.for_review for one in plan.refused)
        tally.waiting += waiting
        tally.refused += len(plan.refused) - waiting
        tally.kept += len({(c.key, c.line if c.key.path in CORE_FILES else "") for c in plan.citations})

    def _roots(self, directory: Path) -> Mapping[Root, Path]:
        user = {Root.USER: self.user_memory}
        return user if directory == self.user_memory else {**user, Root.PROJECT: directory}


def _shown(plan: Plan, doubted: frozenset[int]) -> Plan:
    """What was refused for signs of an attack alone waits for a person where it may be that person's own rule."""
    refused = (
        replace(one, for_review=True, tier=Tier.REPOSITORY)
        if one.reason.startswith(ATTACK) and not doubted.isdisjoint(one.proposal.cites)
        else one
        for one in plan.refused
    )
    return replace(plan, refused=tuple(refused))


def _ignored(path: Path) -> bool:
    """Whether a `.memoryd/ignore` covers the file. Blocking."""
    rules = ignoring.find(str(path.parent))
    return rules is not None and rules.covers(str(path))
