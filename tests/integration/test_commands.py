"""What people do to their memory through the socket: every change is a run, every run can be taken back."""

import asyncio
from pathlib import Path

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.talk import LATER, turn

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon
from memoryd.errors import (
    BadEvent,
    CannotWrite,
    Conflict,
    LimitExceeded,
    NotFound,
    PathRefused,
    UsageError,
)
from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Proposal
from memoryd.memory.text import tokens
from memoryd.worker.projection import Projection

ENTRY = {
    "name": "Deploy target", "description": "where lantern runs", "type": "project",
    "content": "Lantern runs on Hetzner since November.",
}  # fmt: skip


async def test_a_saved_entry_is_listed_found_read_and_explained_by_no_turn(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        saved = await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        assert (saved.status, saved.slug, saved.duplicate_of) == ("saved", "deploy-target", None)
        assert "deploy-target" in saved.manifest
        listed = await one.call("memory.list", {"cwd": project}, timeout=5)
        assert "knowledge/deploy-target.md" in [item.path for item in listed.items]
        found = await one.call("memory.search", {"cwd": project, "query": "hetzner"}, timeout=5)
        assert [item.name for item in found.items] == ["Deploy target"]
        read = await one.call("memory.read", {"cwd": project, "name": "deploy-target"}, timeout=5)
        assert "Hetzner since November" in (read.items[0].text or "")
        index = Path(read.items[0].path)
        assert index.name == "deploy-target.md"
        memory = next(iter(daemon.places.data.glob("projects/*/memory/MEMORY.md")))
        assert "- [Deploy target](knowledge/deploy-target.md) — where lantern runs (type: project)" in (
            await asyncio.to_thread(memory.read_text)
        )


async def test_saving_the_same_again_changes_nothing_and_new_content_keeps_the_old(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        assert (await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)).status == "unchanged"
        moved = {**ENTRY, "content": "Lantern runs on Fly.io again since December."}
        assert (await one.call("memory.save", {"cwd": project, **moved}, timeout=5)).status == "updated"
        old = next(iter(daemon.places.data.glob("projects/*/memory/knowledge/deploy-target_v1.md")))
        text = await asyncio.to_thread(old.read_text)
        assert "status: historical" in text
        assert "superseded_by: deploy-target" in text


@pytest.mark.parametrize(("language", "label"), [("en", "[updated→deploy-target]"), ("zh", "[已更新→deploy-target]")])
async def test_a_replaced_entry_that_is_shown_names_what_replaced_it(
    home: Path, project: str, language: str, label: str
) -> None:
    config = await asyncio.to_thread(Config.model_validate, {"recall": {"language": language}})
    async with running(home, config=config) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        moved = {**ENTRY, "content": "Lantern runs on Fly.io again since December."}
        await one.call("memory.save", {"cwd": project, **moved}, timeout=5)
        listed = (await one.call("memory.list", {"cwd": project}, timeout=5)).items
        found = (await one.call("memory.search", {"cwd": project, "query": "Lantern"}, timeout=5)).items
        read = (await one.call("memory.read", {"cwd": project, "name": "deploy-target_v1"}, timeout=5)).items
        shown = [(item.path, item.replaced) for item in (*listed, *found, *read) if item.type]
        assert set(shown) == {("knowledge/deploy-target.md", ""), ("knowledge/deploy-target_v1.md", label)}
        assert len(shown) == 5


async def test_a_duplicate_and_poor_content_are_told(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        twin = {**ENTRY, "name": "Where it runs", "content": "Lantern runs on Hetzner since november, maybe."}
        saved = await one.call("memory.save", {"cwd": project, **twin}, timeout=5)
        assert saved.duplicate_of == "deploy-target"
        told = [warning.partition(":")[0] for warning in saved.warnings]
        assert told == ["vague", "no-why", "no-how"]


async def test_bad_names_and_full_types_are_refused_with_a_remedy(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        with pytest.raises(PathRefused, match="refused"):
            await one.call("memory.save", {"cwd": project, **ENTRY, "slug": "../evil"}, timeout=5)
        long = {**ENTRY, "content": "word " * 1500}
        await one.call("memory.save", {"cwd": project, **long}, timeout=5)
        with pytest.raises(LimitExceeded, match="deploy-target"):
            await one.call("memory.save", {"cwd": project, **long, "name": "another", "slug": "another"}, timeout=5)
        with pytest.raises(BadEvent, match="read-only"):
            await one.call("memory.save", {"cwd": project, **ENTRY, "scope": "team"}, timeout=5)


async def test_forgetting_an_entry_archives_it_and_undo_brings_it_back(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        gone = await one.call("memory.forget", {"cwd": project, "name": "deploy-target"}, timeout=5)
        assert (await one.call("memory.search", {"cwd": project, "query": "hetzner"}, timeout=5)).items[0].status == (
            "historical"
        )
        snapshot = await one.call("recall.snapshot", {"cwd": project}, timeout=5)
        assert "Hetzner" not in snapshot.text
        await one.call("memory.undo", {"run": gone.run}, timeout=5)
        assert "Hetzner" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text


async def test_a_forgotten_line_needs_to_be_said_again(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("I prefer tabs over spaces", "I prefer dark mode", "thanks a lot"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        forgotten = await one.call("memory.forget", {"cwd": project, "name": "tabs over spaces"}, timeout=5)
        assert [item.name for item in forgotten.items] == ["I prefer tabs over spaces"]
        preferences = daemon.places.user_memory / "preferences.md"
        assert "tabs" not in await asyncio.to_thread(preferences.read_text)
        for text in ("I prefer tabs over spaces", "no more", "bye"):
            await turn(one, text, cwd=project, at=LATER)
        await idle(daemon)
        assert "tabs over spaces" in await asyncio.to_thread(preferences.read_text)


async def test_undo_keeps_what_was_written_since(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("I prefer tabs over spaces", "I prefer dark mode", "thanks a lot"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        preferences = daemon.places.user_memory / "preferences.md"
        text = await asyncio.to_thread(preferences.read_text)
        await asyncio.to_thread(preferences.write_text, text + "- by hand\n")
        undone = await one.call("memory.undo", {}, timeout=5)
        assert undone.conflicts == ()
        after = await asyncio.to_thread(preferences.read_text)
        assert "by hand" in after
        assert "tabs" not in after


async def test_asking_for_what_is_not_there_says_where_to_look(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for method, params in [
            ("memory.read", {"name": "nothing"}),
            ("memory.forget", {"name": "nothing"}),
            ("memory.why", {"name": "nothing"}),
            ("memory.undo", {"run": "ffff"}),
            ("session.get", {"host": "h", "session_id": "s"}),
            ("job.retry", {"id": "7"}),
        ]:
            with pytest.raises(NotFound, match="memoryd"):
                await one.call(method, params, timeout=5)


async def test_a_session_tells_the_thread_that_it_belongs_to(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for session, parent in (("a", None), ("b", "a"), ("c", "b"), ("d", "a"), ("x", None)):
            event = {"kind": "session_start", "data": {"source": "resume", "parent_session_id": parent}}
            at = f"2026-11-30T08:00:0{'abcdx'.index(session)}Z"
            known = {"id": f"start-{session}", "host": "generic", "session_id": session, "cwd": project, "at": at}
            await one.call("event.publish", {"event": {**known, **event}}, timeout=5)
        for session, thread in (("b", "abcd"), ("a", "abcd"), ("x", "x")):
            found = await one.call("session.get", {"host": "generic", "session_id": session}, timeout=5)
            assert "".join(key.session_id for key in found.thread) == thread


async def test_why_finds_the_project_rule_and_the_file_of_the_same_name(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for text in ("Always use gradle for builds.", "thanks", "bye"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        file = next(iter(daemon.places.data.glob("projects/*/memory/constraints.md")))
        rows = (await asyncio.to_thread(file.read_text)).splitlines()
        line = next(n for n, row in enumerate(rows, start=1) if "gradle" in row)
        for name in ("constraints", "project/constraints.md"):
            found = await one.call("memory.why", {"name": name, "line": line, "cwd": project}, timeout=5)
            assert [item.quote for item in found.items] == ["Always use gradle for builds."]
        with pytest.raises(NotFound, match="lines"):
            await one.call("memory.why", {"name": "constraints", "line": 99, "cwd": project}, timeout=5)
        shown = await one.call("memory.read", {"name": "constraints", "cwd": project}, timeout=5)
        assert "gradle" in (shown.items[0].text or "")


async def test_a_file_that_is_no_utf_8_is_read_as_far_as_it_goes_and_keeps_its_bytes(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        file = daemon.places.user_memory / "preferences.md"
        await asyncio.to_thread(file.write_bytes, b"- \xd3\xc3\xbb\xa7 by hand\n")
        snapshot = await one.call("recall.snapshot", {"cwd": project}, timeout=5)
        assert "by hand" in snapshot.text
        for text in ("I prefer tabs over spaces", "I prefer dark mode", "thanks a lot"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        content = await asyncio.to_thread(file.read_bytes)
        assert b"- \xd3\xc3\xbb\xa7 by hand\n" in content
        assert b"tabs over spaces" in content
        assert (await one.call("memory.diff", {}, timeout=5)).items


async def test_undo_steps_back_run_by_run_and_not_twice(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        first = await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        second = await one.call("memory.save", {"cwd": project, **ENTRY, "name": "Other", "content": "Ship on Tuesdays only."}, timeout=5)  # fmt: skip  # noqa: E501
        assert second.run
        await one.call("memory.undo", {}, timeout=5)
        await one.call("memory.undo", {}, timeout=5)
        snapshot = await one.call("recall.snapshot", {"cwd": project}, timeout=5)
        assert "Hetzner" not in snapshot.text
        assert "Tuesdays" not in snapshot.text
        with pytest.raises(Conflict, match="already"):
            await one.call("memory.undo", {"run": first.run}, timeout=5)


async def test_a_pause_and_a_full_disk_are_told_by_health(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("daemon.pause", {"seconds": 600}, timeout=5)
        health = await one.call("daemon.health", {}, timeout=5)
        assert health.state == "degraded"
        assert "paused everywhere" in (health.reason or "")
        await one.call("daemon.resume", {}, timeout=5)
        daemon.journal.writer.full = True
        assert "disk is full" in ((await one.call("daemon.health", {}, timeout=5)).reason or "")


async def test_a_job_that_waits_for_a_directory_to_be_writable_is_told_by_health(home: Path, project: str) -> None:
    reason = "cannot write /memory/user.md: the file system is read-only; mount it writable"

    def refused(projection: Projection, memory: MemoryView) -> list[Proposal]:
        raise CannotWrite(reason)

    async with running(home, agent=ScriptedAgent(refused)) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "thanks", "bye"):
            await turn(one, text, cwd=project)

        async def deferred() -> bool:
            return bool((await one.call("job.list", {}, timeout=5)).items[0].state == "deferred")

        await until(deferred)
        health = await one.call("daemon.health", {}, timeout=5)
        assert health.state == "degraded"
        assert health.reason == f"the job for {_memory_of(daemon)} is put off: {reason}"


def _memory_of(daemon: Daemon) -> Path:
    return next(daemon.places.data.glob("projects/*/memory"))


async def test_what_an_editor_wrote_is_shown_and_taken_back_by_its_name_in_the_log(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "I prefer tabs", cwd=project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        preferences = daemon.places.user_memory / "preferences.md"
        text = await asyncio.to_thread(preferences.read_text)
        await asyncio.to_thread(preferences.write_text, f"{text}- by an editor\n")
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)  # looks at the files first
        await asyncio.to_thread(preferences.write_text, f"{text}- by an editor\n- later\n")
        log = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        (seen,) = [run for run in log if run.action == "seen"]
        assert (seen.author, seen.files, seen.projects) == ("outside", ("user/preferences.md",), ())
        diff = (await one.call("memory.diff", {"run": seen.run}, timeout=5)).items
        assert [(item.scope, item.path) for item in diff] == [("user", "preferences.md")]
        assert "+- by an editor" in diff[0].diff
        undone = await one.call("memory.undo", {"run": seen.run}, timeout=5)
        assert undone.files == ("user/preferences.md",)
        assert await asyncio.to_thread(preferences.read_text) == f"{text}- later\n"
        with pytest.raises(Conflict, match="already"):
            await one.call("memory.undo", {"run": seen.run}, timeout=5)
        again = await one.call("memory.undo", {"run": undone.run}, timeout=5)
        assert again.files == ("user/preferences.md",)
        assert "- by an editor\n" in await asyncio.to_thread(preferences.read_text)


async def test_a_write_that_cannot_be_taken_back_says_why(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        saved = await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        index = _memory_of(daemon) / "MEMORY.md"
        await asyncio.to_thread(index.write_text, "mine\n")
        await one.call("memory.save", {"cwd": project, **ENTRY, "slug": "other"}, timeout=5)
        log = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        (seen,) = [run for run in log if run.action == "seen"]
        assert "+mine" in (await one.call("memory.diff", {"run": seen.run}, timeout=5)).items[0].diff
        with pytest.raises(UsageError, match="follows from the entries"):
            await one.call("memory.undo", {"run": seen.run}, timeout=5)
        number = await daemon.journal.aread(
            lambda c: c.execute("select min(id) from versions where run_id = ?", (saved.run,)).fetchone()[0]
        )
        with pytest.raises(UsageError, match=f"written by a run: give its id, {saved.run[:8]}"):
            await one.call("memory.undo", {"run": f"v{number}"}, timeout=5)
        for unknown in ("v1", "v999999"):  # a seed, and none at all
            with pytest.raises(NotFound, match="log --writes"):
                await one.call("memory.diff", {"run": unknown}, timeout=5)


async def test_a_secret_is_replaced_at_every_door_and_its_giver_is_told(home: Path, project: str) -> None:
    secret = "gh" + "p_" + "m4Q" * 12
    said = f"the token is {secret}"
    async with running(home) as daemon, client(daemon) as one:
        for number, params in enumerate(({"content": said}, {"slug": secret}, {"name": said}, {"description": said})):
            entry = {"cwd": project, **ENTRY, "slug": f"entry-{number}", **params}
            saved = await one.call("memory.save", entry, timeout=5)
            assert saved.status == "saved"
            assert ("slug" in params) != ("1 secret (github) replaced by a placeholder" in saved.warnings)
        noted = await one.call("note.add", {"cwd": project, "text": said}, timeout=5)
        goal = await one.call("goal.add", {"cwd": project, "text": said}, timeout=5)
        assert "the token is [secret:github:" in noted.text
        assert "the token is [secret:github:" in goal.text
        assert noted.warnings == goal.warnings == ("1 secret (github) replaced by a placeholder",)
        assert (await one.call("goal.update", {"id": goal.id, "text": said}, timeout=5)).warnings == goal.warnings
        counts = {kind.label: kind.count for kind in (await one.call("privacy.get", timeout=5)).redacted}
        assert counts == {"secret:github": 6}
    found = [p for p in await asyncio.to_thread(lambda: list(home.rglob("*"))) if p.is_file()]
    for path in found:
        content = (await asyncio.to_thread(path.read_bytes)).lower()
        assert secret.lower().encode() not in content, path


async def test_words_that_several_lines_hold_are_told_and_nothing_is_forgotten(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("Never add a comment to the tests.", "Always run the linter, a quick one."):
            await turn(one, text, cwd=project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=30)
        for words in ("a", "the"):
            with pytest.raises(Conflict, match="Always run the linter"):
                await one.call("memory.forget", {"cwd": project, "name": words}, timeout=5)
        with pytest.raises(NotFound):  # no word of its own
            await one.call("memory.forget", {"cwd": project, "name": "lint"}, timeout=5)
        gone = await one.call("memory.forget", {"cwd": project, "name": "linter"}, timeout=5)
        assert [item.name for item in gone.items] == ["Always run the linter, a quick one."]
        every = await one.call("memory.forget", {"cwd": project, "name": "comment", "every": True}, timeout=5)
        assert len(every.items) == 1


async def test_undo_and_diff_mean_the_newest_run_of_this_project(home: Path, tmp_path: Path) -> None:
    here, there = (tmp_path / name for name in ("here", "there"))
    async with running(home) as daemon, client(daemon) as one:
        for folder in (here, there):
            folder.mkdir()
            await one.call("memory.save", {"cwd": str(folder), **ENTRY, "slug": f"of-{folder.name}"}, timeout=5)
        shown = await one.call("memory.diff", {"cwd": str(here)}, timeout=5)
        assert "knowledge/of-here.md" in {item.path for item in shown.items}
        undone = await one.call("memory.undo", {"cwd": str(here)}, timeout=5)
        assert "project/knowledge/of-here.md" in undone.files
        with pytest.raises(NotFound):
            await one.call("memory.undo", {"cwd": str(here)}, timeout=5)
        assert await one.call("memory.read", {"cwd": str(there), "name": "of-there"}, timeout=5)


async def test_a_session_keeps_the_snapshot_it_was_given(home: Path, project: str) -> None:
    asked = {"cwd": project, "host": "claude-code", "session_id": "s1"}
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        await turn(one, "hello", cwd=project, session="s1")
        first = await one.call("recall.snapshot", asked, timeout=5)
        await one.call("memory.save", {"cwd": project, **ENTRY, "slug": "later", "content": "Said later."}, timeout=5)
        assert (await one.call("recall.snapshot", asked, timeout=5)).text == first.text
        assert "Said later" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text


async def test_list_tells_how_much_room_of_each_type_is_used(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        totals = (await one.call("memory.list", {"cwd": project}, timeout=5)).totals
        assert (totals["project"].used, totals["user"].used) == (len(ENTRY["content"]), 0)
        assert totals["project"].limit == 8000


async def test_a_save_that_names_its_session_starts_its_turn_count_again(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "hello", cwd=project, session="s1")
        key = {"host": "claude-code", "session_id": "s1"}
        assert (await one.call("session.get", key, timeout=5)).new_turns == 1
        await one.call("memory.save", {"cwd": project, **ENTRY, "session_id": "s1"}, timeout=5)
        assert (await one.call("session.get", key, timeout=5)).new_turns == 0


async def test_a_read_is_cut_at_twenty_thousand_tokens_and_says_so(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        core = daemon.places.user_memory / "preferences.md"
        text = await asyncio.to_thread(core.read_text)
        await asyncio.to_thread(core.write_text, text + "".join(f"- line number {n} by hand\n" for n in range(10_000)))
        (read,) = (await one.call("memory.read", {"cwd": project, "name": "preferences.md"}, timeout=10)).items
        assert read.truncated
        assert 19_000 < tokens(read.text) < 20_100  # and the line that says so


async def test_a_session_tells_the_files_it_touched(home: Path, project: str) -> None:
    event = {
        "id": "t1", "kind": "tool_use", "host": "generic", "session_id": "s1", "cwd": project,
        "at": "2026-11-30T08:00:00Z",
        "data": {"name": "Edit", "ok": True, "files": [{"path": f"{project}/app.py", "action": "write"}]},
    }  # fmt: skip
    async with running(home) as daemon, client(daemon) as one:
        await one.call("event.publish", {"event": event}, timeout=5)
        detail = await one.call("session.get", {"host": "generic", "session_id": "s1"}, timeout=5)
        assert [(f.path, f.action, f.by_session) for f in detail.files] == [(f"{project}/app.py", "write", "s1")]
