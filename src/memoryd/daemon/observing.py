"""Seeing a person's edits. The sweep looks at directories that were in use; a watcher only makes that quicker.

Nothing depends on the watcher: recall and search look before they tell, and every run looks before it writes.
"""

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import structlog
import watchfiles

from memoryd.clock import mono
from memoryd.errors import MemorydError
from memoryd.memory.shelf import Shelf

ACTIVE_SECONDS = 600.0  #: a directory is in use while its last event is younger than that
QUIET_SECONDS = 10.0  #: without an event, then nobody watches until the next one: a watcher never sleeps for long
ASK_SECONDS = 30.0  #: between two looks whether a directory in use exists by now
STEP_MS = 1000  #: the watcher's own look wakes the process that often; a quicker one costs a busy minute more
PAUSE_MS = 5_000  #: without a change, then the watcher asks whether it is still wanted

log = structlog.get_logger("observing")


@dataclass(slots=True)
class Observer:
    """Watches memory directories while events come for them; knows those that were in use in the last 10 minutes."""

    shelf: Shelf
    _active: dict[Path, float] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  #: one watcher at a time
    _asked: dict[Path, float] = field(default_factory=dict)
    _watched: frozenset[Path] = frozenset()
    _watching: asyncio.Task[None] | None = None

    def is_new(self, directory: Path) -> bool:
        """Whether this directory was not known to be in use for a while; tells the observer that it is."""
        now, before = mono(), self._active.get(directory)
        self._active[directory] = now
        if directory in self._watched or (before is not None and now - self._asked.get(directory, 0) < ASK_SECONDS):
            return False
        self._asked[directory] = now
        return True

    @property
    def watching(self) -> bool:
        return bool(self._watched)

    async def active(self, directory: Path) -> None:
        """An event came for this directory."""
        self._active[directory] = mono()
        if directory not in self._watched:
            await self._rewatch()

    def anything(self) -> bool:
        """Whether a directory in use is another one than when it was last looked at. Blocking: a stat for each file."""
        limit = mono() - ACTIVE_SECONDS
        return any(not self.shelf.as_seen(path) for path, at in tuple(self._active.items()) if at >= limit)

    async def look(self) -> None:
        """Look at the directories in use, and forget the others. Called by the sweep."""
        self._forget()
        await self._refresh(self._active.keys())

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching

    async def _rewatch(self) -> None:
        async with self._lock:
            await self._watch_existing()

    def _forget(self) -> None:
        limit = mono() - ACTIVE_SECONDS
        self._active = {path: at for path, at in self._active.items() if at >= limit}
        self._asked = {path: at for path, at in self._asked.items() if path in self._active}

    async def _watch_existing(self) -> None:
        self._forget()
        wanted = tuple(path for path in self._active if self._is_busy(path))
        exists = await asyncio.to_thread(lambda: frozenset(path for path in wanted if path.is_dir()))
        if exists == self._watched:
            return
        await self.close()
        self._watched, self._watching = exists, asyncio.create_task(self._watch(exists)) if exists else None

    async def _watch(self, paths: frozenset[Path]) -> None:
        """Until no event came for a while, or it cannot be done: no inotify watches left, a directory went away."""
        try:
            async with contextlib.aclosing(_changes(paths)) as watched:
                async for changes in watched:
                    if not changes and not any(map(self._is_busy, paths)):
                        break
                    touched = {Path(name) for _, name in changes if not Path(name).name.startswith(".")}
                    await self._refresh([path for path in paths if any(t.is_relative_to(path) for t in touched)])
        except OSError as error:
            log.warning("observing.failed", error=type(error).__name__)
        self._watched = frozenset()

    def _is_busy(self, path: Path) -> bool:
        return path in self._active and mono() - self._active[path] < QUIET_SECONDS

    async def _refresh(self, paths: Iterable[Path]) -> None:
        try:
            await self.shelf.refresh(list(paths))
        except MemorydError as error:
            log.warning("memory.unread", code=error.code)


async def _changes(paths: Iterable[Path]) -> AsyncGenerator[set[watchfiles.main.FileChange]]:
    """What changes in directories; nothing after each PAUSE_MS without a change.

    In a thread of its own: `watchfiles.awatch` would import the half of anyio that speaks TLS.
    """
    loop, stop = asyncio.get_running_loop(), threading.Event()
    watching = watchfiles.watch(
        *paths, step=STEP_MS, rust_timeout=PAUSE_MS, yield_on_timeout=True, stop_event=stop, raise_interrupt=False
    )
    thread = ThreadPoolExecutor(1, "watch")
    try:
        while (changes := await loop.run_in_executor(thread, next, watching, None)) is not None:
            yield changes
    finally:  # it looks whether it is to stop once in a step: nobody waits for that
        stop.set()
        thread.submit(watching.close)
        thread.shutdown(wait=False)
