"""`<data>/bin/memoryd-start`: how a hook starts the daemon, on machines where no service manager does.

It is there only while `[daemon] autostart` is true. The daemon's places stand in it, because hosts run hooks with other
environments; of the rest only what says who and where this is, never a key.
"""

import os
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from memoryd import fsio
from memoryd.ipc.places import Places

NAME = "memoryd-start"
STARTING, STOPPED = ".starting", ".stopped"  #: marks in the spool: a try that was made; a stop that a person asked for
_KEPT = ("HOME", "PATH", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")


def path(places: Places) -> Path:
    return places.data / "bin" / NAME


def text(places: Places, python: Path, env: Mapping[str, str]) -> str:
    """The script, for sh.

    :param python: the interpreter that memoryd is installed for, not resolved: its environment hangs on its path
    """
    kept = {name: env[name] for name in _KEPT if name in env}
    settings = {name: value for name, value in env.items() if name.startswith("MEMORYD_") and "__" in name}
    rest = {name: value for name, value in (kept | settings).items() if name not in _OURS}
    given = [*_places(places), *(f"{name}={value}" for name, value in sorted(rest.items()))]
    command = shlex.join(["exec", "env", "-i", *given, *_command(python)])
    why = "# Written by memoryd while [daemon] autostart is true; a hook that finds no daemon runs it."
    return f"#!/bin/sh\n{why}\n{command}\n"


_OURS = ("XDG_CONFIG_HOME", "MEMORYD_SOCKET", "MEMORYD_DAEMON__DATA_DIR")


def _places(places: Places) -> list[str]:
    values = (places.config.parent.parent, places.socket, places.data)
    return [f"{name}={value}" for name, value in zip(_OURS, values, strict=True)]


def _command(python: Path) -> list[str]:
    return [str(python.absolute()), "-P", "-m", "memoryd", "start"]


def is_current(places: Places, python: Path) -> bool:
    """Whether the script starts the daemon of these places with this interpreter; the rest may be of another shell."""
    try:
        words = shlex.split(path(places).read_text("utf-8"), comments=True)
    except (OSError, ValueError):
        return False
    return set(_places(places)) <= set(words) and words[-5:] == _command(python) and os.access(path(places), os.X_OK)


def settle(places: Places, wanted: str | None) -> None:
    """Have the script so, or not at all. Blocking.

    :raises CannotWrite: the folder or the file cannot be written
    """
    here = path(places)
    if wanted is None:
        here.unlink(missing_ok=True)
    elif not here.exists() or here.read_text("utf-8", "replace") != wanted:
        fsio.make_dirs(here.parent)
        fsio.write_durable(here, wanted.encode(), mode=0o700)


def forget_marks(places: Places) -> None:
    """A daemon runs: what kept hooks from starting one is over."""
    for mark in (STARTING, STOPPED):
        (places.spool / mark).unlink(missing_ok=True)


def is_stopped(places: Places) -> bool:
    """Whether a person stopped the daemon and has not started it since."""
    return (places.spool / STOPPED).exists()


def tried_at(places: Places) -> datetime | None:
    """When a hook last started a daemon; None: none did, or a daemon came up since."""
    try:
        return datetime.fromtimestamp((places.spool / STARTING).stat().st_mtime, UTC)
    except OSError:
        return None


def mark_stopped(places: Places) -> None:
    """Keep hooks from starting a daemon until a person does."""
    fsio.make_dirs(places.spool)
    (places.spool / STOPPED).touch(mode=0o600)
