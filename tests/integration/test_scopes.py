"""A copy of a repository has a memory of its own until a person says that the two are one."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, idle, running
from support.talk import turn

from memoryd.errors import Conflict, NotFound, UsageError
from memoryd.ipc.client import AsyncClient

RULE = "In this project always run make lint before you commit."


def git(cwd: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def lantern(tmp_path: Path) -> Path:
    root = tmp_path / "lantern"
    root.mkdir()
    git(root, "init", "-q")
    for message in ("one", "two"):
        git(root, "commit", "-q", "--allow-empty", "-m", message)
    return root


@pytest.fixture
def copy(lantern: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", str(lantern), "copy")
    return tmp_path / "copy"


async def learned(one: AsyncClient, cwd: Path, text: str = RULE, session: str = "s1") -> None:
    await turn(one, text, cwd=str(cwd), session=session)
    await one.call("consolidation.run", {"cwd": str(cwd), "wait": True}, timeout=30)


async def told(one: AsyncClient, cwd: Path) -> str:
    return str((await one.call("recall.snapshot", {"cwd": str(cwd)}, timeout=5)).text)


async def here(one: AsyncClient, cwd: Path) -> Any:
    items = (await one.call("scope.list", {"cwd": str(cwd)}, timeout=5)).items
    return next(item for item in items if item.here)


async def test_a_clone_gets_nothing_until_it_adopts_and_then_both_share_one_memory(
    home: Path, lantern: Path, copy: Path
) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await learned(one, lantern)
        assert "make lint" not in await told(one, copy)
        before = await here(one, copy)
        tried = await one.call("scope.adopt", {"cwd": str(copy), "dry_run": True}, timeout=5)
        assert (tried.mark, tried.before, tried.dry_run) == ("clone", before.memory_dir, True)
        assert "make lint" not in await told(one, copy)
        done = await one.call("scope.adopt", {"cwd": str(copy)}, timeout=5)
        assert (done.path, done.memory_dir) == (str(copy), tried.memory_dir)
        assert "make lint" in await told(one, copy)
        await learned(one, copy, "In this project never push to main.", session="s2")
        await idle(daemon)
        assert "never push to main" in (await told(one, lantern)).lower()
        scope = await here(one, copy)
        assert (scope.path, scope.shared_with, scope.sessions) == (str(lantern), (str(copy),), 2)


async def test_releasing_gives_back_what_the_copy_had_by_itself(home: Path, lantern: Path, copy: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await learned(one, lantern)
        await learned(one, copy, "In this project always sign your commits.", session="s2")
        await one.call("scope.adopt", {"cwd": str(copy)}, timeout=5)
        assert "sign your commits" not in await told(one, copy)
        with pytest.raises(UsageError, match="already"):
            await one.call("scope.adopt", {"cwd": str(copy)}, timeout=5)
        await one.call("scope.release", {"cwd": str(copy)}, timeout=5)
        assert "sign your commits" in await told(one, copy)
        assert "make lint" not in await told(one, copy)
        with pytest.raises(NotFound, match="shares no other"):
            await one.call("scope.release", {"cwd": str(copy)}, timeout=5)


async def test_a_repository_that_was_copied_elsewhere_and_removed_adopts_what_it_was(
    home: Path, lantern: Path, tmp_path: Path
) -> None:
    """As when it is moved to another disk: another inode, the same first commit."""
    async with running(home) as daemon, client(daemon) as one:
        await learned(one, lantern)
        shutil.copytree(lantern, tmp_path / "disk" / "lantern")
        shutil.rmtree(lantern)
        moved = tmp_path / "disk" / "lantern"
        assert "make lint" not in await told(one, moved)
        items = (await one.call("scope.list", {"cwd": str(moved)}, timeout=5)).items
        assert [(item.path, item.exists) for item in items if item.like_here == "commit"] == [(str(lantern), False)]
        assert (await one.call("scope.adopt", {"cwd": str(moved)}, timeout=5)).mark == "commit"
        assert "make lint" in await told(one, moved)
    async with running(home) as daemon, client(daemon) as one:
        assert "make lint" in await told(one, moved)


async def test_of_several_a_person_names_one_and_nothing_is_guessed(home: Path, lantern: Path, tmp_path: Path) -> None:
    other, stranger = tmp_path / "other", tmp_path / "stranger"
    shutil.copytree(lantern, other)
    (stranger / ".git").mkdir(parents=True)
    async with running(home) as daemon, client(daemon) as one:
        with pytest.raises(NotFound, match="no known project"):
            await one.call("scope.adopt", {"cwd": str(stranger)}, timeout=5)
        for number, cwd in enumerate((lantern, other)):
            await learned(one, cwd, session=f"s{number}")
        shutil.copytree(lantern, tmp_path / "third")
        with pytest.raises(Conflict, match="2 projects could be the same"):
            await one.call("scope.adopt", {"cwd": str(tmp_path / "third")}, timeout=5)
        named = await one.call("scope.adopt", {"cwd": str(stranger), "name": str(other)}, timeout=5)
        assert (named.mark, "make lint" in await told(one, stranger)) == (None, True)
        for name, error in (("nothing", NotFound), (str(stranger), UsageError)):
            with pytest.raises(error):
                await one.call("scope.adopt", {"cwd": str(stranger), "name": name}, timeout=5)
        with pytest.raises(UsageError, match="is no project"):
            await one.call("scope.adopt", {"cwd": "/"}, timeout=5)
