"""The hosts: one module each, found by name; a module is imported when its host first calls."""

from importlib import import_module

from memoryd.errors import NotFound
from memoryd.ipc.hosts.base import Host

_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini": "gemini",
    "qwen": "qwen",
    "hermes": "hermes",
    "openclaw": "openclaw",
    "generic": "generic",
    "opencode": "opencode",
}


def names() -> tuple[str, ...]:
    return tuple(_MODULES)


def get(name: str) -> Host:
    """:raises NotFound: no such host in this release"""
    module = _MODULES.get(name)
    if module is None:
        raise NotFound(f"unknown host {name[:64]!r}; this release knows {', '.join(_MODULES)}")
    host: Host = import_module(f"memoryd.ipc.hosts.{module}").HOST
    return host
