"""profile and evolve, as a person sees them."""

import json
from pathlib import Path

from unit.daemon.cli.conftest import Cli, World


def say(cli: Cli, tmp_path: Path, text: str, session: str) -> None:
    """A turn that edits a file and then runs the tests."""
    edit = {"name": "Edit", "ok": True, "files": [{"path": "a.py", "action": "write"}]}
    run = {"name": "Bash", "ok": True, "summary": '{"command":"pytest -q"}'}
    said, end = {"text": text}, {"status": "ok"}
    for kind, data in (("user_prompt", said), ("tool_use", edit), ("tool_use", run), ("turn", end)):
        (tmp_path / "data.json").write_text(json.dumps(data))
        assert cli("emit", kind, "--session", session, "--json", str(tmp_path / "data.json")).status == 0


def test_what_is_believed_is_shown_corrected_taken_back_and_proposed(cli: Cli, world: World, tmp_path: Path) -> None:
    assert "no instincts yet" in cli("evolve").out
    told = ("no, use pnpm instead of npm", "use pnpm, not npm", "不要用 npm，用 pnpm", "no, pnpm, not npm")
    for n, said in enumerate(told):
        say(cli, tmp_path, said, f"s{n}")
    assert cli("maintain", "reflect").status == 0
    shown = cli("profile")
    assert "ways of working" in shown.out
    assert "npm -> pnpm, not npm" in shown.out
    assert "edit py -> run pytest" in shown.out
    (one,) = [one for one in json.loads(cli("profile", "--json").out)["items"] if one["when"] == "npm"]
    assert (one["confidence"], one["source"], one["turns"]) == (0.75, "memory", 4)
    assert "pnpm" in cli("why", one["place"]).out
    looked = cli("evolve", "--list")
    assert "not proposed yet" in looked.out
    assert "waits for you" in cli("evolve").out
    wishes = json.loads(cli("review", "list", "--json").out)["items"]
    assert ["After edit py: run pytest" in wish["text"] for wish in wishes].count(True) == 1
    done = cli("profile", "--set", one["id"], "ask me which package manager")
    assert "corrected: pnpm, not npm (run " in done.out
    assert "npm -> ask me which package manager" in cli("profile").out
    (now,) = [one for one in json.loads(cli("profile", "--json").out)["items"] if one["when"] == "npm"]
    assert "taken back: ask me which package manager" in cli("profile", "--forget", now["id"]).out
    assert cli("profile", "--forget", now["id"]).status == 1
    assert cli("profile", "--forget", "a", "--set", "b", "c").status == 2
