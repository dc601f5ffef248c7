"""The screen of `memoryd review`, as a person sees it: the real command in a terminal of its own, by the keyboard."""

import asyncio
import os
import re
import sys
from functools import partial
from pathlib import Path

import pytest
from support.daemons import client, running, until
from support.talk import turn
from support.terminal import Terminal
from support.wishes import FACT, POISON, listed, rule, told, wishes

from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal.reviews import put_refused_draft
from memoryd.ipc.client import AsyncClient
from memoryd.memory.model import EntryType
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Save
from memoryd.worker.ports import Run

GOLDEN = Path(__file__).parents[1] / "recordings" / "review" / "screen.txt"
CTRL_S = "\x13"


def mirror() -> Save:
    return Save(slug="mirror", name="Mirror", type=EntryType.USER, content="镜像站每天夜里重建")


def review(daemon: Daemon, project: str) -> Terminal:
    around = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}  # the window has
    env = {**around, "MEMORYD_SOCKET": str(daemon.places.socket), "NO_COLOR": "", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "memoryd", "review", "--cwd", project]
    terminal = Terminal(command, cwd=Path(project), env=env)
    terminal.wait_for(r"Why it waits.*[\s\S]* quit")
    terminal.settle()
    return terminal


async def constraints(one: AsyncClient, project: str) -> str:
    found = await one.call("memory.read", {"name": "constraints.md", "cwd": project}, timeout=5)
    return str(found.items[0].text)


async def test_the_screen_shows_what_waits_what_would_change_and_what_it_rests_on(home: Path, project: str) -> None:
    def look(daemon: Daemon) -> str:
        with review(daemon, project) as terminal:
            shown = terminal.shown
            terminal.type("q")
            assert terminal.wait_for_end() == 0
        return shown

    async with running(home, agent=wishes(rule(), mirror())) as daemon, client(daemon) as one:
        await told(daemon, one, project, f"{POISON}. {FACT}. 镜像站每天夜里重建。")
        shown = re.sub(r"\d+ s ago *│", "<age> │", await asyncio.to_thread(look, daemon))
    golden = await asyncio.to_thread(GOLDEN.read_text, "utf-8")
    assert shown == golden.rstrip("\n"), f"if this is as it should be, write it to {GOLDEN}:\n{shown}"


async def test_each_key_decides_and_each_decision_is_taken_back(home: Path, project: str) -> None:
    async with running(home, agent=wishes(rule())) as daemon, client(daemon) as one:
        await told(daemon, one, project)
        terminal = await asyncio.to_thread(review, daemon, project)
        with terminal:

            async def press(keys: str, wanted: str) -> None:
                await asyncio.to_thread(terminal.type, keys)
                await asyncio.to_thread(terminal.wait_for, wanted)

            await press("a", r"accepted +project")
            assert POISON in await constraints(one, project)
            await press("u", "1 wait for your word")
            assert POISON not in await constraints(one, project)
            assert await listed(one, project) == [("lines", f"constraints.md:\n+ {POISON}")]

            await press("r", r"rejected +project")
            assert await listed(one, project) == []
            await press("u", "1 wait for your word")
            assert len(await listed(one, project)) == 1

            await press("e", "accept these words")
            await press(" on weekdays", "on weekdays")
            await press(CTRL_S, r"accepted +project")
            assert f"- {POISON} on weekdays" in await constraints(one, project)
            await press("u", "1 wait for your word")
            assert POISON not in await constraints(one, project)


async def test_a_write_outside_memoryd_is_put_back_and_that_is_taken_back_too(home: Path, project: str) -> None:
    async with running(home) as daemon:
        file = daemon.places.user_memory / "preferences.md"
        before = await asyncio.to_thread(file.read_text)
        await asyncio.to_thread(file.write_text, f"{before}- slipped in\n")
        terminal = await asyncio.to_thread(review, daemon, project)
        with terminal:
            assert "1 to look at" in terminal.shown
            await asyncio.to_thread(terminal.type, "r")
            await asyncio.to_thread(terminal.wait_for, r"rejected +user")
            assert await asyncio.to_thread(file.read_text) == before
            await asyncio.to_thread(terminal.type, "u")
            await asyncio.to_thread(terminal.wait_for, "1 to look at")
            assert "- slipped in" in await asyncio.to_thread(file.read_text)


async def test_a_contradiction_a_candidate_of_a_dream_and_a_draft_are_decided_and_taken_back_by_a_key(
    home: Path, project: str
) -> None:
    from memoryd.daemon.cli.inbox import InboxScreen

    said = "The nightly invoices are rounded per line"
    async with running(home) as daemon, client(daemon) as one:
        for port in ("8080", "9090"):
            await one.call(
                "memory.save",
                {"cwd": project, "scope": "project", "slug": f"port-{port}", "name": f"Port {port}", "type": "project",
                 "content": f"The staging server listens on port {port}"}, timeout=10,
            )  # fmt: skip
        (*_, run) = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        about = Run(id=run.run, dir=Path(run.memory_dir), roots={}, author=Author.RUN, action="consolidate", agent="x")
        await asyncio.to_thread(
            daemon.journal.write,
            lambda rows: put_refused_draft(rows, about, "too-much-lost: 9 lines", rfc3339(utc_now())),
        )
        for n in range(3):
            await turn(one, f"Look at export {n}. {said}.", cwd=project, session=f"d{n}")
        for task in ("forget", "dream"):
            await one.call("maintenance.run", {"task": task}, timeout=20)

        async def ports() -> set[str]:
            items = (await one.call("memory.list", {"cwd": project}, timeout=5)).items
            return {item.name for item in items if item.status == "active" and item.name.startswith("Port")}

        async def holds(wanted: set[str]) -> bool:
            return await ports() == wanted

        async def is_told(wanted: bool) -> bool:
            return (said in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text) is wanted

        async def lists_draft(wanted: bool) -> bool:
            return any(kind == "draft" for kind, _ in await listed(one, project)) is wanted

        both = {"Port 8080", "Port 9090"}
        screen = InboxScreen(daemon.places.socket, project)
        async with screen.run_test(size=(110, 40)) as pilot:
            await pilot.pause()
            shown = str(screen.query_one("#text").render())
            assert "two memories that contradict each other" in shown
            second = {f"Port {re.findall('on port ([0-9]+)', shown)[1]}"}
            for key, stays in (("a", both - second), ("s", second)):
                await pilot.press(key)
                await until(partial(holds, stays))
                await pilot.press("u")
                await until(partial(holds, both))
            await pilot.press("r")
            await pilot.pause()
            assert said in str(screen.query_one("#text").render())
            for key, wanted in (("a", True), ("u", False)):
                await pilot.press(key)
                await until(partial(is_told, wanted))
            await pilot.press("j")
            await pilot.pause()
            assert "too-much-lost" in str(screen.query_one("#text").render())
            for key, wanted in (("r", False), ("u", True)):
                await pilot.press(key)
                await until(partial(lists_draft, wanted))


@pytest.mark.parametrize(("columns", "beside"), [(120, True), (60, False)])
async def test_a_narrow_terminal_has_the_page_below_the_list(
    home: Path, project: str, columns: int, beside: bool
) -> None:
    from memoryd.daemon.cli.inbox import InboxScreen

    async with running(home, agent=wishes(rule())) as daemon, client(daemon) as one:
        await told(daemon, one, project)
        screen = InboxScreen(daemon.places.socket, project)
        async with screen.run_test(size=(columns, 30)) as pilot:
            await pilot.pause()
            items, page = screen.query_one("#items").region, screen.query_one("#page").region
            assert (items.right <= page.x) is beside
            assert (items.bottom <= page.y) is not beside
            assert POISON in str(screen.query_one("#text").render())


async def test_what_the_daemon_refuses_is_said_and_the_item_stays(home: Path, project: str) -> None:
    from memoryd.daemon.cli.inbox import InboxScreen

    async with running(home, agent=wishes(rule())) as daemon, client(daemon) as one:
        await told(daemon, one, project)
        screen = InboxScreen(daemon.places.socket, project)
        async with screen.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            (item,) = (await one.call("review.list", {"cwd": project}, timeout=5)).items
            await one.call("review.decide", {"id": item.id, "decision": "reject"}, timeout=5)
            await pilot.press("a")
            await pilot.pause()
            (note,) = screen._notifications
            assert "was rejected already" in note.message
            assert note.severity == "error"
