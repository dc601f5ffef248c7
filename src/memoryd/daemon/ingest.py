"""Accept: raw hook payloads and published events -> the journal, durable before the answer.

The steps are those of docs/durability.md, "Accept".
"""

import asyncio
import fnmatch
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import structlog

from memoryd.daemon import projects
from memoryd.daemon.cleaning import clean_all
from memoryd.daemon.config import Config
from memoryd.daemon.hooktests import HookTests
from memoryd.daemon.ignoring import Ignores
from memoryd.daemon.journal import quarantine
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Appended, Arrival, Binding, Journal
from memoryd.daemon.journal.upkeep import Pause
from memoryd.errors import BadEvent, NotFound, PathRefused
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, SubagentStart
from memoryd.ipc.hosts.base import RawHook, Recall, Translated, TranslationError
from memoryd.ipc.methods.events import EventPublish, EventPublished, HookDeliver, HookDelivered
from memoryd.ipc.places import Places
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.path_rules import check_directory

INLINE_CHARS = 16 * 1024  #: a payload up to this is cleaned on the loop; a longer one in a thread
PROJECT_SECONDS = 0.1  #: to find a project root; on a slower file system the session goes to the user's memory

MAX_REMEMBERED = 10_000  #: sessions of which the binding, or that they are off the record, is known without the disk

log = structlog.get_logger("ingest")

RecallFor = Callable[[Translated, Event], Awaitable[str]]
AfterAppend = Callable[[Event, list[Appended], Binding, str | None], None]


@dataclass(slots=True)
class Counted:
    """Hook firings that were acknowledged without being recorded, by reason."""

    ignored: int = 0
    unknown_host: int = 0
    excluded: int = 0
    paused: int = 0
    quarantined: int = 0


@dataclass(slots=True)
class Ingest:
    """The way in."""

    journal: Journal
    places: Places
    config: Callable[[], Config]
    recall: RecallFor
    after_append: AfterAppend
    pauses: list[Pause] = field(default_factory=list)
    agents: frozenset[str] = frozenset()  #: the names of the folder in which agents work
    counted: Counted = field(default_factory=Counted)
    ignores: Ignores = field(default_factory=Ignores)
    tests: HookTests = field(default_factory=HookTests)
    _bindings: dict[tuple[str, str], Binding] = field(default_factory=dict)
    _real_paths: dict[str, str] = field(default_factory=dict)  #: of working directories, links followed
    _off_record: set[tuple[str, str]] = field(default_factory=set)
    """Sessions of agents, and sub-agents that a session off the record started."""

    async def deliver(self, params: HookDeliver, *, replay: bool = False) -> HookDelivered:
        """Record what a hook brought and answer with what it prints. Never fails for content."""
        if self.tests.take(params):
            return HookDelivered()
        # 3. translate
        translated = await self._translate(params)
        if translated is None or not translated.events:
            self.counted.ignored += translated is not None
            return HookDelivered()
        first = translated.events[0]
        try:
            binding = await self._bind(first, translated.project_hint)
        except (BadEvent, PathRefused) as error:
            await self._put_aside(params, error)
            return HookDelivered()
        moment = params.at if replay else self.journal.clock()  # what was spooled counts for when it was said
        if self._passed_over(first, binding, headless=translated.headless, moment=moment):
            return HookDelivered()
        # 4. clean, 5. one transaction, 6. after the commit: the answer
        arrivals = [
            Arrival(
                event=event,
                binding=binding,
                transcript_path=translated.transcript_path,
                child_transcript_path=translated.child_transcript_path,
                headless=translated.headless,
                redacted=redacted,
            )
            for event, redacted in await _cleaned(await self._told(translated.events), len(params.raw))
        ]
        appended = await self.journal.append(arrivals)
        self.after_append(first, appended, binding, translated.transcript_path)
        stdout = ""
        if translated.recall is not Recall.NONE and not replay:
            context = await self.recall(translated, arrivals[0].event)
            stdout = hosts.get(params.host).reply(translated.event_name, context) if context else ""
        return HookDelivered(stdout=stdout, seq=appended[0].seq)

    async def publish(self, params: EventPublish) -> EventPublished:
        """Record one event.

        :raises BadEvent: a relative `memory_dir`, or text longer than an event may hold
        :raises PathRefused: a `memory_dir` that is no folder for memory
        """
        event: Event = params.event
        binding = await self._bind(event, None)
        why = self._passed_over(event, binding, headless=False, moment=self.journal.clock())
        if why:
            return EventPublished(seq=0, duplicate=False, turn_count=0, passed_over=why)
        cleaned = await _cleaned(await self._told((event,)), len(event.data.model_dump_json()))
        arrivals = [Arrival(event=e, binding=binding, redacted=redacted) for e, redacted in cleaned]
        appended = await self.journal.append(arrivals)
        self.after_append(event, appended, binding, None)
        one = appended[0]
        return EventPublished(seq=one.seq, duplicate=one.duplicate, turn_count=one.turn_count, due=one.due, job=one.job)

    async def admit(self, events: Sequence[Event], *, headless: bool, hint: str | None = None) -> list[Arrival]:
        """What may be recorded of a session that comes as a whole, cleaned; it is not appended yet.

        What was said off the record stays out, as it does when a transcript is read.

        :param hint: a folder of its project, where its own is gone
        """
        binding = await self._bind(events[0], hint)
        if self._is_opted_out(events[0], headless=headless):
            return []
        kept = [event for event in events if not self.is_off_record(binding.dir, event)]
        cleaned = await asyncio.to_thread(lambda: clean_all(self.ignores.without(kept)))
        return [Arrival(event=e, binding=binding, headless=headless, redacted=redacted) for e, redacted in cleaned]

    async def _translate(self, params: HookDeliver) -> Translated | None:
        try:
            host = hosts.get(params.host)
        except NotFound:
            self.counted.unknown_host += 1
            return None
        hook = RawHook(
            id=params.id, at=params.at, host=params.host, event=params.event, raw=params.raw,
            cwd=params.cwd, env=params.env,
        )  # fmt: skip
        try:
            return host.translate(hook)
        except (TranslationError, ValueError) as error:
            await self._put_aside(params, error)
            return None

    async def _put_aside(self, params: HookDeliver, error: Exception) -> None:
        """A hook never fails for what it brings: it is counted, and kept for whoever looks why."""
        self.counted.quarantined += 1
        log.warning("hook.quarantined", host=params.host, hook=params.event, id=params.id)
        await asyncio.to_thread(self._keep, params, str(error))

    def _keep(self, params: HookDeliver, fault: str) -> None:
        """Keep a payload that could not be recorded. In a thread."""
        redacted = Counter[str]()
        quarantine.keep(
            self.journal, id=params.id, host=params.host, event=params.event and sanitise(params.event),
            raw=sanitise(params.raw, redacted), error=sanitise(fault)[:500], redacted=redacted,
        )  # fmt: skip

    async def _bind(self, event: Event, hint: str | None) -> Binding:
        """A session is bound once; later events may come from anywhere."""
        if event.memory_dir is not None and not event.memory_dir.startswith("/"):
            raise BadEvent(f"memory_dir {event.memory_dir!r} is not absolute; give the whole path")
        if event.cwd and event.cwd not in self._real_paths and self.config().privacy.exclude:
            self._real_paths[event.cwd] = await asyncio.to_thread(projects.real_path, event.cwd)
        if not self.ignores.fresh(event.cwd):
            await asyncio.to_thread(self.ignores.look, event.cwd)
        key = (event.host, event.session_id)
        binding = self._bindings.get(key) or await asyncio.to_thread(self.journal.binding_of, *key)
        if binding is None:
            binding = await self._new_binding(event, hint)
        if len(self._bindings) > MAX_REMEMBERED:
            self._bindings.clear()
            self._real_paths.clear()
        self._bindings[key] = binding
        return binding

    async def _new_binding(self, event: Event, hint: str | None) -> Binding:
        if event.memory_dir is not None:
            return await asyncio.to_thread(self._named, event.memory_dir)
        above = await asyncio.to_thread(self.journal.binding_above, event.host, event.session_id)
        return above or await self.binding_of(event.cwd, hint)

    def _named(self, memory_dir: str) -> Binding:
        """The directory that an event names: one of ours, or one that may become it. Blocking."""
        directory = Path(memory_dir)
        check_directory(memory_dir, known=History(self.journal).knows(directory))
        return Binding(dir=directory, kind="explicit")

    async def binding_of(self, cwd: str | None, hint: str | None = None) -> Binding:
        """The directory that a working directory belongs to."""
        try:
            async with asyncio.timeout(PROJECT_SECONDS):
                project = await asyncio.to_thread(projects.find, cwd, hint)
        except TimeoutError:
            log.warning("project.slow", seconds=PROJECT_SECONDS)
            project = None
        except OSError as error:  # it may not be looked at, or goes just now
            log.warning("project.unknown", reason=type(error).__name__)
            project = None
        if project is None:
            return Binding(dir=self.places.user_memory, kind="user")
        key = await asyncio.to_thread(self.journal.projects.key_of, project)
        return Binding(dir=self.places.data / "projects" / key / "memory", kind="project", project=key)

    async def _told(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events as far as their repository wants them remembered."""
        if all(self.ignores.of(event.cwd) is None for event in events):
            return events
        return await asyncio.to_thread(self.ignores.without, events)

    def is_off_record(self, directory: Path, event: Event) -> bool:
        """Whether an event that a transcript holds was said during a pause or in an excluded folder."""
        return self.is_paused(directory, event.at) or self._is_excluded(event)

    def _is_of_an_agent(self, event: Event) -> bool:
        """Whether it comes from an agent's own session: it happened in the folder of a run, where no person works.

        The second of two guards: hooks that an agent's process starts end at once, by a name in their environment.
        """
        return any(_is_below(event.cwd or "", place) for place in self.agents)

    def _is_excluded(self, event: Event) -> bool:
        """Whether a pattern covers where it happened, by the name it came with or by the real one."""
        if self._is_of_an_agent(event) or self.ignores.covers(event.cwd):
            return True
        cwd = event.cwd or ""
        names = {cwd, self._real_paths.get(cwd, cwd)} - {""}
        return any(_matches(name, pattern) for name in names for pattern in self.config().privacy.exclude)

    def is_paused(self, directory: Path, moment: datetime) -> bool:
        """Whether recording was paused for a directory at that moment."""
        return any(pause.covers(directory, moment) for pause in self.pauses)

    def _passed_over(
        self, event: Event, binding: Binding, *, headless: bool, moment: datetime
    ) -> Literal["paused", "excluded"] | None:
        """Why an event is not recorded; None: it is."""
        why: Literal["paused", "excluded"]
        if self._is_opted_out(event, headless=headless):
            why = "excluded"
            self.counted.excluded += 1
            if self._is_of_an_agent(event):
                _remember(self._off_record, (event.host, event.session_id))  # wherever its later events come from
        elif self.is_paused(binding.dir, moment):
            why = "paused"
            self.counted.paused += 1
        else:
            return None
        if isinstance(event, SubagentStart):
            _remember(self._off_record, (event.host, event.data.child_session_id))
        return why

    def _is_opted_out(self, event: Event, *, headless: bool) -> bool:
        """What holds for a session holds for the sub-agents that it starts."""
        settings = self.config()
        return (
            not settings.daemon.enabled
            or (headless and not settings.privacy.record_headless)
            or self._is_excluded(event)
            or (event.host, event.session_id) in self._off_record
        )


def _remember(known: set[tuple[str, str]], session: tuple[str, str]) -> None:
    if len(known) > MAX_REMEMBERED:
        known.clear()
    known.add(session)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


async def _cleaned(events: Sequence[Event], chars: int) -> list[tuple[Event, Mapping[str, int]]]:
    return clean_all(events) if chars <= INLINE_CHARS else await asyncio.to_thread(clean_all, events)


def _matches(cwd: str, pattern: str) -> bool:
    """An exclude glob covers the directory and all below it; `~` is the home directory."""
    expanded = str(Path(pattern).expanduser()).rstrip("/")
    return fnmatch.fnmatch(cwd, expanded) or fnmatch.fnmatch(cwd, f"{expanded}/*")
