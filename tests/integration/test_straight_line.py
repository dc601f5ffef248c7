"""Events in, memory out, through a real socket and a real database."""

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.talk import deliver, turn

from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Lines
from memoryd.worker.ports import AgentResult
from memoryd.worker.projection import Projection


async def test_after_the_third_turn_a_run_starts_and_a_new_session_gets_the_memory(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        text = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "- I prefer tabs\n" in text
        answer = await deliver(one, "SessionStart", session="s2", cwd=project, source="startup")
        context = json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"]
        assert "I prefer dark mode" in context
        assert len(context) <= 9500
        stats = await one.call("worker.stats", {}, timeout=5)
        assert (stats.total_completed, stats.queued, stats.coalesced_dropped) == (1, 0, 0)


@dataclass
class _OneATime(ScriptedAgent):
    """Reads up to the next prompt, whatever it is shown."""

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        prompts = [utterance.seq for session in projection.sessions for utterance in session.user_texts()]
        end = prompts[1] - 1 if len(prompts) > 1 else projection.to_seq
        return replace(await super().propose(projection.until(end), memory, run_id), to_seq=end)


async def test_what_an_agent_has_no_room_for_stays_due_and_each_text_is_read_once(home: Path, project: str) -> None:
    agent = _OneATime(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        read = [[u.text for u in seen.sessions[0].user_texts()] for seen in agent.seen]
        assert read == [["I prefer tabs"], ["I prefer dark mode"], ["I prefer short names"]]
        (session,) = (await one.call("session.list", timeout=5)).items
        assert session.watermark == session.last_seq
        lines = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert sum("I prefer" in line for line in lines.splitlines()) == 3


async def test_after_a_restart_the_users_memory_is_still_the_users(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "I prefer tabs", cwd=str(home))  # no project: the session is bound to the user's memory
        await one.call("consolidation.run", {"cwd": str(home), "wait": True}, timeout=10)
    async with running(home) as daemon, client(daemon) as one:
        listed = await one.call("memory.list", {"cwd": project}, timeout=5)
        assert {item.scope for item in listed.items if item.path == "preferences.md"} == {"user"}


async def test_a_prompt_gets_what_it_speaks_of(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("I prefer postgres migrations with alembic", "I prefer tabs", "I prefer short names"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        answer = await deliver(one, "SessionStart", session="s2", cwd=project, source="startup")
        assert answer.stdout
        asked = await deliver(one, "UserPromptSubmit", session="s2", cwd=project, prompt_id="p", prompt="hello there")
        assert asked.stdout == ""


async def test_why_names_the_turn_and_undo_takes_the_run_back(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        why = await one.call("memory.why", {"name": "preferences", "cwd": project}, timeout=5)
        assert {(item.line, item.quote) for item in why.items} >= {("I prefer tabs", "I prefer tabs")}
        (run, *_) = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        undone = await one.call("memory.undo", {"run": run.run[:8]}, timeout=5)
        assert undone.conflicts == ()
        text = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "I prefer" not in text
        # a fact that was taken back needs to be said again
        refused = await one.call("memory.diff", {"run": undone.run}, timeout=5)
        assert "-- I prefer tabs" in refused.items[0].diff


async def test_a_person_saving_during_a_run_wins(home: Path, project: str) -> None:
    agent = ScriptedAgent(each_prompt, gate=asyncio.Event())
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project)
        await agent.entered.wait()
        file = daemon.places.user_memory / "preferences.md"
        before = await asyncio.to_thread(file.read_text)
        await asyncio.to_thread(file.write_text, before + "\n- mine, by hand\n")
        assert agent.gate is not None
        agent.gate.set()
        await idle(daemon)
        after = await asyncio.to_thread(file.read_text)
        assert "- mine, by hand\n" in after
        assert "- I prefer tabs\n" in after


async def test_a_stopping_daemon_puts_a_running_job_back_and_the_next_one_does_it(home: Path, project: str,
                                                                                 monkeypatch: Any) -> None:  # fmt: skip
    monkeypatch.setattr("memoryd.daemon.daemon.DRAIN_SECONDS", 0.05)
    stuck = ScriptedAgent(each_prompt, gate=asyncio.Event())
    async with running(home, agent=stuck) as daemon, client(daemon) as one:
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project)
        await stuck.entered.wait()
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await idle(daemon)
        assert "- I prefer tabs\n" in await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        log = await asyncio.to_thread(daemon.runlog.page)
        assert [run["outcome"] for run in log] == ["applied", "deferred"]


async def test_proposals_that_must_not_be_are_refused_and_visible(home: Path, project: str) -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    bad = [
        Lines(file="preferences.md", add=("nobody said this at all",), cites=(1,)),
        Lines(file="preferences.md", add=("I prefer tabs",)),
        Lines(file="../../evil.md", add=("I prefer tabs",), cites=(1,)),
        Lines(file="preferences.md", add=(f"I prefer {secret}",), cites=(1,)),
    ]
    async with running(home, agent=ScriptedAgent(lambda p, m: [*bad, *each_prompt(p, m)[:1]])) as daemon:
        async with client(daemon) as one:
            for text in ("I prefer tabs", "thanks", "bye"):
                await turn(one, text, cwd=project)
            await idle(daemon)
            (run, *_) = (await one.call("memory.log", {}, timeout=5)).items
            assert run.outcome == "applied"
            assert sorted(r.code for r in run.refused) == ["no-citation", "not-said", "path-refused", "scan-rejected"]
    found = [p for p in await asyncio.to_thread(lambda: list(home.rglob("*"))) if p.is_file()]
    assert not [p for p in found if secret.encode() in await asyncio.to_thread(p.read_bytes)]


async def test_a_secret_never_reaches_the_journal(home: Path, project: str) -> None:
    secret = "gh" + "p_" + "Zz9" * 12
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, f"my token is {secret} keep it", cwd=project)
        await until(lambda: asyncio.to_thread(daemon.history.newest_seq))
    found = [p for p in await asyncio.to_thread(lambda: list(home.rglob("*"))) if p.is_file()]
    assert not [p for p in found if secret.encode() in await asyncio.to_thread(p.read_bytes)]


async def test_a_resumed_session_gets_only_what_changed(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        first = await deliver(one, "SessionStart", cwd=project, source="startup")
        assert first.stdout
        again = await deliver(one, "SessionStart", cwd=project, source="resume")
        assert again.stdout == ""
        for text in ("I prefer tabs", "I prefer dark mode", "I prefer short names"):
            await turn(one, text, cwd=project, session="other")
        await idle(daemon)
        changed = await deliver(one, "SessionStart", cwd=project, source="resume")
        assert "I prefer tabs" in changed.stdout
        assert (await deliver(one, "SessionStart", cwd=project, source="resume")).stdout == ""


async def test_after_a_compaction_the_checkpoint_comes_back_once(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", cwd=project, source="startup")
        await turn(one, "Port the parser to Rust please", cwd=project)
        await deliver(one, "PreCompact", cwd=project, trigger="manual")
        compact = await deliver(one, "SessionStart", cwd=project, source="compact")
        assert "Port the parser to Rust" in compact.stdout
        await deliver(one, "PostCompact", cwd=project, trigger="manual", compact_summary="x")
        await daemon.follower.caught_up()
        after = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="next", prompt="go on")
        assert "Port the parser" not in after.stdout
        await idle(daemon)


async def test_a_pause_stops_recording_until_it_is_resumed(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("daemon.pause", {}, timeout=5)
        await turn(one, "not for the record", cwd=project)
        await one.call("daemon.resume", {}, timeout=5)
        assert await asyncio.to_thread(daemon.history.newest_seq) == 0
        await turn(one, "for the record", cwd=project)
        assert await asyncio.to_thread(daemon.history.newest_seq) == 2
