"""Talks on several days, with a daemon whose clock is faked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.ipc.events import EventAdapter
from memoryd.ipc.methods import METHODS
from memoryd.ipc.methods.events import EventPublish
from memoryd.memory.model import Root
from support.daemons import places

MONDAY = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@dataclass
class Days:
    """A person who talks about one project, and a clock that goes where it is set."""

    daemon: Daemon
    cwd: str
    now: datetime
    n: int = 0

    async def say(self, kind: str, session: str, **data: Any) -> None:
        self.n += 1
        self.now += timedelta(seconds=2)
        event = EventAdapter.validate_python(
            {"id": f"e{self.n}", "kind": kind, "host": "claude-code", "session_id": session, "cwd": self.cwd,
             "at": self.now, "data": data}
        )  # fmt: skip
        await self.daemon.ingest.publish(EventPublish(event=event))

    async def turn(self, session: str, text: str, answer: str = "Done.", tool: str = "") -> None:
        await self.say("user_prompt", session, text=text)
        if tool:
            await self.say("message", session, role="tool", text=tool)
        await self.say("turn", session, status="ok", last_assistant_message=answer)

    async def on_days(self, *prompts: str, every: int = 2) -> None:
        """Each prompt in a session of its own, some days apart."""
        for prompt in prompts:
            self.now += timedelta(days=every)
            await self.turn(f"s{self.n}", prompt)

    async def directory(self) -> Path:
        """The project's memory, with its seeds."""
        return (await self.roots())[Root.PROJECT]

    async def roots(self) -> dict[Root, Path]:
        directory = (await self.daemon.binder.of_folder(self.cwd)).dir
        roots = {Root.USER: self.daemon.places.user_memory, Root.PROJECT: directory}
        await self.daemon.shelf.view(roots)
        return roots

    async def ask(self, method: str, **params: Any) -> Any:
        """Call a method of the socket without one."""
        handlers = table(self.daemon)
        return await handlers[method](METHODS[method].params.model_validate(params), None)  # type: ignore[arg-type]


@asynccontextmanager
async def days(home: Path, cwd: str, config: Config | None = None) -> AsyncIterator[Days]:
    one = Days(daemon=None, cwd=cwd, now=MONDAY)  # type: ignore[arg-type]
    one.daemon = await Daemon.open(places(home), config or Config(), clock=lambda: one.now)
    try:
        await one.directory()
        yield one
    finally:
        await one.daemon.close()
