"""Install into a host: scripts, entries in its settings, files of our own, skill.

A host says what it wants (`ipc.hosts.plans`); here it becomes a plan of changes that can be shown before it is written.
What `uninstall` must know for an exact removal stands in `<data>/installs.json`, by file.
"""

import contextlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from memoryd.daemon.install import editors, ownfiles, records
from memoryd.daemon.install.changes import Change, Plan, change, read
from memoryd.daemon.install.records import Row, Rows
from memoryd.daemon.install.targets import Handler, Target
from memoryd.errors import CannotWrite, ConfigError, NotFound
from memoryd.ipc import hookscript, hosts, starter
from memoryd.ipc.hosts import plans
from memoryd.ipc.hosts.plans.base import HOOK_SCRIPT, MCP_SCRIPT, Settings, Site
from memoryd.ipc.places import Places

INSTALLABLE = tuple(name for name in plans.names() if name in hosts.names())

State = Literal["installed", "outdated", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installer:
    """Plans for one memoryd installation."""

    places: Places
    python: Path = field(default_factory=lambda: Path(sys.executable))
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    autostart: bool | None = None  #: [daemon] autostart; None: unknown, the script that starts a daemon stays as it is

    @property
    def script(self) -> Path:
        return self.places.data / "bin" / HOOK_SCRIPT

    @property
    def mcp_script(self) -> Path:
        return self.places.data / "bin" / MCP_SCRIPT

    def target(self, host: str, project: Path | None = None, *, mcp: bool | None = None) -> Target:
        """What one host shall hold.

        :param mcp: whether our MCP server is wanted; None: as it was chosen before, else where it can run
        :raises NotFound: this release cannot install into that host, or not into a project of it
        """
        rows, whole = self.records(), self._whole(host, project)
        if mcp is None:
            mcp = not any(rows.get(str(one.path), {}).get("mcp") is False for one in whole.wants.settings)
        if mcp and importlib.util.find_spec("mcp") is not None:
            return whole
        return replace(self._whole(host, project, mcp=False), declined=not mcp)

    def _whole(self, host: str, project: Path | None, *, mcp: bool = True) -> Target:
        if host not in INSTALLABLE:
            raise NotFound(f"cannot install into {host!r}; this release knows {', '.join(INSTALLABLE)}")
        wants = plans.plan(self._site(host, project, mcp=mcp))
        if wants is None:
            raise NotFound(f"{host} has no settings of a single project; install it without --project")
        return Target(host=host, project=project, wants=wants)

    def _site(self, host: str, project: Path | None, *, mcp: bool = True) -> Site:
        return Site(
            host=host,
            events=hosts.get(host).hook_events,
            home=Path(self.env.get("HOME") or Path.home()),
            env=self.env,
            project=project,
            script=self.script,
            mcp=self.mcp_script if mcp else None,
            places=self.places,
        )

    def present(self, host: str) -> bool:
        """Whether the host is on this machine."""
        wants = self._whole(host, None).wants
        return shutil.which(wants.program, path=self.env.get("PATH")) is not None or wants.folder.is_dir()

    def has_projects(self, host: str) -> bool:
        """Whether the host has settings of a single project."""
        return plans.plan(self._site(host, Path("/"))) is not None

    def state(self, target: Target) -> State:
        """Of the settings and the scripts that they name. :raises ConfigError: a settings file is broken"""
        found = self.settings_state(target)
        return "outdated" if found == "installed" and self.plan_scripts().changes else found

    def settings_state(self, target: Target) -> State:
        """:raises ConfigError: a settings file is broken"""
        found = [editors.presence(one) for one in target.wants.settings if one.entries]
        files = [read(file.path) for file in target.wants.files]
        if not sum(one.ours for one in found) and not any(content is not None for content in files):
            return "absent"
        exact = all(one.exact for one in found) and files == [file.content for file in target.wants.files]
        return "installed" if exact else "outdated"

    def changed(self, target: Target) -> list[Path]:
        """Files of ours that a person changed: they stay as they are until they are deleted."""
        return ownfiles.changed(target, self.records())

    def also_runs(self, target: Target) -> Path | None:
        """The user's file whose hooks run in a project as well, where there are any: each event would be told twice."""
        user = self.target(target.host)
        with contextlib.suppress(ConfigError, CannotWrite):
            if user.main != target.main and self.settings_state(user) != "absent":
                return user.main
        return None

    def switched_off(self, target: Target) -> str | None:
        """Where the host is told to run no hook. :raises ConfigError: a settings file is broken"""
        return next(filter(None, map(editors.switched_off, target.wants.settings)), None)

    def handlers(self, target: Target) -> Iterator[Handler]:
        """Our hooks as they stand in the settings. :raises ConfigError: a settings file is broken"""
        for one in target.wants.settings:
            yield from editors.handlers(one)

    def plan_scripts(self) -> Plan:
        """Write or renew the scripts alone."""
        wanted = (
            (self.script, hookscript.generate(self.places, self.python)),
            (self.mcp_script, hookscript.generate_mcp(self.places, self.python)),
        )
        changes = [
            change("script", path, text.encode(), mode=0o755)
            for path, text in wanted
            if not hookscript.is_current(path, text)
        ]
        return Plan(changes=(*changes, *self._starter()))

    def _starter(self) -> Iterator[Change]:
        """The script by which a hook starts the daemon, as `[daemon] autostart` says."""
        path = starter.path(self.places)
        if self.autostart and not starter.is_current(self.places, self.python):
            text = starter.text(self.places, self.python, self.env)
            yield change("script", path, text.encode(), mode=0o700)
        elif self.autostart is False and path.exists():
            yield change("script", path, None)

    def plan_install(self, target: Target) -> Plan:
        """Most hosts run the hooks of the user and those of the project: a project has none beside the user's.

        :raises ConfigError: a settings file is broken; nothing is planned
        """
        if user := self.also_runs(target):
            how = f"`memoryd install {target.host} --uninstall` first, to connect single projects instead"
            return Plan(notes=(f"{user} connects every project, so this one gets no hooks beside it; {how}",))
        every = self._whole(target.host, target.project).wants.settings  # also what is not wanted any more
        rows, notes = self.records(), list[str]()
        projects, folders = self._out_of_projects(target, rows, notes)
        settings = [self._settings(*pair, target, rows) for pair in zip(target.wants.settings, every, strict=True)]
        files = list(ownfiles.put_in(target, rows, notes, self.env))
        records.note_folders(rows, target, [one for one in (*files, *settings) if one.after is not None])
        changes = [
            *self.plan_scripts().changes,
            *files,
            change("record", self._record_path, records.dump(rows)),
            *settings,
            *projects,
        ]
        return Plan(changes=_real(changes), notes=tuple(notes), folders=tuple(folders))

    def _out_of_projects(self, target: Target, rows: Rows, notes: list[str]) -> tuple[list[Change], list[Path]]:
        """What takes our hooks out of the projects that have their own, when they get the user's; and our folders."""
        changes, folders = list[Change](), list[Path]()
        for other in () if target.project else self.of_projects():
            if other.host != target.host or other.main == target.main:
                continue
            try:
                changes += self._out_of(other, rows, notes)
                folders += records.pop_folders(rows, other)
            except (ConfigError, CannotWrite) as error:
                notes.append(f"every event of {other.project} is told twice until its own hooks go: {error}")
        return changes, folders

    def plan_uninstall(self, target: Target) -> Plan:
        """Our entries and our files; the scripts stay while another host may name them.

        :raises ConfigError: a settings file is broken; nothing is planned
        """
        rows, notes = self.records(), list[str]()
        changes, folders = self._out_of(target, rows, notes), records.pop_folders(rows, target)
        changes.append(change("record", self._record_path, records.dump(rows) if rows else None))
        return Plan(changes=_real(changes), notes=tuple(notes), folders=folders)

    def _out_of(self, target: Target, rows: Rows, notes: list[str]) -> list[Change]:
        """The changes; rows are taken out of `rows`."""
        whole, changes, gone = self._whole(target.host, target.project), list[Change](), dict[str, Row]()
        for one in whole.wants.settings:
            row = gone[str(one.path)] = rows.get(str(one.path), {})
            text = editors.without(one, records.before(row))
            blank = read(one.path) is None or (row.get("created") and editors.is_blank(text))
            changes.append(change("settings", one.path, None if blank else text.encode()))
        for path in gone:
            rows.pop(path, None)
        return [*changes, *ownfiles.take_out(whole, rows, notes)]

    def plan_removal(self) -> Plan:
        """Everything that `install` put anywhere; the scripts stay where a file that is broken may name them."""
        changes, notes, whole = dict[Path, Change](), list(self._moved()), True
        folders = list[Path]()
        for target in (*self.of_user(), *self.of_projects()):
            try:
                plan = self.plan_uninstall(target)
            except (ConfigError, CannotWrite) as error:  # keeps nothing else in its place
                notes.append(f"{target.host} stays as it is: {error}")
                whole = False
                continue
            changes |= {c.path: c for c in plan.changes if c.kind != "record"}
            notes += plan.notes
            folders += plan.folders
        last = [
            change("script", self.script, None),
            change("script", self.mcp_script, None),
            change("script", starter.path(self.places), None),
            change("record", self._record_path, None),
        ]
        changed = _real([*changes.values(), *(last if whole else ())])
        return Plan(changes=changed, notes=tuple(notes), folders=tuple(folders))

    def records(self) -> Rows:
        """What was installed, by file."""
        return records.load(read(self._record_path))

    def knows(self, target: Target) -> bool:
        """Whether it was installed there and not taken out by us."""
        return any(records.is_of(row, target) for row in self.records().values())

    @property
    def _record_path(self) -> Path:
        return self.places.data / "installs.json"

    def of_user(self) -> Iterator[Target]:
        """Each host, for all projects of this user."""
        yield from (self.target(host) for host in INSTALLABLE)

    def of_projects(self) -> Iterator[Target]:
        """Each host in each project that it was installed into, and that still stands where it stood."""
        for host, project in self._in_projects():
            if os.path.isdir(project):
                yield self.target(host, Path(project))

    def _in_projects(self) -> list[tuple[str, str]]:
        rows = self.records().values()
        found = {(row["host"], row["project"]) for row in rows if row.get("project") and row["host"] in INSTALLABLE}
        return sorted(found)

    def _moved(self) -> Iterator[str]:
        """What stays in projects that are not where they were."""
        for host, project in self._in_projects():
            if not os.path.isdir(project):
                how = f"`memoryd install {host} --project --uninstall`"
                yield f"{project} is gone: where it was moved to, {host} runs our hooks until {how} is run there"

    def _settings(self, one: Settings, whole: Settings, target: Target, rows: Rows) -> Change:
        """The change of a settings file; its row is put into `rows`. What is right keeps its place."""
        old, missing = rows.pop(str(one.path), {}), read(one.path) is None
        text, before = editors.text(one.path), records.before(old)
        if not editors.holds(one, whole):
            text, before = editors.put_in(one, editors.without(whole, before))
        if one.entries or target.declined:
            created = missing or bool(old.get("created"))
            rows[str(one.path)] = records.of_settings(target, before, created=created)
        return change("settings", one.path, text.encode() if one.entries or not missing else None)


def _real(changes: list[Change]) -> tuple[Change, ...]:
    """A script whose mode alone is wrong is written too."""
    return tuple(c for c in changes if c.before != c.after or (c.kind == "script" and c.after is not None))
