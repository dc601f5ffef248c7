"""The spool, the daemon's side: events that hooks could not deliver, one file each, handed on in name order.

Names are `<time_ns>-<pid>-<id>`, so name order is time order. What a hook left unfinished is removed after an hour; all
else in the folder (marks of the hook) is left alone. A file is removed once it was delivered; delivering twice is
harmless, the ids are the same.
"""

import asyncio
import errno
import os
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog

from memoryd import fsio
from memoryd.errors import FolderSilent, MemorydError, Retry
from memoryd.ipc.protocol import MAX_LINE_BYTES

MAX_FAILURES = 3  #: then the file goes to `bad/`, where `doctor` shows it
UNFINISHED_SECONDS = 3600  #: after that long the hook that wrote an unfinished file is gone

log = structlog.get_logger("spool")

Line = bytes
Deliver = Callable[[Line], Awaitable[None]]

_NAME = re.compile(r"\d{1,20}-\d{1,10}-[0-9a-f]{32}")


class Spool:
    """`drain` belongs on the event loop; the counts block for a moment and belong in a thread."""

    def __init__(self, folder: Path) -> None:
        """The folder need not exist yet; only this process may drain it."""
        self._folder = folder
        self._failures: Counter[str] = Counter()

    async def drain(self, deliver: Deliver) -> int:
        """Hand each waiting line, LF included, to `deliver` and return how many it took.

        An error of `deliver` with `retry` never, or none of ours, counts against the file. One of its folder alone lets
        it wait; any other one (disk full, stopping) ends the drain and leaves the order as it is.

        :raises MemorydError: that other error
        """
        await asyncio.to_thread(self._remove_unfinished)
        delivered = 0
        for name in await asyncio.to_thread(self._names):
            line = await asyncio.to_thread(self._read, name)
            if line is not None and await self._hand_on(name, line, deliver):
                delivered += 1
        return delivered

    async def _hand_on(self, name: str, line: Line, deliver: Deliver) -> bool:
        try:
            await deliver(line)
        except FolderSilent:
            return False  # all that happened in that folder waits, in order; the others need not
        except Exception as error:
            if isinstance(error, MemorydError) and error.retry is not Retry.NEVER:
                raise
            self._failures[name] += 1
            code = error.code if isinstance(error, MemorydError) else type(error).__name__
            log.warning("spool.refused", file=name, attempt=self._failures[name], error=code)
            if self._failures[name] >= MAX_FAILURES:
                await asyncio.to_thread(self._set_aside, name)
            return False
        await asyncio.to_thread(self._remove, name)
        return True

    def count(self) -> int:
        """How many files wait."""
        return len(self._names())

    def oldest(self) -> datetime | None:
        """When the hook ran that left the first of them; None: none waits."""
        names = self._names()
        return _time_of(names[0]) if names else None

    def bytes(self) -> int:
        """How many bytes they hold."""
        total = 0
        for name in self._names():
            with suppress(FileNotFoundError):
                total += (self._folder / name).lstat().st_size
        return total

    def discard(self, matches: Callable[[datetime, Line], bool], *, remove: bool) -> int:
        """Remove the files, those set aside too, whose time and content match; returns how many there are."""
        names = [*self._names(), *(f"bad/{name}" for name in self._bad())]
        found = [name for name in names if matches(_time_of(name), _start_of(self._folder / name))]
        for name in found if remove else ():
            self._remove(name)
        return len(found)

    def _bad(self) -> list[str]:
        with suppress(FileNotFoundError):
            return sorted(os.listdir(self._folder / "bad"))
        return []

    def bad(self) -> int:
        """How many files were set aside."""
        return len(self._bad())

    def marked(self, mark: str) -> bool:
        """Whether the hook left a mark: `slow` (a deadline was missed) or `full` (an event was dropped)."""
        return (self._folder / f".{mark}").exists()

    def _names(self) -> list[str]:
        with suppress(FileNotFoundError):
            return sorted(name for name in os.listdir(self._folder) if _NAME.fullmatch(name))
        return []

    def _read(self, name: str) -> Line | None:
        """The line, or None when it cannot be one: then the file is set aside."""
        line = _read_line(self._folder / name)
        if line is None:
            self._set_aside(name)
        return line

    def _remove(self, name: str) -> None:
        self._failures.pop(name, None)
        with suppress(FileNotFoundError):
            (self._folder / name).unlink()

    def _remove_unfinished(self) -> None:
        with suppress(FileNotFoundError):
            for entry in os.scandir(self._folder):
                age_seconds = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if entry.name.startswith(".tmp-") and age_seconds > UNFINISHED_SECONDS:
                    os.unlink(entry.path)

    def _set_aside(self, name: str) -> None:
        self._failures.pop(name, None)
        (self._folder / "bad").mkdir(mode=0o700, exist_ok=True)
        with fsio.folder(self._folder) as folder_fd, suppress(FileNotFoundError):
            fsio.rename(folder_fd, name, f"bad/{name}")


def _time_of(name: str) -> datetime:
    """When the hook ran, from a file's name: nanoseconds of the Unix epoch."""
    return datetime.fromtimestamp(int(name.rpartition("/")[2].partition("-")[0]) / 1e9, UTC)


def _start_of(path: Path) -> bytes:
    """What a file holds, as far as a line may be long; of a link or what cannot be read, nothing."""
    try:
        descriptor = fsio.open_regular(path)
    except OSError:
        return b""
    try:
        return os.read(descriptor, MAX_LINE_BYTES)
    finally:
        os.close(descriptor)


_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}  #: our trouble, not the file's


def _read_line(path: Path) -> bytes | None:
    """One whole line from a regular file of ours; None for links, pipes, other people's, torn or overlong files."""
    try:
        descriptor = fsio.open_regular(path)
    except OSError as error:
        if error.errno in _PASSING:
            raise fsio.translate(error, "read", str(path)) from error
        return None
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.getuid() or found.st_size > MAX_LINE_BYTES:
            return None
        line = fsio.read_all(descriptor)
    finally:
        os.close(descriptor)
    return line if line.endswith(b"\n") and line.count(b"\n") == 1 else None
