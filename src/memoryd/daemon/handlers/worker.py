"""The consolidation worker and its jobs."""

import asyncio
from pathlib import Path

from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal.store import Row
from memoryd.ipc.methods import worker as m
from memoryd.ipc.methods.base import PageParams

WAIT_SECONDS = 600.0  #: of `consolidation.run` with `wait`


class Work(Handlers):
    async def worker_stats(self, params: m.WorkerStatsParams) -> m.WorkerStats:
        history, paused = self.daemon.history, await asyncio.to_thread(self.daemon.spending.paused_until)
        if params.memory_dir:
            return answers.stats(await asyncio.to_thread(history.stats, Path(params.memory_dir)), paused)
        total = answers.stats(await asyncio.to_thread(history.stats), paused)
        rows = await asyncio.to_thread(history.directories)
        each = {
            row["path"]: answers.stats(await asyncio.to_thread(history.stats, Path(row["path"])), paused)
            for row in rows
        }
        return total.model_copy(update={"directories": each})

    async def consolidation_run(self, params: m.ConsolidationParams) -> m.Consolidated:
        directory = Path(params.memory_dir) if params.memory_dir else await self.binding(params.cwd)
        queued = await asyncio.to_thread(self.daemon.upkeep.make_due, directory, self.daemon.clock())
        if not queued:
            return m.Consolidated(
                outcome="no_change", reason="nothing is recorded for this directory that is not consolidated"
            )
        self.daemon.worker.wake()
        if not params.wait:
            return m.Consolidated(outcome="queued")
        row = await self._finished(directory)
        return m.Consolidated(
            outcome=row["outcome"], run=row["id"], reason=row["reason"] or "", to_seq=row["to_seq"],
            files=tuple(row["files"]),
        )  # fmt: skip

    async def _finished(self, directory: Path) -> Row:
        """Wait until no job of the directory is due."""
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                settled = asyncio.ensure_future(self.daemon.worker.settled())
                await asyncio.sleep(0)
                if not await asyncio.to_thread(self.daemon.history.is_due, directory):
                    settled.cancel()
                    return await asyncio.to_thread(self.daemon.runlog.last_of, directory)
                await settled

    async def job_list(self, params: PageParams) -> m.JobList:
        start = answers.offset_of(params.cursor)
        rows = (await asyncio.to_thread(self.daemon.history.jobs))[start:]
        return m.JobList(
            items=tuple(map(answers.job, rows[: params.limit])),
            next_cursor=answers.next_cursor(rows, params.limit, start),
        )

    async def job_retry(self, params: m.JobRetryParams) -> m.JobsRetried:
        count = await asyncio.to_thread(self.daemon.upkeep.retry, params.id, self.daemon.clock())
        self.daemon.worker.wake()
        return m.JobsRetried(retried=count)
