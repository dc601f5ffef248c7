"""Recall with a model: chosen at the end of a turn, told at the next prompt; and without it, byte for byte as ever."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.commands import script
from support.daemons import ScriptedAgent, client, each_prompt, places, running, until
from support.fake_model import Asked, FakeModel, Reply, error, serving
from support.priced import LedgerPurse
from support.talk import deliver, turn

from memoryd.daemon import preparing
from memoryd.daemon.agents import Agents
from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon
from memoryd.worker.agents.brief import Settings
from memoryd.worker.agents.model import answer
from memoryd.worker.agents.question import Looking, Question, Sentence, Told
from memoryd.worker.ports import Ledger

CHILD_SECONDS = 60.0  #: for a child to load its library on a busy machine, and to answer
WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "islet", "jetty", "kelp", "larch", "maple",
    "nettle", "otter", "pebble",
)  # fmt: skip
WANTED = "Drain the queue before the otter is replaced"
PROMPT = "and now the pebble, please"  #: shares words with one of them


def remember(home: Path) -> None:
    """Sixteen entries of the user's memory, more than a snapshot tells."""
    folder = places(home).data / "user" / "memory" / "knowledge"
    folder.mkdir(parents=True)
    for word in WORDS:
        body = WANTED if word == "otter" else f"Remarks on the {word}"
        text = f"---\nname: About {word}\ndescription: {body}\ntype: project\n---\n\n{body}\n"
        (folder / f"{word}.md").write_text(text)


def config(fake: FakeModel, *, assist: str = "prepare", interval: int = 100, **budget: float) -> Config:
    agent = {"kind": "model", "model": "openai:big-70b", "base_url": fake.url}
    return Config.model_validate(
        {
            "agent": agent,
            "recall": {"assist": assist},
            "budget": budget,
            "consolidation": {"interval_turns": interval, "on_session_end": False},
        }
    )


def says(told: Any) -> Reply:
    return Reply(text=json.dumps(told))


def choosing(about: str, **more: Any) -> Callable[[Asked], Reply]:
    """A model that names the memory about something, wherever it is shown it."""

    def reply(asked: Asked) -> Reply:
        found = re.search(rf"\[(m\d+)\][^\n]*About {about}", asked.body["messages"][-1]["content"])
        return says({"chosen": [found[1]] if found else [], "confidence": 0.9, "queries": [], **more})

    return reply


async def begin(one: Any, session: str, cwd: Path, *said: str) -> None:
    await deliver(one, "SessionStart", session=session, cwd=str(cwd), source="startup")
    for text in said:
        await turn(one, text, session=session, cwd=str(cwd))


async def prompt(one: Any, session: str, cwd: Path, text: str = PROMPT) -> str:
    return str((await deliver(one, "UserPromptSubmit", session=session, cwd=str(cwd), prompt=text)).stdout)


async def prepared(daemon: Daemon, state: str = "waiting 0 | working 0 | ready 1") -> None:
    async def is_so() -> bool:
        return state in repr(daemon.preparer)

    await until(is_so, seconds=CHILD_SECONDS)


async def test_what_a_caged_child_chose_and_found_follows_what_the_prompt_speaks_of(tmp_path: Path) -> None:
    remember(tmp_path)
    queries = [{"query": "queue drained", "scope": "memories"}, {"query": "rollout", "scope": "sessions"}]
    unsure = {"chosen": [], "confidence": 0.2, "queries": queries}
    async with serving(says(unsure), choosing("otter")) as fake:
        async with running(tmp_path, config=config(fake)) as daemon, client(daemon) as one:
            await begin(one, "s1", tmp_path, "replace the old one in the rollout")
            await prepared(daemon)
            first = await prompt(one, "s1", tmp_path)
            assert first.index("About pebble") < first.index(WANTED)
            assert WANTED not in await prompt(one, "s1", tmp_path), "once"
            stats = await one.call("worker.stats", timeout=5)
            assert (stats.tokens_in, stats.tokens_out) == fake.tokens
            usage = await one.call("usage.get", {"by": "project"}, timeout=5)
            assert ["/projects/" in row.key for row in usage.rows] == [True]
            assert not list(daemon.agents.places.glob("*"))
    assert len(fake.asked) == 2
    assert "| replace the old one in the rollout" in fake.asked[0].body["messages"][-1]["content"]
    assert "user: replace the old one in the rollout" in fake.asked[1].text, "what the search in sessions found"


async def test_a_persons_program_in_its_cage_can_choose_too(tmp_path: Path) -> None:
    remember(tmp_path)
    usage = {"input_tokens": 900, "output_tokens": 40}
    choice = json.dumps({"chosen": ["m1"], "confidence": 1})
    told = {"type": "result", "is_error": False, "result": choice, "usage": usage}
    program = script(tmp_path / "bin", "claude", out=json.dumps(told), keeps=False)
    agent = {"kind": "command", "command": [str(program.path), "-p"]}
    given = Config.model_validate({"agent": agent, "recall": {"assist": "prepare"}})
    async with running(tmp_path, config=given) as daemon, client(daemon) as one:
        await begin(one, "s1", tmp_path, "replace the old one")
        await prepared(daemon)
        assert "[project] About" in await prompt(one, "s1", tmp_path, "go on")
        stats = await one.call("worker.stats", timeout=5)
        assert (stats.tokens_in, stats.tokens_out) == (900, 40)


@dataclass
class _Here:
    """The child's work in this process, so that many can be tried."""

    settings: Callable[[], Settings]
    ledger: Ledger

    async def answer(self, ask: Callable[[Settings], Question], run_id: str, looking: Looking) -> Told:
        return await answer(ask(self.settings()), LedgerPurse(self.ledger, run_id), looking)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agents, "asked", lambda agents, ledger: _Here(agents.settings, ledger))
    monkeypatch.setattr(preparing, "SETTLE_SECONDS", 0.01)


UNUSED = "waiting 0 | working 0 | ready 0"


@pytest.mark.usefixtures("here")
async def test_whatever_goes_wrong_the_next_prompt_is_told_the_same_bytes_as_without_a_model(tmp_path: Path) -> None:
    remember(tmp_path)
    async with serving(choosing("otter")) as fake:
        async with running(tmp_path, config=config(fake, assist="off")) as daemon, client(daemon) as one:

            async def told(session: str, state: str, *replies: Any) -> str:
                fake.replies[:] = replies or fake.replies
                await begin(one, session, tmp_path, "replace the old one")
                await prepared(daemon, state)
                return await prompt(one, session, tmp_path)

            plain = await told("off", UNUSED)
            assert "About pebble" in plain
            assert fake.asked == []
            daemon.config = config(fake)
            assert (await told("chosen", "ready 1")).startswith(plain.partition("\\n</memory-context>")[0])
            wrong = says({"chosen": ["m99", "otter"], "confidence": 1})
            assert await told("wrong ids", "ready 1", wrong) == plain
            assert await told("talk", UNUSED, Reply(text="The otter, I think.")) == plain
            assert await told("empty", UNUSED, Reply(text="")) == plain
            asked = len(fake.asked)
            assert await told("down", UNUSED, error(503, "overloaded")) == plain
            assert await told("paused", UNUSED, choosing("otter")) == plain
            assert len(fake.asked) == asked + 1, "none while the outage lasts"
            await asyncio.to_thread(daemon.breaker.succeeded)
            daemon.config = config(fake, calls_per_day=2 * len(fake.asked))
            assert await told("budget", UNUSED) == plain, "half of the budget is left to runs"
            daemon.config = config(fake)
            slow = Reply(text="", seconds=30)
            assert await told("slow", "working 1", slow) == plain

            async def is_asked() -> bool:
                return len(fake.asked) == asked + 2

            await until(is_asked)
            await deliver(one, "SessionEnd", session="slow", cwd=str(tmp_path), reason="other")
            await prepared(daemon, UNUSED)


@pytest.mark.usefixtures("here")
async def test_no_call_is_made_where_nothing_is_to_be_chosen(tmp_path: Path) -> None:
    """Not more candidates than are wanted, a session without a person, a mode that tells nothing unasked."""
    remember(tmp_path)
    for word in WORDS[:4]:
        (places(tmp_path).data / "user" / "memory" / "knowledge" / f"{word}.md").unlink()
    async with serving(choosing("otter")) as fake:
        async with running(tmp_path, config=config(fake)) as daemon, client(daemon) as one:
            await begin(one, "s1", tmp_path, "replace the old one")
            await prepared(daemon, UNUSED)
            remember(tmp_path / "more")
            for path in (tmp_path / "more").rglob("*.md"):
                path.rename(daemon.places.user_memory / "knowledge" / path.name)
            daemon.config = daemon.config.model_copy(
                update={"recall": daemon.config.recall.model_copy(update={"mode": "tools"})}
            )
            await begin(one, "s2", tmp_path, "replace the old one")
            await prepared(daemon, UNUSED)
    assert fake.asked == []


@pytest.mark.usefixtures("here")
async def test_a_preparation_waits_for_the_run_and_no_run_for_a_preparation(tmp_path: Path) -> None:
    remember(tmp_path)
    gate = asyncio.Event()
    agent = ScriptedAgent(each_prompt, gate=gate)
    async with serving(choosing("otter"), Reply(text="", seconds=30)) as fake:
        async with running(tmp_path, config=config(fake, interval=1), agent=agent) as daemon, client(daemon) as one:
            await deliver(one, "SessionStart", session="s1", cwd=str(tmp_path), source="startup")
            preparing.SETTLE_SECONDS = 0.1
            held_up, settled = asyncio.Event(), daemon.preparer.settled

            async def waiting() -> None:
                held_up.set()
                await settled()

            daemon.preparer.settled = waiting
            await turn(one, "replace the old one", session="s1", cwd=str(tmp_path))
            await asyncio.wait_for(agent.entered.wait(), 10)
            await asyncio.wait_for(held_up.wait(), 10)
            assert fake.asked == []
            gate.set()
            await prepared(daemon)
            await turn(one, "I like short functions", session="s1", cwd=str(tmp_path))
            await prepared(daemon, "working 1")
            await one.call("consolidation.run", {"cwd": str(tmp_path), "wait": True}, timeout=10)
            assert "short functions" in (daemon.places.user_memory / "preferences.md").read_text()
            assert "working 1" in repr(daemon.preparer)


@pytest.mark.usefixtures("here")
async def test_hits_are_summed_up_and_put_in_order_and_are_the_same_hits_when_that_fails(tmp_path: Path) -> None:
    remember(tmp_path)
    query = {"cwd": str(tmp_path), "query": "remarks"}

    def last_first(asked: Asked) -> Reply:
        found = re.findall(r"\[(h\d+)\]", asked.body["messages"][-1]["content"])
        return says({"order": [found[-1], "h99", found[-1]]})

    said = [{"text": "It waits for the queue.", "cites": ["h1"]}, {"text": "Guesswork.", "cites": []}]
    async with serving(last_first, says({"sentences": said}), error(503, "overloaded")) as fake:
        async with running(tmp_path, config=config(fake, assist="off")) as daemon, client(daemon) as one:
            await turn(one, "the rollout waits until the queue is drained", cwd=str(tmp_path))
            plain = await one.call("memory.search", {**query, "limit": 5}, timeout=10)
            best = await one.call("memory.search", {**query, "limit": 5, "rerank": True}, timeout=20)
            assert [item.path for item in best.items] == [plain.items[n].path for n in (4, 0, 1, 2, 3)]
            assert (best.unanswered, best.next_cursor) == ("", plain.next_cursor)
            spoken = {"cwd": str(tmp_path), "query": "rollout"}
            hits = await one.call("session.search", spoken, timeout=10)
            told = await one.call("session.search", {**spoken, "summarise": True}, timeout=20)
            assert [(one.text, one.hits) for one in told.summary] == [("It waits for the queue.", (0,))]
            assert told.items == hits.items
            failed = await one.call("session.search", {**spoken, "summarise": True}, timeout=20)
            assert (failed.items, failed.summary) == (hits.items, ())
            assert "provider-down" in failed.unanswered
            again = await one.call("memory.search", {**query, "limit": 5, "rerank": True}, timeout=20)
            assert again.items == plain.items
            assert "provider-down" in again.unanswered


async def test_with_an_agent_that_cannot_be_asked_status_says_so_and_hits_stay_as_they_are(tmp_path: Path) -> None:
    given = Config.model_validate({"recall": {"assist": "prepare"}})
    async with running(tmp_path, config=given) as daemon, client(daemon) as one:
        assert "the rules cannot be asked" in str((await daemon.health()).reason)
        await turn(one, "the rollout waits until the queue is drained", cwd=str(tmp_path))
        told = await one.call(
            "session.search", {"cwd": str(tmp_path), "query": "rollout", "summarise": True}, timeout=9
        )
        assert len(told.items) == 1
        assert "the rules cannot" in told.unanswered


class _Liar:
    """A child that answers what it was not asked."""

    async def answer(self, ask: Callable[[Settings], Question], run_id: str, looking: Looking) -> Told:
        told = [Sentence(text="It waits.", cites=cites) for cites in (("h99",), ("h1", "../x"), ())]
        return Told(ids=("h2", "h2", "h77", "../x"), sentences=tuple(told))


async def test_what_a_child_names_that_there_is_not_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Agents, "asked", lambda agents, ledger: _Liar())
    remember(tmp_path)
    async with serving(Reply(text="")) as fake:
        async with running(tmp_path, config=config(fake, assist="off")) as daemon, client(daemon) as one:
            await turn(one, "the rollout waits until the queue is drained", cwd=str(tmp_path))
            told = await one.call(
                "session.search", {"cwd": str(tmp_path), "query": "rollout", "summarise": True}, timeout=9
            )
            assert (len(told.items), told.summary) == (1, ())
            assert "found nothing" in told.unanswered
            asked = {"cwd": str(tmp_path), "query": "remarks", "limit": 3}
            plain = await one.call("memory.search", asked, timeout=9)
            best = await one.call("memory.search", {**asked, "rerank": True}, timeout=9)
            assert [item.path for item in best.items] == [plain.items[n].path for n in (1, 0, 2)]
