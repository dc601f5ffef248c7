"""One transcript into the journal, in pieces that are short enough for live events to pass between them."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memoryd.daemon.imports.found import Transcript
from memoryd.daemon.imports.tally import Tally
from memoryd.daemon.imports.turns import Turns
from memoryd.daemon.imports.walking import opened
from memoryd.daemon.ingest import Ingest
from memoryd.daemon.journal.imports import IDLE_SECONDS, Imports
from memoryd.daemon.journal.journal import Appended, data_json
from memoryd.errors import BadEvent
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, Message, Turn
from memoryd.ipc.hosts.base import Host, TranscriptRead, TranscriptState

CHUNK_BYTES = 256 * 1024
MAX_LINE_BYTES = 32 * 1024 * 1024  #: a longer line is skipped
PIECE_EVENTS = 64  #: of one transaction: some milliseconds of the journal's writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """Takes transcripts in, or only counts what is in them."""

    imports: Imports
    ingest: Ingest

    async def take(self, source: Transcript, tally: Tally, *, dry: bool, consolidate: bool) -> AsyncIterator[int]:
        """Take one transcript in; yields the bytes that were read after each piece.

        An id that is known adds nothing, so what a kill cut off is done by the next import from the start of the file.

        :raises Refusal: the file is not one that is read any more
        """
        before = tally.added
        live = await asyncio.to_thread(self.imports.told_live, source.host, source.session_id)
        turns = Turns(by_prompt=not live)
        async for events, size in _pieces(source, turns):
            for start in range(0, len(events), PIECE_EVENTS):
                piece = events[start : start + PIECE_EVENTS]
                if dry:
                    await self._count(source, piece, tally)
                else:
                    await self._append(source, piece, tally, consolidate)
                yield 0
            yield size
        tally.sessions += tally.added > before

    async def _append(self, source: Transcript, piece: Sequence[Event], tally: Tally, consolidate: bool) -> None:
        arrivals = await self.ingest.admit(piece, headless=source.headless)
        appended = await asyncio.to_thread(self.imports.take, arrivals, consolidate=consolidate) if arrivals else []
        tally.off_record += len(piece) - len(arrivals)
        if arrivals:
            tally.dirs.add(arrivals[0].binding.dir)
        for arrival, one in zip(arrivals, appended, strict=True):
            _tell(tally, arrival.event, one)

    async def _count(self, source: Transcript, piece: Sequence[Event], tally: Tally) -> None:
        binding = await self.ingest.binding_of(source.cwd)
        kept = [event for event in piece if not self.ingest.is_off_record(binding.dir, event)]
        tally.off_record += len(piece) - len(kept)
        tally.known += await asyncio.to_thread(self.imports.known, [event.id for event in kept])
        for event in kept:
            tally.messages += isinstance(event, Message)
            tally.turns += isinstance(event, Turn)
        size = await asyncio.to_thread(_size, kept)
        tally.chars[binding.dir] = tally.chars.get(binding.dir, 0) + size
        tally.added = tally.messages


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


async def _pieces(source: Transcript, turns: Turns) -> AsyncIterator[tuple[list[Event], int]]:
    """The events of a file, a chunk of it at a time, and how many bytes of it that was."""
    fd, _ = await asyncio.to_thread(opened, source.path)
    try:
        reader = _Reader(hosts.get(source.host), source, fd, is_over(source))

        def following() -> tuple[list[Event], int] | None:
            found = reader.next()
            return found and (list(turns.ended(found[0])), found[1])

        while (found := await asyncio.to_thread(following)) is not None:
            yield found
        yield list(turns.close(over=reader.final)), 0
    finally:
        os.close(fd)


def is_over(source: Transcript) -> bool:
    """Whether its session is over: a tool call without a result will get none any more."""
    touched = datetime.fromtimestamp(source.stamp.mtime_ns / 1e9, UTC)
    return datetime.now(UTC) - touched > timedelta(seconds=IDLE_SECONDS)


class _Reader:
    """Reads a file from its start, whole lines at a time, through its host's translator."""

    def __init__(self, host: Host, source: Transcript, fd: int, final: bool) -> None:
        self.final = final
        self._host, self._source, self._fd = host, source, fd
        self._offset = 0
        self._window = CHUNK_BYTES
        self._state = TranscriptState()

    def next(self) -> tuple[tuple[Event, ...], int] | None:
        """The events of the next chunk and its bytes; None at the end. Blocking."""
        chunk = os.pread(self._fd, self._window, self._offset)
        if not chunk:
            return None
        last = len(chunk) < self._window
        if last and not chunk.endswith(b"\n") and self.final:
            chunk += b"\n"  # nobody writes the rest of this line any more
        read = self._translate(chunk, last)
        if read.consumed == 0 and not last and self._window < MAX_LINE_BYTES:
            self._window *= 2  # a long line, or a call whose result stands far below
            return (), 0
        size = read.consumed or chunk.rfind(b"\n") + 1 or len(chunk)
        done = len(chunk) if last else size
        self._offset, self._state, self._window = self._offset + done, read.state, CHUNK_BYTES
        return read.events, done

    def _translate(self, chunk: bytes, last: bool) -> TranscriptRead:
        return self._host.read_transcript(
            chunk, session_id=self._source.session_id, cwd=self._source.cwd, state=self._state,
            final=last and self.final,
        )  # fmt: skip
