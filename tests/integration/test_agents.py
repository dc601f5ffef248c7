"""An agent that asks a model, in its child process, behind the whole daemon: what each of its ends leads to."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.agents import child_agent
from support.daemons import client, idle, running, until
from support.talk import turn

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon
from memoryd.worker.agents.child.agent import ChildAgent

CONFIG = Config.model_validate(
    {"agent": {"kind": "model", "model": "openai:test"}, "consolidation": {"interval_turns": 1}}
)


async def deferred(daemon: Daemon) -> dict[str, Any]:
    async def look() -> Any:
        jobs = await asyncio.to_thread(daemon.history.jobs)
        return jobs and jobs[0]["state"] == "deferred" and jobs[0]

    found: dict[str, Any] = await until(look)
    return found


async def runs(daemon: Daemon) -> list[tuple[str, str]]:
    rows = await asyncio.to_thread(daemon.history.runs)
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
