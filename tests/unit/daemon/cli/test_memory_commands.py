"""Every command that asks the daemon, against a real one; its steps build on each other."""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli, World

from memoryd.ipc.methods import METHODS


def _turn(cli: Cli, number: int, text: str) -> None:
    prompt = json.dumps({"text": text})
    assert (
        cli("emit", "user_prompt", "--session", "s1", "--turn", f"t{number}", "--json", "-", stdin=prompt).status == 0
    )
    assert cli("emit", "turn", "--session", "s1", "--turn", f"t{number}").status == 0


def test_from_events_to_memory_and_back(cli: Cli, world: World) -> None:
    for number, text in enumerate(("我叫张三，是一名 Rust 开发者。", "我喜欢简洁的代码风格。", "请记住我的偏好。")):
        _turn(cli, number, text)
    ran = cli("consolidate", "--wait")
    assert ran.status in (0, 1), ran.err  # the third turn may have started the run already
    assert "简洁" in cli("recall").out
    assert "张三" in cli("show", "user/user.md").out
    assert "user/user.md" in cli("list").out
    why = cli("why", "user.md")
    assert "我叫张三" in why.out
    assert "it came with the seeds" in cli("why", "user.md:1").out
    assert "我叫张三" in cli("why", "用户叫张三").out
    log = cli("log", "--since", "1h", "--writes")
    assert "rules" in log.out
    assert "张三" in cli("diff").out
    sessions = cli("sessions", "list")
    assert "generic/s1" in sessions.out
    assert "3 turns" in cli("sessions", "show", "s1").out
    assert "completed" in cli("stats").out
    assert "# EOF" in cli("stats", "--format", "openmetrics").out
    assert cli("jobs").out == "no job waits, runs or was skipped\n"


def test_a_prompt_with_one_word_in_common_is_told_where_that_is_enough(cli: Cli, world: World) -> None:
    content = "The harbour cranes are painted yellow.\n"
    assert cli("save", "--name", "harbour", "--type", "project", stdin=content).status == 0
    alone = cli("recall", "--query", "yellow or purple")
    assert (alone.out, alone.err.count("search --match any")) == ("", 1)
    assert "yellow" in cli("recall", "--query", "yellow cranes").out
    assert "harbour" in cli("search", "yellow or purple", "--match", "any").out


def test_save_search_edit_forget_undo(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved = cli("save", "--name", "deploy way", "--type", "project", stdin="We deploy with make ship, never by hand.\n")
    assert (saved.status, saved.out.split()[:2]) == (0, ["saved:", "deploy-way"])
    assert "make ship" in cli("search", "deploy").out
    assert cli("search", "nothing-like-this").status == 1
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/make ship/make launch/" "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    assert cli("edit", "deploy-way").out.startswith("updated: deploy-way")
    assert "make launch" in cli("show", "deploy-way").out
    assert cli("edit", "deploy-way").out == "unchanged: deploy-way\n"
    forgotten = cli("forget", "deploy-way")
    assert "forgotten: project/knowledge/deploy-way.md" in forgotten.out
    assert "historical" in cli("search", "launch").out
    undone = cli("undo")
    assert "deploy-way" in undone.out
    assert "make launch" in cli("search", "launch").out


def test_a_core_file_is_edited_where_it_is(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", 'sh -c \'echo "- likes green tea" >> "$0"\'')
    ran = cli("edit", "user/preferences.md")
    assert ran.status == 0, ran.err
    assert "green tea" in (world.places.user_memory / "preferences.md").read_text("utf-8")
    assert "green tea" in cli("show", "user/preferences.md").out


def test_text_that_was_refused_is_kept(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cli("save", "The report goes out on Friday evening.", "--name", "report day").status == 0
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf '<!-- hidden -->\\n' >> \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    ran = cli("edit", "report-day")
    assert ran.status == 77
    kept = Path(ran.err.rpartition("is kept in ")[2].strip())
    assert "hidden" in kept.read_text("utf-8")
    kept.unlink()
    kept.parent.rmdir()


@pytest.mark.parametrize(("editor", "status"), [("false", 73), ("", 2), ("no-such-editor-here", 78)])
def test_an_editor_that_fails_saves_nothing(
    editor: str, status: int, cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    assert cli("edit", "user/user.md").status == status


def test_what_an_editor_leaves_beside_the_copy_goes_with_it(
    cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cli("save", "The demo runs on the old laptop.", "--name", "demo place").status == 0
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("EDITOR", 'sh -c \'cp "$0" "$0~"; sed -i s/old/new/ "$0"\'')
    assert cli("edit", "demo-place").out.startswith("updated: demo-place")
    monkeypatch.setenv("EDITOR", "false")
    assert cli("edit", "demo-place").status == 73
    assert list(tmp_path.glob("memoryd-*")) == []


def test_forget_takes_the_one_of_the_scope_that_was_named(cli: Cli, world: World) -> None:
    for scope in ("user", "project"):
        assert cli("save", f"The {scope} stand-up is at nine.", "--name", "stand-up", "--scope", scope).status == 0
    assert "forgotten: project/knowledge/stand-up.md" in cli("forget", "project/stand-up").out
    assert "user stand-up" in cli("show", "user/stand-up").out
    assert cli("forget", "project/stand-up").status == 1


def test_pages_follow_each_other_to_the_end(cli: Cli, world: World) -> None:
    for number in range(7):
        assert cli("save", f"Lamp {number} hangs in room {number}.", "--name", f"lamp {number}").status == 0
    for command, key in ((("search", "lamp"), "path"), (("log",), "run"), (("list",), "path")):
        whole = [item[key] for item in json.loads(cli(*command, "--limit", "100", "--json").out)["items"]]
        paged: list[str] = []
        cursor: tuple[str, ...] = ()
        while True:
            page = json.loads(cli(*command, "--limit", "3", *cursor, "--json").out)
            paged += [item[key] for item in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = ("--cursor", page["next_cursor"])
        assert len(whole) > 6
        assert paged == whole
    assert "more: --cursor 2" in cli("log", "--limit", "2").err
    assert cli("log", "--cursor", "²").status == 65


def test_purge_shows_first_and_asks(cli: Cli, world: World) -> None:
    for text in ("Always use xylophone for builds.", "thanks", "bye"):
        prompt = json.dumps({"text": text})
        assert cli("emit", "user_prompt", "--session", "gone", "--json", "-", stdin=prompt).status == 0
        assert cli("emit", "turn", "--session", "gone").status == 0
    cli("consolidate", "--wait")
    dry = cli("purge", "--session", "gone", "--dry-run")
    assert dry.status == 0, dry.err
    assert "xylophone" in dry.out
    assert "would go: 6 events" in dry.out
    assert "not reached" in dry.out
    asked = cli("purge", "--session", "gone")
    assert (asked.status, "with --yes" in asked.err) == (2, True)
    assert "xylophone" in cli("why", "xylophone").out
    done = cli("purge", "--session", "gone", "--yes")
    assert done.out.startswith("purged: 6 events")
    assert cli("why", "xylophone").status == 1
    assert cli("purge", "--session", "gone", "--yes").status == 1
    assert cli("purge").status == 2
    assert cli("purge", "--before", "2000-01-01", "--yes").status == 1


def test_archives(cli: Cli, world: World, tmp_path: Path) -> None:
    for command in ("export", "backup"):
        ran = cli(command, str(tmp_path / f"{command}.tar"))
        assert ran.status == 0, ran.err
        assert f"{command}.tar: " in ran.out
        assert "sha256" in ran.out
    again = cli("import-archive", str(tmp_path / "export.tar"))
    assert (again.status, again.out.startswith("imported: 0 events")) == (1, True)
    assert cli("import-archive", str(tmp_path / "backup.tar")).status == 65
    assert "commits written" in cli("export", "--git", str(tmp_path / "git")).out
    assert cli("export", "--git", str(tmp_path / "git")).status == 1
    assert cli("export").status == 2
    assert cli("export", str(world.places.data / "x.tar")).status == 77


def test_pause_and_resume(cli: Cli, world: World) -> None:
    assert "until 20" in cli("pause", "--for", "2h").out
    assert "until `memoryd resume`" in cli("pause", "--cwd", ".").out
    assert "another pause still holds" in cli("resume", "--cwd", ".").out
    assert cli("resume").out == "recording again\n"
    assert cli("pause", "--for", "soon").status == 2


@pytest.mark.parametrize(
    ("args", "method"),
    [
        (("stats",), "worker.stats"),
        (("status",), "daemon.health"),
        (("list",), "memory.list"),
        (("show", "user/user.md"), "memory.read"),
        (("log",), "memory.log"),
        (("jobs",), "job.list"),
        (("jobs", "retry"), "job.retry"),
        (("recall",), "recall.snapshot"),
        (("recall", "--query", "tea"), "recall.prefetch"),
        (("search", "zzz"), "memory.search"),
        (("sessions", "list"), "session.list"),
        (("consolidate",), "consolidation.run"),
        (("save", "Ship on Tuesday mornings only.", "--name", "ship day"), "memory.save"),
        (("diff",), "memory.diff"),
        (("why", "user/user.md"), "memory.why"),
        (("pause", "--for", "1s"), "daemon.pause"),
        (("resume",), "daemon.resume"),
        (("undo",), "memory.undo"),
        (("purge", "--source", "web", "--dry-run"), "memory.purge"),
        (("emit", "turn", "--session", "j1"), "event.publish"),
    ],
)
def test_json_is_exactly_the_result(args: tuple[str, ...], method: str, cli: Cli, world: World) -> None:
    ran = cli(*args) if args[0] == "emit" else cli(*args, "--json")
    found = METHODS[method].result.model_validate_json(ran.out)
    assert ran.out == found.model_dump_json() + "\n"


def test_without_a_model_hits_are_shown_as_ever_with_a_sentence_why(cli: Cli, world: World) -> None:
    cli("emit", "user_prompt", "--session", "sum", "--json", "-", stdin='{"text": "the otter sleeps by the weir"}')
    ran = cli("search", "--sessions", "weir", "--summarise")
    assert ran.status == 0
    assert "otter" in ran.out
    assert "not summed up: the rules" in ran.err
    cli("save", "Weirs are mended in May", "--name", "weir one")
    cli("save", "Weirs have an owner", "--name", "weir two")
    ran = cli("search", "weir", "--rerank")
    assert "mended" in ran.out
    assert "ordered by their words: the rules" in ran.err
    assert cli("search", "weir", "--summarise").status == cli("search", "weir", "--sessions", "--rerank").status == 2


def test_paths_are_made_absolute(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.project / "inner").mkdir()
    monkeypatch.chdir(world.project / "inner")
    cli("emit", "turn", "--session", "rel", "--cwd", "..")
    found = json.loads(cli("sessions", "show", "generic/rel", "--json").out)
    assert found["cwd"] == str(world.project)


def test_input_that_is_no_event_is_refused_by_name(cli: Cli, world: World) -> None:
    assert "do you mean user_prompt?" in cli("emit", "user_promt", "--session", "x").err
    assert cli("emit", "user_prompt", "--session", "x").status == 65
    assert cli("emit", "turn", "--session", "x", "--json", "-", stdin="[1]").status == 65
    assert cli("emit", "turn", "--session", "x", "--json", "-", stdin="{").status == 65
    assert cli("emit", "turn", "--session", "x", "--json", "/no/such").status == 1
    assert cli("save").status == 65
    assert cli("why", "a:x").status == 2
    assert cli("consolidate", "--cwd", ".", "--memory-dir", ".").status == 2
    assert cli("stats", "--watch", "--json").status == 2
    assert cli("show", "nothing-here").status == 1
    assert cli("sessions", "show", "nothing-here").status == 1


def test_piped_output_ends_quietly(world: World) -> None:
    status = os.system(f"{sys.executable} -P -m memoryd list | true")
    assert status == 0


def test_what_waits_is_listed_accepted_and_rejected(cli: Cli, world: World) -> None:
    file = world.places.user_memory / "identity.md"
    before = file.read_text("utf-8")
    file.write_text(f"{before}- named Ada by somebody\n", "utf-8")
    cli("list")
    ran = cli("review", "list", "--json")
    (item,) = [item for item in json.loads(ran.out)["items"] if "identity.md" in item["text"]]
    assert "+- named Ada by somebody" in cli("review", "list").out
    assert cli("review", "accept", "no-such-id").status == 1
    assert cli("review", "reject", item["id"], "--json").status == 0
    assert file.read_text("utf-8") == before
    assert cli("review", "reject", item["id"]).status == 76
    assert "characters of entries: user " in cli("list").out


def test_control_characters_of_memory_reach_no_terminal_also_through_a_pipe(cli: Cli, world: World) -> None:
    loud = "red \x1b[31m bell \x07 csi \x9b1m del \x7f"
    (world.places.user_memory / "user.md").write_text(f"- {loud}\n")
    for command in (("show", "user/user.md"), ("recall",), ("list",), ("log", "--writes"), ("why", "user/user.md")):
        out = cli(*command).out
        assert not [char for char in out if char not in "\n\t" and (char < " " or "\x7f" <= char <= "\x9f")], command
    assert r"red \x1b[31m bell \x07 csi \x9b1m del \x7f" in cli("show", "user/user.md").out
    assert loud in json.loads(cli("show", "user/user.md", "--json").out)["items"][0]["text"]


def test_the_log_names_the_project_and_takes_the_writes_of_others(cli: Cli, world: World) -> None:
    cli("save", "We deploy on Fridays.", "--name", "friday", "--type", "project")
    assert "project" in cli("log", "--limit", "1").out.splitlines()[1].split()
    preferences = world.places.user_memory / "preferences.md"
    preferences.write_text("- by an editor\n")
    cli("list")
    written = json.loads(cli("log", "--writes", "--limit", "1", "--json").out)["items"][0]
    assert (written["action"], written["projects"]) == ("seen", [])
    assert "+- by an editor" in cli("diff", written["run"]).out
    assert cli("undo", written["run"]).out == "undone: user/preferences.md\n"
    assert "by an editor" not in preferences.read_text()
    assert cli("undo", "v999999").status == 1


def test_team_memory_is_shown_asked_about_and_trusted(cli: Cli, world: World, tmp_path: Path) -> None:
    folder = tmp_path / "repository" / ".memoryd" / "memory"
    folder.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (folder / "deploy.md").write_text("It is deployed to heron.\n")
    here = ("--cwd", str(folder.parents[1]))
    assert "+It is deployed to heron." in cli("trust", "--dry-run", *here).out
    asked = cli("trust", *here)
    assert (asked.status, "--yes" in asked.err) == (2, True)
    assert cli("search", "heron", *here).status == 1
    assert cli("trust", "--yes", *here).out.endswith(f"trusted: 1 file of {folder}\n")
    assert "deploy" in cli("search", "heron", *here).out
    assert "heron" in cli("show", "deploy.md", *here).out
    assert cli("trust", "--revoke", *here).out == "no file is trusted any more (1 was)\n"
    assert cli("trust", "--cwd", str(tmp_path)).status == 1
