"""OpenClaw: a hook of our own, a folder with two files, and the line that enables it."""

from memoryd.ipc.hosts import openclaw_hook
from memoryd.ipc.hosts.plans.base import Entry, HostPlan, OwnFile, Settings, Site


def plan(site: Site) -> HostPlan | None:
    if site.project is not None:
        return None
    folder = site.home / ".openclaw"
    enabled = Entry(at=("hooks", "internal", "entries", openclaw_hook.NAME), value={"enabled": True})
    return HostPlan(
        program="openclaw",
        folder=folder,
        settings=(Settings(path=folder / "openclaw.json", entries=(enabled,)),),
        files=tuple(
            OwnFile(path=folder / "hooks" / openclaw_hook.NAME / name, content=content.encode())
            for name, content in openclaw_hook.generate(site.script).items()
        ),
        notes=("OpenClaw reads its hooks when its gateway starts: restart it",),
    )
