import json

from support.keepsakes import claude, written
from unit.daemon.cli.conftest import Cli, World


def test_import_counts_first_then_takes_in_and_a_second_time_says_nothing_is_new(cli: Cli, world: World) -> None:
    folder = world.home / "kept"
    claude(folder, [("the lamp is green", "noted")], cwd=str(world.project))
    looked = cli("import", str(folder), "--dry-run")
    assert looked.status == 0
    assert "found: 1 sessions, 2 messages, 1 turns" in looked.out
    assert "cost: nothing" in looked.out
    done = cli("import", str(folder), "--json")
    assert done.status == 0
    assert json.loads(done.out)["added"] == 3
    again = cli("import", str(folder))
    assert again.status == 1
    assert "1 files unchanged" in again.out


def test_import_names_what_it_passes_over_and_refuses_what_is_not_there(cli: Cli, world: World) -> None:
    folder = world.home / "odd"
    written(folder / "notes.md", "- x")
    written(folder / "notes 2.md", "- x")
    passed = cli("import", str(folder), str(written(folder / "plain.txt", "x")))
    assert passed.status == 1
    assert "notes 2.md: a copy that a sync conflict left" in passed.err
    assert "plain.txt: neither a transcript nor a memory" in passed.err
    missing = cli("import", str(folder / "none"))
    assert missing.status == 1
    assert "there is nothing at" in missing.err


def test_import_help_says_what_becomes_of_memories(cli: Cli) -> None:
    shown = cli("import", "--help")
    assert "--dry-run" in shown.out
    assert "review list" in " ".join(shown.out.split())
