"""Hermes agent: hooks and the MCP server in config.yaml; each hook runs once the person has agreed to it."""

import json
from pathlib import Path
from typing import Any

from memoryd.ipc.hosts.plans.base import Consent, HostPlan, Settings, Site


def plan(site: Site) -> HostPlan | None:
    if site.project is not None:
        return None
    folder = site.folder("HERMES_HOME", ".hermes")

    def handler(event: str) -> dict[str, Any]:
        return {"command": site.command(event), "timeout": 5}

    entries = (*site.handlers(handler), *site.server("mcp_servers"))
    commands = [site.command(event) for event in site.events]
    return HostPlan(
        program="hermes",
        folder=folder,
        settings=(Settings(path=folder / "config.yaml", syntax="yaml", entries=entries),),
        skills=folder / "skills",
        consent=Consent(
            given=lambda: _allowed(folder / "shell-hooks-allowlist.json", commands),
            how="start `hermes` in a terminal and agree to each hook, or start it once with `--accept-hooks`",
        ),
    )


def _allowed(path: Path, commands: list[str]) -> bool:
    """Whether the list of agreed hooks names each of our commands, in whatever form it keeps them."""
    try:
        known = set(_strings(json.loads(path.read_text("utf-8-sig"))))
    except (OSError, ValueError, RecursionError):
        return False
    return all(any(command in text for text in known) for command in commands)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _strings(one)]
