"""What is said off the record: during a pause, in an excluded folder, by an agent of ours; nothing of it is kept."""

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.daemon.config import Config
from memoryd.daemon.ignoring import Ignores
from memoryd.daemon.journal.upkeep import Pause
from memoryd.daemon.projects import real_path
from memoryd.daemon.slow_disk import SlowDisk
from memoryd.errors import FolderSilent
from memoryd.ipc.events import Event, SubagentStart
from memoryd.ipc.methods.events import PassedOver

LOOK_SECONDS = 2.0  #: for the disk to say what holds for a folder, as for its project
EVENT_SECONDS = 0.01  #: more for each event whose files are looked at
MAX_REMEMBERED = 10_000  #: sessions that are off the record, and working directories whose links were followed

log = structlog.get_logger("ingest")


@dataclass(slots=True)
class OffRecord:
    """What holds for a session holds for the sub-agents that it starts."""

    config: Callable[[], Config]
    pauses: list[Pause] = field(default_factory=list)
    agents: frozenset[str] = frozenset()  #: the names of the folder in which agents work
    _ignores: Ignores = field(default_factory=Ignores)
    _disk: SlowDisk = field(default_factory=SlowDisk)
    _real_paths: dict[str, str] = field(default_factory=dict)  #: of working directories, links followed
    _sessions: set[tuple[str, str]] = field(default_factory=set)
    """Sessions of agents, and sub-agents that a session off the record started."""

    async def look(self, event: Event) -> None:
        """See what the disk says of an event's working directory; the questions below go by it.

        Where it does not answer in time they go by what it said before.

        :raises FolderSilent: it never said anything of this folder; what may be private is not recorded on a guess
        """
        follow = event.cwd and event.cwd not in self._real_paths and self.config().privacy.exclude
        if follow or not self._ignores.fresh(event.cwd):
            try:
                await self._disk.ask(
                    event.cwd, lambda: self._look(event.cwd, follow=bool(follow)), seconds=LOOK_SECONDS
                )
            except TimeoutError:
                log.warning("folder.slow", seconds=LOOK_SECONDS)
                if follow or not self._ignores.knows(event.cwd):
                    raise FolderSilent(
                        f"the disk of {event.cwd} does not answer; whether it may be recorded is not known, try later"
                    ) from None

    def _look(self, cwd: str | None, *, follow: bool) -> None:
        if cwd and follow:
            if len(self._real_paths) > MAX_REMEMBERED:
                self._real_paths.clear()
            self._real_paths[cwd] = real_path(cwd)
        self._ignores.look(cwd)

    def why(self, event: Event, directory: Path, *, headless: bool, moment: datetime) -> PassedOver | None:
        """Why an event is not recorded; None: it is. A session that is off the record is remembered."""
        why: PassedOver
        if self.is_opted_out(event, headless=headless):
            why = "excluded"
            if self._is_of_an_agent(event):
                self._remember(event.host, event.session_id)  # wherever its later events come from
        elif self.is_paused(directory, moment):
            why = "paused"
        else:
            return None
        if isinstance(event, SubagentStart):
            self._remember(event.host, event.data.child_session_id)
        return why

    def covers(self, directory: Path, event: Event) -> bool:
        """Whether an event that a transcript holds was said during a pause or in an excluded folder."""
        return self.is_paused(directory, event.at) or self._is_excluded(event)

    def is_paused(self, directory: Path, moment: datetime) -> bool:
        """Whether recording was paused for a directory at that moment."""
        return any(pause.covers(directory, moment) for pause in self.pauses)

    def is_opted_out(self, event: Event, *, headless: bool) -> bool:
        """Whether nothing of its session is recorded, at whatever time."""
        settings = self.config()
        return (
            not settings.daemon.enabled
            or (headless and not settings.privacy.record_headless)
            or self._is_excluded(event)
            or (event.host, event.session_id) in self._sessions
        )

    def keeps_out(self, directory: Path, cwd: str | None, moment: datetime) -> bool:
        """Whether nothing of this memory and folder may be told to others, as things stand."""
        return not self.config().daemon.enabled or self.is_paused(directory, moment) or self._covers(cwd)

    async def told(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events as far as their repository wants them remembered.

        Where the disk does not say in time which files a tool's use names, it is one of files that are covered.
        """
        if all(self._ignores.of(event.cwd) is None for event in events):
            return events
        if any(self._disk.hangs(event.cwd, seconds=LOOK_SECONDS) for event in events):  # `look` has waited for it
            return self._ignores.without_any(events)
        try:
            ids = tuple(event.id for event in events)
            seconds = LOOK_SECONDS + len(events) * EVENT_SECONDS
            return await self._disk.ask(ids, lambda: self.without_ignored(events), seconds=seconds)
        except TimeoutError:
            return self._ignores.without_any(events)

    async def told_of(self, events: Sequence[Event]) -> Sequence[Event]:
        """The same of a session whose working directories nobody has looked at yet.

        :raises FolderSilent: as `look` does
        """
        for event in {event.cwd: event for event in events}.values():
            await self.look(event)
        return await self.told(events)

    def without_ignored(self, events: Sequence[Event]) -> Sequence[Event]:
        """The same, with another look at the disk where one is due. Blocking."""
        return self._ignores.without(events)

    def _is_excluded(self, event: Event) -> bool:
        """Whether a pattern covers where it happened, by the name it came with or by the real one."""
        return self._is_of_an_agent(event) or self._covers(event.cwd)

    def _covers(self, folder: str | None) -> bool:
        """Whether a folder is left out by its repository or by `[privacy] exclude`."""
        if self._ignores.covers(folder):
            return True
        cwd = folder or ""
        names = {cwd, self._real_paths.get(cwd, cwd)} - {""}
        return any(_matches(name, pattern) for name in names for pattern in self.config().privacy.exclude)

    def _is_of_an_agent(self, event: Event) -> bool:
        """Whether it comes from an agent's own session: it happened in the folder of a run, where no person works.

        The second of two guards: hooks that an agent's process starts end at once, by a name in their environment.
        """
        return any(_is_below(event.cwd or "", place) for place in self.agents)

    def _remember(self, host: str, session_id: str) -> None:
        if len(self._sessions) > MAX_REMEMBERED:
            self._sessions.clear()
        self._sessions.add((host, session_id))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _matches(cwd: str, pattern: str) -> bool:
    """An exclude glob covers the directory and all below it; `~` is the home directory."""
    expanded = str(Path(pattern).expanduser()).rstrip("/")
    return fnmatch.fnmatch(cwd, expanded) or fnmatch.fnmatch(cwd, f"{expanded}/*")
