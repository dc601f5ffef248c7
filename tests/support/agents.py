"""Agents in real child processes whose work is a test's (`support.agent_child`)."""

import asyncio
import os
import sys
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from memoryd.ipc.events import Tier
from memoryd.memory.model import MemoryView
from memoryd.worker.agents.brief import AgentFault, Fault, Settings
from memoryd.worker.agents.child import outfit, tree
from memoryd.worker.agents.child.agent import ChildAgent
from memoryd.worker.agents.child.order import Order
from memoryd.worker.ports import AgentResult
from memoryd.worker.projection import Projection, SessionSlice, Utterance
from support.purses import MemoryLedger

ARGV = (sys.executable, "-P", str(Path(__file__).with_name("agent_child.py")))
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = uuid.uuid4().hex  #: the mark of a run's processes: those of other test sessions have others

Change = Callable[[Order], Order]


def child_agent(
    home: Path, act: str, *, ledger: MemoryLedger | None = None, kind: str = "model", seconds: float = 30.0,
    change: Change = lambda order: order, argv: Iterable[str] = ARGV, path: str | None = None,
) -> ChildAgent:  # fmt: skip
    """An agent that does `act`; `change` alters the order of its cage, `path` is its PATH."""

    def order(settings: Settings, place: Path) -> Order:
        whole = outfit.order(settings, place, os.environ, allow_uncaged=False)
        return change(replace(whole, reads=(*whole.reads, str(Path(__file__).parents[1]))))

    settings = Settings.model_validate({"kind": kind, "model": act, "timeout_seconds": seconds})
    return ChildAgent(
        name=kind, settings=lambda: settings, ledger=ledger or MemoryLedger(), places=home / "agents", order=order,
        environment=partial(_environment, path=path), argv=tuple(argv), grace_seconds=0.0,
    )  # fmt: skip


def _environment(settings: Settings, place: Path, *, path: str | None) -> dict[str, str]:
    given = outfit.environment(settings, place, os.environ) | {"PYTHONPATH": str(Path(__file__).parents[1])}
    return given if path is None else given | {"PATH": path}


def conversation(*texts: str) -> Projection:
    said = tuple(
        Utterance(seq=seq, at=NOW, role="user", tier=Tier.USER, text=text) for seq, text in enumerate(texts, start=1)
    )
    one = SessionSlice(host="generic", session_id="s1", started_at=NOW, cwd="/w", utterances=said)
    return Projection(from_seq=1, to_seq=len(said), sessions=(one,))


async def propose(agent: ChildAgent, *texts: str) -> AgentResult:
    return await agent.propose(conversation(*texts or ("I like tea.",)), MemoryView(), RUN)


async def fault_of(agent: ChildAgent, *texts: str) -> Fault:
    """The fault that a run ends with."""
    try:
        result = await propose(agent, *texts)
    except AgentFault as error:
        return error.fault
    raise AssertionError(f"an answer came: {result}")


async def gone(agent: ChildAgent) -> list[str]:
    """What is left of a run: processes, and its folder."""
    marked = [f"process {pid}" for pid in await asyncio.to_thread(lambda: list(tree.marked(RUN)))]
    return marked + [str(path) for path in agent.places.glob("*")]
