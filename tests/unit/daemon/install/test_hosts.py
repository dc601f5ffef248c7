"""What each host gets, and what it still asks of the person."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.hosts import codex_trust

from memoryd.daemon import hostchecks
from memoryd.daemon.install import INSTALLABLE, Installer, asks_for, carry_out
from memoryd.errors import NotFound
from memoryd.ipc import hosts
from memoryd.ipc import places as placing
from memoryd.ipc.hosts.plans import codex

OF_PROJECTS = [host for host in INSTALLABLE if host not in ("hermes", "openclaw")]


@pytest.fixture
def installer(home: Path) -> Installer:
    return Installer(places=placing.find())


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("host", INSTALLABLE)
def test_a_host_without_settings_gets_them_and_loses_them_again(host: str, home: Path, installer: Installer) -> None:
    target = installer.target(host)
    assert not installer.present(host)
    carry_out(installer.plan_install(target))
    assert installer.state(target) == "installed"
    assert installer.present(host)
    handlers = list(installer.handlers(target))
    if not target.wants.files:  # a plugin calls us from inside
        assert [one.event for one in handlers] == list(hosts.get(host).hook_events)
    for one in handlers:
        assert one.command.split() == [str(installer.script), host, one.event]
    carry_out(installer.plan_uninstall(target))
    assert set(_tree(home)) == {".local/share/memoryd/bin/memoryd-hook", ".local/share/memoryd/bin/memoryd-mcp"}


@pytest.mark.parametrize("host", OF_PROJECTS)
def test_a_project_gets_it_in_its_own_folders(host: str, home: Path, tmp_path: Path, installer: Installer) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    carry_out(installer.plan_install(installer.target(host, root)))
    assert installer.state(installer.target(host, root)) == "installed"
    assert installer.state(installer.target(host)) == "absent"
    assert not [name for name in _tree(home) if not name.startswith(".local/share/memoryd/")]
    carry_out(installer.plan_removal())
    assert _tree(root) == {}
    assert _tree(home) == {}


def test_a_host_without_projects_says_so(installer: Installer, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="without --project"):
        installer.target("hermes", tmp_path)


def test_what_stands_in_the_settings_is_the_same_for_every_interpreter_and_release(
    home: Path, tmp_path: Path, installer: Installer
) -> None:
    for host in INSTALLABLE:
        carry_out(installer.plan_install(installer.target(host)))
    before = _tree(home)
    link = tmp_path / "other" / "python"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    other = Installer(places=installer.places, python=link)
    for host in INSTALLABLE:
        carry_out(other.plan_install(other.target(host)))
    changed = {name for name, content in _tree(home).items() if before[name] != content}
    assert changed == {".local/share/memoryd/bin/memoryd-mcp"}


def test_the_server_that_stands_in_the_settings_speaks_mcp(home: Path, installer: Installer) -> None:
    carry_out(installer.plan_install(installer.target("claude-code")))
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["memoryd"]
    assert server == {"type": "stdio", "command": str(installer.mcp_script), "args": []}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    done = subprocess.run(
        [server["command"], *server["args"]], input=f"{request}\n", capture_output=True, text=True, timeout=60,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "memoryd", done.stderr


def test_what_a_host_adds_to_our_server_is_no_damage_and_goes_with_it(home: Path, installer: Installer) -> None:
    target = installer.target("codex")
    carry_out(installer.plan_install(target))
    config = home / ".codex" / "config.toml"
    config.write_text(config.read_text() + 'enabled = true\n[mcp_servers.memoryd.tools.save]\napproval = "ask"\n')
    assert installer.state(target) == "installed"
    carry_out(installer.plan_uninstall(target))
    assert not config.exists()


def test_a_server_that_was_declined_stays_away_until_it_is_wanted(home: Path, installer: Installer) -> None:
    carry_out(installer.plan_install(installer.target("gemini", mcp=False)))
    settings = home / ".gemini" / "settings.json"
    assert "mcpServers" not in json.loads(settings.read_text())
    assert installer.state(installer.target("gemini")) == "installed"
    assert installer.plan_install(installer.target("gemini")).changes == ()
    carry_out(installer.plan_install(installer.target("gemini", mcp=True)))
    assert "memoryd" in json.loads(settings.read_text())["mcpServers"]
    assert (
        "memoryd" in (installer.plan_install(installer.target("gemini", mcp=False)).changes[-1].before or b"").decode()
    )
    carry_out(installer.plan_install(installer.target("gemini", mcp=False)))
    assert "mcpServers" not in json.loads(settings.read_text())


@pytest.mark.parametrize(
    ("variable", "host", "folder"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", ""),
        ("CODEX_HOME", "codex", ""),
        ("GEMINI_CLI_HOME", "gemini", ".gemini"),
        ("COPILOT_HOME", "copilot", "hooks"),
        ("HERMES_HOME", "hermes", ""),
    ],
)
def test_the_hosts_own_variables_move_its_files(
    variable: str, host: str, folder: str, home: Path, tmp_path: Path
) -> None:
    moved = Installer(places=placing.find(), env={**os.environ, variable: str(tmp_path / "moved")})
    carry_out(moved.plan_install(moved.target(host)))
    assert moved.target(host).main.parent == tmp_path / "moved" / folder
    assert not [name for name in _tree(home) if not name.startswith(".local/share/memoryd/")]


# -- Codex --


def test_codex_gets_our_group_last_and_no_time_that_it_warns_of(home: Path, installer: Installer) -> None:
    hooks = home / ".codex" / "hooks.json"
    hooks.parent.mkdir()
    hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}')
    carry_out(installer.plan_install(installer.target("codex")))
    found = json.loads(hooks.read_text())["hooks"]
    assert [group["hooks"][0]["command"].startswith(str(installer.script)) for group in found["Stop"]] == [False, True]
    assert found["SessionEnd"][0]["hooks"][0]["timeout"] <= 3
    assert found["UserPromptSubmit"][0]["hooks"][0]["additionalContextLimit"] * 4 >= 9_500 * 3


def test_a_group_of_another_behind_ours_keeps_its_place(home: Path, installer: Installer) -> None:
    target = installer.target("codex")
    carry_out(installer.plan_install(target))
    found = json.loads(target.main.read_text())
    found["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    target.main.write_text(json.dumps(found))
    assert installer.plan_install(target).changes == (), "its place is part of what the person trusted"


def test_the_hash_of_a_hook_is_the_one_that_codex_makes() -> None:
    """Recorded from `hooks/list` of Codex 0.171.0."""
    command = "/tmp/rp/home/.local/share/memoryd/bin/memoryd-hook codex PreCompact"
    handler = {"type": "command", "command": command, "timeout": 5}
    found = codex.trusted_hash("pre_compact", None, handler)
    assert found == "sha256:60a6218a1f466e41a5f98ef1ff8ec7de52e1867aafc78971964e2dc2b30376a4"
    other = {"type": "command", "command": "/d/memoryd-hook codex SessionStart", "async": True, "statusMessage": "文x"}
    found = codex.trusted_hash("session_start", "startup", {**other, "timeout": 5})
    assert found == "sha256:816b664c16865f95eed3fee6376cb42d25966faa527b4d9828ddf4602baba13c"


def test_codex_is_told_from_trusting_us_by_the_hash_of_every_hook(home: Path, installer: Installer) -> None:
    target = installer.target("codex")
    carry_out(installer.plan_install(target))
    assert "codex does not trust our hooks yet: open `codex`" in str(asks_for(target))
    config = home / ".codex" / "config.toml"
    rows, ours = codex_trust(home / ".codex"), config.read_text()
    config.write_text(ours + "".join(rows[:-1]))
    assert getattr(asks_for(target), "certain", None) is True
    config.write_text(ours + "".join(rows).replace("sha256:", "sha512:"))
    assert getattr(asks_for(target), "certain", None) is False, "each place has a hash, none is the one that we know"
    config.write_text(ours + "".join(rows))
    assert asks_for(target) is None
    carry_out(installer.plan_uninstall(target))
    assert len(tomllib.loads(config.read_text())["hooks"]["state"]) == len(rows), "what Codex wrote stays"


# -- Hermes --


def test_hermes_is_told_from_agreeing_by_its_list_and_by_its_setting(home: Path, installer: Installer) -> None:
    target = installer.target("hermes")
    carry_out(installer.plan_install(target))
    assert "--accept-hooks" in str(asks_for(target))
    agreed = [{"event": one.event, "command": one.command} for one in installer.handlers(target)]
    (home / ".hermes" / "shell-hooks-allowlist.json").write_text(json.dumps({"approvals": agreed[1:]}))
    assert asks_for(target) is not None
    (home / ".hermes" / "shell-hooks-allowlist.json").write_text(json.dumps({"approvals": agreed}))
    assert asks_for(target) is None
    (home / ".hermes" / "shell-hooks-allowlist.json").unlink()
    config = home / ".hermes" / "config.yaml"
    config.write_text("hooks_auto_accept: true\n" + config.read_text())
    assert asks_for(target) is None
    assert yaml.safe_load(config.read_text())["mcp_servers"]["memoryd"]["command"] == str(installer.mcp_script)


# -- files of our own --


def test_a_plugin_that_a_person_changed_stays_and_is_told_of(home: Path, installer: Installer) -> None:
    target = installer.target("openclaw")
    carry_out(installer.plan_install(target))
    handler = home / ".openclaw" / "hooks" / "memoryd" / "handler.js"
    ours = handler.read_bytes()
    handler.write_text("// mine\n")
    assert installer.state(target) == "outdated"
    plan = installer.plan_install(target)
    assert [c for c in plan.changes if c.path == handler] == []
    assert f"{handler} was changed by a person and stays as it is" in plan.notes
    told = next(check for check, _ in hostchecks.configured(installer) if check.link == "hooks in openclaw")
    assert told.mend == f"delete {handler}, then `memoryd install openclaw`"
    carry_out(installer.plan_uninstall(target))
    assert handler.read_text() == "// mine\n"
    handler.write_bytes(ours)
    carry_out(installer.plan_uninstall(target))
    assert not handler.parent.exists()


def test_a_plugin_of_another_release_is_renewed_and_taken_out(home: Path, installer: Installer) -> None:
    old = Installer(places=placing.find(data=str(home / "elsewhere")))
    carry_out(old.plan_install(old.target("openclaw")))
    installer.places.data.mkdir(parents=True)
    (home / "elsewhere" / "installs.json").rename(installer.places.data / "installs.json")
    target = installer.target("openclaw")
    assert installer.state(target) == "outdated"
    carry_out(installer.plan_install(target))
    assert installer.state(target) == "installed"
    carry_out(installer.plan_uninstall(target))
    assert not (home / ".openclaw" / "hooks" / "memoryd").exists()


def test_removal_goes_on_where_one_file_is_broken_and_says_so(home: Path, installer: Installer) -> None:
    for host in ("claude-code", "gemini"):
        carry_out(installer.plan_install(installer.target(host)))
    cut = (home / ".claude" / "settings.json").read_text().rstrip("}\n")
    (home / ".claude" / "settings.json").write_text(cut)
    (home / ".cursor").mkdir()
    (home / ".cursor" / "hooks.json").write_text("{ broken, and never ours")
    plan = installer.plan_removal()
    assert [note.partition(":")[0] for note in plan.notes] == ["claude-code stays as it is"]
    carry_out(plan)
    assert not (home / ".gemini" / "settings.json").exists()
    assert (home / ".claude" / "settings.json").read_text() == cut
    assert installer.script.exists()
    assert "claude" in str(installer.records()), "what is left can be taken out later"
