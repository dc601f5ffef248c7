"""The released programs that answer a prompt without a screen: one row each. Any other argv is a row of its own.

A program keeps the person's own directory of settings, because the login is there. Its hooks, servers, tools and
transcripts are off. Proven with the versions that docs/models.md names.
"""

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

SCHEMA_FILE = "schema.json"

Prints = Literal["claude", "codex", "gemini", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How one program is called, what it needs, what it says."""

    name: str
    prints: Prints = "text"
    mode: tuple[str, ...] = ()  #: the words for "no screen": the first is added when none was written
    completes: tuple[str, ...] = ()  #: options that want a value: a bare one at the end gets an empty one
    always: tuple[tuple[str, ...], ...] = ()  #: given whatever was written: the last one counts, or all do
    unless_written: tuple[tuple[str, ...], ...] = ()  #: an option and its value; `{place}` is the empty directory
    short: Mapping[str, str] = field(default_factory=dict)  #: what else an option of those is called
    files: Mapping[str, str] = field(default_factory=dict)  #: written into the directory; `{schema}` is the answer's
    sets: Mapping[str, str] = field(default_factory=dict)  #: of its environment
    needs: tuple[str, ...] = ()  #: names of the environment that it may have; a final `*` stands for the rest
    home: str = ""  #: its directory of settings, below the person's home
    home_variable: str = ""  #: that moves it; what lies in `beside` moves with it
    moved: str = ""  #: where it then is, below the value of the variable
    beside: tuple[str, ...] = ()  #: files below the person's home that it writes too
    leaves: tuple[str, ...] = ()  #: folders of it where it keeps something for each directory it has worked in
    login: str = "sign in with it in a terminal"  #: what a person does when the login has ended
    tokens: int = 0  #: at most, of what it puts around a prompt
    usd_in: float = 0.0  #: dollars for a million tokens at most: reserved, where the program tells what it has cost
    usd_out: float = 0.0


_NO_HOOKS = json.dumps({"disableAllHooks": True})
_GEMINI = {"hooksConfig": {"enabled": False}, "tools": {"core": []}, "mcpServers": {}, "general": {"maxAttempts": 1}}

CLAUDE = Program(
    name="claude", prints="claude", mode=("-p", "--print"), login="run `claude` and type /login",
    always=(
        ("--settings", _NO_HOOKS), ("--strict-mcp-config",), ("--mcp-config", '{"mcpServers":{}}'),
        ("--no-session-persistence",),
    ),
    unless_written=(("--tools", ""), ("--output-format", "json"), ("--max-turns", "1")),
    sets={
        "CLAUDE_CODE_MAX_RETRIES": "0",  # the daemon waits, not a process that holds a cage open
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # nor does it make a folder for each directory it works in
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
    },
    needs=(
        "ANTHROPIC_*", "AWS_*", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*",
        "CLAUDE_CONFIG_DIR", "CLOUD_ML_REGION", "GOOGLE_*",
    ),
    home=".claude", home_variable="CLAUDE_CONFIG_DIR", beside=(".claude.json",), tokens=4_000, usd_in=5.0, usd_out=25.0,
)  # fmt: skip

CODEX = Program(
    name="codex", prints="codex", mode=("exec", "e"), login="run `codex login`",
    always=(("--disable", "hooks"), *(
        ("-c", f"features.{name}=false")
        for name in ("shell_tool", "shell_snapshot", "plugins", "apps", "memories", "multi_agent", "image_generation")
    ), ("-c", "web_search=disabled")),
    unless_written=(
        ("--ephemeral",), ("--json",), ("--sandbox", "read-only"), ("--skip-git-repo-check",),
        ("--output-schema", "{place}/" + SCHEMA_FILE),
    ),
    short={"-s": "--sandbox"}, files={SCHEMA_FILE: "{schema}"},
    needs=("CODEX_*", "OPENAI_*", "AZURE_OPENAI_*", "AWS_*"),
    home=".codex", home_variable="CODEX_HOME", tokens=12_000,
)  # fmt: skip

GEMINI = Program(
    name="gemini", prints="gemini", completes=("-p", "--prompt"), login="run `gemini` and sign in",
    unless_written=(("--output-format", "json"), ("--extensions", "none"), ("--allowed-mcp-server-names", "none")),
    short={"-o": "--output-format", "-e": "--extensions"},
    files={".gemini/settings.json": json.dumps(_GEMINI)},  # of the workspace: they win over the person's
    sets={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "1"}, needs=("GEMINI_*", "GOOGLE_*"),
    home=".gemini", home_variable="GEMINI_CLI_HOME", moved=".gemini", leaves=("tmp", "history"), tokens=12_000,
)  # fmt: skip

KNOWN = {program.name: program for program in (CLAUDE, CODEX, GEMINI)}


def of(command: Sequence[str]) -> Program:
    """The row of an argv, by the name of its first word. A program that is started by another is not looked for."""
    name = Path(command[0]).name if command else ""
    return KNOWN.get(name) or Program(name=name)


def argv(command: Sequence[str], place: Path, env: Mapping[str, str]) -> list[str]:
    """What was written, then what the program needs to answer a prompt on its input, and nothing else. Blocking."""
    program, words = of(command), list(command)
    if words[-1] in program.completes:
        words.append("")
    if program.mode and not set(program.mode) & set(words):
        words.append(program.mode[0])
    written = {program.short.get(word, word).partition("=")[0] for word in words}
    servers = _without_servers(command, env) if program is CODEX else ()
    added = [*program.always, *servers, *(group for group in program.unless_written if group[0] not in written)]
    return words + [word.replace("{place}", str(place)) for group in added for word in group]


def _without_servers(command: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Codex has no word for "no servers": each that its settings name is switched off by its name."""
    for folder in writes(command, env):
        try:
            settings = tomllib.loads(Path(folder, "config.toml").read_text("utf-8"))
        except (OSError, ValueError):  # codex will say what is wrong with it
            continue
        for name in settings.get("mcp_servers", {}):
            yield ("-c", f"mcp_servers.{name}.enabled=false")


def prepare(command: Sequence[str], place: Path, schema: str) -> None:
    """Write the files that the program is given into the empty directory. Blocking."""
    for name, content in of(command).files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content.replace("{schema}", schema), "utf-8")


def clear(command: Sequence[str], place: Path, env: Mapping[str, str]) -> None:
    """Remove the directory, and what the program keeps of it elsewhere: a transcript, an empty folder. Blocking."""
    kept = [Path(folder, name, place.name) for folder in writes(command, env) for name in of(command).leaves]
    for path in (place, *kept):
        shutil.rmtree(path, ignore_errors=True)


def sets(command: Sequence[str], place: Path) -> dict[str, str]:
    """What is set in the program's environment."""
    return {name: value.replace("{place}", str(place)) for name, value in of(command).sets.items()}


def needs(command: Sequence[str], env: Mapping[str, str]) -> dict[str, str]:
    """What of `env` the program may have, beside the names that every child gets."""
    return {name: value for name, value in env.items() if any(_fits(name, need) for need in of(command).needs)}


def writes(command: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """What it must be able to write: its own directory of settings, where it renews its login."""
    program = of(command)
    if moved := env.get(program.home_variable, ""):
        return (os.path.join(moved, program.moved),)
    home = env.get("HOME", "")
    return tuple(os.path.join(home, name) for name in (program.home, *program.beside) if name and home)


def reads(command: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """What it must be able to read and run: itself, where it really lies, its packages and their interpreter.

    No folder is among them that holds the person's home. Blocking.
    """
    home = Path(os.path.realpath(env.get("HOME", "/")))
    return tuple(dict.fromkeys(str(path) for path in _lies(command, env) if not home.is_relative_to(path)))


def _lies(command: Sequence[str], env: Mapping[str, str]) -> Iterator[Path]:
    found = shutil.which(command[0], path=env.get("PATH")) if command else None
    if found is None:
        return
    real = Path(os.path.realpath(found))
    packages = [above for above in real.parents if above.name == "node_modules"]
    yield from (Path(found), real.parent, *packages[-1:])
    if packages and (node := shutil.which("node", path=env.get("PATH"))):
        yield from (Path(node), Path(os.path.realpath(node)).parent.parent)


def _fits(name: str, need: str) -> bool:
    return name.startswith(need[:-1]) if need.endswith("*") else name == need
