"""Instincts become memory by a person's word alone: they are clustered, proposed once, accepted and taken back."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from support.turns import Talk

from memoryd.daemon.evolving import Evolved
from memoryd.memory.model import Root
from memoryd.memory.proposals import Lines

CORRECTIONS = ("no, use pnpm instead of npm", "use pnpm, not npm", "不要用 npm，用 pnpm", "no, use pnpm, not npm")


async def worked(talk: Talk) -> Path:
    for n, said in enumerate(CORRECTIONS):
        await talk.turn(said, "edit a.py", "ruff check", "pytest -q", session=f"s{n}")
    return await talk.passed()


async def evolved(talk: Talk, directory: Path, *, dry: bool = False) -> Sequence[Evolved]:
    return await talk.daemon.evolver.evolve({Root.PROJECT: directory}, dry=dry)


async def test_what_belongs_together_is_proposed_once_and_is_no_memory_before_it_is_accepted(talk: Talk) -> None:
    directory = await worked(talk)
    first = await evolved(talk, directory, dry=True)
    assert [(one.proposal.content, one.status) for one in first] == [
        ("After edit py:\n1. run ruff\n2. run pytest", ""), ("- use pnpm, not npm", "")
    ]  # fmt: skip
    assert await asyncio.to_thread(talk.daemon.inbox.reviews.waiting, None) == 0
    assert [one.status for one in await evolved(talk, directory)] == ["new", "new"]
    assert [one.status for one in await evolved(talk, directory)] == ["open", "open"], "each is proposed once"
    assert not [path for path in (directory / "knowledge").glob("*.md") if "pattern" not in path.name]
    waiting = await asyncio.to_thread(talk.daemon.inbox.list, [directory], limit=10)
    said = next(one for one in waiting if "pnpm" in one.text)
    assert any("use pnpm" in quote for quote in said.quotes), "with the words that it rests on"
    run, (slug,) = await talk.daemon.inbox.decide(str(said.row["id"]), accept=True)
    text = (directory / "knowledge" / f"{slug}.md").read_text()
    assert "- use pnpm, not npm" in text
    assert "tier: user" in text
    await talk.daemon.shelf.refresh([directory])
    assert [one.status for one in await evolved(talk, directory)] == ["open"], "memory says the other one now"
    assert run is not None
    await talk.daemon.commands.undo(run)
    assert not (directory / "knowledge" / f"{slug}.md").exists()


async def test_what_memory_says_already_is_not_proposed(talk: Talk) -> None:
    directory = await worked(talk)
    roots = await asyncio.to_thread(talk.daemon.runs.roots_of, directory)
    await talk.daemon.commands.change(roots, "save", (Lines(file="constraints.md", add=("Use pnpm, not npm",)),))
    await talk.daemon.shelf.refresh([directory])
    assert [one.cluster.told for one in await evolved(talk, directory)] == [False]


async def test_what_was_rejected_or_forgotten_is_not_proposed_again(talk: Talk) -> None:
    directory = await worked(talk)
    await evolved(talk, directory)
    (first, *_) = await asyncio.to_thread(talk.daemon.inbox.list, [directory], limit=10)
    await talk.daemon.inbox.decide(str(first.row["id"]), accept=False)
    assert sorted(one.status for one in await evolved(talk, directory)) == ["open", "rejected"]
    roots = await asyncio.to_thread(talk.daemon.runs.roots_of, directory)
    for path in (directory / "instincts").glob("*.md"):
        await talk.daemon.shelf.refresh([directory])
        await talk.daemon.commands.forget(roots, path.stem)
    assert await evolved(talk, directory) == []
