"""Gemini CLI: hooks and the MCP server in settings.json; times in milliseconds."""

from pathlib import Path
from typing import Any

from memoryd.ipc.hosts.plans.base import HostPlan, Settings, Site

_MATCHERS = {"SessionStart": "*", "AfterTool": "*", "PreCompress": "manual"}


def plan(site: Site) -> HostPlan:
    home = site.project or Path(site.env.get("GEMINI_CLI_HOME") or site.home).absolute()
    folder = home / ".gemini"

    def handler(event: str) -> dict[str, Any]:
        return {"name": "memoryd", "type": "command", "command": site.command(event), "timeout": 5000}

    settings = Settings(
        path=folder / "settings.json",
        entries=(*site.groups(handler, _MATCHERS), *site.server()),
        off={("hooksConfig", "enabled"): False},
    )
    return HostPlan(
        program="gemini",
        folder=folder,
        settings=(settings,),
        skills=folder / "skills",
        notes=("hooks of a project run only in a folder that Gemini trusts",) if site.project else (),
    )
