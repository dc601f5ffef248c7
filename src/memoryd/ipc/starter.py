"""`<data>/bin/memoryd-start`: how a hook starts the daemon, on machines where no service manager does.

It is there only while `[daemon] autostart` is true. The daemon's places stand in it, because hosts run hooks with other
environments; of the rest only what says who and where this is, never a key.
"""

import shlex
from collections.abc import Mapping
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
    ours = {
        "XDG_CONFIG_HOME": str(places.config.parent.parent),
        "MEMORYD_SOCKET": str(places.socket),
        "MEMORYD_DAEMON__DATA_DIR": str(places.data),
    }
    given = [f"{name}={value}" for name, value in sorted((kept | settings | ours).items())]
    command = shlex.join(["exec", "env", "-i", *given, str(python.absolute()), "-P", "-m", "memoryd", "start"])
    why = "# Written by memoryd while [daemon] autostart is true; a hook that finds no daemon runs it."
    return f"#!/bin/sh\n{why}\n{command}\n"


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


def mark_stopped(places: Places) -> None:
    """Keep hooks from starting a daemon until a person does."""
    fsio.make_dirs(places.spool)
    (places.spool / STOPPED).touch(mode=0o600)
