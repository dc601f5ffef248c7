"""Install into a host: scripts, entries in its settings, files of our own, skill.

A host says what it wants (`ipc.hosts.plans`); here it becomes a plan of changes that can be shown before it is written.
What `uninstall` must know for an exact removal stands in `<data>/installs.json`, by file.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any, Literal

from memoryd import seeds
from memoryd.daemon.install import jsonedit, yamledit
from memoryd.daemon.install.changes import Change, Plan, change, read
from memoryd.daemon.install.entries import Before, SpanEditor
from memoryd.daemon.install.tomledit import TomlEditor
from memoryd.errors import ConfigError, NotFound
from memoryd.ipc import hookscript, hosts
from memoryd.ipc.hosts import plans
from memoryd.ipc.hosts.plans.base import HOOK_SCRIPT, MCP_SCRIPT, HostPlan, Settings, Site
from memoryd.ipc.places import Places

INSTALLABLE = tuple(name for name in plans.names() if name in hosts.names())
SKILL = Path("skill-memory/SKILL.md")  #: below a host's folder of skills

State = Literal["installed", "outdated", "absent"]
Row = dict[str, Any]

_EDITORS: dict[str, SpanEditor | TomlEditor] = {
    "json": SpanEditor(syntax=jsonedit),
    "yaml": SpanEditor(syntax=yamledit),
    "toml": TomlEditor(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One host, for one user or one project."""

    host: str
    project: Path | None
    wants: HostPlan
    declined: bool = False  #: a person wanted it without our MCP server

    @property
    def main(self) -> Path:
        """The file that connects the host to us."""
        return next((s.path for s in self.wants.settings if s.entries), self.wants.folder)

    @property
    def skill(self) -> Path | None:
        return self.wants.skills / SKILL if self.wants.skills else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """A command line of ours as it stands in a host's settings."""

    file: Path
    event: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installer:
    """Plans for one memoryd installation."""

    places: Places
    python: Path = field(default_factory=lambda: Path(sys.executable))
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

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
        found = [
            _EDITORS[one.syntax].presence(_text(one.path), str(one.path), one)
            for one in target.wants.settings
            if one.entries
        ]
        files = [read(file.path) == file.content for file in target.wants.files]
        written = any(file.path.exists() for file in target.wants.files)
        if not written and not sum(one.ours for one in found):
            return "absent"
        exact = all(one.exact for one in found) and all(files)
        return "installed" if exact else "outdated"

    def switched_off(self, target: Target) -> str | None:
        """Where the host is told to run no hook. :raises ConfigError: a settings file is broken"""
        for one in target.wants.settings:
            data = _EDITORS[one.syntax].data(_text(one.path), str(one.path)) if one.off else {}
            for keys, value in one.off.items():
                if reduce(lambda inner, key: inner.get(key) if isinstance(inner, dict) else None, keys, data) is value:
                    return f"{'.'.join(keys)} = {str(value).lower()} in {one.path}"
        return None

    def handlers(self, target: Target) -> Iterator[Handler]:
        """Our hooks as they stand in the settings. :raises ConfigError: a settings file is broken"""
        for one in target.wants.settings:
            for at, value in _EDITORS[one.syntax].handlers(_text(one.path), str(one.path), one):
                command = value.get("command", value.get("bash"))
                if HOOK_SCRIPT in str(command) and isinstance(command, str):
                    yield Handler(file=one.path, event=at[-1], command=command)

    def plan_scripts(self) -> Plan:
        """Write or renew the scripts alone."""
        wanted = (
            (self.script, hookscript.generate(self.places, self.python)),
            (self.mcp_script, hookscript.generate_mcp(self.places, self.python)),
        )
        return Plan(
            changes=tuple(
                change("script", path, text.encode(), mode=0o755)
                for path, text in wanted
                if not hookscript.is_current(path, text)
            )
        )

    def plan_install(self, target: Target) -> Plan:
        """:raises ConfigError: a settings file is broken; nothing is planned"""
        every = self._whole(target.host, target.project).wants.settings  # also what is not wanted any more
        rows, settings, notes = self.records(), list[Change](), list[str]()
        for one, whole in zip(target.wants.settings, every, strict=True):
            settings.append(self._settings(one, whole, target, rows))
        files = list(self._files(target, rows, notes))
        changes = [
            *self.plan_scripts().changes,
            *files,
            change("record", self._record_path, _as_json(rows)),
            *settings,
        ]
        return Plan(changes=_real(changes), notes=tuple(notes))

    def plan_uninstall(self, target: Target) -> Plan:
        """Our entries and our files; the scripts stay while another host may name them."""
        every = self._whole(target.host, target.project).wants
        rows, changes, notes = self.records(), list[Change](), list[str]()
        for one in every.settings:
            row = rows.pop(str(one.path), {})
            text = self._without(one, row)
            gone = read(one.path) is None or (row.get("created") and not text.strip(jsonedit.BOM + " \t\r\n{}"))
            changes.append(change("settings", one.path, None if gone else text.encode()))
        changes += self._our_files(every, target, rows, notes)
        changes.append(change("record", self._record_path, _as_json(rows) if rows else None))
        return Plan(changes=_real(changes), notes=tuple(notes))

    def plan_removal(self) -> Plan:
        """Everything that `install` put anywhere; the scripts stay where a file that is broken may name them."""
        changes, notes, whole = dict[Path, Change](), list[str](), True
        for target in self._everywhere():
            try:
                plan = self.plan_uninstall(target)
            except ConfigError as error:  # keeps nothing else in its place
                notes.append(f"{target.host} stays as it is: {error}")
                whole = False
                continue
            changes |= {c.path: c for c in plan.changes if c.kind != "record"}
            notes += plan.notes
        last = [
            change("script", self.script, None),
            change("script", self.mcp_script, None),
            change("record", self._record_path, None),
        ]
        return Plan(changes=_real([*changes.values(), *(last if whole else ())]), notes=tuple(notes))

    def records(self) -> dict[str, Row]:
        """What was installed, by file."""
        try:
            found = json.loads(read(self._record_path) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def _record_path(self) -> Path:
        return self.places.data / "installs.json"

    def _everywhere(self) -> Iterator[Target]:
        """This user's hosts, and each project that was installed into."""
        rows = self.records().values()
        projects = {(row["host"], row["project"]) for row in rows if row.get("project")}
        for host, project in [*((host, None) for host in INSTALLABLE), *sorted(projects)]:
            if host in INSTALLABLE:
                yield self._whole(host, Path(project) if project else None)

    # -- settings --

    def _settings(self, one: Settings, whole: Settings, target: Target, rows: dict[str, Row]) -> Change:
        """The change of a settings file; its row is put into `rows`."""
        name, old = str(one.path), rows.pop(str(one.path), {})
        text, before = _EDITORS[one.syntax].put_in(self._without(whole, old), name, one)
        if one.entries or target.declined:
            created = read(one.path) is None or bool(old.get("created"))
            rows[name] = _row(target, before, created=created)
        return change("settings", one.path, text.encode() if one.entries or read(one.path) is not None else None)

    def _without(self, one: Settings, row: Row) -> str:
        before = Before(
            blank=bool(row.get("blank")),
            glue=row.get("glue", ""),
            empty=row.get("empty", {}),
            pieces=row.get("pieces", {}),
        )
        return _EDITORS[one.syntax].take_out(_text(one.path), str(one.path), one, before)

    # -- whole files --

    def _files(self, target: Target, rows: dict[str, Row], notes: list[str]) -> Iterator[Change]:
        for file in target.wants.files:
            current, row = read(file.path), rows.pop(str(file.path), None)
            if current in (None, file.content) or _is_as_written(current, row):
                rows[str(file.path)] = {**_place(target), "sha256": _sha256(file.content)}
                yield change("plugin", file.path, file.content, mode=0o644)
            else:
                notes.append(_stays(file.path))
        yield from self._skill(target, notes)

    def _skill(self, target: Target, notes: list[str]) -> Iterator[Change]:
        if target.skill is None:
            return
        language, current = seeds.pick_language(self.env), read(target.skill)
        if current is None:
            yield change("skill", target.skill, seeds.files(language)["SKILL.md"], mode=0o644)
        elif _is_our_skill(current):
            yield change("skill", target.skill, seeds.upgraded_skill(current, language) or current)
        else:
            notes.append(_stays(target.skill))

    def _our_files(self, wants: HostPlan, target: Target, rows: dict[str, Row], notes: list[str]) -> Iterator[Change]:
        for file in wants.files:
            current, row = read(file.path), rows.pop(str(file.path), None)
            if current == file.content or _is_as_written(current, row):
                yield change("plugin", file.path, None)
            elif current is not None:
                notes.append(_stays(file.path))
        current = read(target.skill) if target.skill else None
        if target.skill and current is not None and _is_our_skill(current):
            yield change("skill", target.skill, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the person still has to do before the host runs our hooks."""

    found: str
    how: str
    certain: bool  #: the host's files say so

    def __str__(self) -> str:
        return f"{self.found}: {self.how}"


def asks_for(target: Target) -> Request | None:
    consent = target.wants.consent
    given = consent is None or consent.given()
    if consent is None or given:
        return None
    found = "does not trust our hooks yet" if given is False else "may not trust our hooks as they are now"
    return Request(found=f"{target.host} {found}", how=consent.how, certain=given is False)


def _place(target: Target) -> Row:
    return {"host": target.host, **({"project": str(target.project)} if target.project else {})}


def _row(target: Target, before: Before, *, created: bool) -> Row:
    row = {**_place(target), "blank": before.blank, "empty": dict(before.empty), "created": created}
    more = {"glue": before.glue, "pieces": dict(before.pieces), **({"mcp": False} if target.declined else {})}
    return row | {key: value for key, value in more.items() if value or key == "mcp"}


def _real(changes: list[Change]) -> tuple[Change, ...]:
    """A script whose mode alone is wrong is written too."""
    return tuple(c for c in changes if c.before != c.after or (c.kind == "script" and c.after is not None))


def _stays(path: Path) -> str:
    return f"{path} was changed by a person and stays as it is"


def _text(path: Path) -> str:
    return jsonedit.decode(read(path) or b"", str(path))


def _as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_as_written(content: bytes | None, row: Row | None) -> bool:
    return content is not None and row is not None and row.get("sha256") == _sha256(content)


def _is_our_skill(content: bytes) -> bool:
    return _sha256(content) in seeds.shipped_hashes()
