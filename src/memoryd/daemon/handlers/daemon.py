"""The process."""

import asyncio
import os
from dataclasses import asdict
from datetime import timedelta

from memoryd import __version__
from memoryd.clock import mono
from memoryd.daemon import examining, privacy
from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import daemon as m
from memoryd.ipc.methods.base import Done, NoParams
from memoryd.ipc.protocol import PROTOCOL
from memoryd.ipc.server import Peer


class Process(Handlers):
    async def daemon_health(self, params: NoParams) -> m.Health:
        report = await self.daemon.health()
        summary = await asyncio.to_thread(repr, self.daemon)
        return m.Health(
            state=report.state, reason=report.reason, version=__version__, protocol=PROTOCOL, uid=os.getuid(),
            summary=summary,
            waiting=await asyncio.to_thread(self.daemon.inbox.reviews.waiting),
            data_dir=str(self.daemon.places.data), pid=os.getpid(),
            uptime_seconds=round(mono() - self.daemon.started_mono, 3),
            provider=await self._provider(), index_behind=await asyncio.to_thread(self.daemon.indexer.behind),
            passed_over=asdict(self.daemon.ingest.counted),
        )  # fmt: skip

    async def _provider(self) -> str:
        state, feeder = self.daemon.provider.state, self.daemon.feeder
        return "" if state == "off" else f"{state}, {feeder.sent} events told, {await feeder.waiting()} wait"

    async def daemon_check(self, params: NoParams) -> m.Checked:
        return await examining.examine(self.daemon.journal, self.daemon.reader.positions, self.daemon.indexer)

    async def daemon_pause(self, params: m.PauseParams) -> m.Paused:
        directory = await self.binding(params.cwd) if params.cwd else None
        until = self.daemon.clock() + timedelta(seconds=params.seconds) if params.seconds else None
        await asyncio.to_thread(self.daemon.upkeep.pause, directory, self.daemon.clock(), until)
        await self.daemon.refresh_pauses()
        return m.Paused(paused=True, until=until)

    async def daemon_resume(self, params: m.ResumeParams) -> m.Paused:
        directory = await self.binding(params.cwd) if params.cwd else None
        await asyncio.to_thread(self.daemon.upkeep.resume, directory, self.daemon.clock())
        await self.daemon.refresh_pauses()
        now = self.daemon.clock()
        return m.Paused(paused=any(pause.is_on(now) for pause in self.daemon.off_record.pauses))

    async def privacy_get(self, params: NoParams) -> m.Privacy:
        daemon = self.daemon
        return await asyncio.to_thread(
            privacy.report, daemon.places, daemon.config, daemon.journal,
            pauses=daemon.off_record.pauses, passed_over=asdict(daemon.ingest.counted), now=daemon.clock(),
        )  # fmt: skip

    async def maintenance_run(self, params: m.MaintenanceParams) -> m.Maintained:
        if params.task == "index":
            await self.daemon.indexer.purge()
            return m.Maintained()
        if params.task == "dream":
            return await self._dream(params)
        return m.Maintained(runs=await self.daemon.maintenance.run(params.task))

    async def _dream(self, params: m.MaintenanceParams) -> m.Maintained:
        every = await asyncio.to_thread(self.daemon.maturer.directories, made=False)
        dirs = [await self.binding(params.cwd)] if params.cwd else every
        done = [
            await self.daemon.dreamer.dream(path, backfill=params.backfill, since=params.since) for path in dirs
        ]  # fmt: skip
        return m.Maintained(
            runs=tuple(run for one in done for run in one.runs), staged=sum(one.staged for one in done),
            waiting=sum(one.waiting for one in done), promoted=sum(len(one.promoted) for one in done),
        )  # fmt: skip

    async def daemon_handover(self, params: NoParams, peer: Peer) -> m.HandedOver:
        """Others are served while a running job ends; then who connects waits for the process that asks."""
        await self.daemon.hand_over(peer)
        asyncio.get_running_loop().call_soon(self.daemon.stop)
        return m.HandedOver(pid=os.getpid())

    async def daemon_shutdown(self, params: NoParams) -> Done:
        asyncio.get_running_loop().call_soon(self.daemon.stop)
        return Done()
