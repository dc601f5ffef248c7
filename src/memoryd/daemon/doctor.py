"""doctor: each link from the host's hook to the memory, in the order in which an event passes; each with its mend.

A broken link does not end the examination; what depends on it is marked as off.
"""

import contextlib
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from memoryd.daemon import (
    agentchecks,
    daemonchecks,
    hostchecks,
    ignoring,
    on_disk,
    providerchecks,
    scriptchecks,
    servicechecks,
)
from memoryd.daemon import config as configuration
from memoryd.daemon.checks import Check, Mark, off, ok, wrong
from memoryd.daemon.config import Config
from memoryd.daemon.install import Installer
from memoryd.errors import MemorydError
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.methods.daemon import Checked, Health
from memoryd.ipc.places import Places


def examine() -> Iterator[Check]:
    """Yield the checks as they are made."""
    found = placing.find()
    try:
        config = configuration.load(found.config)
    except MemorydError as error:
        yield wrong("config", str(error), "correct the file; the daemon does not start with it")
        config, startable = Config(), False
    else:
        startable = True
        yield ok("config", str(found.config) if found.config.exists() else "no file, every default holds")
    yield from _Examination(configuration.places_of(config), config, startable=startable).checks()


@dataclass(slots=True)
class _Examination:
    places: Places
    config: Config
    installer: Installer = field(init=False)
    health: Health | None = None
    checked: Checked | None = None
    hosts: list[hostchecks.Found] = field(default_factory=list)  #: those that have something of ours
    current: bool = False  #: the script is what this release writes for this configuration
    startable: bool = True  #: nothing that keeps a daemon from its start was found
    astray: bool = False  #: this environment or configuration names another socket than hook and daemon use

    def __post_init__(self) -> None:
        self.installer = Installer(places=self.places)

    def checks(self) -> Iterator[Check]:
        yield from self._enabled()
        yield from self._environment()
        yield from self._disk()
        yield from self._hooks()
        yield from self._daemon()
        for found in self.hosts:
            yield from hostchecks.runs(self.places, found, running=self.health is not None, current=self.current)
        yield from daemonchecks.links(self.checked)
        yield on_disk.clock(self.places, self.checked.newest_at if self.checked else None)
        yield from on_disk.spool(self.places, running=self.health is not None)
        yield daemonchecks.quarantine(self.health)
        yield from self._memory()
        yield agentchecks.meaning(self.config)
        yield from agentchecks.agent(self.places, self.config)
        yield providerchecks.provider(self.places, self.config)
        if not self.astray:
            yield from self._starters()

    def _starters(self) -> Iterator[Check]:
        yield servicechecks.service(self.places, autostart=self.config.daemon.autostart)
        yield scriptchecks.start(self.installer, wanted=self.config.daemon.autostart)

    def _enabled(self) -> Iterator[Check]:
        if not self.config.daemon.enabled:
            yield off("recording", "[daemon] enabled is false: nothing is recorded", "set it to true to record")

    def _disk(self) -> Iterator[Check]:
        for look in (on_disk.data, on_disk.journal):
            check = look(self.places)
            self.startable = self.startable and check.mark is not Mark.WRONG
            yield check

    def _environment(self) -> Iterator[Check]:
        """Where hook and daemon agree on another socket, that is told, and the rest is looked at with theirs."""
        found = daemonchecks.elsewhere(self.places, scriptchecks.baked_socket(self.installer))
        if found is not None:
            self.astray = True
            yield daemonchecks.other_environment(self.places, found)
            self.places = replace(self.places, socket=found)
            self.installer = replace(self.installer, places=self.places)

    def _hooks(self) -> Iterator[Check]:
        for check, found in hostchecks.configured(self.installer):
            yield check
            self.hosts += [found] if found else []
        script = scriptchecks.hook(self.installer, needed=bool(self.hosts))
        self.current = script.mark is Mark.OK
        yield script

    def _daemon(self) -> Iterator[Check]:
        check, self.health = daemonchecks.answers(self.places, autostart=self.config.daemon.autostart)
        down = self.health is None and not self.startable
        yield off(check.link, f"{check.found}; mend what is wrong above, then `memoryd start`") if down else check
        self.checked = daemonchecks.examined(self.places) if self.health else None
        if not self.astray:
            yield daemonchecks.socket(self.places, self.health, hook_agrees=self.current)

    def _memory(self) -> Iterator[Check]:
        """The files, and what there is for the current directory."""
        yield on_disk.memory_files(self._roots())
        with contextlib.suppress(FileNotFoundError):  # the directory is gone
            here = os.getcwd()
            yield from _ignored(here)
            if self.health is not None:
                yield from daemonchecks.memories(self.places, here)
                yield from daemonchecks.team(self.places, here)

    def _roots(self) -> list[Path]:
        inside = [self.places.user_memory, *self.places.data.glob("projects/*/memory")]
        if self.health is None:
            return sorted(inside)
        with contextlib.suppress(MemorydError, OSError), closing(Client(self.places.socket)) as client:
            inside += map(Path, client.call("worker.stats", timeout=5.0).directories)
        return sorted(set(inside))


def _ignored(here: str) -> Iterator[Check]:
    """The patterns of the repository's ignore file, where there is one."""
    rules = ignoring.find(here)
    if rules is None:
        return
    if rules.problems:
        yield wrong("ignore file", "; ".join(rules.problems), "correct these lines; the others hold")
    else:
        yield ok("ignore file", f"{rules.base / ignoring.FILE}, every pattern holds")
