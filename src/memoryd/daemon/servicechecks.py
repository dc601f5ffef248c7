"""The service as `memoryd doctor` and `memoryd service status` tell of it."""

from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.lock import holder
from memoryd.daemon.service import Service
from memoryd.ipc.places import Places

WITHOUT = "no service manager runs here (a container, WSL, ssh)"
INSTEAD = "set [daemon] autostart = true and a hook starts the daemon; or `memoryd start` starts it"
TAKE_OVER = "`memoryd service install`"


def stranger(service: Service) -> int | None:
    """The pid of a daemon that runs and is not the service's; None: none does, or the service manager does not tell."""
    pid = holder(service.places.data)
    return pid if pid and not service.mac and pid != service.main_pid() else None


def keeps(places: Places) -> str:
    """What keeps the daemon running on this machine, as the end of a sentence."""
    if Service(places=places).there():
        return "`memoryd service install` keeps it running"
    return "[daemon] autostart = true lets a hook start it"


def service(places: Places, *, autostart: bool) -> Check:
    link, found = "service", Service(places=places)
    written = found.written()
    if not found.there():
        left = "; its files lie there and do nothing" if written != "absent" else ""
        return off(link, f"{WITHOUT}{left}", "" if autostart else INSTEAD)
    if written == "absent":
        return off(link, "not installed", "`memoryd service install` starts the daemon at login")
    if written == "outdated":
        return wrong(link, "its files are of another release or other paths", "`memoryd service install`")
    if not found.usable():
        return off(link, "its files are there; its service manager does not answer here")
    if not found.enabled():
        return wrong(link, "installed, not enabled: it does not start at the next login", TAKE_OVER)
    if pid := stranger(found):
        return off(link, f"enabled, but the daemon that runs, pid {pid}, is not its", f"{TAKE_OVER} puts its own there")
    if found.lingers() is False:
        return off(link, "enabled; it ends with your last login", "`loginctl enable-linger` keeps it running")
    return ok(link, "enabled")
