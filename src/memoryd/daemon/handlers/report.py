"""What was done, by the day."""

import asyncio
from datetime import timedelta

from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal import reports
from memoryd.ipc.methods import report as m
from memoryd.memory.model import Root


class Reports(Handlers):
    async def report_get(self, params: m.ReportParams) -> m.Report:
        directory = None
        if params.cwd is not None or params.memory_dir is not None:
            roots = await self.roots(params.cwd, params.memory_dir)
            directory = str(roots.get(Root.PROJECT, roots[Root.USER]))
        return await asyncio.to_thread(self._report, directory, params.days)

    def _report(self, directory: str | None, days: int) -> m.Report:
        last = self.daemon.clock().astimezone().date()
        span = (self.daemon.journal, directory, last - timedelta(days=days - 1), last)
        often = reports.top(*span)
        return m.Report(
            days=tuple(m.DayReport.model_validate(row) for row in reports.days(*span)),
            tools=tuple(m.Often(name=name, count=count) for name, count in often["tools"]),
            files=tuple(m.Often(name=name, count=count) for name, count in often["files"]),
            memory_dir=directory,
        )
