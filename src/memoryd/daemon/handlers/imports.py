"""Imports. What they need is loaded at the first one: an idle daemon holds none of it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import imports as m

if TYPE_CHECKING:
    from memoryd.daemon.imports.importer import Importer, UnderWay

SHOWN = 100  #: files that were passed over


class Imports(Handlers):
    _importer: "Importer | None" = None

    async def import_run(self, params: m.ImportParams) -> m.ImportProgress:
        importer = await self._parts()
        if params.id is not None:
            return self._told(await importer.go_on(params.id))
        from memoryd.daemon.imports.importer import Wanted

        wanted = Wanted(
            paths=tuple(map(Path, params.paths)), host=params.host, dry=params.dry_run, mine=params.mine,
            consolidate=params.consolidate,
        )  # fmt: skip
        return self._told(await importer.begin(wanted))

    async def _parts(self) -> "Importer":
        def make() -> "Importer":
            from memoryd.daemon.imports.wiring import importer_of

            return importer_of(self.daemon)

        if self._importer is None:
            self._importer = await asyncio.to_thread(make)
        return self._importer

    def _told(self, one: "UnderWay") -> m.ImportProgress:
        tally = one.tally
        return m.ImportProgress(
            id=one.id, finished=one.finished, dry_run=one.wanted.dry,
            files=len(one.sources), files_done=tally.files_done, files_unchanged=tally.files_unchanged,
            bytes=sum(source.stamp.size for source in one.sources), bytes_done=tally.bytes_done,
            added=0 if one.wanted.dry else tally.added, sessions=tally.sessions, gone=tally.gone,
            messages=tally.messages, turns=tally.turns, known=tally.known, removed=tally.removed,
            off_record=tally.off_record,
            memories=tally.memories, kept=tally.kept, waiting=tally.waiting, duplicates=tally.duplicates,
            refused=tally.refused, unplaced=tally.unplaced, left=tally.left, runs=tuple(tally.runs),
            passed_over=tuple(m.ImportPassedOver(path=str(p.path), why=p.why) for p in one.passed_over[:SHOWN]),
            passed_over_count=len(one.passed_over),
            cost=self._cost(one) if one.wanted.dry and one.finished else None,
        )  # fmt: skip

    def _cost(self, one: "UnderWay") -> m.ImportCost:
        from memoryd.daemon.imports.cost import estimated

        config = self.daemon.config
        found = estimated(one.tally.chars.values() if one.wanted.consolidate else (), config)
        limits = ((found.runs, config.budget.calls_per_day), (found.tokens, config.budget.tokens_per_day))
        days = max(-(-used // limit) if limit else 0 for used, limit in limits) if found.calls else 0
        return m.ImportCost(
            agent=config.agent.kind, runs=found.runs, calls=found.calls, tokens=found.tokens, days=days
        )  # fmt: skip
