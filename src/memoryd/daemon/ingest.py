"""Accept: raw hook payloads and published events -> the journal, durable before the answer.

The steps are those of docs/durability.md, "Accept".
"""

import asyncio
import fnmatch
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.daemon import projects
from memoryd.daemon.cleaning import clean, split
from memoryd.daemon.config import Config
from memoryd.daemon.journal import quarantine
from memoryd.daemon.journal.journal import Appended, Arrival, Binding, Journal
from memoryd.daemon.journal.upkeep import Pause
from memoryd.errors import BadEvent, NotFound
from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import RawHook, Recall, Translated, TranslationError
from memoryd.ipc.methods.events import EventPublish, EventPublished, HookDeliver, HookDelivered
from memoryd.ipc.places import Places
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.path_rules import check_directory

INLINE_CHARS = 16 * 1024  #: a payload up to this is cleaned on the loop; a longer one in a thread
PROJECT_SECONDS = 0.1  #: to find a project root; on a slower file system the session goes to the user's memory

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
    counted: Counted = field(default_factory=Counted)
    _bindings: dict[tuple[str, str], Binding] = field(default_factory=dict)

    async def deliver(self, params: HookDeliver, *, replay: bool = False) -> HookDelivered:
        """Record what a hook brought and answer with what it prints. Never fails for content."""
        # 3. translate
        translated = await self._translate(params)
        if translated is None or not translated.events:
            self.counted.ignored += translated is not None
            return HookDelivered()
        first = translated.events[0]
        binding = await self._bind(first, translated.project_hint)
        moment = params.at if replay else self.journal.clock()  # what was spooled counts for when it was said
        if not self._wanted(first, binding, headless=translated.headless, moment=moment):
            return HookDelivered()
        # 4. clean, 5. one transaction, 6. after the commit: the answer
        arrivals = [
            Arrival(
                event=event, binding=binding, transcript_path=translated.transcript_path, headless=translated.headless
            )
            for event in await _cleaned(translated.events, len(params.raw))
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
        if event.memory_dir is not None and not event.memory_dir.startswith("/"):
            raise BadEvent(f"memory_dir {event.memory_dir!r} is not absolute; give the whole path")
        binding = await self._bind(event, None)
        if not self._wanted(event, binding, headless=False, moment=self.journal.clock()):
            return EventPublished(seq=0, duplicate=False, turn_count=0)
        cleaned = await _cleaned((event,), len(event.data.model_dump_json()))
        arrivals = [Arrival(event=e, binding=binding) for e in cleaned]
        appended = await self.journal.append(arrivals)
        self.after_append(event, appended, binding, None)
        one = appended[0]
        return EventPublished(seq=one.seq, duplicate=one.duplicate, turn_count=one.turn_count, due=one.due, job=one.job)

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
            self.counted.quarantined += 1
            log.warning("hook.quarantined", host=params.host, hook=params.event, id=params.id)
            await asyncio.to_thread(self._keep, params, str(error))
            return None

    def _keep(self, params: HookDeliver, fault: str) -> None:
        """Put a payload that nobody understood aside. In a thread."""
        quarantine.keep(
            self.journal, id=params.id, host=params.host, event=params.event, raw=sanitise(params.raw),
            error=sanitise(fault)[:500],
        )  # fmt: skip

    async def _bind(self, event: Event, hint: str | None) -> Binding:
        """A session is bound once; later events may come from anywhere."""
        key = (event.host, event.session_id)
        binding = self._bindings.get(key) or await asyncio.to_thread(self.journal.binding_of, *key)
        if binding is None:
            binding = await self._new_binding(event, hint)
        if len(self._bindings) > 10_000:
            self._bindings.clear()
        self._bindings[key] = binding
        return binding

    async def _new_binding(self, event: Event, hint: str | None) -> Binding:
        if event.memory_dir is not None:
            await asyncio.to_thread(check_directory, event.memory_dir)
            return Binding(dir=Path(event.memory_dir), kind="explicit")
        return await self.binding_of(event.cwd, hint)

    async def binding_of(self, cwd: str | None, hint: str | None = None) -> Binding:
        """The directory that a working directory belongs to."""
        try:
            async with asyncio.timeout(PROJECT_SECONDS):
                project = await asyncio.to_thread(projects.find, cwd, hint)
        except TimeoutError:
            log.warning("project.slow", seconds=PROJECT_SECONDS)
            project = None
        if project is None:
            return Binding(dir=self.places.user_memory, kind="user")
        key = await asyncio.to_thread(self.journal.projects.key_of, project)
        return Binding(dir=self.places.data / "projects" / key / "memory", kind="project", project=key)

    def is_off_record(self, directory: Path, event: Event) -> bool:
        """Whether an event that a transcript holds was said during a pause or in an excluded folder."""
        return self.is_paused(directory, event.at) or self._is_excluded(event)

    def _is_excluded(self, event: Event) -> bool:
        return bool(event.cwd) and any(_matches(event.cwd or "", p) for p in self.config().privacy.exclude)

    def is_paused(self, directory: Path, moment: datetime) -> bool:
        """Whether recording was paused for a directory at that moment."""
        return any(pause.covers(directory, moment) for pause in self.pauses)

    def _wanted(self, event: Event, binding: Binding, *, headless: bool, moment: datetime) -> bool:
        settings = self.config()
        if not settings.daemon.enabled or (headless and not settings.privacy.record_headless):
            self.counted.excluded += 1
            return False
        if self._is_excluded(event):
            self.counted.excluded += 1
            return False
        if self.is_paused(binding.dir, moment):
            self.counted.paused += 1
            return False
        return True


async def _cleaned(events: Sequence[Event], chars: int) -> list[Event]:
    def work() -> list[Event]:
        return [part for event in events for part in split(clean(event))]

    return work() if chars <= INLINE_CHARS else await asyncio.to_thread(work)


def _matches(cwd: str, pattern: str) -> bool:
    """An exclude glob covers the directory and all below it; `~` is the home directory."""
    expanded = str(Path(pattern).expanduser()).rstrip("/")
    return fnmatch.fnmatch(cwd, expanded) or fnmatch.fnmatch(cwd, f"{expanded}/*")
