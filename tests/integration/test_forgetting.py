"""Forgetting: contradictions, stale names, old entries; through a daemon whose clock is faked."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.daemons import until
from support.days import Days, days

from memoryd.daemon.journal import recalled
from memoryd.errors import Conflict, UsageError
from memoryd.ipc.methods.events import HookDeliver
from memoryd.memory.model import EntryType, FileKey, Root
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Save
from memoryd.worker.ports import Run

FORGET = {"task": "forget"}


async def save(one: Days, slug: str, content: str) -> None:
    await one.ask(
        "memory.save", cwd=one.cwd, scope="project", slug=slug, name=content[:60], type="project", content=content
    )


async def questions(one: Days) -> list[tuple[str, str]]:
    found = await one.ask("review.list", cwd=one.cwd)
    return [(item.id, item.text) for item in found.items if item.kind == "contradiction"]


def core(one: Days, directory: Path, *rows: str) -> None:
    (directory / "constraints.md").write_text("# Constraints\n\n" + "".join(f"- {row}\n" for row in rows))


async def test_two_memories_that_contradict_each_other_are_one_question_asked_once(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        await save(one, "port", "The staging server listens on port 8080")
        core(one, directory, "The staging server listens on port 9090", "Never push to main", "用户要求提交信息用中文")
        await one.ask("maintenance.run", **FORGET)
        (asked,) = await questions(one)
        assert "port 8080" in asked[1]
        assert "port 9090" in asked[1]
        assert (await one.ask("review.list", cwd=project)).waiting == 1
        with pytest.raises(UsageError):
            await one.ask("review.decide", id=asked[0], decision="reject", keep="first")
        keep = "second" if asked[1].startswith("1. project/knowledge") else "first"
        done = await one.ask("review.decide", id=asked[0], decision="accept", keep=keep)
        assert done.run
        assert not (directory / "knowledge/port.md").exists()
        assert (directory / "knowledge/port_v1.md").exists(), "nothing is deleted"
        await one.ask("review.decide", id=asked[0], decision="undo")
        assert (directory / "knowledge/port.md").exists()
        assert await questions(one) == [asked]
        await one.ask("review.decide", id=asked[0], decision="reject")
        one.now += timedelta(days=1)
        await one.ask("maintenance.run", **FORGET)
        assert not await questions(one), "both may stand, and it is never asked again"
        with pytest.raises(Conflict):
            await one.ask("review.decide", id=asked[0], decision="accept")


async def test_a_question_can_be_answered_in_other_words_and_goes_when_it_is_none(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        core(one, directory, "测试覆盖率至少要 80%", "测试覆盖率至少要 90%", "The default branch is main")
        await save(one, "branch", "The default branch is master")
        await one.ask("maintenance.run", **FORGET)
        found = {text: id for id, text in await questions(one)}
        assert len(found) == 2
        coverage = next(id for text, id in found.items() if "覆盖率" in text)
        await one.ask("review.decide", id=coverage, decision="accept", text="测试覆盖率至少要 85%")
        text = (directory / "constraints.md").read_text()
        assert "85%" in text
        assert "80%" not in text
        assert "90%" not in text
        await one.ask("memory.forget", cwd=project, name="branch")
        await one.ask("maintenance.run", **FORGET)
        assert not await questions(one), "a person has settled it by hand"


async def learn(one: Days, slug: str, text: str, n: int) -> None:
    """The rules learn a decision of the user."""
    roots, directory = await one.roots(), await one.directory()
    await one.turn(slug, text)
    run = Run(id=f"run{n}", dir=directory, roots=roots, author=Author.RUN, action="consolidate", agent="rules")
    wish = Save(slug=slug, name=text, type=EntryType.PROJECT, content=text, cites=(2 * n + 3,))
    _, plan = await one.daemon.commands.attempt(run, one.daemon.runner.propose(run, [wish]))
    assert not plan.refused


async def test_an_old_decision_of_the_user_stays_and_is_asked_about_once(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        knowledge = await one.directory() / "knowledge"
        texts = ("We decided to use Celery for the task queue", "We decided to keep sessions in Redis")
        for n, text in enumerate(texts):
            await learn(one, f"d{n}", text, n)
        await save(one, "by-hand", "The label printer only speaks ZPL")
        one.now += timedelta(days=100)
        roots = await one.roots()
        found = await one.daemon.recaller.prefetch(roots, "the sessions in Redis")
        await asyncio.to_thread(one.daemon.recaller.found, found.items, roots, "the sessions in Redis")
        one.now += timedelta(days=101)
        for _ in range(2):
            assert not (await one.ask("maintenance.run", **FORGET)).runs
            one.now += timedelta(days=1)
        assert sorted(path.name for path in knowledge.glob("*.md")) == ["by-hand.md", "d0.md", "d1.md"]
        (asked,) = (await one.ask("review.list", cwd=project)).items
        assert (asked.kind, asked.tier) == ("archive", "user")
        assert "d0" in asked.text
        await one.ask("review.decide", id=asked.id, decision="reject")
        await one.ask("maintenance.run", **FORGET)
        assert not (await one.ask("review.list", cwd=project)).items, "what a person keeps is kept"
        await one.ask("review.decide", id=asked.id, decision="undo")
        await one.ask("review.decide", id=asked.id, decision="accept")
        assert (knowledge / "d0_v1.md").exists(), "nothing is deleted"
        one.now += timedelta(days=200)
        await one.ask("maintenance.run", **FORGET)
        assert [item.text for item in (await one.ask("review.list", cwd=project)).items] == [
            f"archive d1:\n- {texts[1]}"
        ]
        await one.daemon.commands.undo(None)
        for query in ("the sessions in Redis", "we keep sessions in Redis, or do we?"):
            found = await one.daemon.recaller.prefetch(roots, query)
            await asyncio.to_thread(one.daemon.recaller.found, found.items, roots, query)
        await one.ask("maintenance.run", **FORGET)
        assert not (await one.ask("review.list", cwd=project)).items, "it is wanted again, and what was put back stays"


async def test_a_name_that_is_no_longer_in_the_repository_is_flagged_and_nothing_is_removed(
    home: Path, project: str
) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        repository = Path(project)

        def lay_out() -> None:
            (repository / "src").mkdir()
            (repository / "src/billing.py").write_text("def round_lines():\n    pass\n")
            (repository / "Makefile").write_text("lint:\n\truff check\n")

        await asyncio.to_thread(lay_out)
        content = "src/billing.py rounds in `round_lines()`; check it with make lint, as ops/runbook.md says"
        await save(one, "billing", content)
        assert not await flags(one, "billing"), "nobody looked yet"
        await one.ask("maintenance.run", **FORGET)
        assert not await flags(one, "billing"), "ops/runbook.md was never there: it is elsewhere"

        def change() -> None:
            (repository / "src/billing.py").rename(repository / "src/money.py")
            (repository / "src/money.py").write_text("def round_rows():\n    pass\n")
            (repository / "Makefile").write_text("check:\n\truff check\n")

        await asyncio.to_thread(change)
        await one.ask("maintenance.run", **FORGET)
        assert await flags(one, "billing") == {
            f"names {name}, which is no longer there" for name in ("src/billing.py", "make lint", "round_lines()")
        }
        told = await one.daemon.recaller.snapshot(await one.roots())
        assert "which is no longer there" in told.text
        assert content.split(";")[0] in told.text
        await asyncio.to_thread((repository / "src/billing.py").write_text, "round_lines = 1\n")
        await one.ask("maintenance.run", **FORGET)
        assert await flags(one, "billing") == {"names make lint, which is no longer there"}


async def flags(one: Days, slug: str) -> set[str]:
    found = await one.ask("memory.list", cwd=one.cwd, check=True)
    (item,) = [item for item in found.items if item.path == f"knowledge/{slug}.md"]
    return {flag for flag in item.flags if flag.startswith("names")}


async def test_a_prompt_and_a_search_that_find_an_entry_count_as_uses(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        await save(one, "printer", "The label printer in the warehouse only speaks ZPL")

        async def uses() -> int:
            found = await asyncio.to_thread(recalled.wear, one.daemon.journal, str(directory))
            return found["knowledge/printer.md"].uses if found else 0

        await hook(one, "SessionStart", source="startup")
        assert await uses() == 0, "what every session is told is wanted by nobody"
        await save(one, "printer", "The label printer in the warehouse only speaks ZPL, not PDF")
        assert "ZPL" in await hook(one, "UserPromptSubmit", prompt="why does the label printer print garbage?")
        assert await uses() == 1
        for _ in range(2):
            await one.ask("memory.search", cwd=project, query="label printer")
        await until(lambda: _is(uses, 2))
        await one.ask("maintenance.run", **FORGET)
        (entry,) = [e for _, e in (await one.daemon.shelf.view(await one.roots())).entries if e.slug == "printer"]
        assert entry.uses == 2


async def _is(count: Callable[[], Awaitable[int]], wanted: int) -> bool:
    return await count() == wanted


async def hook(one: Days, event: str, **stdin: Any) -> str:
    """What a session's hook is answered."""
    one.n += 1
    one.now += timedelta(seconds=10)
    raw = json.dumps({"hook_event_name": event, "session_id": "h1", "cwd": one.cwd, **stdin})
    params = HookDeliver(id=f"{one.n:032x}", at=one.now, host="claude-code", event=event, raw=raw, cwd=one.cwd)
    return (await one.daemon.ingest.deliver(params)).stdout


async def test_forgetting_again_on_a_day_changes_and_asks_nothing(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        core(one, directory, "Never push to main", "Push to main")
        await one.ask("maintenance.run", **FORGET)
        before = await questions(one), await one.daemon.shelf.view(await one.roots())
        assert not (await one.ask("maintenance.run", **FORGET)).runs
        assert (await questions(one), await one.daemon.shelf.view(await one.roots())) == before
        assert FileKey(Root.PROJECT, "constraints.md") in before[1].files
