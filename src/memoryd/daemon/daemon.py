"""The daemon: every part made and joined, started in an order that a crash cannot hurt, stopped without loss."""

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

from memoryd import __version__, seeds
from memoryd.clock import Clock, mono, utc_now
from memoryd.daemon import allocator, choosing, instructions, logs, mounts, placeholder_key, tuning
from memoryd.daemon import config as configuration
from memoryd.daemon.agents import Agents
from memoryd.daemon.assisting import Assistant
from memoryd.daemon.binding import Binder
from memoryd.daemon.commands import Commands
from memoryd.daemon.config import Config
from memoryd.daemon.documents import Carrier
from memoryd.daemon.draining import Drainer
from memoryd.daemon.dreaming import Dreamer
from memoryd.daemon.evolving import Evolver
from memoryd.daemon.expiring import Expiry
from memoryd.daemon.explaining import Explainer
from memoryd.daemon.following import Follower
from memoryd.daemon.forgetting import Forgetter
from memoryd.daemon.health import HealthReport, hindrances, judge_health
from memoryd.daemon.indexing import Indexer
from memoryd.daemon.ingest import Ingest
from memoryd.daemon.journal import recalled
from memoryd.daemon.journal.conversations import Conversations
from memoryd.daemon.journal.documents import SessionDocuments
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.ledger import JournalLedger
from memoryd.daemon.journal.notes import KeptNotes
from memoryd.daemon.journal.outages import JournalBreaker
from memoryd.daemon.journal.provided import Provided
from memoryd.daemon.journal.queue import JournalQueue
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.daemon.journal.reviews import Reviews
from memoryd.daemon.journal.runlog import RunLog
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.transcripts import Positions
from memoryd.daemon.journal.upkeep import Upkeep
from memoryd.daemon.lock import DataLock
from memoryd.daemon.looking import Looker
from memoryd.daemon.maintenance import Maintenance
from memoryd.daemon.maturing import Maturer
from memoryd.daemon.memory_search import MemorySearch
from memoryd.daemon.notify import sd_notify, watchdog_seconds
from memoryd.daemon.noting import Notes
from memoryd.daemon.nudging import Nudger
from memoryd.daemon.observing import Observer
from memoryd.daemon.off_record import OffRecord
from memoryd.daemon.permitting import Permits
from memoryd.daemon.preparing import Preparer
from memoryd.daemon.profiling import Profile
from memoryd.daemon.provider.feeding import Feeder
from memoryd.daemon.provider.provider import ProviderHost
from memoryd.daemon.provider.recalled import ProviderRecall
from memoryd.daemon.purge_plan import Planner
from memoryd.daemon.purging import Purger
from memoryd.daemon.recalling import Recaller
from memoryd.daemon.restoring import restore
from memoryd.daemon.reviewing import Inbox
from memoryd.daemon.searching import SessionSearch
from memoryd.daemon.spending import Spending
from memoryd.daemon.sweep import Sweep
from memoryd.daemon.teaming import Teams
from memoryd.daemon.tracking import Tracker
from memoryd.daemon.transcripts import TranscriptReader
from memoryd.daemon.watching import ConfigFile
from memoryd.errors import Busy, ConfigError, MemorydError
from memoryd.ipc import redaction, starter
from memoryd.ipc.places import Places
from memoryd.ipc.server import Handler, Peer, Server
from memoryd.ipc.spool import Spool
from memoryd.memory.ports import Author
from memoryd.memory.search.engine import Engine
from memoryd.memory.shelf import Shelf
from memoryd.worker import second_net
from memoryd.worker.ports import MemoryAgent, Run
from memoryd.worker.run import CATCH_UP_SECONDS, Runner
from memoryd.worker.worker import Worker

DRAIN_SECONDS = 10.0  #: a running job has that long at SIGTERM

log = structlog.get_logger("daemon")


@dataclass(slots=True, kw_only=True)
class Daemon:
    """The parts, and what belongs to the process. `repr` is the line of `memoryd status`."""

    places: Places
    config: Config
    lock: DataLock
    journal: Journal
    clock: Clock = utc_now
    agent: MemoryAgent | None = None  #: tests put a slow or a gullible one here
    started_mono: float = field(default_factory=mono)
    state: str = "starting"
    exit_status: int = 0

    config_file: ConfigFile = field(init=False)
    configured: Config = field(init=False)  #: as it was given; `config` is what is in force
    history: History = field(init=False)
    recorded: RecordedSessions = field(init=False)
    runlog: RunLog = field(init=False)
    upkeep: Upkeep = field(init=False)
    runs: JournalRuns = field(init=False)
    ledger: JournalLedger = field(init=False)
    breaker: JournalBreaker = field(init=False)
    agents: Agents = field(init=False)
    spending: Spending = field(init=False)
    shelf: Shelf = field(init=False)
    runner: Runner = field(init=False)
    worker: Worker = field(init=False)
    reader: TranscriptReader = field(init=False)
    teams: Teams = field(init=False)
    recaller: Recaller = field(init=False)
    binder: Binder = field(init=False)
    off_record: OffRecord = field(init=False)
    ingest: Ingest = field(init=False)
    carrier: Carrier = field(init=False)
    commands: Commands = field(init=False)
    permits: Permits = field(init=False)
    notes: Notes = field(init=False)
    explainer: Explainer = field(init=False)
    purger: Purger = field(init=False)
    inbox: Inbox = field(init=False)
    profile: Profile = field(init=False)
    observer: Observer = field(init=False)
    sweep: Sweep = field(init=False)
    spool: Spool = field(init=False)
    drainer: Drainer = field(init=False)
    indexer: Indexer = field(init=False)
    session_search: SessionSearch = field(init=False)
    memory_search: MemorySearch = field(init=False)
    assistant: Assistant = field(init=False)
    preparer: Preparer = field(init=False)
    nudger: Nudger = field(init=False)
    provider: ProviderHost = field(init=False)
    feeder: Feeder = field(init=False)
    tracker: Tracker = field(init=False)
    maturer: Maturer = field(init=False)
    evolver: Evolver = field(init=False)
    dreamer: Dreamer = field(init=False)
    maintenance: Maintenance = field(init=False)
    follower: Follower = field(init=False)
    server: Server = field(init=False)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.config_file = ConfigFile(self.places.config)
        self.configured, self.config = self.config, choosing.in_force(self.config, os.environ)
        self._make_records()
        self._make_way_in()
        self._make_work()
        self._make_recall()
        self._make_upkeep()

    def _make_records(self) -> None:
        """The journal, as each part asks it, and the memory directories."""
        self.history = History(self.journal)
        self.recorded = RecordedSessions(self.journal)
        self.runlog = RunLog(self.journal, self.places.user_memory)
        self.upkeep = Upkeep(self.journal)
        self.runs = JournalRuns(self.journal, self.places.user_memory, instructions.reader(self.journal))
        self.ledger = JournalLedger(self.journal, lambda: self.config.budget, lambda: tuning.payer(self.config))
        self.breaker = JournalBreaker(self.journal)
        self.shelf = Shelf(
            versions=self.runs.versions, seeds=self._seeds, clock=self.clock,
            changed_outside=self.runs.versions.changed_outside, author_of=self._author_of,
            wear=lambda root: recalled.wear(self.journal, str(root)),
            upgrade=lambda skill: seeds.upgraded_skill(skill, self._language()),
        )  # fmt: skip

    def _make_way_in(self) -> None:
        """From a hook, a document or a transcript to rows; what comes later is asked for when it is there."""
        self.binder = Binder(self.journal, self.places)
        self.off_record = OffRecord(lambda: self.config)
        self.reader = TranscriptReader(
            Positions(self.journal), self.places.user_memory, wake=lambda: self.worker.wake(),
            off_record=self.off_record.covers, hide=self.off_record.told_of,
            observe=lambda event: self.recaller.observe(event),
        )  # fmt: skip
        self.ingest = Ingest(
            journal=self.journal, binder=self.binder, off_record=self.off_record, user_memory=self.places.user_memory,
            recall=lambda *asked: self.recaller.for_hook(*asked),
            unheard=lambda event: self.recaller.unheard(event),
            after_append=lambda *appended: self.follower.after_append(*appended),
        )  # fmt: skip
        self.carrier = Carrier(
            documents=SessionDocuments(self.journal), ingest=self.ingest, data=self.places.data,
            wake=lambda: self.follower.look_again(),
        )  # fmt: skip
        self.spool = Spool(self.places.spool)
        self.drainer = Drainer(spool=self.spool, ingest=self.ingest)

    def _make_work(self) -> None:
        """What writes memory: runs of an agent, and those of a person."""
        self.agents = Agents(
            config=lambda: self.config, data=self.places.data, config_dir=self.places.config.parent,
            ledger=self.ledger, env=os.environ, near=lambda texts, others: self.indexer.near(texts, others),
        )  # fmt: skip
        self.runner = Runner(
            runs=self.runs, shelf=self.shelf, agent=self.agent or self.agents.chosen(), breaker=self.breaker,
            fallback=self.agents.fallback(), clock=self.clock,
            catch_up=lambda directory: self.reader.catch_up_directory(directory, seconds=CATCH_UP_SECONDS),
            bounds=lambda: tuning.bounds(self.config), after_apply=self._after_apply,
            net=second_net.choose(self.config.privacy.scanner),
        )  # fmt: skip
        queue = JournalQueue(
            self.journal, self.places.user_memory, lambda: self.config.consolidation.min_interval_seconds
        )
        self.worker = Worker(
            queue, self.runner.consolidate, clock=self.clock, attempts=lambda: self.runner.attempts,
            restart=self.stop_to_restart,
        )  # fmt: skip
        self.spending = Spending(
            journal=self.journal, ledger=self.ledger, breaker=self.breaker, config=lambda: self.config, clock=self.clock
        )
        self.commands = Commands(runner=self.runner, runs=self.runs, history=self.history, runlog=self.runlog)
        self.permits = Permits(runs=self.runs, history=self.history)
        self.notes = Notes(commands=self.commands, clock=self.clock)
        self.inbox = Inbox(reviews=Reviews(self.journal), runs=self.runs, commands=self.commands)
        self.profile = Profile(shelf=self.shelf, history=self.history, commands=self.commands, clock=self.clock)
        self.explainer = Explainer(
            shelf=self.shelf, history=self.history, runlog=self.runlog, versions=self.runs.versions
        )

    def _make_recall(self) -> None:
        """What is told, searched for and prepared."""
        conversations = Conversations(self.journal)
        self.indexer = Indexer(index=self._index(), conversations=conversations)
        self.session_search = SessionSearch(self.indexer, conversations)
        self.memory_search = MemorySearch(
            indexer=self.indexer, shelf=self.shelf, weights=lambda: tuning.weights(self.config), clock=self.clock
        )
        self.teams = Teams(journal=self.journal)
        self._make_provider()
        self.recaller = Recaller(
            journal=self.journal, runs=self.runs, shelf=self.shelf, config=lambda: self.config, clock=self.clock,
            chosen=lambda host, session: self.preparer.take(host, session), teams=self.teams,
            provider=ProviderRecall(host=self.provider, feeder=self.feeder, off_record=self.is_off_record),
            reminder=lambda host, session: self.nudger.take(host, session),
        )  # fmt: skip
        self.nudger = Nudger(
            journal=self.journal, runs=self.runs, catalogue=self.recaller.catalogue,
            language=self.recaller.language_of, config=lambda: self.config, clock=self.clock,
        )  # fmt: skip
        self.assistant = Assistant(
            agents=self.agents, ledger=self.ledger, breaker=self.breaker, config=lambda: self.config,
            net=lambda: self.runner.net, clock=self.clock,
        )  # fmt: skip
        self.preparer = Preparer(
            journal=self.journal, runs=self.runs, catalogue=self.recaller.catalogue, assistant=self.assistant,
            looker=Looker(memories=self.memory_search, sessions=self.session_search), config=lambda: self.config,
            clock=self.clock, running=lambda: self.worker.running, settled=self.worker.settled,
        )  # fmt: skip

    def _make_provider(self) -> None:
        """The external memory provider, where one is configured."""
        self.provider = ProviderHost(
            settings=self.config.provider, place=self.places.data / "provider", net=lambda: self.runner.net
        )
        self.feeder = Feeder(
            host=self.provider, rows=Provided(self.journal), clock=self.clock, keeps_out=self.is_off_record
        )

    def _make_upkeep(self) -> None:
        """What follows events, and what comes round by itself."""
        self.observer = Observer(self.shelf)
        self.tracker = Tracker(self.journal)
        self.maturer = Maturer(
            journal=self.journal, shelf=self.shelf, runs=self.runs, commands=self.commands, clock=self.clock,
            enabled=lambda: self.config.memory.reflect,
        )  # fmt: skip
        self.evolver = Evolver(maturer=self.maturer, reviews=self.inbox.reviews)
        expiry = Expiry(shelf=self.shelf, runs=self.runs, commands=self.commands, clock=self.clock)
        self.dreamer = Dreamer(
            maturer=self.maturer, config=lambda: self.config.dreaming,
            busy=lambda: self.worker.running,
        )  # fmt: skip
        self.maintenance = Maintenance(
            journal=self.journal, maturer=self.maturer, dreamer=self.dreamer, clock=self.clock,
            forgetter=Forgetter(maturer=self.maturer, expiry=expiry),
        )  # fmt: skip
        self.follower = Follower(
            worker=self.worker, indexer=self.indexer, tracker=self.tracker, recaller=self.recaller, reader=self.reader,
            observer=self.observer, preparer=self.preparer, nudger=self.nudger, maturer=self.maturer,
            feeder=self.feeder, spawn=self.spawn,
        )  # fmt: skip
        self.purger = Purger(
            places=self.places, planner=Planner(places=self.places, history=self.history, shelf=self.shelf),
            runs=self.runs, history=self.history, shelf=self.shelf, spool=self.spool, drain_spool=self.drainer.drain,
            clock=self.clock, forgetters=[self.indexer.purge, self.feeder.forget],
        )  # fmt: skip
        self.sweep = Sweep(
            upkeep=self.upkeep, config=lambda: self.config, changed=self.config_file.changed, reload=self.reload,
            spool=self.spool, drain_spool=self.drainer.drain,
            expiry=expiry, maintenance=self.maintenance, notes=KeptNotes(self.journal), rest=self._rest,
            edited=self.observer.anything, observe=self.observer.look, wake_worker=self.worker.wake, clock=self.clock,
        )  # fmt: skip

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

    def is_off_record(self, directory: Path, cwd: str | None) -> bool:
        """Whether nothing of this memory and folder may be told to others now."""
        return self.off_record.keeps_out(directory, cwd, self.clock())

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

    def _index(self) -> Engine:
        return Engine(self.places.data / "index", tuning.embedder(self.config))

    def _rest(self) -> None:
        """Give back what nobody used for a while. Blocking."""
        self.indexer.index.rest()
        allocator.trim()

    def _after_apply(self, run: Run) -> None:
        self.spawn(self.shelf.settle_later(run.roots.values(), run.id))

    def after_import(self, paths: list[Path], run_id: str) -> None:
        self.spawn(self.shelf.settle_later(paths, run_id))
        self.worker.wake()

    def _author_of(self, root: Path, path: str) -> Author:
        return Author.HOST if self.history.written_by_a_host(root / path) else Author.OUTSIDE

    def _seeds(self) -> dict[str, bytes]:
        return seeds.files(self._language())

    def _language(self) -> str:
        language = self.config.recall.language
        return seeds.pick_language(os.environ) if language == "auto" else language


def _log_failure(method: str, error: Exception) -> None:
    log.error("method.failed", method=method, error=type(error).__name__, exc_info=error)
