"""Codex: hooks in hooks.json, the MCP server in config.toml; hooks run once the person has trusted them.

The trust is by path, event and place in the file, and by a hash of the definition; so our group is the last of its
event, and its definition does not change from release to release.
"""

import hashlib
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


def _trusted(hooks: Path, config: Path) -> bool | None:
    """Whether Codex trusts each of our handlers as it stands; None: it trusts something else in all their places.

    That is an older form of ours, or a Codex that counts its hashes in another way.
    """
    try:
        state = tomllib.loads(config.read_text("utf-8-sig"))["hooks"]["state"]
        wanted = _ours(json.loads(hooks.read_text("utf-8-sig"))["hooks"])
        right = [state[f"{hooks}:{key}"]["trusted_hash"] == digest for key, digest in wanted.items()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    return all(right) or (None if not any(right) else False)


def _ours(hooks: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """`event_name:group:handler` of each handler of ours, as Codex counts them -> its hash."""
    found = dict[str, str]()
    for event, groups in hooks.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for n, group in enumerate(groups):
            for place, handler in enumerate(group["hooks"]):
                if HOOK_SCRIPT in handler.get("command", ""):
                    found[f"{name}:{n}:{place}"] = trusted_hash(name, group.get("matcher"), handler)
    return found


def trusted_hash(event_name: str, matcher: str | None, handler: dict[str, Any]) -> str:
    """What Codex 0.171 writes down when the person trusts a handler: of its definition as JSON with sorted keys."""
    group = {"hooks": [{"async": False, "timeout": 600, **handler}], **({"matcher": matcher} if matcher else {})}
    shown = json.dumps({"event_name": event_name, **group}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(shown.encode()).hexdigest()}"
