"""The parts of the daemon: each made and joined with the others. Nothing runs yet."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd import seeds
from memoryd.clock import Clock, utc_now
from memoryd.daemon import allocator, choosing, instructions, tuning
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
from memoryd.daemon.reviewing import Inbox
from memoryd.daemon.searching import SessionSearch
from memoryd.daemon.spending import Spending
from memoryd.daemon.sweep import Sweep
from memoryd.daemon.teaming import Teams
from memoryd.daemon.tracking import Tracker
from memoryd.daemon.transcripts import TranscriptReader
from memoryd.daemon.watching import ConfigFile
from memoryd.ipc.places import Places
from memoryd.ipc.spool import Spool
from memoryd.memory.ports import Author
from memoryd.memory.search.engine import Engine
from memoryd.memory.shelf import Shelf
from memoryd.worker import second_net
from memoryd.worker.ports import MemoryAgent, Run
from memoryd.worker.run import CATCH_UP_SECONDS, Runner
from memoryd.worker.worker import Worker


@dataclass(slots=True, kw_only=True)
class Parts(ABC):
    """Made of the places, the configuration, the lock and the journal; what they ask of the process is abstract."""

    places: Places
    config: Config
    lock: DataLock
    journal: Journal
    clock: Clock = utc_now
    agent: MemoryAgent | None = None  #: tests put a slow or a gullible one here

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
            late=self.reader.positions.late, read_late=self.follower.late,
            expiry=expiry, maintenance=self.maintenance, notes=KeptNotes(self.journal), rest=self._rest,
            edited=self.observer.anything, observe=self.observer.look, wake_worker=self.worker.wake, clock=self.clock,
        )  # fmt: skip

    # what parts ask of the process

    @abstractmethod
    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run beside the server."""

    @abstractmethod
    def stop_to_restart(self) -> None:
        """Stop with a status after which the service manager starts again."""

    @abstractmethod
    async def reload(self) -> None:
        """Read the configuration again."""

    def is_off_record(self, directory: Path, cwd: str | None) -> bool:
        """Whether nothing of this memory and folder may be told to others now."""
        return self.off_record.keeps_out(directory, cwd, self.clock())

    def _index(self) -> Engine:
        return Engine(self.places.data / "index", tuning.embedder(self.config))

    def _rest(self) -> None:
        """Give back what nobody used for a while. Blocking."""
        self.indexer.index.rest()
        allocator.trim()

    def _after_apply(self, run: Run) -> None:
        self.spawn(self.shelf.settle_later(run.roots.values(), run.id))

    def _author_of(self, root: Path, path: str) -> Author:
        return Author.HOST if self.history.written_by_a_host(root / path) else Author.OUTSIDE

    def _seeds(self) -> dict[str, bytes]:
        return seeds.files(self._language())

    def _language(self) -> str:
        language = self.config.recall.language
        return seeds.pick_language(os.environ) if language == "auto" else language
