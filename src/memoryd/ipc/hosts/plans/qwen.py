"""Qwen Code: hooks as in Claude Code and the MCP server in settings.json."""

from typing import Any

from memoryd.ipc.hosts.plans.base import HostPlan, Settings, Site


def plan(site: Site) -> HostPlan:
    folder = (site.project or site.home) / ".qwen"

    def handler(event: str) -> dict[str, Any]:
        return {"type": "command", "command": site.command(event), "name": "memoryd", "timeout": 5}

    settings = Settings(
        path=folder / "settings.json",
        entries=(*site.groups(handler), *site.server()),
        off={("disableAllHooks",): True},
    )
    return HostPlan(
        program="qwen",
        folder=folder,
        settings=(settings,),
        skills=folder / "skills",
        notes=("a session that is open takes new hooks in when `/hooks` is opened in it",),
    )
