"""The scripts that stand between a host and the daemon: whether they are what this memoryd would write."""

import os
from collections.abc import Iterator

from memoryd import __version__
from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.install import Installer
from memoryd.daemon.service import Service
from memoryd.ipc import hookscript, starter
from memoryd.ipc.protocol import PROTOCOL

_ANEW = "`memoryd install --all` writes it anew"


def hook(installer: Installer, *, needed: bool) -> Check:
    """The script that hosts run.

    :param needed: a host's settings name it
    """
    link, path = "hook script", installer.script
    if not path.exists():
        return wrong(link, f"{path} is missing", _ANEW) if needed else off(link, "not installed")
    if not os.access(path, os.X_OK):
        return wrong(link, f"{path} is not executable", f"`chmod 755 {path}`")
    if fault := hook_fault(installer):
        return wrong(link, fault, _ANEW)
    if other := [str(change.path) for change in installer.plan_scripts().changes]:
        return wrong(link, f"written for another release or Python: {', '.join(other)}", _ANEW)
    return ok(link, f"{path}, current")


def baked_socket(installer: Installer) -> str | None:
    """The socket that the hook script delivers to; None: there is no script of ours."""
    written = _written(installer)
    return written.socket if written else None


def hook_fault(installer: Installer) -> str | None:
    """What reading the hook script tells that is wrong with it; no process is started."""
    places, written = installer.places, _written(installer)
    if written is None:
        return f"{installer.script} is not what `memoryd install` wrote"
    if not os.access(written.interpreter, os.X_OK):
        return f"the Python that it runs with is gone: {written.interpreter}"
    for what, baked, wanted in (("socket", written.socket, places.socket), ("spool", written.spool, places.spool)):
        if baked != str(wanted):
            return f"its {what} is {baked}, that of the configuration is {wanted}"
    return None if written.this_release else "it is of another release"


def _written(installer: Installer) -> hookscript.Written | None:
    try:
        return hookscript.read_back(installer.script.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def start(installer: Installer, *, wanted: bool) -> Check:
    """The script by which a hook starts the daemon.

    :param wanted: `[daemon] autostart`
    """
    link, places = "autostart", installer.places
    path = starter.path(places)
    if not wanted and path.exists():
        found = f"[daemon] autostart is false, but {path} is there: a hook would start the daemon"
        return wrong(link, found, "`memoryd install --all` removes it")
    if not wanted:
        return off(link, "no hook starts it")
    if not starter.is_current(places, installer.python):
        found = "missing" if not path.exists() else "written for another Python or other places"
        return wrong(link, f"{path} is {found}", _ANEW)
    if starter.is_stopped(places):
        return off(link, "`memoryd stop` was said: no hook starts it", "`memoryd start`")
    return ok(link, "a hook that finds no daemon starts one")


def skew(installer: Installer, running: str | None, protocol: int = PROTOCOL) -> Iterator[str]:
    """What an upgrade left of another release, each with its mend; reads files, starts nothing.

    :param running: the version of the daemon that answers
    :param protocol: that it speaks
    """
    if protocol > PROTOCOL:
        yield f"the daemon is memoryd {running} and speaks a newer protocol: upgrade this program, {__version__}"
    elif running not in (None, __version__):
        yield f"the daemon is memoryd {running}, this program {__version__}; `memoryd restart`"
    if installer.script.exists() and (fault := hook_fault(installer)):
        yield f"the hook script does not belong to this program ({fault}); `memoryd install --all`"
    if Service(places=installer.places).written() == "outdated":
        yield "the files of the service are of another release or other paths; `memoryd service install`"
