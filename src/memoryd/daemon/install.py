"""Install into a host: hook script, entries in its settings, skill. First a plan that can be shown, then the writing.

What `uninstall` must know for an exact removal stands in `<data>/installs.json`, by settings file.
"""

import difflib
import hashlib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memoryd import fsio, seeds
from memoryd.daemon import hookentries, jsonedit
from memoryd.daemon.hookentries import SCRIPT_NAME, Before, Handlers, State
from memoryd.errors import CannotWrite, Conflict, NotFound
from memoryd.ipc import hookscript, hosts
from memoryd.ipc.places import Places
from memoryd.ipc.redaction import redact

INSTALLABLE = ("claude-code",)
TIMEOUT_SECONDS = {"PreCompact": 10}  #: the others get DEFAULT_SECONDS; the hook itself gives up within one second
DEFAULT_SECONDS = 5
SKILL = Path("skills/skill-memory/SKILL.md")

Kind = Literal["settings", "script", "skill", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a host looks: one user's or one project's folder."""

    host: str
    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    @property
    def skill(self) -> Path:
        return self.folder / SKILL


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file as it is and as it shall be; None: no file."""

    kind: Kind
    path: Path
    before: bytes | None
    after: bytes | None
    mode: int = 0o600  #: of a new file; an old one keeps its own

    def diff(self) -> str:
        """Unified, secrets masked; empty for what memoryd alone writes."""
        if self.kind != "settings":
            return ""
        old, new = ((side or b"").decode().splitlines(keepends=True) for side in (self.before, self.after))
        rows = difflib.unified_diff(old, new, str(self.path), str(self.path), n=2)
        return redact("".join(row if row.endswith("\n") else f"{row}\n" for row in rows))

    def says(self) -> str:
        verb = "write" if self.before is None else "remove" if self.after is None else "change"
        what = {"settings": "settings", "script": "hook script", "skill": "skill", "record": "record"}[self.kind]
        return f"{verb} {self.path} ({what})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be written, in this order; no change: everything is so already."""

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def visible(self) -> tuple[Change, ...]:
        """The changes that a person is asked about."""
        return tuple(change for change in self.changes if change.kind != "record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installer:
    """Plans for one memoryd installation."""

    places: Places
    python: Path = field(default_factory=lambda: Path(sys.executable))
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def script(self) -> Path:
        return self.places.data / "bin" / SCRIPT_NAME

    def target(self, host: str, project: Path | None = None) -> Target:
        """:raises NotFound: this release cannot install into that host"""
        if host not in INSTALLABLE:
            raise NotFound(f"cannot install into {host!r}; this release knows {', '.join(INSTALLABLE)}")
        user = Path(self.env.get("CLAUDE_CONFIG_DIR") or Path(self.env.get("HOME") or Path.home()) / ".claude")
        return Target(host=host, folder=project / ".claude" if project else user.absolute())

    def present(self, host: str) -> bool:
        """Whether the host is on this machine."""
        found = shutil.which("claude", path=self.env.get("PATH")) is not None
        return found or self.target(host).folder.is_dir()

    def wanted(self, host: str) -> Handlers:
        """The handlers that the settings shall hold."""
        return {
            event: {
                "type": "command",
                "command": hook_command(self.script, host, event),
                "timeout": TIMEOUT_SECONDS.get(event, DEFAULT_SECONDS),
            }
            for event in hosts.get(host).hook_events
        }

    def state(self, target: Target) -> State:
        """:raises ConfigError: the settings file is broken"""
        text = _text(target.settings)
        found = hookentries.state_of(text, str(target.settings), self.wanted(target.host))
        if found == "installed" and not hookscript.is_current(self.script, self.script_text()):
            return "outdated"
        return found

    def script_text(self) -> str:
        return hookscript.generate(self.places, self.python)

    def plan_script(self) -> Plan:
        """Write or renew the hook script alone."""
        text = self.script_text()
        if hookscript.is_current(self.script, text):
            return Plan()
        return Plan(changes=(_change("script", self.script, text.encode(), mode=0o755),))

    def plan_install(self, target: Target) -> Plan:
        """:raises ConfigError: the settings file is broken; nothing is planned"""
        name = str(target.settings)
        current = _read(target.settings)
        base = hookentries.take_out(_text(target.settings), name, self._before(target))
        text, before = hookentries.put_in(base, name, self.wanted(target.host))
        skill, notes = self._skill(target)
        record = {**self.records(), name: {"host": target.host, "blank": before.blank, "empty": dict(before.empty)}}
        record[name]["created"] = self._created(target, current)
        changes = (
            *self.plan_script().changes,
            *skill,
            _change("record", self._record_path, _as_json(record)),
            _change("settings", target.settings, text.encode()),
        )
        return Plan(changes=tuple(c for c in changes if c.before != c.after or c.kind == "script"), notes=notes)

    def plan_uninstall(self, target: Target) -> Plan:
        """Our entries and our skill; the script stays while another settings file may name it."""
        name = str(target.settings)
        text = hookentries.take_out(_text(target.settings), name, self._before(target))
        gone = self.records().get(name, {}).get("created") and not text.strip(jsonedit.BOM + " \t\r\n{}")
        record = {key: row for key, row in self.records().items() if key != name}
        changes = [
            _change("settings", target.settings, None if gone or not target.settings.exists() else text.encode()),
            *_our_skill(target),
            _change("record", self._record_path, _as_json(record) if record else None),
        ]
        return Plan(changes=tuple(c for c in changes if c.before != c.after))

    def plan_removal(self) -> Plan:
        """Everything that `install` put anywhere."""
        targets = [Target(host=r["host"], folder=Path(path).parent) for path, r in self.records().items()]
        targets += [t for host in INSTALLABLE if (t := self.target(host)) not in targets]
        changes = [c for t in targets for c in self.plan_uninstall(t).changes if c.kind != "record"]
        own = (_change("script", self.script, None), _change("record", self._record_path, None))
        return Plan(changes=(*changes, *(c for c in own if c.before is not None)))

    def records(self) -> dict[str, Any]:
        """What was installed, by settings file."""
        try:
            found = json.loads(_read(self._record_path) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def _record_path(self) -> Path:
        return self.places.data / "installs.json"

    def _before(self, target: Target) -> Before:
        row = self.records().get(str(target.settings), {})
        return Before(blank=bool(row.get("blank")), empty=row.get("empty", {}))

    def _created(self, target: Target, current: bytes | None) -> bool:
        return current is None or bool(self.records().get(str(target.settings), {}).get("created"))

    def _skill(self, target: Target) -> tuple[tuple[Change, ...], tuple[str, ...]]:
        language = seeds.pick_language(self.env)
        current = _read(target.skill)
        if current is None:
            return (_change("skill", target.skill, seeds.files(language)["SKILL.md"], mode=0o644),), ()
        if not _is_our_skill(current):
            return (), (f"{target.skill} was changed by a person and stays as it is",)
        return (_change("skill", target.skill, seeds.upgraded_skill(current, language) or current),), ()


def hook_command(script: Path, host: str, event: str) -> str:
    """The command line of a hook, for sh."""
    return f"{shlex.quote(str(script))} {host} {event}"


def carry_out(plan: Plan) -> None:
    """Write the plan, file by file, each whole and durable. Links stay links, old files keep their mode.

    :raises Conflict: a file changed since the plan was made; it and the ones after it are as they were
    :raises CannotWrite: the disk refuses
    """
    for change in plan.changes:
        if _read(change.path) != change.before:
            raise Conflict(f"{change.path} was changed meanwhile; run the command again")
        _write(change)


def _write(change: Change) -> None:
    path = Path(os.path.realpath(change.path))
    if change.after is None:
        with fsio.folder(path.parent) as folder:
            fsio.unlink(folder, path.name)
            fsio.sync_dir(folder)
        return _drop_folder(change)
    mode = path.stat().st_mode & 0o7777 if change.before is not None and change.kind != "script" else change.mode
    fsio.make_dirs(path.parent)
    return fsio.write_durable(path, change.after, mode=mode)


def _drop_folder(change: Change) -> None:
    """The folder of the skill goes with it, unless something else lies there."""
    if change.kind == "skill" and not os.listdir(change.path.parent):
        change.path.parent.rmdir()


def _change(kind: Kind, path: Path, after: bytes | None, *, mode: int = 0o600) -> Change:
    return Change(kind=kind, path=path, before=_read(path), after=after, mode=mode)


def _read(path: Path) -> bytes | None:
    """:raises CannotWrite: something stands there that cannot be read"""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWrite(f"cannot read {path}: {error.strerror}; correct its owner or its mode") from error


def _text(settings: Path) -> str:
    return jsonedit.decode(_read(settings) or b"", str(settings))


def _as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def _is_our_skill(content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() in seeds.shipped_hashes()


def _our_skill(target: Target) -> Iterator[Change]:
    current = _read(target.skill)
    if current is not None and _is_our_skill(current):
        yield _change("skill", target.skill, None)
