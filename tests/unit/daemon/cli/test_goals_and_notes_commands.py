"""goals and note, against a real daemon; their steps build on each other."""

import json
import re
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli, World

from memoryd.daemon.cli import mcp


def test_goals_from_set_to_done(cli: Cli, world: World) -> None:
    assert "no goals" in cli("goals").out
    assert cli("goals", "add", "ship the beta").out.startswith("open: 1 ship the beta")
    assert json.loads(cli("goals", "add", "write the docs", "--session", "s7", "--json").out)["id"] == 2
    listed = cli("goals").out
    assert "s7" in listed
    assert listed.index("write the docs") < listed.index("ship the beta")
    assert "- ship the beta" in cli("recall").out
    assert cli("goals", "done", "1").out == "done: 1 ship the beta\n"
    assert cli("goals", "drop", "2").out == "dropped: 2 write the docs\n"
    assert "ship the beta" not in cli("recall").out
    assert "ship the beta" in cli("goals", "--status", "done").out
    assert cli("goals", "reopen", "1").out.startswith("open: 1")
    assert len(json.loads(cli("goals", "--status", "all", "--json").out)["items"]) == 2
    gone = cli("goals", "done", "9")
    assert gone.status == 1
    assert "`memoryd goals` lists them" in gone.err


def test_notes_from_noted_to_removed(cli: Cli, world: World) -> None:
    assert "no notes" in cli("note").out
    said = cli("note", "add", "staging is down").out
    noted = re.fullmatch(r"noted: (\d{4}-\d\d-\d\d) 1 \d\d:\d\d staging is down\n", said)
    assert noted
    assert "staging is down" in cli("note").out
    assert "staging is down" in cli("recall").out
    assert json.loads(cli("note", "list", "--date", noted[1], "--json").out)["items"][0]["index"] == 1
    assert cli("note", "remove", noted[1], "2").status == 1
    assert "staging is down" in cli("note", "remove", noted[1], "1").out
    assert "no notes" in cli("note", "list").out
    wrong = cli("note", "list", "--date", "yesterday")
    assert wrong.status == 2
    assert "2026-11-30" in wrong.err


def test_kept_notes_from_added_to_ticked_and_removed(cli: Cli, world: World, tmp_path: Path) -> None:
    assert (
        cli("note", "add", "staging is shared", "--kind", "priority").out
        == "noted: note:1  priority  staging is shared\n"
    )
    plan = cli("note", "add", "port it", "--kind", "plan", "--step", "lexer", "--step", "parser").out
    assert plan == "noted: note:2  plan  port it\n  [ ] 1. lexer\n  [ ] 2. parser\n"
    assert "[x] 1. lexer" in cli("note", "tick", "note:2", "1").out
    file = tmp_path / "design.md"
    file.write_text("# Design\n\nWhole.\n")
    noted = cli("note", "add", "--kind", "working", "--file", str(file), "--expires", "2h", "--json").out
    assert json.loads(noted)["file"] == str(file)
    listed = cli("note").out
    assert "note:3  working  # Design Whole. (expires in 1 h, " in listed
    assert "[x] 1. lexer" in listed
    recalled = cli("recall").out
    assert "- staging is shared" in recalled
    assert "[design.md · working · 16 B · note:3]" in recalled
    file.write_text("another")
    shown = cli("show", "note:3")
    assert (shown.out, "another one by now" in shown.err) == ("# Design\n\nWhole.\n", True)
    assert cli("note", "remove", "note:1").out == "removed: staging is shared\n"
    assert "staging" not in cli("recall").out
    for wrong in (("note", "remove", "x"), ("note", "add"), ("note", "add", "x", "--file", str(file)),
                  ("note", "add", "x", "--kind", "plan"), ("edit", "note:3")):  # fmt: skip
        assert cli(*wrong).status in (2, 65), wrong
    gone = cli("show", "note:1")
    assert (gone.status, "memoryd note list" in gone.err) == (1, True)


def test_without_the_extra_the_server_says_which_one_it_needs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda name: None)
    ran = cli("mcp")
    assert ran.status == 2
    assert "memoryd[mcp]" in ran.err
