"""Codex: hooks in hooks.json, the MCP server in config.toml; hooks run once the person has trusted them.

The trust is by path, event and place in the file, and by a hash of the definition; so our group is the last of its
event, and its definition does not change from release to release.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from memoryd.ipc.hosts.plans.base import HOOK_SCRIPT, Consent, HostPlan, Settings, Site

_LONGEST = {"SessionEnd": 3, "Interrupt": 3}  #: Codex warns of more at each start
_WITH_CONTEXT = ("SessionStart", "UserPromptSubmit")
_CONTEXT_TOKENS = 8_000  #: of 4 bytes each: 9 500 characters of three bytes pass whole


def plan(site: Site) -> HostPlan:
    folder = site.folder("CODEX_HOME", ".codex")
    user = Path(site.env.get("CODEX_HOME") or site.home / ".codex").absolute()
    hooks = folder / "hooks.json"

    def handler(event: str) -> dict[str, Any]:
        limit = {"additionalContextLimit": _CONTEXT_TOKENS} if event in _WITH_CONTEXT else {}
        return {"type": "command", "command": site.command(event), "timeout": _LONGEST.get(event, 5), **limit}

    servers = Settings(
        path=folder / "config.toml",
        syntax="toml",
        entries=site.server("mcp_servers"),
        off={("features", "hooks"): False, ("features", "codex_hooks"): False},
    )
    return HostPlan(
        program="codex",
        folder=folder,
        settings=(Settings(path=hooks, entries=site.groups(handler)), *(() if site.project else (servers,))),
        skills=site.project / ".agents" / "skills" if site.project else folder / "skills",
        consent=Consent(
            given=lambda: _trusted(hooks, user / "config.toml"),
            how="open `codex` in a terminal and choose `Trust all`; until then it skips these hooks without a word",
        ),
    )


def _trusted(hooks: Path, config: Path) -> bool:
    """Whether each of our handlers has a trusted hash; whether the hash is the one of now, only Codex can tell."""
    try:
        state = tomllib.loads(config.read_text("utf-8-sig"))["hooks"]["state"]
        found = json.loads(hooks.read_text("utf-8-sig"))["hooks"]
        return all(state[f"{hooks}:{key}"]["trusted_hash"] for key in _ours(found))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def _ours(hooks: dict[str, list[dict[str, Any]]]) -> list[str]:
    """`event_name:group:handler` of each handler of ours, as Codex counts them."""
    return [
        f"{re.sub(r'(?<!^)(?=[A-Z])', '_', event).lower()}:{group}:{place}"
        for event, groups in hooks.items()
        for group, one in enumerate(groups)
        for place, handler in enumerate(one["hooks"])
        if HOOK_SCRIPT in handler.get("command", "")
    ]
