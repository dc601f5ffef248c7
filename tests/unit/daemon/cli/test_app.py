"""What every command has in common: help, errors as sentences, exit statuses."""

import json
import re
from pathlib import Path

import pytest
from typer.main import get_command
from unit.daemon.cli.conftest import Cli

from memoryd import errors
from memoryd.daemon.cli import app, asking
from memoryd.daemon.cli.commands import app as application

CONTRACT = (
    "serve", "start", "stop", "restart", "status", "stats", "hook", "emit", "install", "uninstall", "service",
    "doctor", "consolidate", "jobs", "pause", "resume", "recall", "search", "list", "show", "save", "edit",
    "forget", "log", "diff", "undo", "why", "sessions", "history", "logs", "config", "statusline", "demo",
    "review", "goals", "note", "mcp", "purge", "export", "import", "import-archive", "backup", "maintain", "privacy",
    "usage", "scopes", "trust", "procedures", "report", "evolve", "profile", "dream",
)  # fmt: skip


def _commands() -> dict[str, object]:
    return dict(get_command(application).commands)  # type: ignore[attr-defined]


def test_every_command_of_this_release_is_there_and_no_other() -> None:
    assert sorted(_commands()) == sorted(CONTRACT)


def test_without_a_command_the_help_teaches(cli: Cli) -> None:
    ran = cli()
    assert ran.status == 0
    for words in ("First steps", "memoryd install claude-code", "What happened", "Exit status", "statusline"):
        assert words in ran.out


GROUPS = ("scopes", "service", "sessions", "jobs", "review", "goals", "note", "dream")


@pytest.mark.parametrize("name", [n for n in CONTRACT if n not in GROUPS])
def test_each_command_shows_an_example(name: str, cli: Cli) -> None:
    ran = cli(name, "--help")
    assert ran.status == 0
    assert "Example: " in ran.out
    assert "memoryd" in ran.out.partition("Example: ")[2]


def test_a_misspelt_command_is_answered_with_the_nearest(cli: Cli) -> None:
    ran = cli("statsu")
    assert (ran.status, ran.out) == (2, "")
    assert "status" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("log", "--limit", "many"), "--limit must be a whole number, not 'many'."),
        (("log", "--limit", "0"), "--limit must be at least 1, not '0'."),
        (("save", "x", "--type", "song"), "--type: 'song' is not one of 'user', 'feedback', 'project', 'reference'."),
        (("list", "--cwd", ""), "Invalid value for '--cwd': it is empty; name a directory."),
        (
            ("emit", "turn", "--session", "s", "--memory-dir", ""),
            "Invalid value for '--memory-dir': it is empty; name a directory.",
        ),
        (("goals", "done", "first"), "ID must be a whole number, not 'first'."),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(words: tuple[str, ...], says: str, cli: Cli) -> None:
    ran = cli(*words)
    assert ran.status == 2
    assert ran.err.startswith(f"memoryd: {says}")
    assert " See `memoryd " in ran.err


def test_a_wrong_option_is_one_sentence(cli: Cli) -> None:
    ran = cli("log", "--limit", "many")
    assert ran.status == 2
    assert "See `memoryd log --help`" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("args", [("list",), ("stats",), ("log",), ("recall",), ("search", "x"), ("pause",), ("jobs",)])
def test_without_a_daemon_the_sentence_says_how_to_start_it(args: tuple[str, ...], cli: Cli) -> None:
    ran = cli(*args)
    assert (ran.status, ran.out) == (69, "")
    assert "memoryd start" in ran.err


def test_a_broken_configuration_names_the_nearest_key(cli: Cli, home: Path) -> None:
    path = home / ".config" / "memoryd" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[consolidation]\nintervall_turns = 2\n")
    ran = cli("config")
    assert ran.status == 78
    assert "interval_turns" in ran.err


def test_config_says_where_a_setting_comes_from(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_CONSOLIDATION__INTERVAL_TURNS", "1")
    assert re.search(r"consolidation\.interval_turns +1 +MEMORYD_CONSOLIDATION__INTERVAL_TURNS", cli("config").out)
    found = json.loads(cli("config", "--json").out)
    assert found["settings"]["consolidation"]["interval_turns"] == 1


@pytest.mark.parametrize("kind", errors.MemorydError.__subclasses__())
def test_each_error_leaves_with_its_status(
    kind: type[errors.MemorydError], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise kind("this and that; do so")

    monkeypatch.setattr(asking, "places", fail)
    ran = cli("list")
    assert (ran.status, ran.err) == (kind.exit_status, "memoryd: this and that; do so\n")


def test_a_bug_is_told_without_a_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down() -> None:
        raise RuntimeError("boom\nsecond line")

    monkeypatch.setattr(asking, "places", break_down)
    ran = cli("status")
    assert ran.status == 70
    assert "Traceback" not in ran.err
    assert "unexpected RuntimeError" in ran.err
    assert "report" in ran.err
    assert ran.err.count("\n") == 1


def test_ctrl_c_leaves_quietly(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "places", interrupt)
    ran = cli("status")
    assert (ran.status, ran.err) == (app.INTERRUPTED, "")


def test_a_directory_that_is_gone_is_an_answer(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = cli("list")
    assert ran.status == 1
    assert "--cwd" in ran.err
