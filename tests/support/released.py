"""Released programs as memory agents: what a person has who uses one."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.programs import PROGRAMS

#: name of a command -> the host that it is
_HOSTS = {"claude": "claude-code", "codex": "codex"}


def program(name: str) -> Path:
    """A released program; where none is to be run, or another one, the test is skipped."""
    if _HOSTS[name] not in PROGRAMS:
        pytest.skip(f"MEMORYD_HOSTS does not name {_HOSTS[name]}")
    return Path(PROGRAMS[_HOSTS[name]].command[0])


@dataclass(frozen=True, kw_only=True)
class Person:
    """The home of somebody who uses a program: signed in, with hooks of memoryd and one that leaves a trace."""

    home: Path
    hook: Path  #: memoryd's

    @property
    def settings(self) -> Path:
        raise NotImplementedError

    @property
    def fired(self) -> int:
        """How often the hooks were run."""
        trace = self.settings / "fired"
        return len(trace.read_text().splitlines()) if trace.exists() else 0

    def _hooks(self, host: str) -> dict[str, object]:
        trace = f"echo $$ >>{self.settings / 'fired'}"
        return {
            event: [{"hooks": [{"type": "command", "command": f"{command}", "timeout": 5}]}]
            for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
            for command in [f"{trace}; {self.hook} {host} {event}"]
        }


class OfClaude(Person):
    """Claude Code with an account of its maker, the token good for years."""

    mode = "-p"

    @property
    def settings(self) -> Path:
        return self.home / ".claude"

    @property
    def credentials(self) -> Path:
        return self.settings / ".credentials.json"

    def environment(self, url: str) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": url.removesuffix("/v1")}

    def sign_in(self, url: str) -> None:
        self.settings.mkdir(parents=True)
        token = {"accessToken": "t-access", "refreshToken": "t-refresh", "expiresAt": 4_000_000_000_000}
        login = {"claudeAiOauth": {**token, "scopes": ["user:inference", "user:profile"], "subscriptionType": "max"}}
        self.credentials.write_text(json.dumps(login))
        self.credentials.chmod(0o600)
        (self.settings / "settings.json").write_text(json.dumps({"hooks": self._hooks("claude-code")}))
        (self.home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True}))


class OfCodex(Person):
    """Codex with a key that it keeps itself, and a provider on the loopback."""

    mode = "exec"

    @property
    def settings(self) -> Path:
        return self.home / ".codex"

    @property
    def credentials(self) -> Path:
        return self.settings / "auth.json"

    def environment(self, url: str) -> dict[str, str]:
        return {"CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{url}/token"}

    def sign_in(self, url: str) -> None:
        self.settings.mkdir(parents=True)
        self.credentials.write_text(json.dumps({"OPENAI_API_KEY": "sk-not-a-key"}))
        self.credentials.chmod(0o600)
        (self.settings / "hooks.json").write_text(json.dumps({"hooks": self._hooks("codex")}))
        (self.settings / "config.toml").write_text(
            'model = "gpt-5"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
            f'base_url = "{url}"\nrequires_openai_auth = true\nwire_api = "responses"\n'
            f'[mcp_servers.trace]\ncommand = "sh"\nargs = ["-c", "echo server >>{self.settings}/fired"]\n'
        )

    def let_login_run_out(self) -> None:
        """An account's login whose token is too old: it has to be renewed before it is used."""
        told = token(exp=1, **{"https://api.openai.com/auth": {"chatgpt_account_id": "a", "chatgpt_plan_type": "plus"}})
        tokens = {"id_token": told, "access_token": told, "refresh_token": "old", "account_id": "a"}
        login = {"auth_mode": "chatgpt", "tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z"}
        self.credentials.write_text(json.dumps(login))


def token(**claims: object) -> str:
    """A JSON web token; nobody looks at its signature."""
    parts: tuple[dict[str, object], ...] = ({"alg": "none", "typ": "JWT"}, claims, {})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


PEOPLE: dict[str, type[OfClaude | OfCodex]] = {"claude": OfClaude, "codex": OfCodex}
