"""What `install` puts into each host: one module each, found by the host's name."""

from importlib import import_module

from memoryd.ipc.hosts.plans.base import HostPlan, Site

_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "copilot": "copilot",
    "cursor": "cursor",
    "opencode": "opencode",
    "hermes": "hermes",
    "openclaw": "openclaw",
}


def names() -> tuple[str, ...]:
    return tuple(_MODULES)


def plan(site: Site) -> HostPlan | None:
    """What the site's host wants; None: it has no settings of a single project."""
    found: HostPlan | None = import_module(f"memoryd.ipc.hosts.plans.{_MODULES[site.host]}").plan(site)
    return found
