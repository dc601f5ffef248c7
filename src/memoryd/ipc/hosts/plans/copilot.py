"""GitHub Copilot CLI: a hooks file of our own beside those of others, the MCP server in mcp-config.json."""

from typing import Any

from memoryd.ipc.hosts.plans.base import SERVER, Entry, HostPlan, Settings, Site


def plan(site: Site) -> HostPlan:
    folder = site.project / ".github" if site.project else site.folder("COPILOT_HOME", ".copilot")

    def handler(event: str) -> dict[str, Any]:
        return {"type": "command", "bash": site.command(event), "timeoutSec": 5}

    hooks = Settings(path=folder / "hooks" / "memoryd.json", entries=site.handlers(handler), skeleton={"version": 1})
    return HostPlan(
        program="copilot",
        folder=folder,
        settings=(hooks, *(() if site.project else (_servers(site),))),
        skills=folder / "skills",
    )


def _servers(site: Site) -> Settings:
    path = site.folder("COPILOT_HOME", ".copilot") / "mcp-config.json"
    value = {"type": "local", "command": str(site.mcp), "args": [], "tools": ["*"]}
    return Settings(path=path, entries=(Entry(at=("mcpServers", SERVER), value=value),) if site.mcp else ())
