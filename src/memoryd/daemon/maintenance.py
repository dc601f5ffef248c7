"""Tasks of upkeep, once a local day by the sweep or at a person's word. Done again on a day they change nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import structlog

from memoryd.clock import Clock
from memoryd.daemon.dreaming import Dreamer
from memoryd.daemon.forgetting import Forgetter
from memoryd.daemon.journal import reports
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.maturing import Maturer
from memoryd.errors import MemorydError
from memoryd.memory import day_report, long_term
from memoryd.memory.model import FileKey, Root
from memoryd.worker.run import Plan

TASKS = ("reflect", "merge", "daily", "forget")  #: of each day; dreaming has a schedule of its own

log = structlog.get_logger("maintenance")


@dataclass(slots=True, kw_only=True)
class Maintenance:
    journal: Journal
    maturer: Maturer
    dreamer: Dreamer
    forgetter: Forgetter
    clock: Clock
    _done_on: date | None = field(default=None)  #: what the journal says, once it was read

    def anything(self) -> bool:
        """Whether today's tasks are still to do. Blocking, but for the rest of a day that they are done."""
        if self._done_on != self._today():
            rows = self.journal.rows("select value from meta where name = 'maintained_on'")
            self._done_on = date.fromisoformat(rows[0]["value"]) if rows else None
        return self._done_on != self._today()

    async def all(self) -> None:
        """Every task; noted as done at the end, so that a crash leaves them to be done again."""
        for task in TASKS:
            await self.run(task)
        today = self._today()
        await asyncio.to_thread(
            self.journal.execute, "insert or replace into meta values ('maintained_on', ?)", today.isoformat()
        )
        self._done_on = today

    async def run(self, task: str) -> tuple[str, ...]:
        """Do one task in every directory that it is about; returns the runs. One that fails keeps no other from it."""
        work: Mapping[str, Callable[[Path], Awaitable[Sequence[str | None]]]] = {
            "reflect": self._reflect, "merge": self._merge, "daily": self._daily, "dream": self._dream,
            "forget": self._forget,
        }  # fmt: skip
        runs = list(await self.maturer.once() if task == "reflect" else ())
        for path in await asyncio.to_thread(self.maturer.directories):
            try:
                runs += [run for run in await work[task](path) if run]
            except MemorydError as error:
                log.warning("maintenance.failed", step=task, error=error.code)
        if runs:
            log.info("maintenance.done", step=task, runs=len(runs))
        return tuple(runs)

    async def _reflect(self, path: Path) -> Sequence[str | None]:
        return [await self.maturer.reflect(path)] if self.maturer.enabled() else []

    async def _forget(self, path: Path) -> Sequence[str | None]:
        await self.forgetter.forget(path)
        return []

    async def _dream(self, path: Path) -> Sequence[str | None]:
        return (await self.dreamer.dream(path)).runs

    async def _merge(self, path: Path) -> Sequence[str | None]:
        persons = await asyncio.to_thread(self.maturer.runs.versions.persons, path)
        today = self._today()

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            written = long_term.merge(
                base, root=_root(base), today=today, persons=persons,
                ours=lambda key, line: self.maturer.runs.ours(path, key.path, line),
            )  # fmt: skip
            return Plan(changes=written.changes, citations=tuple(written.citations))

        return [await self.maturer.carry_out(path, "merge", plan)]

    async def _daily(self, path: Path) -> Sequence[str | None]:
        """The reports of yesterday and today, where something was done."""
        today = self._today()
        return [await self._report(path, day) for day in (today - timedelta(days=1), today)]

    async def _report(self, path: Path, day: date) -> str | None:
        (counts,) = await asyncio.to_thread(reports.days, self.journal, str(path), day, day)
        if not counts["turns"]:
            return None
        tasks = await asyncio.to_thread(reports.tasks, self.journal, str(path), day)

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            written = day_report.write(base, root=_root(base), day=day, counts=counts, tasks=tasks)
            return Plan(changes=written.changes, citations=tuple(written.citations))

        return await self.maturer.carry_out(path, "daily", plan)

    def _today(self) -> date:
        return self.clock().astimezone().date()


def _root(base: Mapping[FileKey, bytes]) -> Root:
    return next(iter(base)).root if base else Root.PROJECT
