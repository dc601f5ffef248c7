"""Memory that matures by itself: what turns showed becomes patterns, lessons, procedures and instincts.

Each writing is a run of memoryd's own.

Signals are rows of the journal, candidates follow from them, and the files follow from the candidates. A crash leaves
signals without files; the next pass finds the difference and writes it. Each change can be undone like any other.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from memoryd.clock import Clock
from memoryd.daemon.commands import Commands
from memoryd.daemon.journal import worked
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.errors import MemorydError
from memoryd.memory import instincts, matured, maturing
from memoryd.memory.maturing import Candidate
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ports import Author
from memoryd.memory.shelf import Shelf
from memoryd.memory.work import Work
from memoryd.worker.ports import Applied, Run
from memoryd.worker.run import Plan, Planner

PAUSE_SECONDS = 5.0  #: after a turn, so that its transcript is read
DAYS = 100  #: of work that is looked back on
PAGES = 50  #: of a session's events that one pass reads

log = structlog.get_logger("maturing")


@dataclass(slots=True, kw_only=True)
class Maturer:
    """Looks back when turns have ended; at rest it does nothing."""

    journal: Journal
    shelf: Shelf
    runs: JournalRuns
    commands: Commands
    clock: Clock
    enabled: Callable[[], bool] = lambda: True
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """A turn or a session has ended."""
        self._news.set()

    async def serve(self) -> None:
        self._news.set()  # what ended while nobody looked
        while True:
            await self._news.wait()
            await asyncio.sleep(PAUSE_SECONDS)
            self._news.clear()
            await self.once()

    async def once(self) -> tuple[str, ...]:
        """One pass: look at what is new of each session, then write what came of it; returns the runs."""
        if not self.enabled():
            return ()
        runs = list[str | None]()
        try:
            for directory in sorted(await asyncio.to_thread(self._advance)):
                runs.append(await self.reflect(Path(directory)))
            if any(runs):  # what several projects show is the user's
                runs.append(await self.reflect(self.runs.user_memory))
        except MemorydError as error:  # the next turn tries again
            log.warning("reflection.failed", error=error.code)
        return tuple(filter(None, runs))

    async def reflect(self, path: Path) -> str | None:
        """Write what the work of one directory shows, and its reflections; returns the run, if one was due."""
        works, found = await asyncio.to_thread(self._found, path)
        persons = await asyncio.to_thread(self.runs.versions.persons, path)
        now = self.clock()

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            (root,) = {key.root for key in base} or {Root.PROJECT}
            written = matured.write(
                base, found, works, root=root, now=now, sources=self.runs.sources, persons=persons
            )  # fmt: skip
            return Plan(changes=written.changes, citations=tuple(written.citations))

        return await self.carry_out(path, "reflect", plan)

    async def carry_out(self, path: Path, action: str, plan: Planner) -> str | None:
        """Carry out a plan on one directory as a run of memoryd's own; None: nothing to change, and no run is made."""
        roots = await asyncio.to_thread(self.roots_of, path)
        async with self.shelf.locked(roots):
            base = await asyncio.to_thread(self.shelf.read, roots)
        if not (await asyncio.to_thread(plan, base)).changes:
            return None
        run = Run(id=uuid.uuid4().hex, dir=path, roots=roots, author=Author.RUN, action=action, agent="memoryd")
        _, outcome, _ = await self.commands.carry_out(roots, action, plan, run)
        return run.id if isinstance(outcome, Applied) else None

    def roots_of(self, path: Path) -> Mapping[Root, Path]:
        """The directory alone, in its role. Blocking."""
        if path == self.runs.user_memory:
            return {Root.USER: path}
        found = {root: one for root, one in self.runs.roots_of(path).items() if one == path}
        return found or {Root.PROJECT: path}

    def directories(self, *, made: bool = True) -> list[Path]:
        """The directories that have sessions, by path; `made`: as far as they are there. Blocking."""
        rows = self.journal.rows("select path from dirs where path in (select dir from sessions) order by path")
        return [path for path in (Path(row["path"]) for row in rows) if not made or path.is_dir()]

    def candidates(self, path: Path) -> list[Candidate]:
        """What the work of a directory shows now. Blocking."""
        return self._found(path)[1]

    def _found(self, path: Path) -> tuple[list[Work], list[Candidate]]:
        since: datetime = self.clock() - timedelta(days=DAYS)
        works = worked.of(self.journal, str(path), since)
        handed = worked.hits(self.journal, str(path))
        found = [*maturing.candidates(works), *instincts.candidates(works)]
        if path == self.runs.user_memory:
            found = _joined(found, instincts.shared(worked.of_projects(self.journal, since)))
        for one in found:
            one.hits, one.failed_hits = handed.get(matured.path_of(one), (0, 0))
        return works, [one for one in found if one.confidence >= maturing.GONE]

    def _advance(self) -> set[str]:
        """Look at all that is new, page by page; returns the directories whose work is another now. Blocking."""
        worked.renew(self.journal)
        moved = set[str | None]()
        for _ in range(PAGES):
            if not (sessions := worked.behind(self.journal)):
                break
            moved |= {worked.advance(self.journal, session) for session in sessions}
        return {directory for directory in moved if directory}


def _joined(found: list[Candidate], shared: list[Candidate]) -> list[Candidate]:
    """Candidates of the user's own directory with those of all projects; the same one rests on the projects."""
    keys = {(one.kind, one.key) for one in shared}
    return [*(one for one in found if (one.kind, one.key) not in keys), *shared]
