"""An import from its plan to its end, a second of work at a time: the client asks for the next until it is finished."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from memoryd.clock import mono
from memoryd.daemon.imports.conversations import Conversations
from memoryd.daemon.imports.filing import Filing
from memoryd.daemon.imports.found import Candidate, Chats, Notebook, PassedOver, Source, Transcript
from memoryd.daemon.imports.reading import is_over
from memoryd.daemon.imports.recognising import SOURCES, recognise
from memoryd.daemon.imports.tally import Tally
from memoryd.daemon.imports.walking import Refusal, candidates
from memoryd.daemon.journal.imported import ImportedFiles
from memoryd.errors import FolderSilent, NotFound, UsageError

ANSWER_SECONDS = 0.5  #: of work for one answer
REST = 1.0  #: after each piece, of the time that it took: half of a processor and of the disk is left to live events
MAX_REST_SECONDS = 0.25
DOUBTED = "{} reads like an attempt at an attack, --mine does not vouch for it: it waits in `memoryd review list`"
PLAN_SECONDS, STEP_SECONDS = 300.0, 30.0  #: to look at every file, for one piece; a disk that takes longer hangs
MAX_UNDER_WAY = 4  #: imports; the oldest is given up, and goes on when it is asked for again from its start

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person asked for."""

    paths: tuple[Path, ...]
    host: str | None = None  #: only what comes from it
    dry: bool = False
    mine: bool = False  #: the user vouches for their own rule files
    consolidate: bool = True


@dataclass(slots=True, kw_only=True)
class UnderWay:
    """One import: its plan and how far it is."""

    id: str
    wanted: Wanted
    sources: Sequence[Source]
    passed_over: list[PassedOver]
    tally: Tally = field(default_factory=Tally)
    finished: bool = False
    work: AsyncIterator[int] | None = None


@dataclass(slots=True, kw_only=True)
class Importer:
    """Imports that are under way. What they have done is in the journal; an import that was cut off starts anew."""

    data: Path  #: memoryd's own files are no source
    files: ImportedFiles
    conversations: Conversations
    filing: Callable[[], Filing]
    make_due: Callable[[Path], bool]  #: blocking
    look_again: Callable[[], None]
    under_way: dict[str, UnderWay] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def begin(self, wanted: Wanted) -> UnderWay:
        """Look at what is there; nothing is read whole, nothing changed.

        :raises UsageError: nothing that this host keeps can be read
        :raises NotFound: nothing is at one of the paths
        :raises LimitExceeded: too many files
        :raises FolderSilent: the disk does not answer
        """
        if wanted.host not in (None, *SOURCES):
            raise UsageError(
                f"nothing that {wanted.host} keeps can be imported; name one of {', '.join(sorted(SOURCES))}"
            )
        sources, passed_over = await _in_time(asyncio.to_thread(_plan, wanted, self.data), PLAN_SECONDS)
        one = UnderWay(id=uuid.uuid4().hex, wanted=wanted, sources=sources, passed_over=passed_over)
        one.work = self._work(one)
        self.under_way[one.id] = one
        while len(self.under_way) > MAX_UNDER_WAY:
            self.under_way.pop(next(iter(self.under_way)))
        return one

    async def go_on(self, ident: str) -> UnderWay:
        """Work for half a second.

        :raises NotFound: the daemon was restarted meanwhile, or it is finished: begin it again, it goes on
        """
        one = self.under_way.get(ident)
        if one is None or one.work is None:
            raise NotFound(f"no import {ident[:8]} is under way; run `memoryd import` again, it goes on where it was")
        async with self._turn:
            try:
                one.finished = await _some(one, one.work)
            except BaseException:
                self.under_way.pop(ident, None)  # its work cannot be taken up; a new one finds what was done
                raise
        if one.finished:
            self.under_way.pop(ident, None)
        return one

    async def _work(self, one: UnderWay) -> AsyncIterator[int]:
        # 1. transcripts, the oldest first, so that what was said later stands later
        filing, read = self.filing(), list[Notebook]()
        for source in one.sources:
            if await asyncio.to_thread(self.files.holds, source.path, astuple(source.stamp)):
                one.tally.files_unchanged += 1
                yield source.stamp.size
            else:
                async for size in self._source(one, source, filing, read):
                    yield size
            one.tally.files_done += 1
        if one.wanted.dry:
            return
        # 2. what notebooks said becomes proposals
        async for size in filing.file(one.tally):
            yield size
        for notebook in read:
            await asyncio.to_thread(self._done, notebook)
        # 3. the directories are due; the worker takes one bounded range after the other
        for directory in one.tally.dirs if one.wanted.consolidate else ():
            await asyncio.to_thread(self.make_due, directory)
        self.look_again()

    async def _source(self, one: UnderWay, source: Source, filing: Filing, read: list[Notebook]) -> AsyncIterator[int]:
        """Take one source in, or say why not; a notebook that was read is done once what it said is filed."""
        wanted, tally = one.wanted, one.tally
        try:
            if isinstance(source, Notebook):
                async for size in filing.take(source, tally, dry=wanted.dry, mine=wanted.mine):
                    yield size
                one.passed_over += [PassedOver(path=path, why=DOUBTED.format(place)) for path, place in tally.doubted]
                tally.doubted.clear()
                read.append(source)
                yield source.stamp.size
                return
            talks = self.conversations
            how = {"dry": wanted.dry, "consolidate": wanted.consolidate}
            work = (
                talks.take_all(source, tally, **how) if isinstance(source, Chats) else talks.take(source, tally, **how)
            )
            async for size in work:
                yield size
            if not wanted.dry:
                await asyncio.to_thread(self._done, source)
        except (Refusal, FolderSilent) as refusal:
            one.passed_over.append(PassedOver(path=source.path, why=str(refusal)))

    def _done(self, source: Source) -> None:
        """Note that a source was taken in, unless it may still be written to: then it is read again next time."""
        if is_over(source):
            self.files.add(source.path, astuple(source.stamp))


async def _some(one: UnderWay, work: AsyncIterator[int]) -> bool:
    """Go on for half a second; returns whether that was all."""
    began = mono()
    until = began + ANSWER_SECONDS
    while (size := await _in_time(anext(work, None), STEP_SECONDS)) is not None:
        one.tally.bytes_done += size
        if mono() >= until:
            return False
        await asyncio.sleep(min(MAX_REST_SECONDS, REST * (mono() - began)))
        began = mono()
    return True


async def _in_time(step: Awaitable[T], seconds: float) -> T:
    """Wait for one step; what reads a disk that hangs stays in its thread.

    :raises FolderSilent: the disk does not answer
    """
    try:
        return await asyncio.wait_for(step, seconds)
    except TimeoutError:
        raise FolderSilent(
            f"the disk has not answered for {seconds:g} seconds; run `memoryd import` again when it does,"
            " it goes on where it was"
        ) from None


def _plan(wanted: Wanted, data: Path) -> tuple[list[Source], list[PassedOver]]:
    """What is below the paths: transcripts by their time, then notebooks. Blocking."""
    sources, passed_over = dict[Path, Source](), list[PassedOver]()
    for found in candidates(wanted.paths, but=data.resolve()):
        known = recognise(found, wanted.host) if isinstance(found, Candidate) else found
        if isinstance(known, PassedOver):
            passed_over.append(known)
        elif known is not None:
            sources[known.path] = known
    return sorted(sources.values(), key=_when), passed_over


def _when(source: Source) -> tuple[bool, datetime]:
    written = datetime.fromtimestamp(source.stamp.mtime_ns / 1e9, UTC)
    began = source.began_at if isinstance(source, Transcript) else None
    return isinstance(source, Notebook), began or written
