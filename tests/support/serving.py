"""A server with the handlers that tests want, started and closed around a block."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memoryd.ipc.methods.daemon import Health
from memoryd.ipc.server import Handler, Limits, Peer, Server

HEALTH = Health(state="ok", version="0", uid=0, data_dir="/d", pid=1, uptime_seconds=0.0)


async def health(params: Any, peer: Peer) -> BaseModel:
    return HEALTH


@asynccontextmanager
async def serving(
    path: Path,
    handlers: Mapping[str, Handler] | None = None,
    *,
    limits: Limits | None = None,
    activated: socket.socket | None = None,
    failures: list[str] | None = None,
) -> AsyncIterator[Server]:
    def failed(method: str, error: Exception) -> None:
        if failures is not None:
            failures.append(f"{method}: {error}")

    server = Server({"daemon.health": health, **(handlers or {})}, on_failure=failed, limits=limits)
    await server.start(path, activated)
    try:
        yield server
    finally:
        await server.close(grace_seconds=0.2)


async def until(condition: Any, seconds: float = 10.0) -> None:
    """Wait until `condition()` is true. :raises TimeoutError: it never was"""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
