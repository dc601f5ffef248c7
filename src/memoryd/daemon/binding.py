"""Where a session belongs: bound once, at its first event; later ones may come from anywhere."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from memoryd.daemon import projects
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Binding, Journal
from memoryd.daemon.slow_disk import SlowDisk
from memoryd.errors import BadEvent
from memoryd.ipc.events import Event
from memoryd.ipc.places import Places
from memoryd.memory.path_rules import check_directory

#: to find a project root; on a slower file system the session goes to the user's memory. A session is bound once, so a
#: moment of load must not decide; no hook waits for so long: it has a deadline of its own, then its event is spooled
PROJECT_SECONDS = 2.0
MAX_REMEMBERED = 10_000  #: sessions whose binding is known without the disk

log = structlog.get_logger("ingest")


@dataclass(slots=True)
class Binder:
    journal: Journal
    places: Places
    _disk: SlowDisk = field(default_factory=SlowDisk)
    _bindings: dict[tuple[str, str], Binding] = field(default_factory=dict)

    async def of_session(self, event: Event, hint: str | None) -> Binding:
        """The binding of the session that an event belongs to.

        :param hint: a folder of its project, which goes before its working directory
        :raises BadEvent: a relative `memory_dir`
        :raises PathRefused: a `memory_dir` that is no folder for memory
        """
        if event.memory_dir is not None and not event.memory_dir.startswith("/"):
            raise BadEvent(f"memory_dir {event.memory_dir!r} is not absolute; give the whole path")
        key = (event.host, event.session_id)
        binding = self._bindings.get(key) or await asyncio.to_thread(self.journal.binding_of, *key)
        if binding is None:
            binding = await self._new(event, hint)
        if len(self._bindings) > MAX_REMEMBERED:
            self._bindings.clear()
        self._bindings[key] = binding
        return binding

    async def of_folder(self, cwd: str | None, hint: str | None = None) -> Binding:
        """The directory that a working directory belongs to."""
        try:
            project = await self._disk.ask(
                (cwd, hint), lambda: projects.find(cwd, hint), seconds=PROJECT_SECONDS
            )  # fmt: skip
        except TimeoutError:
            log.warning("project.slow", seconds=PROJECT_SECONDS)
            project = None
        except OSError as error:  # it may not be looked at, or goes just now
            log.warning("project.unknown", reason=type(error).__name__)
            project = None
        if project is None:
            return Binding(dir=self.places.user_memory, kind="user")
        key = await asyncio.to_thread(self.journal.projects.key_of, project)
        return Binding(dir=self.places.data / "projects" / key / "memory", kind="project", project=key)

    async def _new(self, event: Event, hint: str | None) -> Binding:
        if event.memory_dir is not None:
            return await asyncio.to_thread(self._named, event.memory_dir)
        above = await asyncio.to_thread(self.journal.binding_above, event)
        return above or await self.of_folder(event.cwd, hint)

    def _named(self, memory_dir: str) -> Binding:
        """The directory that an event names: one of ours, or one that may become it. Blocking."""
        directory = Path(memory_dir)
        check_directory(memory_dir, known=History(self.journal).knows(directory))
        return Binding(dir=directory, kind="explicit")
