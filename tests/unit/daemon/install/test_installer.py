"""install and its exact removal, on real files."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from memoryd import seeds
from memoryd.daemon.install import Installer, Target, carry_out
from memoryd.errors import CannotWrite, ConfigError, Conflict, NotFound
from memoryd.ipc import hosts
from memoryd.ipc import places as placing

EVENTS = hosts.get("claude-code").hook_events
THEIRS = '{"type": "command", "command": "/usr/local/bin/lint --fast", "timeout": 3}'
SETTINGS = {
    "absent": None,
    "blank": "",
    "newline": "\n",
    "comment": "// mine\n",
    "empty": "{}",
    "spread": "{\n}\n",
    "one-line": '{"model": "opus", "env": {"A": "1"}}',
    "plain": '{\n  "model": "opus"\n}\n',
    "tabs-crlf-bom": '\ufeff{\r\n\t"model": "opus",\r\n\t"permissions": {\r\n\t\t"allow": []\r\n\t}\r\n}\r\n',
    "comments": '{\n  // which model\n  "model": "opus", // the big one\n  /* hooks: none yet */\n}\n',
    "hooks-empty": '{\n  "hooks": {},\n  "model": "opus"\n}\n',
    "event-empty": '{\n  "hooks": {"Stop": [ ]}\n}\n',
    "hooks-theirs": '{"hooks": {"Stop": [{"hooks": [' + THEIRS + ']}], "PreToolUse": []}}',
    "hooks-theirs-spread": (
        '{\n    "hooks": {\n        "Stop": [\n            {\n                "matcher": "*",\n'
        '                "hooks": [\n                    ' + THEIRS + "\n                ]\n            }\n        ]\n"
        "    },\n}\n"
    ),
}


@pytest.fixture
def installer(home: Path) -> Installer:
    return Installer(places=placing.find())


@pytest.fixture
def target(installer: Installer) -> Target:
    return installer.target("claude-code")


def _put(target: Target, text: str | None) -> bytes | None:
    target.main.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        return None
    target.main.write_bytes(text.encode())
    return text.encode()


def _now(target: Target) -> bytes | None:
    return target.main.read_bytes() if target.main.exists() else None


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS.keys())
def test_uninstall_leaves_the_file_as_it_was_to_the_byte(
    text: str | None, installer: Installer, target: Target
) -> None:
    before = _put(target, text)
    carry_out(installer.plan_install(target))
    assert installer.state(target) == "installed"
    assert installer.plan_install(target).changes == ()
    carry_out(installer.plan_uninstall(target))
    assert _now(target) == before
    assert installer.state(target) == "absent"
    assert installer.plan_uninstall(target).changes == ()


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS.keys())
def test_an_upgrade_in_between_changes_nothing_of_that(text: str | None, installer: Installer, target: Target) -> None:
    before = _put(target, text)
    old = Installer(places=placing.find(data=str(installer.places.data.parent / "elsewhere")))
    carry_out(old.plan_install(old.target("claude-code")))
    target.main.write_bytes(target.main.read_bytes().replace(b'"timeout": 10', b'"timeout": 11'))
    (installer.places.data).mkdir(parents=True, exist_ok=True)
    (old.places.data / "installs.json").rename(installer.places.data / "installs.json")
    assert installer.state(target) == "outdated"
    carry_out(installer.plan_install(target))
    assert installer.state(target) == "installed"
    carry_out(installer.plan_uninstall(target))
    assert _now(target) == before


@pytest.mark.parametrize("name", ["plain", "comments", "tabs-crlf-bom", "hooks-theirs-spread", "one-line"])
def test_what_the_person_changed_since_stays(name: str, installer: Installer, target: Target) -> None:
    text = SETTINGS[name]
    assert text is not None
    _put(target, text)
    carry_out(installer.plan_install(target))
    target.main.write_bytes(target.main.read_bytes().replace(b"{", b'{"mine": [1], /* new */', 1))
    carry_out(installer.plan_uninstall(target))
    assert target.main.read_bytes() == text.encode().replace(b"{", b'{"mine": [1], /* new */', 1)


def test_a_handler_that_the_person_put_into_our_group_stays(installer: Installer, target: Target) -> None:
    carry_out(installer.plan_install(target))
    ours = json.loads(target.main.read_text())
    ours["hooks"]["Stop"][0]["hooks"].insert(0, json.loads(THEIRS))
    ours["hooks"]["Stop"].append({"hooks": [json.loads(THEIRS)]})
    target.main.write_text(json.dumps(ours, indent=4))
    carry_out(installer.plan_uninstall(target))
    left = json.loads(target.main.read_text())
    assert left == {"hooks": {"Stop": [{"hooks": [json.loads(THEIRS)]}, {"hooks": [json.loads(THEIRS)]}]}}


def test_settings_written_anew_by_the_host_are_still_found(installer: Installer, target: Target) -> None:
    _put(target, '{"model": "opus"}')
    carry_out(installer.plan_install(target))
    target.main.write_text(json.dumps(json.loads(target.main.read_text()), indent=2))
    assert installer.state(target) == "installed"
    carry_out(installer.plan_uninstall(target))
    assert json.loads(target.main.read_text()) == {"model": "opus"}


def test_each_event_has_one_handler_that_sh_can_run(installer: Installer, target: Target, home: Path) -> None:
    odd = Installer(places=placing.find(data=str(home / "it's a $HOME")))
    carry_out(odd.plan_install(odd.target("claude-code")))
    hooks = json.loads(target.main.read_text())["hooks"]
    assert sorted(hooks) == sorted(EVENTS)
    for event, groups in hooks.items():
        [[handler]] = [group["hooks"] for group in groups]
        assert handler["timeout"] == (10 if event == "PreCompact" else 5)
        done = subprocess.run(
            ["sh", "-c", handler["command"]], input=b"{}", capture_output=True, env={"MEMORYD_CHILD": "1"}, timeout=30
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_broken_file_is_refused_and_nothing_is_written(installer: Installer, target: Target) -> None:
    before = _put(target, '{\n  "model": "opus"\n  "x": 1\n}')
    with pytest.raises(ConfigError, match=r"settings\.json line 3 column 3"):
        installer.plan_install(target)
    assert _now(target) == before
    assert not installer.script.exists()


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": null}'])
def test_hooks_of_another_shape_are_refused(text: str, installer: Installer, target: Target) -> None:
    _put(target, text)
    with pytest.raises(ConfigError, match="line 1 column"):
        installer.plan_install(target)


def test_links_stay_links_and_modes_stay(installer: Installer, target: Target, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o664)
    target.main.parent.mkdir(parents=True)
    target.main.symlink_to(real)
    carry_out(installer.plan_install(target))
    assert target.main.is_symlink()
    assert "memoryd-hook" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o664
    carry_out(installer.plan_uninstall(target))
    assert real.read_text() == "{}\n"


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_what_is_no_file_is_neither_read_nor_replaced(kind: str, installer: Installer, target: Target) -> None:
    target.main.parent.mkdir(parents=True)
    if kind == "fifo":
        os.mkfifo(target.main)
    elif kind == "device":
        target.main.symlink_to(os.devnull)  # how people switch a file off
    else:
        target.main.mkdir()
    for plan in (installer.plan_install, installer.plan_uninstall):
        with pytest.raises(CannotWrite, match=r"settings\.json is no regular file"):
            plan(target)
    assert any("no regular file" in note for note in installer.plan_removal().notes)
    assert installer.plan_install(installer.target("gemini")).changes, "the other hosts are not kept from it"


def test_a_change_between_plan_and_writing_is_noticed(installer: Installer, target: Target) -> None:
    _put(target, "{}")
    plan = installer.plan_install(target)
    target.main.write_text('{"theirs": 1}')
    with pytest.raises(Conflict, match="changed meanwhile"):
        carry_out(plan)
    assert target.main.read_text() == '{"theirs": 1}'


def test_the_skill_comes_and_goes_but_never_over_a_persons(installer: Installer, target: Target) -> None:
    skill = target.skill
    assert skill is not None
    carry_out(installer.plan_install(target))
    assert skill.read_bytes() == seeds.files("en")["SKILL.md"]
    skill.write_text("my own words\n")
    plan = installer.plan_install(target)
    assert plan.changes == ()
    assert "stays as it is" in plan.notes[0]
    plan = installer.plan_uninstall(target)
    assert plan.notes == (f"{skill} was changed by a person and stays as it is",)
    carry_out(plan)
    assert skill.read_text() == "my own words\n"
    skill.write_bytes(seeds.files("en")["SKILL.md"])
    carry_out(installer.plan_uninstall(target))
    assert not skill.parent.exists()


def test_the_diff_masks_secrets_and_shows_only_the_settings(installer: Installer, target: Target) -> None:
    token = "sk-" + "ant-api03-" + "Zx9" * 12
    _put(target, json.dumps({"env": {"ANTHROPIC_API_KEY": token}}, indent=2))
    plan = installer.plan_install(target)
    shown = "".join(change.diff() for change in plan.changes)
    assert "memoryd-hook" in shown
    assert token not in shown
    [record] = [change for change in plan.changes if change.kind == "record"]
    assert token not in (record.after or b"").decode(), "the record holds nothing of the settings"
    carry_out(plan)
    assert token in target.main.read_text()


def test_another_config_dir_and_a_project_are_honoured(home: Path, tmp_path: Path) -> None:
    installer = Installer(places=placing.find(), env={**os.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "cc")})
    assert installer.target("claude-code").main == tmp_path / "cc" / "settings.json"
    assert installer.target("claude-code", tmp_path / "p").main == tmp_path / "p" / ".claude" / "settings.json"
    with pytest.raises(NotFound, match="claude-code"):
        installer.target("nobody")


def test_removal_finds_every_place(installer: Installer, target: Target, tmp_path: Path) -> None:
    project = installer.target("claude-code", tmp_path / "p")
    project.main.parent.mkdir(parents=True)
    project.main.write_text('{"a": 1}\n')
    carry_out(installer.plan_install(project))
    other = installer.target("gemini")
    carry_out(installer.plan_install(other))
    carry_out(installer.plan_removal())
    assert not other.main.exists()
    assert project.main.read_text() == '{"a": 1}\n'
    assert not target.main.exists()
    assert not installer.script.exists()
    assert not (installer.places.data / "installs.json").exists()


@pytest.mark.parametrize("host", ["claude-code", "codex", "opencode"])
def test_user_and_project_never_both_hold_our_hooks(host: str, installer: Installer, tmp_path: Path) -> None:
    user, project = installer.target(host), installer.target(host, tmp_path / "p")
    theirs = project.wants.settings[0].path
    theirs.parent.mkdir(parents=True)
    theirs.write_text("# mine\n" if theirs.suffix == ".toml" else "{}\n")
    before = theirs.read_bytes()
    carry_out(installer.plan_install(project))
    plan = installer.plan_install(user)
    assert project.main in [change.path for change in plan.visible], "it is shown before it is done"
    carry_out(plan)
    assert (installer.state(user), installer.state(project)) == ("installed", "absent")
    assert (theirs.read_bytes(), installer.plan_install(user).changes) == (before, ())
    assert list(installer.of_projects()) == []
    again = installer.plan_install(project)
    assert again.changes == ()
    assert f"`memoryd install {host} --uninstall` first" in again.notes[0]
    carry_out(installer.plan_uninstall(user))
    carry_out(installer.plan_install(project))
    assert installer.state(project) == "installed"


def test_the_home_directory_as_a_project_is_the_users_own_settings(installer: Installer, home: Path) -> None:
    user, project = installer.target("claude-code"), installer.target("claude-code", home)
    carry_out(installer.plan_install(project))
    carry_out(installer.plan_install(user))
    assert installer.state(user) == "installed"


def test_folders_that_we_made_go_with_what_they_held_and_others_stay(installer: Installer, home: Path) -> None:
    (home / ".claude").mkdir()
    for host in ("claude-code", "copilot", "opencode"):
        carry_out(installer.plan_install(installer.target(host)))
    (home / ".copilot" / "mine").mkdir()
    carry_out(installer.plan_removal())
    left = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_dir()}
    assert {one for one in left if not one.startswith(".local")} == {".claude", ".copilot", ".copilot/mine"}


def test_removal_says_what_stays_in_a_project_that_was_moved(installer: Installer, tmp_path: Path) -> None:
    project = installer.target("claude-code", tmp_path / "p")
    project.main.parent.mkdir(parents=True)
    carry_out(installer.plan_install(project))
    (tmp_path / "p").rename(tmp_path / "q")
    plan = installer.plan_removal()
    assert [note for note in plan.notes if str(tmp_path / "p") in note and "--project --uninstall" in note]
    carry_out(plan)
    moved = installer.target("claude-code", tmp_path / "q")
    carry_out(installer.plan_uninstall(moved))
    assert "memoryd" not in moved.main.read_text()


def test_a_script_of_another_release_is_outdated_and_renewed(installer: Installer, target: Target) -> None:
    carry_out(installer.plan_install(target))
    installer.script.write_text("#!/bin/sh\n")
    assert installer.state(target) == "outdated"
    plan = installer.plan_install(target)
    assert [change.kind for change in plan.changes] == ["script"]
    carry_out(plan)
    assert installer.state(target) == "installed"
    assert os.access(installer.script, os.X_OK)


def test_settings_that_are_no_file_hold_nobody_up(installer: Installer, target: Target) -> None:
    target.main.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(target.main)
    with pytest.raises(CannotWrite, match="is no regular file"):
        installer.plan_install(target)
