"""A process whose own end can be waited for; `Process.wait` waits for everybody who has its pipes."""

import asyncio
from asyncio import SubprocessTransport
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import Mapping, Sequence
from pathlib import Path


class _Exits(SubprocessStreamProtocol):
    def __init__(self, loop: asyncio.AbstractEventLoop, limit: int) -> None:
        super().__init__(limit=limit, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class Started:
    """A running process in a session of its own, with pipes for its three streams."""

    def __init__(self, transport: SubprocessTransport, exits: _Exits, loop: asyncio.AbstractEventLoop) -> None:
        self.process = Process(transport, exits, loop)
        self._transport = transport
        self.exited = exits.exited

    def close(self) -> None:
        """Let go of its pipes, whoever else has them. Only after it has ended."""
        self._transport.close()


async def start(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], limit: int) -> Started:
    """:param limit: bytes of a line at most. :raises OSError: it cannot be started"""
    loop = asyncio.get_running_loop()
    transport, exits = await loop.subprocess_exec(
        lambda: _Exits(loop, limit), *argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=cwd, env=env,
        start_new_session=True,
    )  # fmt: skip
    return Started(transport, exits, loop)
