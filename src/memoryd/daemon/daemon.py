"""The process of the daemon: started in an order that a crash cannot hurt, kept up to date, stopped without loss."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from memoryd import __version__
from memoryd.clock import Clock, mono, utc_now
from memoryd.daemon import choosing, logs, mounts, placeholder_key, tuning
from memoryd.daemon import config as configuration
from memoryd.daemon.config import Config
from memoryd.daemon.health import HealthReport, hindrances, judge_health
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.lock import DataLock
from memoryd.daemon.notify import sd_notify, watchdog_seconds
from memoryd.daemon.parts import Parts
from memoryd.daemon.restoring import restore
from memoryd.errors import Busy, ConfigError, MemorydError
from memoryd.ipc import redaction, starter
from memoryd.ipc.places import Places
from memoryd.ipc.server import Handler, Peer, Server
from memoryd.worker import second_net
from memoryd.worker.ports import MemoryAgent

DRAIN_SECONDS = 10.0  #: a running job has that long at SIGTERM

log = structlog.get_logger("daemon")


@dataclass(slots=True, kw_only=True)
class Daemon(Parts):
    """The process around the parts. `repr` is the line of `memoryd status`."""

    started_mono: float = field(default_factory=mono)
    state: str = "starting"
    exit_status: int = 0

    server: Server = field(init=False)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    def __repr__(self) -> str:
        stats = self.history.stats()
        waiting = stats["queued"]
        return (
            f"<Daemon {self.state} | clients {self.server.clients} | seq {self.history.newest_seq()}"
            f" | jobs {stats['running']} running {waiting} waiting>"
        )

    @classmethod
    async def open(
        cls, places: Places, config: Config, *, clock: Clock = utc_now, agent: MemoryAgent | None = None
    ) -> "Daemon":
        """Take the lock, open the journal and put back what a crash left half done. Nothing listens yet.

        :raises Busy: another daemon runs on this data directory
        :raises RestartNeeded: a newer program wrote the database
        """
        lock = await asyncio.to_thread(DataLock.take, places.data)
        journal = await asyncio.to_thread(
            Journal.open, places.data / "state.db", triggers=tuning.triggers(config), clock=clock
        )
        key = await asyncio.to_thread(placeholder_key.load, places.data)
        redaction.configure(key=key, masks_pii=config.privacy.pii == "mask")
        daemon = cls(places=places, config=config, lock=lock, journal=journal, clock=clock, agent=agent)
        daemon.off_record.agents = await asyncio.to_thread(daemon.agents.prepare)
        await restore(daemon.runs, daemon.shelf, daemon.history, places.user_memory, clock)
        await daemon.refresh_pauses()
        await daemon.feeder.settle()
        return daemon

    async def start(
        self,
        handlers: dict[str, Handler],
        activated: socket.socket | None = None,
        inherited: socket.socket | None = None,
    ) -> None:
        """Listen, then catch up with what happened while nobody did.

        :param activated: the listening socket of the service manager
        :param inherited: that of the daemon before
        """
        self.server = Server(handlers, on_failure=_log_failure)
        await self.server.start(self.places.socket, activated, inherited)
        await asyncio.to_thread(starter.forget_marks, self.places)
        await self._settle_starter()
        self.state = "ready"
        if service := await asyncio.to_thread(mounts.sync_service, self.places.data):
            log.warning("data.synchronised", dir=str(self.places.data), reason=service)
        log.info("daemon.ready", pid=os.getpid(), version=__version__, data=str(self.places.data))
        parts = (
            self.worker, self.sweep, self.indexer, self.tracker, self.preparer, self.nudger, self.maturer, self.feeder
        )  # fmt: skip
        for work in (*(part.serve for part in parts), self._catch_up, self._watchdog):
            self.spawn(work())

    def handle_signals(self) -> None:
        """SIGTERM and SIGINT stop, SIGHUP reads the configuration again; set before anyone can know the daemon."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        loop.add_signal_handler(signal.SIGHUP, self._reload_soon)

    async def run(self) -> None:
        """Serve until a signal or `stop`."""
        sd_notify("READY=1\nSTATUS=ready")
        await self._stop.wait()
        sd_notify("STOPPING=1")

    def stop(self) -> None:
        self._stop.set()

    async def hand_over(self, peer: Peer) -> None:
        """Let the running job end and give the listening socket away; the caller stops then.

        :raises MemorydError: as `Server.hand_over`; all goes on as before
        """
        log.info("daemon.handing_over", pid=peer.pid)
        await self.worker.drain(seconds=DRAIN_SECONDS)
        try:
            await self.server.hand_over(peer)
        except MemorydError:
            self.worker.resume()
            self.spawn(self.worker.serve())
            raise

    def stop_to_restart(self) -> None:
        """Stop with a status after which the service manager starts again: the next start puts files back.

        Not with RestartNeeded's own: after a newer program's database no restart helps, so the unit makes none.
        """
        self.exit_status = Busy.exit_status
        self._stop.set()

    async def close(self) -> None:
        """Drain: answer what is in flight, put a running job back, write everything down."""
        self.state = "stopping"
        log.info("daemon.stopping")
        if hasattr(self, "server"):
            await self.server.close()
        await self.worker.drain(seconds=DRAIN_SECONDS)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.provider.close()
        await self.observer.close()
        await self.indexer.close()
        await asyncio.to_thread(self.journal.close)
        redaction.configure(key=b"", masks_pii=False)
        log.info("daemon.stopped")
        await asyncio.to_thread(logs.settle)  # who waits for the lock may remove the data: nothing is written after it
        self.lock.release()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run beside the server; an error is logged, and the task kept until it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task.failed", error=type(error).__name__, exc_info=error)

    def _reload_soon(self) -> None:
        self.config_file.look_afresh()
        self.sweep.soon()

    async def reload(self) -> None:
        """Read the configuration again; one that is wrong is reported and the old one stays."""
        try:
            configured = await asyncio.to_thread(configuration.load, self.places.config)
        except ConfigError as error:
            log.warning("config.refused", reason=str(error))
            return
        if configured != self.configured:
            before, self.configured = self.config, configured
            self.config = choosing.in_force(configured, os.environ)
            await self._take_up(before, self.config)
            log.info("config.reloaded")

    async def _take_up(self, before: Config, config: Config) -> None:
        """Tell the parts that do not ask for the configuration each time."""
        if (config.daemon, config.logs) != (before.daemon, before.logs):
            logs.configure(config, self.places.data)
        self.journal.triggers = tuning.triggers(config)
        if config.search != before.search:
            await self.indexer.take(self._index())
        redaction.configure(masks_pii=config.privacy.pii == "mask")
        self.shelf.look_afresh()
        if config.agent != before.agent:
            self.runner.agent, self.runner.fallback = self.agent or self.agents.chosen(), self.agents.fallback()
        self.runner.net = second_net.choose(config.privacy.scanner)
        if config.provider != before.provider:
            await self.feeder.renew(config.provider)
        await self._settle_starter()
        if (config.agent, config.budget) != (before.agent, before.budget):
            await asyncio.to_thread(self.breaker.settings_changed)
            self.worker.wake()

    async def _settle_starter(self) -> None:
        """Let hooks start this daemon again, or not, as the configuration says."""
        wanted = starter.text(self.places, Path(sys.executable), os.environ) if self.config.daemon.autostart else None
        try:
            await asyncio.to_thread(starter.settle, self.places, wanted)
        except MemorydError as error:
            log.warning("starter.failed", error=error.code)

    async def refresh_pauses(self) -> None:
        self.off_record.pauses = await asyncio.to_thread(self.upkeep.pauses)

    async def health(self) -> HealthReport:
        return await asyncio.to_thread(self._health)

    def _health(self) -> HealthReport:
        now = self.clock()
        found = hindrances(
            self.config, self.off_record.pauses, now=now, disk_full=self.journal.writer.full,
            index_fault=self.indexer.fault, provider_fault=self.provider.fault,
        )  # fmt: skip
        return judge_health(
            self.history, self.spool, running=self.worker.running, now=now,
            hindered=[*found, *self.spending.hindrances()],
            min_interval_seconds=self.config.consolidation.min_interval_seconds,
        )  # fmt: skip

    async def _catch_up(self) -> None:
        """At start; a step that fails is logged, and the others are done."""
        for step in (self.purger.finish, self.drainer.drain, self._heal, self.reader.catch_up_all):
            try:
                await step()
            except MemorydError as error:
                log.warning("start.failed", step=step.__name__, error=error.code)
        self.worker.wake()

    async def _heal(self) -> None:
        await asyncio.to_thread(self.upkeep.heal, self.clock())

    async def _watchdog(self) -> None:
        """Tell systemd that the loop turns and the writer writes."""
        seconds = watchdog_seconds()
        while seconds is not None:
            await self.journal.writer.arun(lambda connection: None)
            sd_notify("WATCHDOG=1")
            await asyncio.sleep(seconds)

    def after_import(self, paths: list[Path], run_id: str) -> None:
        self.spawn(self.shelf.settle_later(paths, run_id))
        self.worker.wake()


def _log_failure(method: str, error: Exception) -> None:
    log.error("method.failed", method=method, error=type(error).__name__, exc_info=error)
