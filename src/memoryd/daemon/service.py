"""The service manager: a systemd user unit with its socket, or a launchd agent. Templates: `daemon/units`.

Everything is planned from a `Platform`, so that each one is tested on the other.
"""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal

from memoryd import fsio
from memoryd.errors import CannotWrite
from memoryd.ipc.places import Places

LABEL = "io.memoryd.daemon"
UNITS = ("memoryd.socket", "memoryd.service")
BAKED = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "MEMORYD_SOCKET", "CLAUDE_CONFIG_DIR")  #: a service starts without these
BOOTED = Path("/run/systemd/system")  #: there where systemd is the first process, as sd_booted(3) asks
CALL_SECONDS = 20.0

State = Literal["running", "enabled", "installed", "outdated", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command of the service manager."""

    argv: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(self.argv)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The service of one memoryd installation."""

    places: Places
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform
    python: Path = field(default_factory=lambda: Path(sys.executable))

    @property
    def folder(self) -> Path:
        home = Path(self.env.get("HOME") or Path.home())
        if self.mac:
            return home / "Library" / "LaunchAgents"
        config = self.env.get("XDG_CONFIG_HOME", "")
        return (Path(config) if config.startswith("/") else home / ".config") / "systemd" / "user"

    @property
    def mac(self) -> bool:
        return self.platform == "darwin"

    def files(self) -> dict[Path, bytes]:
        """What is written, by path."""
        if self.mac:
            return {self.folder / f"{LABEL}.plist": self._plist()}
        return {self.folder / unit: self._unit(unit).encode() for unit in UNITS}

    def written(self) -> Literal["current", "outdated", "absent"]:
        found = [path.read_bytes() if path.exists() else None for path in self.files()]
        if not any(found):
            return "absent"
        return "current" if found == list(self.files().values()) else "outdated"

    def write(self) -> None:
        """:raises CannotWrite: the folder or a file cannot be written"""
        for path, content in self.files().items():
            fsio.make_dirs(path.parent, 0o755)
            fsio.write_durable(path, content, mode=0o644)

    def erase(self) -> tuple[Path, ...]:
        """Remove the files; returns those that were there."""
        found = tuple(path for path in self.files() if path.exists())
        for path in found:
            path.unlink()
        return found

    # the service manager

    def there(self) -> bool:
        """Whether this machine has a service manager: systemd as the first process, or launchd."""
        if self.mac:
            return shutil.which("launchctl") is not None
        return shutil.which("systemctl") is not None and BOOTED.is_dir()

    def usable(self) -> bool:
        """Whether the service manager of this user answers."""
        if self.mac:
            return shutil.which("launchctl") is not None
        return shutil.which("systemctl") is not None and self._quiet("show", "--property=Version")

    def enable_steps(self) -> tuple[Step, ...]:
        if self.mac:
            plist = str(self.folder / f"{LABEL}.plist")
            return (Step(argv=("launchctl", "bootstrap", f"gui/{os.getuid()}", plist)),)
        return (
            Step(argv=("systemctl", "--user", "daemon-reload")),
            Step(argv=("systemctl", "--user", "enable", "--now", *UNITS)),
        )

    def disable_steps(self) -> tuple[Step, ...]:
        if self.mac:
            return (Step(argv=("launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}")),)
        return (Step(argv=("systemctl", "--user", "disable", "--now", *UNITS)),)

    def forget_steps(self) -> tuple[Step, ...]:
        """After the files are gone."""
        return () if self.mac else (Step(argv=("systemctl", "--user", "daemon-reload")),)

    def restart_step(self) -> Step:
        if self.mac:
            return Step(argv=("launchctl", "kickstart", "-k", f"gui/{os.getuid()}/{LABEL}"))
        return Step(argv=("systemctl", "--user", "restart", "memoryd.service"))

    def state(self) -> State:
        """What the service manager makes of the files."""
        written = self.written()
        if written != "current":
            return written
        if self.mac:
            loaded = subprocess.run(
                ("launchctl", "list", LABEL), capture_output=True, timeout=CALL_SECONDS, check=False
            )
            return "running" if loaded.returncode == 0 else "installed"
        if self._quiet("is-active", "memoryd.service"):
            return "running"
        return "enabled" if self.enabled() else "installed"

    def enabled(self) -> bool:
        """Whether it starts at the next login; one that runs may not."""
        return self.state() != "installed" if self.mac else self._quiet("is-enabled", "memoryd.socket")

    def main_pid(self) -> int | None:
        """The pid that the service manager runs; None: it runs none."""
        if self.mac or not self.usable():
            return None
        text = _run(("systemctl", "--user", "show", "--property=MainPID", "--value", "memoryd.service")).strip()
        return int(text) if text.isdigit() and text != "0" else None

    def lingers(self) -> bool | None:
        """Whether the user's services outlive the last login; None: no such notion here, or unknown."""
        if self.mac or shutil.which("loginctl") is None:
            return None
        found = _run(("loginctl", "show-user", str(os.getuid()), "--property=Linger", "--value")).strip()
        return {"yes": True, "no": False}.get(found)

    def _quiet(self, *words: str) -> bool:
        argv = ("systemctl", "--user", *words)
        try:
            return subprocess.run(argv, capture_output=True, timeout=CALL_SECONDS, check=False).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False

    # the files

    def command(self) -> tuple[str, ...]:
        """Absolute; -P keeps the working directory off the import path."""
        return (str(self.python.absolute()), "-P", "-m", "memoryd", "serve")

    def environment(self) -> dict[str, str]:
        found = {name: self.env[name] for name in BAKED if self.env.get(name)}
        if not self.mac and self._listen() != _RUNTIME:
            found["MEMORYD_SOCKET"] = str(self.places.socket)
        return found

    def _listen(self) -> str:
        runtime = self.env.get("XDG_RUNTIME_DIR")
        default = Path(runtime) / "memoryd" / "memoryd.sock" if runtime else None
        return _RUNTIME if self.places.socket == default else _escape(str(self.places.socket))

    def _unit(self, name: str) -> str:
        text = _template(f"systemd/{name}").decode()
        environment = "\n".join(f"Environment={_quote(f'{k}={v}')}" for k, v in self.environment().items())
        text = text.replace("@ENVIRONMENT@\n", f"{environment}\n" if environment else "")
        text = text.replace("@EXEC@\n", " ".join(_quote(word) for word in self.command()) + "\n")
        return text.replace("@SOCKET@\n", f"{self._listen()}\n")

    def _plist(self) -> bytes:
        wanted = plistlib.loads(_template(f"launchd/{LABEL}.plist"))
        wanted["ProgramArguments"] = list(self.command())
        wanted["StandardErrorPath"] = str(self.places.data / "daemon.log")
        if self.environment():
            wanted["EnvironmentVariables"] = self.environment()
        return plistlib.dumps(wanted)


_RUNTIME = "%t/memoryd/memoryd.sock"


def run_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Run commands of the service manager, and yield each one that is done.

    :raises CannotWrite: one failed; the sentence holds what it said
    """
    for step in steps:
        try:
            done = subprocess.run(step.argv, capture_output=True, text=True, timeout=90, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotWrite(f"`{step}` failed: {error}; run it yourself and see what it says") from error
        if done.returncode:
            said = " ".join(done.stderr.split()) or f"status {done.returncode}"
            raise CannotWrite(f"`{step}` failed: {said}; `journalctl --user -u memoryd` may say more")
        yield step


def _run(argv: tuple[str, ...]) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=CALL_SECONDS, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _template(name: str) -> bytes:
    return (files("memoryd.daemon") / "units" / name).read_bytes()


def _escape(text: str) -> str:
    return text.replace("%", "%%")


def _quote(word: str) -> str:
    """A word for a unit file: specifiers and quotes escaped."""
    escaped = _escape(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"' if any(c.isspace() or c in "\"'\\;" for c in word) else escaped
