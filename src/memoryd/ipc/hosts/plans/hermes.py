"""Hermes agent: hooks and the MCP server in config.yaml; each hook runs once the person has agreed to it."""

import json
from pathlib import Path
from typing import Any

import yaml

from memoryd.ipc.hosts.plans.base import Consent, HostPlan, Settings, Site


def plan(site: Site) -> HostPlan | None:
    if site.project is not None:
        return None
    folder = site.folder("HERMES_HOME", ".hermes")

    def handler(event: str) -> dict[str, Any]:
        return {"command": site.command(event), "timeout": 5}

    entries = (*site.handlers(handler), *site.server("mcp_servers"))
    config = Settings(path=folder / "config.yaml", syntax="yaml", entries=entries)
    return HostPlan(
        program="hermes",
        folder=folder,
        settings=(config,),
        skills=folder / "skills",
        consent=Consent(
            given=lambda: _accepts_all(config.path) or _approved(folder / "shell-hooks-allowlist.json", site),
            how="start `hermes` in a terminal and agree to each hook, or start it once with `--accept-hooks`",
        ),
    )


def _accepts_all(config: Path) -> bool:
    try:
        return yaml.safe_load(config.read_text("utf-8-sig"))["hooks_auto_accept"] is True
    except (OSError, ValueError, yaml.YAMLError, LookupError, TypeError):
        return False


def _approved(path: Path, site: Site) -> bool:
    """Whether each of our hooks was agreed to: by event and command line."""
    try:
        approvals = json.loads(path.read_text("utf-8-sig"))["approvals"]
        known = {(one["event"], one["command"]) for one in approvals}
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return known >= {(event, site.command(event)) for event in site.events}
