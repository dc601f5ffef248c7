"""statusline: one line, whatever happens."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli, World

from memoryd.daemon.cli import statusline


def _print(stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memoryd", "statusline"], input=stdin, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    return done.stdout.rstrip("\n")


def test_state_turns_and_memories(cli: Cli, world: World) -> None:
    cli("save", "We ship on Tuesday mornings only.", "--name", "ship day")
    host = {"session_id": "bar", "workspace": {"current_dir": str(world.project)}}
    assert _print(json.dumps(host)) == "memoryd ok · 1 memory"
    cli("emit", "user_prompt", "--session", "bar", "--host", "claude-code", "--json", "-", stdin='{"text": "hello"}')
    cli("emit", "turn", "--session", "bar", "--host", "claude-code", "--turn", "t")
    assert _print(json.dumps(host)).startswith("memoryd ok · ")
    assert _print(json.dumps(host)) == "memoryd ok · 1 new turn · 1 memory"


@pytest.mark.parametrize("stdin", ["", "no json", "[]", '{"session_id": 3}', '{"workspace": "x"}'])
def test_any_input_gives_one_line(stdin: str, world: World) -> None:
    assert _print(stdin).startswith("memoryd ")


def test_no_daemon_is_said(home: Path) -> None:
    assert _print() == "memoryd off"


def test_a_daemon_that_does_not_answer_costs_its_deadline(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    monkeypatch.setenv("MEMORYD_SOCKET", str(path))
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        assert statusline.line({}) == "memoryd off"
