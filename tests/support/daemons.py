"""A daemon in this process, on a temporary home, and a client of it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.places import Places
from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Lines, Proposal
from memoryd.worker.ports import AgentResult, MemoryAgent
from memoryd.worker.projection import Projection

Propose = Callable[[Projection, MemoryView], list[Proposal]]


@dataclass
class ScriptedAgent:
    """Proposes what a function says; `gate` holds it until it is set."""

    propose_with: Propose
    name: str = "scripted"
    gate: asyncio.Event | None = None

    def __post_init__(self) -> None:
        self.entered = asyncio.Event()
        self.seen: list[Projection] = []

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        self.seen.append(projection)
        self.entered.set()
        if self.gate is not None:
            await self.gate.wait()
        return AgentResult(proposals=tuple(self.propose_with(projection, memory)))


def each_prompt(projection: Projection, memory: MemoryView) -> list[Proposal]:
    """Every prompt of the user becomes a preference, word for word."""
    return [
        Lines(file="preferences.md", add=(" ".join(u.text.split()),), cites=(u.seq,))
        for session in projection.sessions
        for u in session.user_texts()
    ]


def places(home: Path) -> Places:
    return Places(data=home / "data", socket=home / "run" / "s", config=home / "config.toml")


@contextlib.asynccontextmanager
async def running(
    home: Path, *, agent: MemoryAgent | None = None, config: Config | None = None
) -> AsyncIterator[Daemon]:
    """A daemon that listens, and is closed whatever happens."""
    daemon = await Daemon.open(places(home), config or Config(), agent=agent)
    try:
        await daemon.start(table(daemon))
        yield daemon
    finally:
        await daemon.close()


@contextlib.asynccontextmanager
async def client(daemon: Daemon) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(daemon.places.socket) as one:
        yield one


async def until(condition: Callable[[], Awaitable[Any]], *, seconds: float = 10.0) -> Any:
    """Wait for a condition to be true, bounded; returns its value."""
    async with asyncio.timeout(seconds):
        while not (value := await condition()):  # noqa: ASYNC110 - no event tells that a row was written
            await asyncio.sleep(0.01)
        return value


async def idle(daemon: Daemon, *, seconds: float = 10.0) -> None:
    """Wait until no job waits or runs."""

    async def done() -> bool:
        stats = await asyncio.to_thread(daemon.history.stats)
        return not stats["queued"] and not stats["running"]

    await until(done, seconds=seconds)
