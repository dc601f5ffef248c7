"""The service as `memoryd doctor` and `memoryd service status` tell of it."""

from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.service import Service
from memoryd.ipc.places import Places

WITHOUT = "no service manager runs here (a container, WSL, ssh)"
INSTEAD = "set [daemon] autostart = true and a hook starts the daemon; or `memoryd start` starts it"


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
    if found.state() == "installed":
        return wrong(link, "installed, not enabled", "`memoryd service install`")
    if found.lingers() is False:
        return off(link, "enabled; it ends with your last login", "`loginctl enable-linger` keeps it running")
    return ok(link, "enabled")
