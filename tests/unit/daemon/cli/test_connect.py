"""install, uninstall, service and doctor as commands."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli

from memoryd.daemon import service
from memoryd.daemon.lock import holder
from memoryd.ipc import places as placing
from memoryd.ipc import starter


def test_without_a_terminal_install_shows_the_change_and_wants_yes(cli: Cli, home: Path) -> None:
    ran = cli("install", "claude-code")
    assert ran.status == 2
    assert '+    "Stop": [' in ran.out
    assert "--yes" in ran.err
    assert not (home / ".claude").exists()


def test_install_twice_and_uninstall(cli: Cli, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}\n')
    assert cli("install", "claude-code", "--dry-run").status == 0
    assert settings.read_text() == '{"model": "opus"}\n'
    assert "installed; new sessions use it" in cli("install", "--all", "--yes").out
    again = cli("install", "claude-code")
    assert (again.status, again.out) == (0, "claude-code: unchanged, it is installed already\n")
    assert "installed" in cli("install", "--list").out
    assert cli("install", "claude-code", "--uninstall", "--yes").status == 0
    assert settings.read_text() == '{"model": "opus"}\n'
    assert "nothing of memoryd" in cli("install", "claude-code", "--uninstall").out


def test_install_into_a_project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    monkeypatch.chdir(tmp_path / "repo" / "src")
    assert cli("install", "claude-code", "--project", "--yes").status == 0
    assert (tmp_path / "repo" / ".claude" / "settings.json").exists()


@pytest.mark.parametrize("args", [("install",), ("install", "claude-code", "--all")])
def test_one_host_or_all(args: tuple[str, ...], cli: Cli) -> None:
    assert cli(*args).status == 2


def test_a_broken_file_of_one_host_keeps_no_other_from_its_change(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in (".claude", ".codex", ".gemini"):
        (home / name).mkdir()
    (home / ".claude" / "settings.json").write_text("{\n")
    ran = cli("install", "--all", "--yes", "--no-mcp")
    assert ran.status == 78
    assert "settings.json line 2 column 1" in ran.err
    assert "codex: installed" in ran.out
    assert "choose `Trust all`" in ran.err
    assert "mcpServers" not in (home / ".gemini" / "settings.json").read_text()
    assert not (home / ".cursor").exists()
    assert "broken: " in cli("install", "--list").out
    assert "keep it out of what you commit" in cli("install", "qwen", "--project", "--dry-run").err


def test_an_unknown_host_and_no_host_are_not_found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert cli("install", "emacs", "--yes").status == 1
    assert cli("install", "--all", "--yes").status == 1


@pytest.mark.parametrize(("answer", "installed"), [(b"y\n", True), (b"n\n", False)])
def test_on_a_terminal_it_asks(answer: bytes, installed: bool, home: Path) -> None:
    main, side = pty.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-P", "-m", "memoryd", "install", "claude-code"], stdin=side, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    os.close(side)
    os.write(main, answer)
    out, err = asked.communicate(timeout=60)
    os.close(main)
    assert b"Write this?" in out
    assert (home / ".claude" / "settings.json").exists() is installed
    assert asked.returncode == (0 if installed else 1), err
    assert installed or b"nothing was changed" in err


def test_uninstall_takes_everything_but_what_was_remembered(cli: Cli, home: Path) -> None:
    places = placing.find()
    cli("install", "claude-code", "--yes")
    cli("start")
    ran = cli("uninstall", "--yes")
    assert ran.status == 0
    assert f"what stays: {places.data}" in ran.out
    assert holder(places.data) is None
    assert (places.data / "state.db").exists()
    assert not (home / ".claude" / "settings.json").exists()
    (places.data / "daemon.log.1").write_text("an older log")
    assert cli("uninstall", "--data").status == 2
    assert cli("uninstall", "--data", "--yes").status == 0
    assert not places.data.exists()


def test_uninstall_deletes_nothing_that_is_not_ours(cli: Cli, home: Path) -> None:
    data = placing.find().data
    cli("start")
    (data / "thesis.txt").write_text("mine")
    assert cli("uninstall", "--data", "--yes").status == 0
    assert [path.name for path in data.iterdir()] == ["thesis.txt"]


def test_service_files_are_written_where_no_manager_answers(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "systemctl").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(service, "BOOTED", tmp_path)
    assert cli("service", "status").status == 3
    ran = cli("service", "install", "--yes")
    assert ran.status == 0
    assert "systemctl --user enable --now memoryd.socket memoryd.service" in ran.out
    assert "does not answer here" in cli("service", "status").out
    assert cli("service", "uninstall", "--yes").status == 0
    assert cli("service", "uninstall").out == "no service is installed\n"
    assert not list((home / ".config" / "systemd" / "user").iterdir())


def test_where_no_service_manager_runs_it_is_said_what_to_do_instead(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BOOTED", tmp_path / "missing")
    ran = cli("service", "install", "--yes")
    assert (ran.status, ran.out) == (2, "")
    assert "set [daemon] autostart = true" in ran.err
    assert not (home / ".config").exists()
    told = cli("service", "status")
    assert told.status == 3
    assert "set [daemon] autostart = true" in told.out
    monkeypatch.setenv("MEMORYD_DAEMON__AUTOSTART", "true")
    assert "a hook starts the daemon, as [daemon] autostart says" in cli("service", "status").out
    service.Service(places=placing.find()).write()
    assert "`memoryd service uninstall` removes them" in cli("service", "status").out


def test_install_writes_what_starts_a_daemon_and_uninstall_removes_it(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = placing.find()
    monkeypatch.setenv("MEMORYD_DAEMON__AUTOSTART", "true")
    script = starter.path(places)
    assert f"write {script}" in cli("install", "claude-code", "--yes").out
    assert starter.is_current(places, Path(sys.executable))
    assert script.stat().st_mode & 0o777 == 0o700
    assert "unchanged" in cli("install", "claude-code").out
    script.write_text(script.read_text().replace(str(Path(sys.executable).absolute()), "/gone/python"))
    assert f"change {script}" in cli("install", "claude-code", "--yes").out
    monkeypatch.delenv("MEMORYD_DAEMON__AUTOSTART")
    assert f"remove {script}" in cli("install", "claude-code", "--yes").out
    assert not script.exists()
    monkeypatch.setenv("MEMORYD_DAEMON__AUTOSTART", "true")
    cli("install", "claude-code", "--yes")
    assert cli("uninstall", "--yes").status == 0
    assert not script.exists()


def test_doctor_exits_with_one_where_a_link_is_broken(cli: Cli) -> None:
    ran = cli("doctor")
    assert ran.status == 1
    assert "✗ daemon: not running\n  → `memoryd start`" in ran.out
    checks = json.loads(cli("doctor", "--json").out)["checks"]
    assert {"link": "daemon", "mark": "wrong"}.items() <= next(c for c in checks if c["link"] == "daemon").items()
