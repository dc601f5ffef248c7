"""An agent that asks a model, in its child process, behind the whole daemon: what each of its ends leads to."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.agents import child_agent
from support.daemons import ScriptedAgent, client, idle, places, running, until
from support.talk import turn

from memoryd.daemon.config import Config, load
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal import queue
from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Proposal
from memoryd.worker.agents.child.agent import ChildAgent
from memoryd.worker.projection import Projection

CONFIG = Config.model_validate(
    {"agent": {"kind": "model", "model": "openai:test"}, "consolidation": {"interval_turns": 1}}
)


async def deferred(daemon: Daemon) -> dict[str, Any]:
    async def look() -> Any:
        jobs = await asyncio.to_thread(daemon.history.jobs)
        return jobs and jobs[0]["state"] == "deferred" and jobs[0]

    found: dict[str, Any] = await until(look)
    return found


async def runs(daemon: Daemon) -> list[tuple[str | None, str]]:
    rows = await asyncio.to_thread(daemon.runlog.page)
    return [(row["agent"], row["outcome"]) for row in reversed(rows) if row["action"] == "consolidate"]


def on(daemon: Daemon, agent: ChildAgent) -> ChildAgent:
    agent.ledger = daemon.ledger
    return agent


async def test_what_the_child_proposes_is_remembered_and_its_calls_are_counted(tmp_path: Path) -> None:
    agent = child_agent(tmp_path, "each_prompt")
    async with running(tmp_path, agent=agent, config=CONFIG) as daemon, client(daemon) as one:
        on(daemon, agent)
        await turn(one, "I always use tabs in Makefiles.", cwd=str(tmp_path))
        await idle(daemon)
        assert await runs(daemon) == [("model", "applied")]
        stats = await one.call("worker.stats", timeout=5)
        assert (stats.tokens_in, stats.tokens_out, stats.cost_usd) == (60, 10, pytest.approx(0.01))
        assert "tabs in Makefiles" in (daemon.places.user_memory / "preferences.md").read_text()
        assert not list(daemon.agents.places.glob("*"))


@pytest.mark.parametrize(
    ("fault", "told"),
    [("provider-down 120", "no model is called until"), ("configuration", "the agent cannot work")],
)
async def test_a_job_waits_for_what_may_come_back_and_is_done_once_when_it_has(
    tmp_path: Path, fault: str, told: str
) -> None:
    broken, whole = child_agent(tmp_path, f"fault {fault}"), child_agent(tmp_path, "each_prompt")
    async with running(tmp_path, agent=broken, config=CONFIG) as daemon, client(daemon) as one:
        await turn(one, "I always use tabs in Makefiles.", cwd=str(tmp_path))
        job = await deferred(daemon)
        assert (job["attempts"], job["done_seq"]) == (0, 0)
        assert "mend it" in job["last_error"]
        health = await daemon.health()
        assert health.state == "degraded"
        assert told in (health.reason or "")
        assert "mend it" in (health.reason or "")
        daemon.runner.agent = on(daemon, whole)
        await one.call("job.retry", {}, timeout=5)
        await idle(daemon)
        assert (await daemon.health()).state == "ok"
        assert await runs(daemon) == [(None, "deferred"), ("model", "applied")]
        assert (daemon.places.user_memory / "preferences.md").read_text().count("tabs in Makefiles") == 1


async def test_after_the_last_attempt_the_rules_take_the_range_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "BACKOFF_SECONDS", (0, 0, 0))
    agent = child_agent(tmp_path, "fault refused")
    async with running(tmp_path, agent=agent, config=CONFIG) as daemon, client(daemon) as one:
        await turn(one, "I always use tabs in Makefiles.", cwd=str(tmp_path))
        await idle(daemon)
        assert await runs(daemon) == [(None, "failed")] * 3 + [("rules", "applied")]
        stats = await one.call("worker.stats", timeout=5)
        assert (stats.total_failed, stats.total_completed, stats.last_error) == (3, 1, "refused: mend it")
        health = await daemon.health()
        assert health.state == "degraded"
        assert "the last 3 runs of the model agent failed" in str(health.reason)


async def test_what_the_rules_fail_on_too_is_skipped_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "BACKOFF_SECONDS", (0, 0, 0))

    def broken(projection: Projection, memory: MemoryView) -> list[Proposal]:
        raise ZeroDivisionError

    agent = child_agent(tmp_path, "exits 3")
    async with running(tmp_path, agent=agent, config=CONFIG) as daemon, client(daemon) as one:
        daemon.runner.fallback = ScriptedAgent(broken, name="rules")
        await turn(one, "I always use tabs in Makefiles.", cwd=str(tmp_path))
        await idle(daemon)
        assert await runs(daemon) == [(None, "failed")] * 3 + [(None, "failed")]
        assert [job["state"] for job in await asyncio.to_thread(daemon.history.jobs)] == ["skipped"]


async def test_another_agent_in_the_configuration_takes_what_waits_without_a_restart(tmp_path: Path) -> None:
    places(tmp_path).config.write_text('[agent]\nkind = "command"\n[consolidation]\ninterval_turns = 1\n')
    config = await asyncio.to_thread(load, places(tmp_path).config, {})
    async with running(tmp_path, config=config) as daemon, client(daemon) as one:
        await turn(one, "I always use tabs in Makefiles.", cwd=str(tmp_path))
        assert "[agent] kind is command and names none" in (await deferred(daemon))["last_error"]
        places(tmp_path).config.write_text("[consolidation]\ninterval_turns = 1\n")
        await daemon.reload()
        await idle(daemon)
        assert await runs(daemon) == [(None, "deferred"), ("rules", "applied")]
