"""After the answer: what an event leads to besides its row: its transcript read, edits watched for, work awake."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from memoryd.daemon.indexing import Indexer
from memoryd.daemon.journal.journal import Appended, Binding
from memoryd.daemon.maturing import Maturer
from memoryd.daemon.nudging import Nudger
from memoryd.daemon.observing import Observer
from memoryd.daemon.preparing import Preparer
from memoryd.daemon.provider.feeding import Feeder
from memoryd.daemon.recalling import Recaller
from memoryd.daemon.tracking import Tracker
from memoryd.daemon.transcripts import TranscriptReader
from memoryd.errors import MemorydError
from memoryd.ipc.events import Event, PostCompact, PreCompact, SessionEnd, SubagentStop, Turn
from memoryd.worker.worker import Worker

log = structlog.get_logger("daemon")


@dataclass(slots=True, kw_only=True)
class Follower:
    """Nothing here may hold up an answer, and an error costs nothing that was acknowledged: the sweep does it again."""

    worker: Worker
    indexer: Indexer
    tracker: Tracker
    recaller: Recaller
    reader: TranscriptReader
    observer: Observer
    preparer: Preparer
    nudger: Nudger
    maturer: Maturer
    feeder: Feeder
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def after_append(
        self, event: Event, appended: list[Appended], binding: Binding, transcript_path: str | None
    ) -> None:
        """An event is durable. `transcript_path`: its host's transcript may have grown."""
        if any(one.job for one in appended):
            self.worker.wake()
        self.indexer.wake()
        self.preparer.follow(event, appended)
        self.nudger.follow(event, appended)
        self.feeder.wake()
        self.tracker.wake(event.host, event.session_id)
        if isinstance(event, Turn | SessionEnd):
            self.maturer.wake()
        directory = binding.dir
        reads = transcript_path is not None or isinstance(event, SessionEnd)  # not every host names it at the end
        if reads or isinstance(event, PreCompact | PostCompact) or self.observer.is_new(directory):
            task = self.spawn(self._follow(event, directory, reads))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def look_again(self) -> None:
        """Events came in by another way than one by one."""
        self.worker.wake()
        self.indexer.wake()
        self.maturer.wake()

    async def late(self) -> None:
        """Read what hosts wrote behind the last hook of a session."""
        await self.reader.catch_up_late()
        self.indexer.wake()

    async def caught_up(self) -> None:
        """Wait until all that followed from the events so far is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _follow(self, event: Event, directory: Path, reads: bool) -> None:
        try:
            await self.recaller.observe(event)
            if reads:
                await self.reader.catch_up(event.host, event.session_id)
                if isinstance(event, SubagentStop):
                    await self.reader.catch_up(event.host, event.data.child_session_id)
                self.indexer.wake()
            await self.observer.active(directory)
        except MemorydError as error:
            log.warning("follow.failed", session=event.session_id, error=error.code)
