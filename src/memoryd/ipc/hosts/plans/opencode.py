"""opencode: a plugin file of ours, the MCP server in opencode.json."""

from pathlib import Path

from memoryd.ipc.hosts import opencode_plugin
from memoryd.ipc.hosts.plans.base import SERVER, Entry, HostPlan, OwnFile, Settings, Site


def plan(site: Site) -> HostPlan:
    base = site.env.get("XDG_CONFIG_HOME", "")
    user = (Path(base) if base.startswith("/") else site.home / ".config") / "opencode"
    folder = site.project / ".opencode" if site.project else user
    plugin = OwnFile(path=folder / "plugin" / "memoryd.js", content=opencode_plugin.generate(site.places).encode())
    return HostPlan(
        program="opencode",
        folder=folder,
        settings=(_servers(site, site.project or user),),
        files=(plugin,),
        skills=folder / "skills",
    )


def _servers(site: Site, folder: Path) -> Settings:
    commented = folder / "opencode.jsonc"
    path = commented if commented.exists() else folder / "opencode.json"
    value = {"type": "local", "command": [str(site.mcp)], "enabled": True}
    return Settings(path=path, entries=(Entry(at=("mcp", SERVER), value=value),) if site.mcp else ())
