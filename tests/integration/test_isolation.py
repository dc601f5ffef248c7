"""Two projects of one name: nothing of one is listed, found, recalled or explained in the other."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from support.daemons import client, idle, running
from support.talk import turn

from memoryd.errors import NotFound
from memoryd.ipc.client import AsyncClient

RULE = "In this project always run make {word} before you commit."
ENTRY = {"name": "Deploy target", "type": "project", "content": "It is deployed to {word}."}
WORDS = ("heron", "osprey")
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory.list", {}),
    ("memory.search", {"query": "heron osprey", "match": "any"}),
    ("memory.read", {"name": "deploy-target"}),
    ("memory.read", {"name": "constraints.md"}),
    ("memory.why", {"name": "constraints.md"}),
    ("memory.log", {"writes": True}),
    ("recall.snapshot", {}),
    ("recall.prefetch", {"query": "where do we deploy, and what runs before a commit? heron osprey"}),
    ("session.list", {}),
    ("goal.list", {}),
    ("note.list", {}),
    ("session.search", {"query": "make heron osprey"}),
    ("history.list", {}),
    ("review.list", {}),
)
NO_WORDS = {"memory.list", "memory.log", "session.search", "review.list"}  #: may answer with none of what was said


@pytest.fixture
def twins(tmp_path: Path) -> dict[str, str]:
    """A project for each word, both in a folder called app."""
    folders = {word: tmp_path / word / "app" for word in WORDS}
    for folder in folders.values():
        (folder / ".git").mkdir(parents=True)
    return {word: str(folder) for word, folder in folders.items()}


@pytest_asyncio.fixture
async def one(home: Path, twins: dict[str, str]) -> AsyncIterator[AsyncClient]:
    """A client of a daemon that learned one word in each of them, by a run and by hand."""
    async with running(home) as daemon, client(daemon) as client_:
        for word, cwd in twins.items():
            await turn(client_, RULE.format(word=word), cwd=cwd, session=word)
            await client_.call("consolidation.run", {"cwd": cwd, "wait": True}, timeout=30)
            saved = {**ENTRY, "content": ENTRY["content"].format(word=word), "cwd": cwd}
            await client_.call("memory.save", saved, timeout=5)
            await client_.call("goal.add", {"cwd": cwd, "text": f"ship {word}"}, timeout=5)
            await client_.call("note.add", {"cwd": cwd, "text": f"{word} is down"}, timeout=5)
        await idle(daemon)
        yield client_


async def test_one_answers_nothing_of_the_other(one: AsyncClient, twins: dict[str, str]) -> None:
    for method, params in QUESTIONS:
        for mine, theirs in (WORDS, WORDS[::-1]):
            answer = (await one.call(method, {**params, "cwd": twins[mine]}, timeout=5)).model_dump_json()
            assert mine in answer or method in NO_WORDS, f"{method} found nothing"
            assert theirs not in answer, f"{method} of {mine} answers with {theirs}"


async def test_a_name_of_the_other_is_not_forgotten_from_here(one: AsyncClient, twins: dict[str, str]) -> None:
    here, there = (twins[word] for word in WORDS)
    with pytest.raises(NotFound):
        await one.call("memory.forget", {"cwd": here, "name": f"make {WORDS[1]}"}, timeout=5)
    await one.call("memory.forget", {"cwd": here, "name": "deploy-target"}, timeout=5)
    kept = await one.call("memory.read", {"cwd": there, "name": "deploy-target"}, timeout=5)
    assert (kept.items[0].status, WORDS[1] in kept.items[0].text) == ("active", True)
