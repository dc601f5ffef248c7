"""Cursor: hooks.json and mcp.json."""

from typing import Any

from memoryd.ipc.hosts.plans.base import HostPlan, Settings, Site


def plan(site: Site) -> HostPlan:
    folder = (site.project or site.home) / ".cursor"

    def handler(event: str) -> dict[str, Any]:
        return {"command": site.command(event), "timeout": 5}

    return HostPlan(
        program="cursor",
        folder=folder,
        settings=(
            Settings(path=folder / "hooks.json", entries=site.handlers(handler), skeleton={"version": 1}),
            Settings(path=folder / "mcp.json", entries=site.server()),
        ),
        skills=folder / "skills",
    )
