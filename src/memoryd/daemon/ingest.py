"""Accept: raw hook payloads and published events -> the journal, durable before the answer.

The steps are those of docs/durability.md, "Accept".
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.daemon import originals
from memoryd.daemon.binding import Binder
from memoryd.daemon.cleaning import clean_all
from memoryd.daemon.hooktests import HookTests
from memoryd.daemon.journal import quarantine
from memoryd.daemon.journal.journal import Appended, Arrival, Binding, Journal
from memoryd.daemon.off_record import OffRecord
from memoryd.daemon.written import derived
from memoryd.errors import BadEvent, NotFound, PathRefused
from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import RawHook, Recall, Translated, TranslationError
from memoryd.ipc.methods.events import EventPublish, EventPublished, HookDeliver, HookDelivered, PassedOver, Refused
from memoryd.ipc.sanitise import sanitise

INLINE_CHARS = 16 * 1024  #: a payload up to this is cleaned on the loop; a longer one in a thread

log = structlog.get_logger("ingest")

RecallFor = Callable[[Translated, Event], Awaitable[str]]
Unheard = Callable[[Event], Awaitable[None]]
AfterAppend = Callable[[Event, list[Appended], Binding, str | None], None]


@dataclass(slots=True)
class Counted:
    """Hook firings that were acknowledged without being recorded, by reason."""

    ignored: int = 0
    unknown_host: int = 0
    excluded: int = 0
    paused: int = 0
    quarantined: int = 0


@dataclass(slots=True, kw_only=True)
class Ingest:
    """The way in."""

    journal: Journal
    binder: Binder
    off_record: OffRecord
    user_memory: Path
    recall: RecallFor
    unheard: Unheard  #: an event that was answered came again by the spool: its hook had not waited for the answer
    after_append: AfterAppend
    counted: Counted = field(default_factory=Counted)
    tests: HookTests = field(default_factory=HookTests)

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
            return HookDelivered(refused=Refused(code=error.code, message=str(error)))
        moment = params.at if replay else self.journal.clock()  # what was spooled counts for when it was said
        if self._passed_over(first, binding, headless=translated.headless, moment=moment):
            return HookDelivered()
        # 4. clean, 5. one transaction, 6. after the commit: the answer
        told = originals.shortened(await self.off_record.told(translated.events))
        roots = (binding.dir, self.user_memory)
        arrivals = [
            Arrival(
                event=event,
                binding=binding,
                transcript_path=translated.transcript_path,
                child_transcript_path=translated.child_transcript_path,
                headless=translated.headless,
                redacted=redacted,
            )
            for event, redacted in await _cleaned([*told, *derived(told, roots)], len(params.raw))
        ]
        appended = await self.journal.append(arrivals)
        self.after_append(first, appended, binding, translated.transcript_path)
        stdout = ""
        if replay and appended[0].duplicate and translated.recall is not Recall.NONE:
            await self.unheard(arrivals[0].event)
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
        told = await self.off_record.told((event,))
        told = [*told, *derived(told, (binding.dir, self.user_memory))]
        cleaned = await _cleaned(told, len(event.data.model_dump_json()))
        arrivals = [Arrival(event=e, binding=binding, redacted=redacted) for e, redacted in cleaned]
        appended = await self.journal.append(arrivals)
        self.after_append(event, appended, binding, None)
        one = appended[0]
        return EventPublished(seq=one.seq, duplicate=one.duplicate, turn_count=one.turn_count, due=one.due, job=one.job)

    async def admit(self, events: Sequence[Event], *, headless: bool, hint: str | None = None) -> list[Arrival]:
        """What may be recorded of a session that comes as a whole, cleaned; it is not appended yet.

        What was said off the record stays out, as it does when a transcript is read. Nothing was said later than now:
        a time to come would outdo all that a person says or forgets until then.

        :param hint: a folder of its project, where its own is gone
        """
        binding = await self._bind(events[0], hint)
        if self.off_record.is_opted_out(events[0], headless=headless):
            return []
        now = self.journal.clock()
        said = [event if event.at <= now else event.model_copy(update={"at": now}) for event in events]
        kept = [event for event in said if not self.off_record.covers(binding.dir, event)]
        told = await self.off_record.told_of(kept)
        cleaned = await asyncio.to_thread(clean_all, told)
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
        await self.off_record.look(event)
        return await self.binder.of_session(event, hint)

    def _passed_over(self, event: Event, binding: Binding, *, headless: bool, moment: datetime) -> PassedOver | None:
        """Why an event is not recorded, counted; None: it is."""
        why = self.off_record.why(event, binding.dir, headless=headless, moment=moment)
        self.counted.excluded += why == "excluded"
        self.counted.paused += why == "paused"
        return why


async def _cleaned(events: Sequence[Event], chars: int) -> list[tuple[Event, Mapping[str, int]]]:
    return clean_all(events) if chars <= INLINE_CHARS else await asyncio.to_thread(clean_all, events)
