"""What a session gets back: a snapshot at its start, a prefetch at each prompt. Late recall is left out."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from weakref import WeakValueDictionary

import structlog

from memoryd.clock import Clock
from memoryd.daemon import checkpoint, keeping, teaming, tuning
from memoryd.daemon.checkpoint import Checkpoint
from memoryd.daemon.config import Block as BlockSettings
from memoryd.daemon.config import Config
from memoryd.daemon.journal import recalled, worked
from memoryd.daemon.journal.goals import Goals
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.snapshots import Snapshot, Snapshots
from memoryd.daemon.journal.touched import touched
from memoryd.daemon.provider.recalled import ProviderRecall
from memoryd.daemon.teaming import Teams
from memoryd.errors import MemorydError
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, PostCompact, PreCompact, SessionStart, UserPrompt
from memoryd.ipc.hosts.base import Recall, Translated
from memoryd.memory import labels, nearby, nudge, recall, team
from memoryd.memory.blocks import Ask, Block, Setting, arranged
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.desk import session_ending
from memoryd.memory.guests import Guests
from memoryd.memory.model import Root
from memoryd.memory.recall import Recalled
from memoryd.memory.recall_blocks import ADVERT, BLOCKS, entries_in, handed_out
from memoryd.memory.shelf import Shelf
from memoryd.memory.words import content_words

ANSWER_SECONDS = 0.7  #: for recall in a hook's answer; the hook itself waits 1 s
REFRESH_SECONDS = 0.1  #: to see a person's edits before memory is told; unseen ones wait for the next look
AT_ONCE_SECONDS = 5.0  #: a session's start and its first prompt come within, in either order

_STARTED = "start"  #: shown to every session, so that one without memories is not told again how memory works

log = structlog.get_logger("recall")

Roots = Mapping[Root, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, as far as it is known: what a session works on ranks what it is told."""

    host: str | None = None
    session_id: str | None = None
    cwd: str | None = None

    @property
    def session(self) -> tuple[str, str] | None:
        return (self.host, self.session_id) if self.host and self.session_id else None


@dataclass(slots=True, kw_only=True)
class Recaller:
    """Reads catalogues, never files; remembers what each session was shown."""

    journal: Journal
    runs: JournalRuns
    shelf: Shelf
    config: Callable[[], Config]
    clock: Clock
    teams: Teams
    provider: ProviderRecall
    guests: Guests = field(default_factory=Guests)
    chosen: Callable[[str, str], tuple[str, ...]] = lambda host, session_id: ()
    """Ids of the entries that were chosen for a session's next prompt, once."""
    reminder: Callable[[str, str], str] = lambda host, session_id: ""
    """A line for a session's next prompt, once."""
    #: of the sessions that are being answered; gone with their last answer
    _locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def for_hook(self, translated: Translated, event: Event) -> str:
        """The context for a hook's answer, '' when there is nothing to say or it would come too late."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._turn_of(event):
                return await self._context(translated.recall, event)
        except TimeoutError:
            log.warning("recall.late", session=event.session_id, seconds=ANSWER_SECONDS)
        except MemorydError as error:  # the event is durable: an error would make the hook send it again
            log.warning("recall.failed", session=event.session_id, error=error.code)
        return ""

    def _turn_of(self, event: Event) -> asyncio.Lock:
        """A session's hooks are answered in turn: hosts run its start and its first prompt at once."""
        return self._locks.setdefault((event.host, event.session_id), asyncio.Lock())

    async def unheard(self, event: Event) -> None:
        """An answer reached nobody: the session counts as given nothing, and its next prompt brings all."""
        await asyncio.to_thread(self._snapshots.forget, event.host, event.session_id)

    async def observe(self, event: Event) -> None:
        """Take note of a compaction: it makes the snapshot stale.

        One that a host begins may come to nothing. It counts when it has ended, where the host tells that.
        """
        match event:
            case PreCompact(data=data) if data.summary:  # told by a transcript, which is read later
                await self._forgotten(event, before=event.at)
            case PreCompact() if hosts.get(event.host).tells_compacted:
                pass
            case PreCompact() | PostCompact():
                await self._forgotten(event)

    async def _forgotten(self, event: Event, *, before: datetime | None = None) -> None:
        await asyncio.to_thread(self._snapshots.mark_stale, event.host, event.session_id, before=before)

    async def snapshot(
        self, roots: Roots, *, budget_tokens: int | None = None, max_chars: int = recall.MAX_CHARS,
        query: str = "", shown: frozenset[str] = frozenset(), stood: Checkpoint | None = None,
        asker: Asker | None = None, unasked: bool = False,
    ) -> Recalled:  # fmt: skip
        """The memory for the start of a session in these roots.

        :param unasked: a hook's, not a person's or a tool's: what it holds is up to `[recall] mode`
        """
        async with asyncio.TaskGroup() as group:  # together, so that neither waits for the other
            told = group.create_task(self.provider.block(roots, asker.cwd if asker else None))
            await self._look(roots)
        catalogue = self.catalogue(roots)
        settings, language = self.config().recall, self.language_of(catalogue)
        words = labels.of(language)
        words = words.without_tools() if settings.mode == "context" else words
        now = self.clock()
        ask = Ask(
            catalogue=catalogue, now=now, today=now.astimezone().date(), weights=tuning.weights(self.config()),
            labels=words, checkpoint=checkpoint.inline(stood, words.resumption) if stood else None,
            where={root: str(path) for root, path in roots.items()}, resumed=bool(shown),
            talk=session_ending(*asker.session) if asker and asker.session and not stood else None,
            query=content_words(query or (stood.asks[-1] if stood else "")), prompt=query,
            provider=tuple(told.result()),
        )  # fmt: skip
        ask, blocks = await asyncio.to_thread(self._prepare, ask, roots, asker or Asker(), settings.blocks)
        if unasked and settings.mode == "tools":
            blocks = tuple(block for block in blocks if block.name == ADVERT)
        return recall.write(
            ask, blocks, budget_tokens=budget_tokens or settings.budget_tokens, max_chars=max_chars, shown=shown
        )

    async def snapshot_of_session(self, roots: Roots, asker: Asker) -> Recalled:
        """What a session was given at its start; at its first use it is taken, and kept if the session is known."""
        host, session_id = asker.session or ("", "")
        before = await asyncio.to_thread(self._snapshots.of, host, session_id)
        if before is not None and not before.stale:
            items = tuple(sorted(before.shown - {_STARTED}))
            return Recalled(text=before.text, items=items, left_out=0, generation=before.generation)
        stood = await self._stood(host, session_id) if before else None
        taken = await self.snapshot(roots, asker=asker, stood=stood)
        await self._remember(host, session_id, taken)
        return taken

    async def _stood(self, host: str, session_id: str) -> Checkpoint | None:
        found = await asyncio.to_thread(checkpoint.of, self.journal, host, session_id)
        return found and replace(found, provider=self.provider.before_compaction(host, session_id))

    def _prepare(
        self, ask: Ask, roots: Roots, asker: Asker, wanted: Mapping[str, BlockSettings]
    ) -> tuple[Ask, tuple[Block, ...]]:
        """What the journal adds, and the blocks that are on: guests as far as they answer in time. In a thread."""
        goals = Goals(self.journal).open_of(roots[root] for root in reversed(Root) if root in roots)
        notes = keeping.told(self.journal, list(roots.values()), asker.session, ask.labels)
        steps = self._steps(ask.catalogue, asker)
        ask = replace(ask, paths=self._paths(roots, asker), steps=steps, goals=goals, notes=notes)
        said = {name: Setting(**settings.model_dump()) for name, settings in wanted.items()}
        guests = self.guests.invite(ask, lambda name: said.get(name, Setting()).on)
        return ask, arranged([*BLOCKS, *guests], said)

    def _paths(self, roots: Roots, asker: Asker) -> tuple[str, ...]:
        """Where the session works."""
        directory = roots.get(Root.PROJECT, roots.get(Root.USER))
        if directory is None:
            return ()
        places = self.journal.projects.roots_of(directory.parent.name)
        here = next(filter(None, (nearby.below(root, asker.cwd) for root in places)), ())
        return (*here, *touched(self.journal, directory, asker.host, asker.session_id))

    async def prefetch(
        self, roots: Roots, query: str, *, shown: frozenset[str] = frozenset(), max_chars: int = recall.MAX_CHARS,
        budget_tokens: int | None = None, asker: Asker | None = None,
    ) -> Recalled:  # fmt: skip
        """The memories that a prompt speaks of, then those that were chosen for it when the turn before ended."""
        async with asyncio.TaskGroup() as group:  # together, so that neither waits for the other
            told = group.create_task(self.provider.prefetch(roots, asker.cwd if asker else None, query))
            if self.shelf.sights(roots) is None:
                await self._look(roots)
        catalogue = self.catalogue(roots)
        session = asker.session if asker else None
        return recall.prefetch(
            catalogue, query, now=self.clock(), already_shown=shown, max_chars=max_chars,
            chosen=self.chosen(*session) if session else (),
            language=self.language_of(catalogue), budget_tokens=budget_tokens or recall.PREFETCH_TOKENS,
            weights=tuning.weights(self.config()), provider=told.result(),
            goals=await asyncio.to_thread(self._goals, roots) if catalogue.procedures else (),
            steps=await asyncio.to_thread(self._steps, catalogue, asker),
        )  # fmt: skip

    def _steps(self, catalogue: Catalogue, asker: Asker | None) -> tuple[str, ...]:
        """What the session did lately, where an instinct may follow from it. Blocking."""
        session = asker.session if asker and catalogue.instincts else None
        return worked.lately(self.journal, *session) if session else ()

    def _goals(self, roots: Roots) -> list[str]:
        return [goal.text for goal in Goals(self.journal).open_of(roots.values())]

    def language_of(self, catalogue: Catalogue) -> str:
        """The configured language, or that of the memory."""
        language = self.config().recall.language
        return catalogue.language() if language == "auto" else language

    @property
    def _snapshots(self) -> Snapshots:
        return Snapshots(self.journal)

    async def _context(self, wanted: Recall, event: Event) -> str:
        roots = await asyncio.to_thread(self._roots_of, event.host, event.session_id)
        if roots is None:
            return ""
        before = await asyncio.to_thread(self._snapshots.of, event.host, event.session_id)
        match event:
            case SessionStart(data=data):
                return await self._start(event, data.source, roots, before)
            case UserPrompt(data=data) if wanted is Recall.PREFETCH:
                return await self._prompt(event, data.text, roots, before)
            case _:
                return ""

    def _roots_of(self, host: str, session_id: str) -> Roots | None:
        binding = self.journal.binding_of(host, session_id)
        return self.runs.roots_of(binding.dir) if binding else None

    async def _start(self, event: Event, source: str, roots: Roots, before: Snapshot | None) -> str:
        host, asker = hosts.get(event.host), _asker(event)
        max_chars = host.max_context_chars
        if source == "startup" and before is not None and self._just_taken(before):
            return ""  # the first prompt was quicker and has it
        if source == "fork" and host.replays_context:  # the copied conversation holds what its parent was shown
            taken = await self.snapshot(roots, max_chars=max_chars, asker=asker, unasked=True)
            return await self._keep(event, taken, say=False)
        if source == "resume" and host.replays_context and before is not None and not before.stale:
            changed = await self.snapshot(roots, max_chars=max_chars, shown=before.shown, asker=asker, unasked=True)
            return await self._add(event, changed, before)
        compacted = source == "compact" or (before is not None and before.stale)
        stood = await self._stood(event.host, event.session_id) if compacted else None
        taken = await self.snapshot(roots, max_chars=max_chars, stood=stood, asker=asker, unasked=True)
        return await self._keep(event, taken)

    def _just_taken(self, snapshot: Snapshot) -> bool:
        at = snapshot.at or self.clock()
        return not snapshot.stale and 0 <= (self.clock() - at).total_seconds() < AT_ONCE_SECONDS

    async def _prompt(self, event: Event, text: str, roots: Roots, before: Snapshot | None) -> str:
        max_chars = hosts.get(event.host).max_context_chars
        if before is None or before.stale:  # first use, or a host that has no start after a compaction
            stood = await self._stood(event.host, event.session_id) if before else None
            taken = await self.snapshot(
                roots, max_chars=max_chars, query=text, stood=stood, asker=_asker(event), unasked=True
            )
            return await self._keep(event, taken)
        if self.config().recall.mode == "tools":
            return ""
        found = await self.prefetch(roots, text, shown=before.shown, max_chars=max_chars, asker=_asker(event))
        await asyncio.to_thread(self.found, found.items, roots, text, (event.host, event.session_id))
        line = self.reminder(event.host, event.session_id)
        words = labels.of(self.language_of(self.catalogue(roots)))
        found = replace(found, text=nudge.added(found.text, line, words))
        return await self._add(event, found, before) if found.text else ""

    def found(self, items: Sequence[str], roots: Roots, query: str, session: tuple[str, str] = ("", "")) -> None:
        """Count the entries, by their ids, that a query found: what is wanted fades more slowly. Blocking."""
        if files := [(str(roots[Root(root)]), path) for root, path in entries_in(items) if root in roots]:
            recalled.hit(self.journal, files, query, self.clock(), session)

    async def _keep(self, event: Event, taken: Recalled, *, say: bool = True) -> str:
        """Remember the snapshot that the session was given, and say it."""
        await self._remember(event.host, event.session_id, taken)
        return taken.text if say else ""

    async def _add(self, event: Event, found: Recalled, before: Snapshot) -> str:
        """Remember what the session was shown beside its snapshot, which stays what it is, and say it."""
        row = replace(before, shown=before.shown | frozenset(found.items))
        await asyncio.to_thread(self._snapshots.put, event.host, event.session_id, row)
        await asyncio.to_thread(self._count, event.host, event.session_id, found)
        return found.text

    async def _remember(self, host: str, session_id: str, taken: Recalled) -> None:
        """Recalled text is never evidence."""
        shown = frozenset(taken.items) | {_STARTED}
        row = Snapshot(text=taken.text, generation=taken.generation, shown=shown, stale=False)
        await asyncio.to_thread(self._snapshots.put, host, session_id, row)
        await asyncio.to_thread(self._count, host, session_id, taken)

    def _count(self, host: str, session_id: str, taken: Recalled) -> None:
        """Count the procedures that were handed out with their steps. Blocking."""
        if found := handed_out(taken.items):
            roots = self._roots_of(host, session_id) or {}
            files = [(str(roots[Root(root)]), path) for root, path in found if root in roots]
            worked.hit(self.journal, host, session_id, files, self.clock())
            log.info("procedure.matched", session=session_id, procedures=len(files))

    def catalogue(self, roots: Roots) -> Catalogue:
        """The memory of these roots and what may be shown of the team's, as last looked at."""
        return team.beside(self.shelf.joined(roots), self.teams.shown(roots))

    async def _look(self, roots: Roots) -> None:
        """See a person's edits, if the disk is quick enough; else what was loaded last is used."""
        looking = asyncio.gather(
            self.shelf.refresh_existing(roots), asyncio.to_thread(self.teams.look, teaming.key_of(roots))
        )
        first = not self.shelf.loaded(roots)
        await asyncio.wait([looking], timeout=None if first else REFRESH_SECONDS)


def _asker(event: Event) -> Asker:
    return Asker(host=event.host, session_id=event.session_id, cwd=event.cwd)
