"""`why` for whatever stands in memory, or stood there; the log of writes; runs taken back among later edits."""

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.talk import turn

from memoryd.daemon.daemon import Daemon
from memoryd.errors import Conflict, NotFound
from memoryd.ipc.client import AsyncClient

ENTRY = {
    "name": "Deploy target", "description": "where lantern runs", "type": "project",
    "content": "Lantern runs on Hetzner since November.",
}  # fmt: skip


async def why(one: AsyncClient, name: str, *, cwd: str, line: int | None = None) -> list[Any]:
    return list((await one.call("memory.why", {"name": name, "line": line, "cwd": cwd}, timeout=5)).items)


async def talk(daemon: Daemon, one: AsyncClient, *texts: str, cwd: str, session: str = "s1") -> None:
    for text in (*texts, "thanks", "bye")[:3]:
        await turn(one, text, cwd=cwd, session=session)
    await idle(daemon)


async def test_a_line_of_a_person_says_who_wrote_it_and_when(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        saved = await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        (item,) = await why(one, "deploy-target", cwd=project)
        assert (item.author, item.run, item.seq, item.tier) == ("person", saved.run, 0, "user")
        assert item.written_at is not None
        assert "through memoryd" in item.note
        (name,) = await why(one, "deploy-target", cwd=project, line=2)
        assert (name.line, name.author) == ("name: Deploy target", "person")
        preferences = daemon.places.user_memory / "preferences.md"
        await asyncio.to_thread(preferences.write_text, "- by hand\n")
        await one.call("memory.list", {"cwd": project}, timeout=5)
        (outside,) = await why(one, "preferences", cwd=project)
        assert (outside.line, outside.author, outside.run) == ("by hand", "outside", None)
        index = await why(one, "project/MEMORY.md", cwd=project)
        assert [i.line for i in index] == ["Lantern runs on Hetzner since November."]


async def test_an_entry_that_was_archived_keeps_its_reasons_under_its_new_name(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(daemon, one, "We decided to use PostgreSQL because we need JSONB.", cwd=project)
        (entry,) = await asyncio.to_thread(lambda: list(daemon.places.data.glob("projects/*/memory/knowledge/*.md")))
        before = await why(one, entry.stem, cwd=project)
        assert before[0].quote == "We decided to use PostgreSQL because we need JSONB."
        await one.call("memory.forget", {"cwd": project, "name": entry.stem}, timeout=5)
        archived = await why(one, f"{entry.stem}_v1", cwd=project)
        assert [(i.line, i.quote, i.author) for i in archived] == [(i.line, i.quote, i.author) for i in before]
        gone = await why(one, entry.stem, cwd=project)
        assert [i.quote for i in gone] == [i.quote for i in before]
        assert not any(i.active for i in gone)
        assert all("forgotten in run" in i.note for i in gone)


async def test_a_line_that_was_forgotten_or_undone_is_found_by_its_words(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer tabs over spaces", "I prefer dark mode", cwd=project)
        await one.call("memory.forget", {"cwd": project, "name": "tabs over spaces"}, timeout=5)
        (item,) = await why(one, "tabs over", cwd=project)
        assert (item.quote, item.active, item.tier) == ("I prefer tabs over spaces", False, "user")
        assert "forgotten in run" in item.note
        await one.call("memory.undo", {}, timeout=5)
        assert [i.active for i in await why(one, "tabs over", cwd=project)] == [True]
        await one.call("memory.undo", {}, timeout=5)
        (undone,) = await why(one, "dark mode", cwd=project)
        assert (undone.active, "undone in run" in undone.note) == (False, True)
        with pytest.raises(NotFound):
            await why(one, "never said", cwd=project)


async def test_the_log_of_writes_holds_what_editors_and_agents_wrote(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        await talk(daemon, one, "Always use gradle for builds.", cwd=project)
        user = daemon.places.user_memory
        host = {"name": "Write", "ok": True, "files": [{"path": str(user / "user.md"), "action": "write"}]}
        event = {"id": "w1", "kind": "tool_use", "host": "generic", "session_id": "g", "cwd": project,
                 "at": "2026-11-30T08:00:00Z", "data": host}  # fmt: skip
        await one.call("event.publish", {"event": event}, timeout=5)
        for name, text in (("user.md", "- Zhang San\n"), ("preferences.md", "- by hand\n")):
            await asyncio.to_thread((user / name).write_text, text)
        await one.call("memory.list", {"cwd": project}, timeout=5)
        log = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        told = {(run.author, run.action): run for run in log}
        assert set(told) == {("person", "save"), ("run", "consolidate"), ("host", "seen"), ("outside", "seen")}
        assert told["host", "seen"].files == ("user/user.md",)
        assert told["outside", "seen"].files == ("user/preferences.md",)
        assert told["person", "save"].files == ("project/MEMORY.md", "project/knowledge/deploy-target.md")
        assert {run.outcome for run in log} == {"applied"}
        assert [run.at for run in log] == sorted((run.at for run in log), reverse=True)
        pages: list[Any] = []
        cursor = None
        while not pages or cursor:
            page = await one.call("memory.log", {"writes": True, "limit": 1, "cursor": cursor}, timeout=5)
            pages, cursor = [*pages, *page.items], page.next_cursor
        assert pages == list(log)
        assert len((await one.call("memory.log", {}, timeout=5)).items) == 2


async def test_an_undo_in_the_users_own_memory_before_any_session(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await one.call("memory.save", {**ENTRY, "type": "user", "scope": "user"}, timeout=5)
        undone = await one.call("memory.undo", {}, timeout=5)
        assert "user/knowledge/deploy-target.md" in undone.files
        assert not (daemon.places.user_memory / "knowledge/deploy-target.md").exists()


@pytest.mark.parametrize("seed", range(4))
async def test_runs_edits_and_undos_in_any_order_lose_no_line_of_a_person(home: Path, project: str, seed: int) -> None:
    dice = random.Random(seed)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        file = daemon.places.user_memory / "preferences.md"
        mine: list[str] = []
        for step in range(14):
            match dice.choice(["talk", "edit", "edit", "undo", "undo-of-undo", "save"]):
                case "talk":
                    await talk(daemon, one, *(f"I prefer thing {step}-{n}" for n in range(3)), cwd=project)
                case "edit":
                    rows = (await asyncio.to_thread(file.read_text)).splitlines()
                    mine.append(f"- by hand {step}")
                    rows.insert(dice.randint(0, len(rows)), mine[-1])
                    if dice.random() < 0.3:
                        mine.remove(gone := dice.choice(mine))
                        rows.remove(gone)
                    await asyncio.to_thread(file.write_text, "\n".join(rows) + dice.choice(["", "\n"]))
                case "save":
                    await one.call(
                        "memory.save", {"cwd": project, **ENTRY, "content": f"Number {step} it is."}, timeout=5
                    )
                case kind:
                    runs = (await one.call("memory.log", {"writes": True}, timeout=5)).items
                    of = [r for r in runs if r.action != "seen" and (r.action == "undo") == (kind == "undo-of-undo")]
                    await _undo(one, dice.choice(of).run if of else None)
            rows = (await asyncio.to_thread(file.read_text)).splitlines()
            assert not [row for row in mine if row not in rows], (seed, step)
            assert len(set(rows)) >= len([row for row in rows if row.strip()]), (seed, step, rows)
        versions = await asyncio.to_thread(daemon.history.file_versions, file.parent, file.name)
        assert versions


async def _undo(one: AsyncClient, run: str | None) -> None:
    with contextlib.suppress(Conflict, NotFound):  # taken back already, or nothing yet
        await one.call("memory.undo", {"run": run}, timeout=5)
