"""Conversations into the journal, in pieces that are short enough for live events to pass between them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.imports import cursor, hermes, opencode
from memoryd.daemon.imports.found import Chats, Talk, Transcript
from memoryd.daemon.imports.places import place_of
from memoryd.daemon.imports.reading import pieces
from memoryd.daemon.imports.tally import Tally
from memoryd.daemon.imports.turns import Turns
from memoryd.daemon.ingest import Ingest
from memoryd.daemon.journal.imports import Imports
from memoryd.daemon.journal.journal import Appended, data_json
from memoryd.daemon.slow_disk import SlowDisk
from memoryd.errors import BadEvent
from memoryd.ipc.events import Event, Message, Turn

#: by host: the conversations of a file that is no transcript of its hooks' sessions
TALKS: Mapping[str, Callable[[Path], Iterator[Talk]]] = {
    opencode.HOST: opencode.talks, hermes.HOST: hermes.talks, cursor.HOST: cursor.talks,
}  # fmt: skip
PIECE_EVENTS = 64  #: of one transaction: some milliseconds of the journal's writer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the events of one session are taken."""

    place: str | None  #: a folder of its project; None: the user's
    headless: bool
    dry: bool
    consolidate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """Takes conversations in, or only counts what is in them."""

    imports: Imports
    ingest: Ingest
    disk: SlowDisk

    async def take(self, source: Transcript, tally: Tally, *, dry: bool, consolidate: bool) -> AsyncIterator[int]:
        """Take one transcript in; yields the bytes that were read after each piece.

        An id that is known adds nothing, so what a kill cut off is done by the next import from the start of the file.

        :raises Refusal: the file is not one that is read any more
        """
        way = await self._way(source.cwd, tally, headless=source.headless, dry=dry, consolidate=consolidate)
        before = tally.added
        live = await asyncio.to_thread(self.imports.told_live, source.host, source.session_id)
        async for events, size in pieces(source, Turns(by_prompt=not live)):
            async for _ in self._piecewise(events, way, tally):
                yield 0
            yield size
        tally.sessions += tally.added > before

    async def take_all(self, source: Chats, tally: Tally, *, dry: bool, consolidate: bool) -> AsyncIterator[int]:
        """Take all conversations of such a file in; those that its host's hooks told are there already, in other words.

        :raises Refusal: it cannot be read
        """
        talks = await asyncio.to_thread(TALKS[source.host], source.path)
        while (talk := await asyncio.to_thread(next, talks, None)) is not None:
            if await asyncio.to_thread(self.imports.told_live, source.host, talk.session_id):
                tally.known += len(talk.events)
                continue
            way = await self._way(talk.cwd, tally, headless=False, dry=dry, consolidate=consolidate)
            before, turns = tally.added, Turns()
            async for _ in self._piecewise([*turns.ended(talk.events), *turns.close()], way, tally):
                yield 0
            tally.sessions += tally.added > before
        yield source.stamp.size

    async def _way(self, cwd: str | None, tally: Tally, *, headless: bool, dry: bool, consolidate: bool) -> _Way:
        """A session whose folder is gone without a trace is only found: nothing tells whose memory it would be."""
        place = await place_of(cwd, self.disk)
        gone = cwd is not None and place is None
        tally.gone += gone
        return _Way(place=place, headless=headless, dry=dry, consolidate=consolidate and not gone)

    async def _piecewise(self, events: Sequence[Event], way: _Way, tally: Tally) -> AsyncIterator[None]:
        for start in range(0, len(events), PIECE_EVENTS):
            await (self._count if way.dry else self._append)(events[start : start + PIECE_EVENTS], way, tally)
            yield

    async def _append(self, piece: Sequence[Event], way: _Way, tally: Tally) -> None:
        arrivals = await self.ingest.admit(piece, headless=way.headless, hint=way.place)
        tally.off_record += len(piece) - len(arrivals)
        if not arrivals:
            return
        appended = await asyncio.to_thread(self.imports.take, arrivals, consolidate=way.consolidate)
        tally.dirs.add(arrivals[0].binding.dir)
        for arrival, one in zip(arrivals, appended, strict=True):
            _tell(tally, arrival.event, one)

    async def _count(self, piece: Sequence[Event], way: _Way, tally: Tally) -> None:
        binding = await self.ingest.binder.of_folder(way.place)
        kept = [event for event in piece if not self.ingest.off_record.covers(binding.dir, event)]
        tally.off_record += len(piece) - len(kept)
        tally.known += await asyncio.to_thread(self.imports.known, [event.id for event in kept])
        tally.messages += sum(isinstance(event, Message) for event in kept)
        tally.turns += sum(isinstance(event, Turn) for event in kept)
        tally.added += len(kept)
        if way.consolidate:
            size = await asyncio.to_thread(_size, kept)
            tally.chars[binding.dir] = tally.chars.get(binding.dir, 0) + size


def _tell(tally: Tally, event: Event, one: Appended) -> None:
    if one.duplicate:
        tally.known += one.seq > 0
        tally.removed += one.seq == 0
        return
    tally.added += 1
    tally.messages += isinstance(event, Message)
    tally.turns += isinstance(event, Turn)


def _size(events: Sequence[Event]) -> int:
    size = 0
    for event in events:
        try:
            size += len(data_json(event))
        except BadEvent:
            continue
    return size
