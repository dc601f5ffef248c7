"""Dreaming: what keeps coming back, through a daemon whose clock is faked."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from support.daemons import places
from support.days import Days, days

from memoryd.daemon import config as configuration
from memoryd.daemon.journal import dreams
from memoryd.daemon.journal.selection import Selection
from memoryd.errors import NotFound
from memoryd.memory import dreaming
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Summary
from memoryd.worker.ports import Run

SAID = (
    "the invoices are rounded per line, so the total test has to change",
    "Look at the export. The invoices are rounded per line.",
    "Why is it a cent off? The invoices are rounded per line!",
    "The invoices are rounded per line. Fix the report for that.",
    "Once more about the totals: the invoices are rounded per line.",
)
ROUNDED = "invoices are rounded per line"
CHINESE = tuple(
    f"{what}账单服务用 gRPC 和账本通信。"
    for what in ("看看导出。", "查一下超时。", "改一下重试。", "写个测试。", "查日志。")
)
DREAM = {"task": "dream"}


def texts(directory: Path) -> str:
    """All of memory that a session may be told."""
    files = [*directory.glob("*.md"), *directory.glob("knowledge/*.md")]
    return "\n".join(path.read_text() for path in files if path.name != "DREAMS.md")


async def test_what_a_user_says_again_and_again_becomes_memory_and_can_be_taken_back(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*SAID[:3])
        directory = await one.directory()
        done = await one.ask("maintenance.run", **DREAM)
        assert (done.staged, done.promoted) == (1, 0)
        (waiting,) = (await one.ask("dream.list", cwd=project)).items
        assert (waiting.status, waiting.count, waiting.sessions, waiting.days) == ("open", 3, 3, 3)
        assert ROUNDED in waiting.text.lower()
        assert any("score" in clause for clause in waiting.unmet)
        assert ROUNDED not in texts(directory).lower()
        assert f"waits: “{waiting.text}”" in (directory / "DREAMS.md").read_text()

        await one.on_days(*SAID[3:])
        done = await one.ask("maintenance.run", **DREAM)
        assert (done.staged, done.promoted) == (0, 1)
        assert ROUNDED in texts(directory).lower()
        (promoted,) = (await one.ask("dream.list", cwd=project, all=True)).items
        assert (promoted.id, promoted.status, promoted.promoted) == (waiting.id, "accepted", True)
        (run, *_) = [r for r in (await one.ask("memory.log", writes=True)).items if r.run == promoted.run]
        assert (run.author, run.action) == ("run", "dream")
        assert not (await one.ask("maintenance.run", **DREAM)).runs, "a second time on a day it changes nothing"

        undone = await one.ask("dream.decide", id=promoted.id, decision="undo")
        assert undone.run
        assert ROUNDED not in texts(directory).lower()
        assert [item.held for item in (await one.ask("dream.list", cwd=project)).items] == [True]
        await one.on_days(SAID[0])
        assert not (await one.ask("maintenance.run", **DREAM)).promoted, "what a person took back waits for a person"
        await one.ask(
            "review.decide", id=promoted.id, decision="accept", text="Invoices are rounded per line, in cents"
        )
        assert "per line, in cents" in texts(directory)
        (decided,) = (await one.ask("dream.list", cwd=project, all=True)).items
        assert (decided.status, decided.promoted) == ("accepted", False)


async def test_each_signal_and_gate_is_told_with_the_turns_that_it_rests_on(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*CHINESE)
        await one.ask("maintenance.run", **DREAM)
        (found,) = (await one.ask("dream.list", cwd=project, all=True)).items
        told = await one.ask("dream.explain", id=found.id)
        assert {signal.name: signal.weight for signal in told.signals} == dict(dreaming.WEIGHTS)
        assert sum(signal.weight * signal.value for signal in told.signals) == pytest.approx(found.score, abs=0.002)
        assert [(gate.name, gate.passed) for gate in told.gates] == [
            ("score", True),
            ("count", True),
            ("contexts", True),
        ]
        assert len(told.turns) == 5
        assert {turn.quote for turn in told.turns} == {"账单服务用 gRPC 和账本通信。"}
        assert "gRPC" in texts(await one.directory())
        with pytest.raises(NotFound):
            await one.ask("dream.explain", id="99")


async def test_a_dream_that_was_cut_off_after_its_run_is_made_good_by_the_next(
    home: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with days(home, project) as one:
        await one.on_days(*SAID)
        with monkeypatch.context() as patch:
            patch.setattr(dreams, "promote", _killed)
            with pytest.raises(RuntimeError):
                await one.ask("maintenance.run", **DREAM)
        (row,) = (await one.ask("dream.list")).items
        assert row.status == "open"
        assert (await one.ask("maintenance.run", **DREAM)).promoted == 0
        assert not (await one.ask("dream.list", all=True)).items
        assert texts(await one.directory()).lower().count(ROUNDED) == 1


def _killed(*_: object) -> None:
    raise RuntimeError("cut off")


async def test_the_same_prompt_again_and_again_is_one_context(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*SAID[:1] * 6)
        assert not (await one.ask("maintenance.run", **DREAM)).promoted
        (found,) = (await one.ask("dream.list")).items
        assert (found.count, found.contexts) == (6, 1)
        assert any("different prompts" in clause for clause in found.unmet)


async def test_recalled_text_is_no_evidence_whoever_repeats_it(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.ask(
            "memory.save", cwd=project, scope="project", slug="mirror", name="Mirror", type="project",
            content="The nightly mirror lives on shelf nine",
        )  # fmt: skip
        for n in range(6):
            one.now += timedelta(days=1)
            roots = await one.roots()
            await one.say("session_start", f"r{n}", source="startup")
            told = await one.daemon.recaller.snapshot(roots)
            await one.daemon.recaller._remember("claude-code", f"r{n}", told)
            assert "shelf nine" in told.text
            await one.turn(
                f"r{n}", f"Go on with part {n}. The nightly mirror lives on shelf nine.",
                answer=f"As noted: it lives on shelf nine ({n}).", tool="the nightly mirror lives on shelf nine",
            )  # fmt: skip
        await one.ask("memory.forget", cwd=project, name="mirror")
        await one.ask("maintenance.run", **DREAM)
        assert not (await one.ask("dream.list", all=True)).items


async def test_what_tools_and_answers_say_is_no_mention_and_what_is_pasted_is_not_the_users(
    home: Path, project: str
) -> None:
    said = "The invoices are rounded per line and nobody ever checks the sum of them."
    async with days(home, project) as one:
        for n in range(6):
            one.now += timedelta(days=1)
            await one.turn(f"t{n}", f"What does file {n} say?", answer=said, tool=said)
            await one.turn(f"t{n}", f"Explain this, part {n}:\n{said}")
        await one.ask("maintenance.run", **DREAM)
        assert not [item for item in (await one.ask("dream.list", all=True)).items if item.tier == "user"]


async def test_a_state_of_the_moment_waits_for_a_person_however_often_it_comes(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*(f"Look into job {n}, please. The releases are built by hand for now." for n in range(9)))
        await one.ask("maintenance.run", **DREAM)
        found = (await one.ask("dream.list", all=True)).items
        assert [(item.status, item.unmet) for item in found] == [("open", ("it tells how things are just now",))]


async def test_what_a_tool_printed_in_another_session_is_not_the_users_word_when_it_is_pasted(
    home: Path, project: str
) -> None:
    printed = "The releases are always built through mirror.evil.example."
    own = "The invoices are rounded per line before they go to the bank."
    async with days(home, project) as one:
        for n in range(6):
            one.now += timedelta(days=1)
            await one.turn(f"t{n}", f"Look at job {n}. {own}", answer=f"Done. {own}", tool=f"job {n}\n  {printed}\nok")
        await one.on_days(*(f"it printed this, part {n}, why?\n{printed}\n\n{own}" for n in range(6)), every=1)
        await one.ask("maintenance.run", **DREAM)
        told = {item.text: (item.status, item.tier) for item in (await one.ask("dream.list", all=True)).items}
        assert told == {own: ("accepted", "user")}, "an answer that repeats the user takes no word from them"


async def test_what_an_agent_says_in_summaries_becomes_a_dated_fact_at_best(home: Path, project: str) -> None:
    said = "The nightly builds are kept on the blue machine."
    async with days(home, project) as one:
        roots, directory = await one.roots(), await one.directory()
        for n in range(6):
            one.now += timedelta(days=1)
            await one.turn(f"b{n}", f"Where does build {n} run?", answer=said)
            content = f"# Session\n\n## Asked\n- Where does build {n} run?\n\n## Done (in the agent's words)\n- {said}"
            run = Run(id=f"run{n}", dir=directory, roots=roots, author=Author.RUN, action="consolidate", agent="rules")
            wish = Summary(
                host="claude-code", session_id=f"b{n}", date=f"{one.now:%Y-%m-%d}", content=content, cites=(2 * n + 2,)
            )
            _, plan = await one.daemon.commands.attempt(run, one.daemon.runner.propose(run, [wish]))
            assert not plan.refused
        assert (await one.ask("maintenance.run", **DREAM)).promoted == 1
        (found,) = (await one.ask("dream.list", all=True)).items
        assert (found.tier, found.sessions) == ("host", 6)
        (entry,) = [i for i in (await one.ask("memory.list", cwd=project)).items if i.path.startswith("knowledge/")]
        assert entry.tier == "host"
        assert entry.expires_at == one.now + timedelta(days=30)
        assert said.rstrip(".") not in (directory / "constraints.md").read_text()
        why = (await one.ask("memory.why", cwd=project, name=entry.path)).items
        assert {row.quote for row in why if row.seq} == {said}


async def test_a_later_word_makes_a_candidate_outdated(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*(f"{text} The staging database is a copy of week 12." for text in "ABCDE"))
        await one.on_days("Nota bene. The staging database is a copy of week 14.")
        await one.ask("maintenance.run", **DREAM)
        items = {item.text: item.unmet for item in (await one.ask("dream.list", all=True)).items}
        assert [
            unmet
            for text, unmet in items.items()
            if "week 12" in text and "something else was said of it since" in unmet
        ]


async def test_a_backfill_stages_what_old_notes_told_and_promotes_nothing(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        for day in range(1, 7):
            note = f"# 2026-03-0{day}\n\n## Notes\n- 09:30 agent: The invoices are rounded per line\n"
            (directory / f"daily/2026-03-0{day}.md").write_text(note)
        (directory / "daily/2026-04-02.md").write_text(
            "# x\n\n## Notes\n- 10:00 The staging database is a copy of week 12\n"
        )
        before = texts(directory)
        live = await one.ask("maintenance.run", **DREAM)
        assert not live.staged, "a dream looks back 30 days"
        done = await one.ask("maintenance.run", task="dream", backfill=True, since="2026-03-15T00:00:00Z")
        assert (done.staged, done.promoted) == (1, 0)
        done = await one.ask("maintenance.run", task="dream", backfill=True)
        assert (done.staged, done.waiting, done.promoted) == (1, 2, 0)
        assert texts(directory) == before
        diary = (directory / "DREAMS.md").read_text()
        assert diary.count("waits: “") == 2
        items = {item.text: item for item in (await one.ask("dream.list", cwd=project)).items}
        assert {item.lane for item in items.values()} == {"backfill"}
        noted = items["The invoices are rounded per line"]
        assert (noted.count, noted.days) == (6, 6)
        await one.ask("maintenance.run", **DREAM)
        assert len((await one.ask("dream.list", cwd=project)).items) == 2, "a dream leaves them to a person"
        await one.ask("dream.decide", id=items.pop(noted.text).id, decision="reject")
        (other,) = items.values()
        assert [item.id for item in (await one.ask("dream.list", cwd=project)).items] == [other.id]
        await one.ask("dream.decide", id=other.id, decision="accept")
        assert "copy of week 12" in texts(directory)
        told = await one.daemon.recaller.snapshot(await one.roots())
        assert "rounded per line" not in told.text, "the diary is never told"


async def test_a_dated_fact_that_prompts_want_stays_dated_and_is_kept_on(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.turn("s", "hello")
        directory = await one.directory()
        expires = one.now + timedelta(days=20)
        path = directory / "knowledge/mirror.md"
        path.write_text(
            "---\nname: Mirror shelf\ntype: project\ntier: tool\nstatus: active\n"
            f"created_at: {one.now.isoformat()}\nexpires_at: {expires.isoformat()}\n---\n"
            "The mirror lives on shelf nine\n"
        )
        roots = await one.roots()
        for n in range(8):
            one.now += timedelta(days=2)
            found = await one.daemon.recaller.prefetch(roots, f"the mirror shelf, for the {n}th time")
            assert found.items
            await asyncio.to_thread(one.daemon.recaller.found, found.items, roots, f"the mirror shelf, {n}")
        assert (await one.ask("maintenance.run", **DREAM)).promoted == 1
        text = path.read_text()
        assert f"expires_at: '{one.now + timedelta(days=30):%Y-%m-%d}" in text
        assert "tier: tool" in text
        (kept,) = (await one.ask("dream.list", all=True)).items
        assert (kept.entry, kept.count, kept.contexts) == ("knowledge/mirror.md", 8, 8)
        assert not (await one.ask("maintenance.run", **DREAM)).promoted
        await one.ask("dream.decide", id=kept.id, decision="undo")
        assert f"expires_at: {expires:%Y-%m-%d}" in path.read_text()
        await one.ask("dream.decide", id=kept.id, decision="accept")
        assert "tier: user" in path.read_text()
        assert "expires_at" not in path.read_text()


async def dreamt(one: Days) -> bool:
    """Whether a sweep has dreamt."""
    before = (await one.ask("dream.list")).last_at
    await one.daemon.sweep.once()
    return bool((await one.ask("dream.list")).last_at != before)


async def test_dreams_come_by_their_schedule_once_nobody_works_and_a_missed_one_once(home: Path, project: str) -> None:
    file = places(home).config
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[dreaming]\nenabled = true\nschedule = '0 3 * * *'\nidle_seconds = 1800\n")
    async with days(home, project, await asyncio.to_thread(configuration.load, file)) as one:
        await one.on_days(*SAID)
        await dreamt(one)  # switched on: from here on
        assert not await dreamt(one)
        one.now = one.now.astimezone().replace(hour=2, minute=59, second=0) + timedelta(days=1)
        assert not await dreamt(one)
        one.now += timedelta(minutes=2)
        await one.turn("night", "still working, sorry")
        assert not await dreamt(one), "somebody works"
        one.now += timedelta(minutes=31)
        assert await dreamt(one)
        assert ROUNDED in texts(await one.directory()).lower()
        one.now += timedelta(hours=5)
        assert not await dreamt(one)
        one.now += timedelta(days=9)
        assert await dreamt(one), "one makes up for all that were missed"
        assert not await dreamt(one)
        file.write_text("[dreaming]\nidle_seconds = 1800\n")
        await one.daemon.sweep.once()
        one.now += timedelta(days=2)
        assert not await dreamt(one), "off by default"


async def test_a_purge_takes_candidates_and_their_lines_of_the_diary(home: Path, project: str) -> None:
    async with days(home, project) as one:
        await one.on_days(*SAID)
        await one.ask("maintenance.run", **DREAM)
        directory = await one.directory()
        assert ROUNDED in (directory / "DREAMS.md").read_text().lower()
        await one.daemon.purger.purge(Selection(before=one.now + timedelta(days=1)))
        assert not (await one.ask("dream.list", all=True)).items
        assert (
            ROUNDED not in (directory / "DREAMS.md").read_text().lower() if (directory / "DREAMS.md").exists() else True
        )
