"""Claude Code: hooks in settings.json, the MCP server in a file of its own."""

from typing import Any

from memoryd.ipc.hosts.plans.base import HostPlan, Settings, Site

_SECONDS = {"PreCompact": 10}  #: the others get 5; SessionEnd would get 1.5 without a number


def plan(site: Site) -> HostPlan:
    folder = site.folder("CLAUDE_CONFIG_DIR", ".claude")
    if site.project is not None:
        servers = site.project / ".mcp.json"
    else:
        servers = (folder if site.env.get("CLAUDE_CONFIG_DIR") else site.home) / ".claude.json"

    def handler(event: str) -> dict[str, Any]:
        return {"type": "command", "command": site.command(event), "timeout": _SECONDS.get(event, 5)}

    return HostPlan(
        program="claude",
        folder=folder,
        settings=(
            Settings(path=folder / "settings.json", entries=site.groups(handler), off={("disableAllHooks",): True}),
            Settings(path=servers, entries=site.server(type="stdio")),
        ),
        skills=folder / "skills",
    )
