"""What is believed of the user: each line with its evidence, and one command to put it right."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from support.turns import Talk

from memoryd.daemon.profiling import Roots
from memoryd.errors import NotFound, ScanRejected, UsageError
from memoryd.memory.ports import Author
from memoryd.memory.profile import Area, Belief
from memoryd.memory.proposals import Lines

SAID = {"user.md": "The user is a Rust developer", "preferences.md": "For tests, the user prefers pytest",
        "constraints.md": "Never push to main"}  # fmt: skip


async def learned(talk: Talk) -> Roots:
    """A user who said three things, corrected one twice and told a way of working."""
    morning = datetime(2026, 11, 30, 9).astimezone()
    talk.clock.now = morning
    for file, text in SAID.items():
        await talk.turn(text, "edit a.py", "pytest -q")
        seq = await asyncio.to_thread(talk.daemon.history.newest_seq)
        roots = await asyncio.to_thread(talk.daemon.runs.roots_of, (await talk.daemon.binder.of_folder(talk.cwd)).dir)
        change = Lines(file=file, add=(text,), cites=(seq - 3,))
        await talk.daemon.commands.change(roots, "consolidate", (change,), author=Author.RUN)
    for text in (
        "no, use pnpm instead of npm",
        "不要用 npm，用 pnpm",
        "When you release, do 1. run the tests 2. tag it.",
    ):
        await talk.turn(text, "edit a.py", "pytest -q")
    await talk.passed()
    return roots


async def believed(talk: Talk, roots: Roots) -> dict[str, Belief]:
    return {one.text: one for one in await talk.daemon.profile.beliefs(roots)}


async def test_every_line_says_where_it_stands_what_it_rests_on_and_how_sure_it_is(talk: Talk) -> None:
    roots = await learned(talk)
    found = await believed(talk, roots)
    who, preference = found[SAID["user.md"]], found[SAID["preferences.md"]]
    assert (who.area, who.turns, who.confidence) == (Area.WHO, 1, 0.8)
    assert (preference.area, preference.when) == (Area.PREFERENCE, "For tests")
    instinct = found["不要用 npm，用 pnpm"]
    assert (instinct.area, instinct.when, instinct.confidence) == (Area.WAY, "npm", 0.45)
    assert found["1. run the tests -> 2. tag it"].when == "When you release"
    assert [(one.text, one.turns) for one in found.values() if one.area is Area.LANGUAGE] == [
        ("English", 5),
        ("Chinese", 1),
    ]
    assert [one.text for one in found.values() if one.area is Area.TIME] == ["in the morning"]
    assert [one.area for one in found.values()] == sorted((one.area for one in found.values()), key=list(Area).index)
    assert who.key is not None
    (why, *_) = await asyncio.to_thread(
        talk.daemon.explainer.why, roots, f"{who.key.root}/{who.key.path}", who.line
    )  # fmt: skip
    assert why.quote == SAID["user.md"]


@pytest.mark.parametrize("name", ["user.md", "preferences.md", "constraints.md"])
async def test_a_line_is_put_right_and_the_old_words_are_not_learned_back(talk: Talk, name: str) -> None:
    roots = await learned(talk)
    before = (await believed(talk, roots))[SAID[name]]
    _, run = await talk.daemon.profile.correct(roots, before.id, "The user is a Go developer")
    after = await believed(talk, roots)
    assert SAID[name] not in after
    assert after["The user is a Go developer"].confidence == 1.0, "a person's own words"
    again = Lines(file=name, add=(SAID[name],), cites=(1, 3, 5))
    with pytest.raises(ScanRejected, match="taken-back"):
        await talk.daemon.commands.change(roots, "consolidate", (again,), author=Author.RUN)
    assert run is not None
    await talk.daemon.commands.undo(run)
    assert SAID[name] in await believed(talk, roots)


async def test_an_instinct_is_put_right_in_its_file_and_work_changes_it_no_more(talk: Talk) -> None:
    roots = await learned(talk)
    one = (await believed(talk, roots))["不要用 npm，用 pnpm"]
    await talk.daemon.profile.correct(roots, one.id, "ask me which one")
    await talk.turn("no, use pnpm instead of npm")
    await talk.passed()
    now = (await believed(talk, roots))["ask me which one"]
    assert (now.when, now.confidence) == ("npm", 1.0)
    await talk.daemon.profile.correct(roots, now.id, None)
    await talk.turn("no, use pnpm instead of npm")
    await talk.passed()
    assert not {"ask me which one", "不要用 npm，用 pnpm"} & (await believed(talk, roots)).keys()


async def test_what_is_counted_is_counted_no_more_once_it_was_taken_back(talk: Talk) -> None:
    roots = await learned(talk)
    found = await believed(talk, roots)
    assert found["pytest"].area is Area.TOOL
    await talk.daemon.profile.correct(roots, found["pytest"].id, None)
    _, run = await talk.daemon.profile.correct(roots, found["in the morning"].id, "The user works at night")
    now = await believed(talk, roots)
    assert not {"pytest", "in the morning"} & now.keys()
    assert now["The user works at night"].area is Area.WHO
    assert "not counted" not in talk.daemon.shelf.joined(roots).core[now["The user works at night"].key or ""]  # type: ignore[index]
    assert run is not None
    await talk.daemon.commands.undo(run)
    assert "in the morning" in await believed(talk, roots)


async def test_a_wrong_id_and_a_procedures_steps_are_refused_with_what_to_do(talk: Talk) -> None:
    roots = await learned(talk)
    with pytest.raises(NotFound, match="memoryd profile"):
        await talk.daemon.profile.correct(roots, "ffffff", None)
    steps = (await believed(talk, roots))["1. run the tests -> 2. tag it"]
    with pytest.raises(UsageError, match=r"procedures/when-you-release-\w+\.md"):
        await talk.daemon.profile.correct(roots, steps.id, "something")
    await talk.daemon.profile.correct(roots, steps.id, None)
    assert "1. run the tests -> 2. tag it" not in await believed(talk, roots)


async def test_what_was_not_seen_for_a_hundred_days_is_counted_no_more(talk: Talk, tmp_path: Path) -> None:
    roots = await learned(talk)
    talk.clock.now += timedelta(days=101)
    assert not [one for one in (await believed(talk, roots)).values() if one.key is None]
