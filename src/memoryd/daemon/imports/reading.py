"""One transcript as events, a chunk at a time, through its host's translator."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

from memoryd.daemon import originals
from memoryd.daemon.imports import databases
from memoryd.daemon.imports.found import Notebook, Source, Transcript
from memoryd.daemon.imports.turns import Turns
from memoryd.daemon.imports.walking import opened
from memoryd.daemon.journal.imports import IDLE_SECONDS
from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import Host, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.jsonlines import MAX_LINE_BYTES

CHUNK_BYTES = 256 * 1024


async def pieces(source: Transcript, turns: Turns) -> AsyncIterator[tuple[list[Event], int]]:
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


def is_over(source: Source) -> bool:
    """Whether nobody writes to a source any more: a tool call without a result will get none. Blocking."""
    if source.path.suffix == ".db" and not databases.is_settled(source.path):
        return False
    touched = datetime.fromtimestamp(source.stamp.mtime_ns / 1e9, UTC)
    return isinstance(source, Notebook) or datetime.now(UTC) - touched > timedelta(seconds=IDLE_SECONDS)


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
        place = originals.Place(path=str(self._source.path), start=self._offset, size=len(chunk))
        self._offset, self._state, self._window = self._offset + done, read.state, CHUNK_BYTES
        return tuple(originals.shortened(read.events, place)), done

    def _translate(self, chunk: bytes, last: bool) -> TranscriptRead:
        return self._host.read_transcript(
            chunk, session_id=self._source.session_id, cwd=self._source.cwd, state=self._state,
            final=last and self.final,
        )  # fmt: skip
