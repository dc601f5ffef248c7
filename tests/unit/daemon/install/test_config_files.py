"""Settings files as people keep them: ours comes and goes, and every other byte is where it was."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
import yaml

from memoryd.daemon.install import Installer, carry_out
from memoryd.errors import ConfigError
from memoryd.ipc import hosts
from memoryd.ipc import places as placing

BOM = "\ufeff"
LINT = '{"type": "command", "command": "lint --fast # not memoryd-hook", "timeout": 3}'

CLAUDE, SERVERS = ("claude-code", ".claude/settings.json"), ("claude-code", ".claude.json")
CODEX, CODEX_TOML = ("codex", ".codex/hooks.json"), ("codex", ".codex/config.toml")
GEMINI, QWEN, CURSOR = (
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("cursor", ".cursor/hooks.json"),
)
COPILOT, HERMES = ("copilot", ".copilot/mcp-config.json"), ("hermes", ".hermes/config.yaml")
OPENCODE, OPENCLAW = ("opencode", ".config/opencode/opencode.jsonc"), ("openclaw", ".openclaw/openclaw.json")

FILES: dict[str, tuple[tuple[str, str], str]] = {
    # JSON
    "json-blank": (CLAUDE, ""),
    "json-newlines-only": (GEMINI, "\n\n"),
    "json-comment-only": (CLAUDE, "// to be filled\n"),
    "json-comment-only-no-newline": (CLAUDE, "// to be filled"),
    "json-bom-only": (QWEN, BOM),
    "json-empty-object": (CURSOR, "{}"),
    "json-empty-object-spread": (CODEX, "{\n\n}\n"),
    "json-one-line": (CLAUDE, '{"model":"opus","env":{"A":"1"}}'),
    "json-no-final-newline": (GEMINI, '{\n  "theme": "x"\n}'),
    "json-tabs": (QWEN, '{\n\t"tools": {\n\t\t"a": [1,\t2]\n\t}\n}\n'),
    "json-crlf-bom": (CLAUDE, BOM + '{\r\n    "model": "opus",\r\n    "hooks": {\r\n    }\r\n}\r\n'),
    "json-odd-indentation": (
        GEMINI,
        '{\n "a": 1,\n      "mcpServers": {\n   "other": {"command": "x"}\n      }\n  }\n\n\n',
    ),
    "json-trailing-commas": (
        CLAUDE,
        '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": [' + LINT + ",]},\n    ],\n  },\n}\n",
    ),
    "json-comments-everywhere": (
        CLAUDE,
        '/* a */{ // b\n  /* c */ "hooks" /* d */: { // e\n    "Stop": [ // f\n    ] // g\n  }, // h\n'
        '  "x": 1 // i\n} // j\n',
    ),
    "json-hooks-of-others": (
        CODEX,
        '{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [' + LINT + ']}], "PreToolUse": []}}\n',
    ),
    "json-servers-of-others": (
        SERVERS,
        '{\n  "numStartups": 7,\n  "mcpServers": {"a": {"type": "stdio", "command": "a", "args": ["mcp"]}},\n'
        '  "projects": {"/p": {"mcpServers": {}}}\n}',
    ),
    "json-a-server-of-our-name": (
        COPILOT,
        '{"mcpServers": {"memoryd": {"type": "local", "command": "/opt/bin/memoryd", "args": ["mcp"]}}}\n',
    ),
    "json-cursor-with-hooks": (
        CURSOR,
        '{\n  "version": 1,\n  "hooks": {\n    "stop": [{ "command": "say done" }]\n  }\n}\n',
    ),
    "json-escapes": (QWEN, '{"path": "C:\\\\x // no comment", "\\u4e2d": "文", "a": "}{"}'),
    "jsonc-plugins": (
        OPENCODE,
        '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "plugin": ["x"],\n  "mcp": {},\n}\n',
    ),
    "json-nested": (
        OPENCLAW,
        '{\n  "hooks": {"internal": {"entries": {"boot-md": {"enabled": false}}}},\n  "gateway": {}\n}\n',
    ),
    "json-nothing-nested": (OPENCLAW, '{\n  "gateway": {"port": 1}\n}\n'),
    # TOML
    "toml-blank": (CODEX_TOML, ""),
    "toml-comment-no-newline": (CODEX_TOML, "# my codex"),
    "toml-plain": (CODEX_TOML, 'model = "o" # best\n\n[features]\nhooks = true\n'),
    "toml-crlf-bom": (CODEX_TOML, BOM + 'model = "o"\r\n\r\n[tui]\r\ntheme = "x"\r\n'),
    "toml-servers": (CODEX_TOML, '[mcp_servers.a]\ncommand = "a"\n  [mcp_servers.a.env]\n  T = "}"\n\n# end\n'),
    "toml-inline": (CODEX_TOML, 'mcp_servers = { a = { command = "x" } } # mine\n[z]\nq = 1\n'),
    "toml-inline-empty": (CODEX_TOML, "mcp_servers = {}\nx = {y = {}}\n"),
    "toml-dotted": (CODEX_TOML, 'mcp_servers.a.command = "x"\n[z]\nq = [1,\n  2, # two\n]\n'),
    "toml-tables-in-arrays": (CODEX_TOML, '[[rules]]\na = 1\n[[rules]]\na = """\n[mcp_servers]\n"""'),
    "toml-a-server-of-our-name": (CODEX_TOML, '[mcp_servers.memoryd]\ncommand = "memoryd"\nargs = ["mcp"]\n'),
    # YAML
    "yaml-blank": (HERMES, ""),
    "yaml-comment-no-newline": (HERMES, "# my hermes"),
    "yaml-plain": (HERMES, "model: x   # which\nagent:\n    max_turns: 90\n"),
    "yaml-no-final-newline": (HERMES, "model: x"),
    "yaml-crlf-bom": (HERMES, BOM + "model: x\r\nhooks:\r\n    pre_llm_call:\r\n    -   command: a\r\n"),
    "yaml-hooks-of-others": (
        HERMES,
        "hooks:\n  # first\n  pre_llm_call:\n    - command: 'a b'   # mine\n      timeout: 3\n  # last\n\nmodel: x\n",
    ),
    "yaml-dashes-at-the-margin": (
        HERMES,
        "hooks:\n  on_session_end:\n  - command: a\n  - {command: b}\nlist:\n- - 1\n  - 2\n",
    ),
    "yaml-keys-without-values": (HERMES, "hooks: # none yet\nmcp_servers:\n\nmodel: x\n"),
    "yaml-brackets": (HERMES, "hooks: {pre_llm_call: [{command: a}], on_session_end: []}\nmcp_servers: {}\n"),
    "yaml-all-in-brackets": (HERMES, '{model: x, "hooks": {}}\n'),
    "yaml-anchors": (
        HERMES,
        "base: &b\n    env: {A: '1'}\nmcp_servers: &m\n    a:\n        <<: *b\n        command: a\ncopy: *m\n",
    ),
    "yaml-block-text": (HERMES, "---\nprompt: |+\n  two\n  lines\n\nfold: >-\n    x\n    y\n"),
    "yaml-tags-and-end": (HERMES, "key: !vault abc\nwhen: 2026-99-99\n...\n"),
}

BROKEN: dict[str, tuple[tuple[str, str], str, str]] = {
    "json-comma": (CLAUDE, '{\n  "a": 1\n  "b": 2\n}', "line 3 column 3"),
    "json-cut": (GEMINI, '{"a": {\n', "line 2 column 1"),
    "json-list": (CURSOR, "[]", "line 1 column 1"),
    "json-other-shape": (QWEN, '{\n "hooks": []}', "line 2 column 11"),
    "json-no-text": (CLAUDE, '{\n"a": "\udcff"}', "line 2"),
    "toml-value": (CODEX_TOML, "a = 1\nb = \n", "line 2 column 5"),
    "toml-other-shape": (CODEX_TOML, "x = 1\nmcp_servers = 3\n", "line 2 column 1"),
    "yaml-tab": (HERMES, "a:\n\tb: 1\n", "line 2 column 1"),
    "yaml-indentation": (HERMES, "a: 1\n b: 2\n", "line 2 column 3"),
    "yaml-documents": (HERMES, "a: 1\n---\nb: 2\n", "line 2 column 1"),
    "yaml-alias": (HERMES, "x: &x {}\nhooks: *x\n", "line 2 column 8"),
    "yaml-other-shape": (HERMES, "hooks: []\n", "line 1 column 8"),
}  # fmt: skip


@pytest.fixture
def installer(home: Path) -> Installer:
    return Installer(places=placing.find())


def _put(home: Path, where: tuple[str, str], text: str) -> Path:
    path = home / where[1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def _known(installer: Installer, host: str) -> None:
    if host not in hosts.names():
        pytest.skip(f"this release does not know {host}")


def _data(path: Path) -> Any:
    text = path.read_text("utf-8-sig")
    match path.suffix:
        case ".toml":
            return tomllib.loads(text)
        case ".yaml":
            return yaml.safe_load(text)
    return json.loads(text)


@pytest.mark.parametrize("name", FILES)
def test_uninstall_gives_the_file_back_to_the_byte(name: str, home: Path, installer: Installer) -> None:
    where, text = FILES[name]
    _known(installer, where[0])
    path = _put(home, where, text)
    target = installer.target(where[0])
    carry_out(installer.plan_install(target))
    assert installer.state(target) == "installed"
    installed = path.read_bytes()
    assert (b"memoryd-" in installed) or where == OPENCLAW or "of-our-name" in name
    assert installer.plan_install(target).changes == (), "a second time changes nothing"
    carry_out(installer.plan_uninstall(target))
    assert path.read_bytes() == text.encode()
    assert installer.state(target) == "absent"


def _edited(text: str, suffix: str) -> str | None:
    """The same edit of a person, whether ours is in the file or not."""
    bom, rest = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
    if suffix == ".toml":
        return f"{bom}mine = 1 # new\n{rest}"
    if suffix == ".yaml":
        return None if rest.startswith(("{", "---")) else f"{bom}mine: 1 # new\n{rest}"
    at = rest.find("{") + 1
    return f'{bom}{rest[:at]}"mine": [1], /* new */{rest[at:]}' if at and rest[at:].strip(" \n}") else None


@pytest.mark.parametrize("name", [n for n, (where, text) in FILES.items() if text.strip(BOM + " \n{}")])
def test_what_a_person_changed_in_between_stays(name: str, home: Path, installer: Installer) -> None:
    where, text = FILES[name]
    _known(installer, where[0])
    path = _put(home, where, text)
    if (expected := _edited(text, path.suffix)) is None:
        pytest.skip("nothing can be put before this by text alone")
    target = installer.target(where[0])
    carry_out(installer.plan_install(target))
    now = _edited(path.read_bytes().decode(), path.suffix)
    assert now is not None
    path.write_bytes(now.encode())
    carry_out(installer.plan_uninstall(target))
    assert path.read_bytes().decode() == expected


def _again(path: Path) -> str:
    """The file as a host writes it that reads it and writes it whole."""
    data = _data(path)
    match path.suffix:
        case ".toml":
            return tomlkit.dumps(data)
        case ".yaml":
            return str(yaml.safe_dump(data))
    return json.dumps(data, indent=4)


REWRITTEN = (
    "json-one-line",
    "json-tabs",
    "json-cursor-with-hooks",
    "json-nested",
    "json-servers-of-others",
    "json-hooks-of-others",
    "toml-servers",
    "toml-dotted",
    "yaml-hooks-of-others",
    "yaml-crlf-bom",
)


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_file_that_the_host_wrote_anew_loses_only_ours(name: str, home: Path, installer: Installer) -> None:
    where, text = FILES[name]
    _known(installer, where[0])
    path = _put(home, where, text)
    before, target = _data(path), installer.target(where[0])
    carry_out(installer.plan_install(target))
    path.write_text(_again(path))
    assert installer.state(target) == "installed"
    carry_out(installer.plan_uninstall(target))
    assert _data(path) == before


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_its_place_and_nothing_is_written(
    name: str, home: Path, installer: Installer
) -> None:
    where, text, place = BROKEN[name]
    _known(installer, where[0])
    path = _put(home, where, text)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=f"{path.name} {place}"):
        installer.plan_install(installer.target(where[0]))
    assert path.read_bytes() == before
    assert not installer.script.exists()


def _full(value: Any) -> Any:
    """Without empty containers: braces in which a person's comment stands stay, and mean nothing."""
    if isinstance(value, dict):
        return {key: inner for key, one in value.items() if (inner := _full(one)) not in ({}, [])}
    return value


@pytest.mark.parametrize(
    "name", ["json-blank", "json-tabs", "json-hooks-of-others", "json-nothing-nested", "toml-servers", "yaml-plain"]
)
def test_a_comment_stays_wherever_a_person_puts_it(name: str, home: Path, installer: Installer) -> None:
    where, text = FILES[name]
    path = _put(home, where, text)
    before = _full(_data(path)) if text else {}
    target, mark = installer.target(where[0]), "// mine" if path.suffix == ".json" else "# mine"
    carry_out(installer.plan_install(target))
    rows = path.read_text().splitlines(keepends=True)
    for at in range(1, len(rows), 3):
        path.write_text("".join([*rows[:at], f"{mark}\n", *rows[at:]]))
        [left] = [change.after for change in installer.plan_uninstall(target).changes if change.path == path]
        assert left is not None
        assert mark in left.decode(), at
        path.write_text(left.decode().replace(mark, ""))
        assert _full(_data(path)) == before, at
