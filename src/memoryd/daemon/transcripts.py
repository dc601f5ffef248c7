"""The transcript reader: tails a host's transcript by byte offset, commits messages and offset together.

Only regular files of our uid are read, no links. A file that is gone or not to be trusted is noted; the texts that
the hooks brought are used instead.
"""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from io import FileIO
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

import structlog
from aiofiles.threadpool import wrap
from aiofiles.threadpool.binary import AsyncFileIO

from memoryd import fsio
from memoryd.daemon import originals, written
from memoryd.daemon.cleaning import clean
from memoryd.daemon.journal.journal import Appended, Arrival
from memoryd.daemon.journal.transcripts import Position, Positions
from memoryd.errors import MemorydError
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, PreCompact, SubagentStop
from memoryd.ipc.hosts.base import TranscriptRead
from memoryd.ipc.hosts.jsonlines import MAX_LINE_BYTES

CHUNK_BYTES = 1024 * 1024  #: that are read at once; of tiny records that is some 15 000 events
APPEND_EVENTS = 256

log = structlog.get_logger("transcript")


async def _nothing(event: Event) -> None: ...


async def _all(events: Sequence[Event]) -> Sequence[Event]:
    return events


@dataclass(slots=True)
class TranscriptReader:
    """Catches sessions up with their transcripts, one reader a session at a time."""

    positions: Positions
    user_memory: Path
    wake: Callable[[], None] = lambda: None
    off_record: Callable[[Path, Event], bool] = lambda directory, event: False  #: paused then, or in an excluded folder
    hide: Callable[[Sequence[Event]], Awaitable[Sequence[Event]]] = _all  #: what a repository wants not told
    observe: Callable[[Event], Awaitable[None]] = _nothing  #: what a snapshot becomes stale by
    #: of the sessions that are being read; gone with their last reader
    _locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def catch_up(self, host: str, session_id: str) -> None:
        """Read what is new in a session's transcript. Never raises for what the file holds."""
        lock = self._locks.setdefault((host, session_id), asyncio.Lock())
        async with lock:
            position = await asyncio.to_thread(self.positions.of, host, session_id)
            agents = await self._read(position) if position is not None else ()
        for agent in agents:
            await self.catch_up(host, agent)

    async def catch_up_directory(self, directory: Path, *, seconds: float) -> None:
        """Catch the dirty sessions of a directory up, as far as the time allows."""
        positions = await asyncio.to_thread(self.positions.of_directory, directory)
        try:
            async with asyncio.timeout(seconds):
                for position in positions:
                    await self.catch_up(position.host, position.session_id)
        except TimeoutError:
            log.warning("transcript.late", dir=str(directory), seconds=seconds)

    async def catch_up_all(self) -> None:
        """At start: sessions whose last event is newer than their last read are read again."""
        behind = await asyncio.to_thread(self.positions.behind)
        for position in behind + await asyncio.to_thread(self.positions.of_agents):
            await self.catch_up(position.host, position.session_id)

    async def catch_up_late(self) -> None:
        """Look once more at what was missing or ended: some hosts write their transcript behind their last hook."""
        for position in await asyncio.to_thread(self.positions.late):
            await self.catch_up(position.host, position.session_id)

    async def _read(self, position: Position) -> Sequence[str]:
        """Returns the sub-agents whose transcripts it tells of, and which are news."""
        agents: list[str] = []
        try:
            async with _opened(position.path) as file:
                status = os.fstat(file.fileno())
                same = (position.dev, position.ino) == (status.st_dev, status.st_ino)
                if not same or status.st_size < position.offset:
                    position = replace(position, offset=0)
                await file.seek(position.offset)
                size = CHUNK_BYTES
                while (chunk := await _chunk(file, size)) is not None:
                    final = position.ended or size >= MAX_LINE_BYTES
                    position, consumed = await self._take(position, chunk, status, agents, final=final)
                    if len(chunk) < size or not (consumed or size < MAX_LINE_BYTES):
                        break
                    size = CHUNK_BYTES if consumed else size * 2  # a call whose result stands far below
                    await file.seek(position.offset)
            if position.unread:
                await asyncio.to_thread(self.positions.done, position)
        except FileNotFoundError:
            await asyncio.to_thread(self.positions.mark, position, "missing")
        except (OSError, ValueError) as error:
            log.warning("transcript.refused", session=position.session_id, reason=type(error).__name__)
            await asyncio.to_thread(self.positions.mark, position, "refused")
        except MemorydError as error:
            log.warning("transcript.failed", session=position.session_id, code=error.code)
        return agents

    async def _take(
        self, position: Position, chunk: bytes, status: os.stat_result, agents: list[str], *, final: bool
    ) -> tuple[Position, int]:
        """Translate and commit one chunk; returns the new position and how many bytes are done.

        :param agents: gets the sub-agents whose transcripts are to be read now
        :param final: no call that waits in it will get a result
        """
        read = await asyncio.to_thread(self._translate, position, chunk, final)
        told = await self.hide(read.events)
        arrivals = await asyncio.to_thread(self._arrivals, position, chunk, told)
        done = position
        for start in range(0, max(len(arrivals), 1), APPEND_EVENTS):
            last = start + APPEND_EVENTS >= len(arrivals)
            done = replace(
                position,
                offset=position.offset + read.consumed if last else position.offset,
                state=read.state if last else position.state,
                dev=status.st_dev,
                ino=status.st_ino,
            )
            appended = await asyncio.to_thread(self._commit, done, arrivals[start : start + APPEND_EVENTS])
            if any(one.job for one in appended):
                self.wake()
            for arrival, one in zip(arrivals[start : start + APPEND_EVENTS], appended, strict=True):
                if isinstance(arrival.event, PreCompact) and not one.duplicate:
                    await self.observe(arrival.event)
                if isinstance(arrival.event, SubagentStop) and arrival.child_transcript_path and not one.duplicate:
                    agents.append(arrival.event.data.child_session_id)
        return done, read.consumed

    def _translate(self, position: Position, chunk: bytes, final: bool) -> TranscriptRead:
        if b"\n" not in chunk:  # a line longer than any that is read: skip this part of it
            return TranscriptRead(events=(), consumed=len(chunk), state=position.state, bad_lines=1)
        read = hosts.get(position.host).read_transcript(
            chunk, session_id=position.session_id, cwd=position.cwd, state=position.state, final=final
        )
        return replace(read, events=tuple(self.positions.of_this_memory(position, read.events)))

    def _arrivals(self, position: Position, chunk: bytes, told: Sequence[Event]) -> list[Arrival]:
        binding = position.binding
        wanted = [event for event in told if not self.off_record(binding.dir, event)]
        events = [*wanted, *written.derived(wanted, (binding.dir, self.user_memory))]
        place = originals.Place(path=position.path, start=position.offset, size=len(chunk))
        cleaned = map(clean, originals.shortened(events, place))
        return [
            Arrival(
                event=event, binding=binding, redacted=redacted, child_transcript_path=_of_agent(position, event)
            )
            for event, redacted in cleaned
        ]  # fmt: skip

    def _commit(self, position: Position, arrivals: list[Arrival]) -> list[Appended]:
        return self.positions.commit(position, arrivals)


def _of_agent(position: Position, event: Event) -> str | None:
    """Where the transcript of the sub-agent lies whose end an event is."""
    if not isinstance(event, SubagentStop):
        return None
    return hosts.get(position.host).agent_transcript(position.path, event.session_id, event.data.child_session_id)


@asynccontextmanager
async def _opened(path: str) -> AsyncIterator[AsyncFileIO]:
    """The file, closed whatever happens: a task that is cancelled does not end the thread that opens it.

    :raises OSError: it is not a regular file of our uid with one name, or cannot be read
    """
    opening = asyncio.get_running_loop().run_in_executor(None, _open_safely, path)
    try:
        file = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close)
        raise
    with file:
        yield wrap(file)


def _close(opened: asyncio.Future[FileIO]) -> None:
    if opened.exception() is None:
        opened.result().close()


async def _chunk(file: AsyncFileIO, size: int) -> bytes | None:
    """The next complete lines, at least one; None at the end. Grows up to the longest line that is read."""
    data = bytes(await file.read(size) or b"")
    while data and b"\n" not in data and len(data) < MAX_LINE_BYTES:
        more = await file.read(CHUNK_BYTES)
        if not more:
            return None
        data += more
    return data or None


def look(path: str) -> tuple[Literal["ok", "missing", "refused"], str]:
    """How a transcript stands now, and why it would be refused. Blocking."""
    try:
        _open_safely(path).close()
    except FileNotFoundError:
        return "missing", ""
    except OSError as error:
        return "refused", error.strerror or str(error)
    return "ok", ""


def _open_safely(path: str) -> FileIO:
    """:raises OSError: it is not a regular file of our uid with one name, or cannot be read"""
    file = FileIO(fsio.open_regular(path))
    status = os.fstat(file.fileno())
    if status.st_uid == os.getuid() and status.st_nlink <= 1:
        return file
    file.close()
    raise PermissionError(errno.EPERM, "it is not a plain file of yours with one name", path)
