"""A process whose own end can be waited for; `Process.wait` waits for everybody who has its pipes.

Here it is started, heard, signalled and ended, whoever needs one.
"""

import asyncio
import contextlib
import os
import signal
from asyncio import SubprocessTransport
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import Mapping, Sequence
from pathlib import Path

_CHUNK_BYTES = 64 * 1024


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

    async def has_ended(self, seconds: float) -> bool:
        """Wait that long for its end; returns whether it came."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.exited.wait()
        return self.exited.is_set()

    def signal(self, number: int) -> None:
        """Tell its process group, as far as that is still there."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    async def kill(self) -> None:
        """Kill its process group, which may outlive it. On return it is reaped."""
        self.signal(signal.SIGKILL)
        await self.exited.wait()

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


async def last_words(stream: asyncio.StreamReader, *, kept_bytes: int, max_bytes: int) -> tuple[bytes, bool]:
    """Read a stream to its end and return the last of it, and whether it was too much.

    Cancelled, it returns what was there until then.

    :param kept_bytes: of the end, at most
    :param max_bytes: after more than these it is read no further
    """
    kept, left = b"", max_bytes
    with contextlib.suppress(asyncio.CancelledError):
        while left >= 0 and (chunk := await stream.read(_CHUNK_BYTES)):
            kept, left = (kept + chunk)[-kept_bytes:], left - len(chunk)
    return kept, left < 0
