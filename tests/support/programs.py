"""The released hosts: how each is signed in at a model on the loopback, asked, gone on with and talked to.

They lie in the folder that MEMORYD_PROGRAMS names; MEMORYD_HOSTS picks some of them. `make test-hosts` sets both.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.terminal import Terminal

FOLDER = os.environ.get("MEMORYD_PROGRAMS")
CHOSEN = os.environ.get("MEMORYD_HOSTS", "").split()
KEY = "sk-not-a-key"


@dataclass(frozen=True, kw_only=True)
class Program:
    """One released host. What it tells is named as `Told` prints it, without what its transcript adds."""

    host: str
    package: str  #: of npm
    start: str  #: the program, below node_modules
    node: bool = False
    ends: tuple[str, ...]  #: what is told at the end of a run without a terminal
    forks: str | None = None  #: how a fork begins; None: it has none on its command line
    compacts: tuple[str, ...] = ()  #: what is told from the command on to the next prompt
    read_late: tuple[str, ...] = ()  #: what its transcript tells of it besides, at some time
    clears: tuple[str, ...]
    exits: tuple[str, ...]
    compact: str = "/compact"
    leave: str = "/exit"
    ready: str  #: on the screen when it may be typed to
    compacted: str  #: on the screen when the compaction is done

    @property
    def command(self) -> list[str]:
        """:raises: skips where no folder is named; fails when the program is not in it"""
        if not FOLDER:
            pytest.skip("MEMORYD_PROGRAMS names no folder with released programs; see `make test-hosts`")
        path = Path(FOLDER) / "node_modules" / self.start
        if not path.exists():
            pytest.fail(f"no {self.host} at {path}: `make test-hosts` installs it with npm")
        return [*(["node"] if self.node else []), str(path)]

    @property
    def version(self) -> str:
        assert FOLDER
        return str(json.loads((Path(FOLDER) / "node_modules" / self.package / "package.json").read_text())["version"])

    def sign_in(self, home: Path, url: str) -> None:
        """Leave in the home what a person has who has used it before."""

    def environment(self, url: str) -> dict[str, str]:
        return {}

    def agent(self, url: str) -> list[str]:
        """What a person writes as `[agent] command`: the prompt will come to its input."""
        assert FOLDER
        start = Path(FOLDER, "node_modules", ".bin", self.host) if self.node else self.command[0]
        return [str(start), *self.as_agent(url)]

    def as_agent(self, url: str) -> list[str]:
        return []

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        """The command line that asks once, without a terminal; in a session that it goes on with or forks."""
        raise NotImplementedError

    def talk(self) -> list[str]:
        """The command line that starts it in a terminal."""
        return self.command

    def settle_in(self, terminal: Terminal) -> None:
        """Answer the first screens as a person does, until it may be typed to."""
        terminal.wait_for(self.ready)


class Claude(Program):
    def environment(self, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url.removesuffix("/v1"), "ANTHROPIC_API_KEY": KEY, "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
        }  # fmt: skip

    def sign_in(self, home: Path, url: str) -> None:
        (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True}))

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = ["--resume", session, *(["--fork-session"] if fork else [])] if session else []
        return [*self.command, "-p", prompt, "--dangerously-skip-permissions", *goes_on]

    def as_agent(self, url: str) -> list[str]:
        return ["-p"]

    def settle_in(self, terminal: Terminal) -> None:
        terminal.choose("Yes, I trust this folder")
        terminal.wait_for("use this API key")
        terminal.choose("Yes")
        super().settle_in(terminal)


class Codex(Program):
    def sign_in(self, home: Path, url: str) -> None:
        (home / ".codex").mkdir()
        (home / ".codex" / "config.toml").write_text(
            'model = "gpt-5"\nmodel_provider = "here"\n\n[model_providers.here]\nname = "here"\n'
            f'base_url = "{url}"\nenv_key = "OPENAI_MODEL_KEY"\nwire_api = "responses"\n'
        )

    def environment(self, url: str) -> dict[str, str]:
        return {"OPENAI_MODEL_KEY": KEY}

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = ["fork" if fork else "resume", session] if session else []
        return [
            *self.command, "exec", *goes_on, "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox", prompt,
        ]  # fmt: skip

    def as_agent(self, url: str) -> list[str]:
        return ["exec", "--dangerously-bypass-hook-trust"]  # hooks that nobody trusts would be silent anyway

    def talk(self) -> list[str]:
        """Without the server that it would leave behind, whose hooks have that server's environment."""
        return [*self.command, "--no-daemon"]

    def settle_in(self, terminal: Terminal) -> None:
        terminal.choose("Trust all and continue")
        super().settle_in(terminal)


class Gemini(Program):
    model = ("--model", "gemini-2.5-flash")  #: named, else it asks another one which to take

    def sign_in(self, home: Path, url: str) -> None:
        (home / ".gemini").mkdir()
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        }  # fmt: skip
        (home / ".gemini" / "settings.json").write_text(json.dumps(settings))

    def environment(self, url: str) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url.removesuffix("/v1"),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }  # fmt: skip

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = ["--resume", session] if session else []
        return [*self.command, *self.model, "--yolo", *goes_on, "-p", prompt]

    def as_agent(self, url: str) -> list[str]:
        return [*self.model]

    def talk(self) -> list[str]:
        return [*self.command, *self.model, "--yolo"]


class Qwen(Program):
    def environment(self, url: str) -> dict[str, str]:
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url, "OPENAI_MODEL": "fake-model"}

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = ["--resume", session, *(["--fork-session"] if fork else [])] if session else []
        return [*self.command, "--yolo", *goes_on, "-p", prompt]

    def as_agent(self, url: str) -> list[str]:
        """It gets neither settings nor keys of the person's: what it needs is written."""
        return ["--auth-type", "openai", "--openai-api-key", KEY, "--openai-base-url", url, "--model", "fake-model"]

    def talk(self) -> list[str]:
        return [*self.command, "--yolo"]


class Copilot(Program):
    def environment(self, url: str) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url, "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_MODEL": "gpt-4.1", "COPILOT_AUTO_UPDATE": "false",
        }  # fmt: skip

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = [f"--resume={session}"] if session else []
        return [*self.command, "--allow-all-tools", *goes_on, "-p", prompt]

    def talk(self) -> list[str]:
        return [*self.command, "--allow-all-tools"]

    def settle_in(self, terminal: Terminal) -> None:
        terminal.choose("1. Yes")
        super().settle_in(terminal)


class OpenCode(Program):
    def sign_in(self, home: Path, url: str) -> None:
        """With what it wants of npm for its folder: missing, it asks for it at each start, over a minute offline."""
        folder = home / ".config" / "opencode"
        (folder / "node_modules").mkdir(parents=True)
        lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
        (folder / "package-lock.json").write_text(json.dumps(lock))
        here = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": url, "apiKey": KEY}, "models": {"fake": {}}}
        (folder / "opencode.json").write_text(json.dumps({"provider": {"here": here}, "model": "here/fake"}))

    def environment(self, url: str) -> dict[str, str]:
        return {
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }  # fmt: skip

    def ask(self, prompt: str, *, session: str | None = None, fork: bool = False) -> list[str]:
        goes_on = ["--session", session, *(["--fork"] if fork else [])] if session else []
        return [*self.command, "run", *goes_on, prompt]

    def as_agent(self, url: str) -> list[str]:
        return ["run"]


_PROGRAMS: tuple[Program, ...] = (
    Claude(
        host="claude-code", package="@anthropic-ai/claude-code", start="@anthropic-ai/claude-code-linux-x64/claude",
        ends=("session_end other",), forks="session_start fork", ready=r"^❯",
        compacts=("pre_compact manual", "session_start compact", "post_compact manual"),
        compacted="Compacted", clears=("session_end clear", "session_start clear"),
        exits=("session_end prompt_input_exit",),
    ),
    Codex(
        host="codex", package="@openai/codex",
        start="@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        ends=("session_end other",), forks="session_start fork", ready="Ask Codex",
        compacts=("pre_compact manual", "post_compact manual", "session_start compact"),
        compacted="Context compacted", clears=("session_start clear",),
        exits=("session_end other", "session_end other"), leave="/quit",
    ),
    Gemini(
        host="gemini", package="@google/gemini-cli", start="@google/gemini-cli/bundle/gemini.js", node=True,
        ends=("session_end exit",), ready="Type your message", compact="/compress",
        compacts=("pre_compact manual",), read_late=("pre_compact auto",), compacted="compressed",
        clears=("session_end clear", "session_start clear"),
        exits=("session_end exit",), leave="/quit",
    ),
    Qwen(
        host="qwen", package="@qwen-code/qwen-code", start="@qwen-code/qwen-code/cli.js", node=True,
        ends=(), forks="session_start resume", ready="Type your message", compact="/compress",
        compacts=("pre_compact manual", "post_compact manual", "session_start compact"), compacted="compressed",
        clears=("session_end clear", "session_start clear"), exits=("session_end prompt_input_exit",), leave="/quit",
    ),
    Copilot(
        host="copilot", package="@github/copilot", start="@github/copilot-linux-x64/copilot",
        ends=("session_end complete",), ready="^❯", compacts=("pre_compact manual",), compacted="Compaction completed",
        clears=("session_end user_exit", "session_start startup"), exits=("session_end user_exit",),
    ),
    OpenCode(
        host="opencode", package="opencode-ai", start="opencode-linux-x64/bin/opencode",
        ends=("session_end exit",), forks="session_start fork", ready="Ask anything",
        compacts=("pre_compact auto", "post_compact auto", "session_start compact"), compacted="Compaction",
        clears=("session_start startup",), exits=("session_end exit", "session_end exit"),
    ),
)  # fmt: skip

PROGRAMS = {program.host: program for program in _PROGRAMS if not CHOSEN or program.host in CHOSEN}
