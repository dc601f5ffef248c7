"""One program, run once: the prompt on its input, what it prints within bounds, nothing left of it afterwards."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.worker.agents import exits

MAX_OUT_BYTES = 1024 * 1024
MAX_ERROR_BYTES = 16 * 1024 * 1024  #: of what it says beside its answer
CHUNK_BYTES = 64 * 1024
KEPT_ERROR_BYTES = 16 * 1024  #: its end
LINGER_SECONDS = 2.0  #: for it to end when it is asked to; for what it started to let go of its output


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended and what it printed."""

    status: int  #: below zero: the signal that killed it
    out: str = ""
    error: str = ""
    too_much: bool = False  #: it was ended because its output had no end


async def run(argv: Sequence[str], prompt: str, *, place: Path, env: Mapping[str, str], seconds: float) -> Ended:
    """Run a program in a session of its own; on return, whatever the way, its group is dead and it is reaped.

    The prompt goes to its input: arguments can be seen by other users, and are limited.

    :raises OSError: it cannot be started
    :raises TimeoutError: it had not ended in time
    """
    started = await exits.start(argv, cwd=place, env=env, limit=CHUNK_BYTES)
    try:
        async with asyncio.timeout(seconds):
            return await _talked(started.process, started.exited, prompt.encode(errors="replace"))
    finally:
        await _end(started.process, started.exited)
        started.close()


async def _talked(child: Process, exited: asyncio.Event, prompt: bytes) -> Ended:
    assert child.stdout is not None
    assert child.stderr is not None
    feeding = asyncio.create_task(_feed(child, prompt))
    out = asyncio.create_task(_bounded(child, child.stdout))
    error = asyncio.create_task(_end_of(child, child.stderr))
    try:
        await exited.wait()
        await asyncio.wait((feeding, out, error), timeout=LINGER_SECONDS)
    finally:
        for task in (feeding, out, error):
            task.cancel()
        await asyncio.wait((feeding, out, error))
    assert child.returncode is not None
    (text, endless), (words, noisy) = out.result(), error.result()
    return Ended(status=child.returncode, out=_decoded(text), error=_decoded(words), too_much=endless or noisy)


async def _feed(child: Process, prompt: bytes) -> None:
    assert child.stdin is not None
    with contextlib.suppress(ConnectionError):  # it did not want to hear the end: what it printed says why
        child.stdin.write(prompt)
        await child.stdin.drain()
    child.stdin.close()


async def _bounded(child: Process, stream: asyncio.StreamReader) -> tuple[bytes, bool]:
    kept = bytearray()
    with contextlib.suppress(asyncio.CancelledError):  # what was printed before counts
        while chunk := await stream.read(CHUNK_BYTES):
            kept += chunk
            if len(kept) > MAX_OUT_BYTES:
                _signal(child, signal.SIGKILL)
                return bytes(kept), True
    return bytes(kept), False


async def _end_of(child: Process, stream: asyncio.StreamReader) -> tuple[bytes, bool]:
    kept, left = b"", MAX_ERROR_BYTES
    with contextlib.suppress(asyncio.CancelledError):
        while chunk := await stream.read(CHUNK_BYTES):
            kept, left = (kept + chunk)[-KEPT_ERROR_BYTES:], left - len(chunk)
            if left < 0:
                _signal(child, signal.SIGKILL)
                return kept, True
    return kept, False


async def _end(child: Process, exited: asyncio.Event) -> None:
    """Ask it to end: a login that it is just renewing, which works once, has to be written down. Then kill all."""
    if not exited.is_set():
        _signal(child, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                await exited.wait()
    _signal(child, signal.SIGKILL)
    await exited.wait()


def _signal(child: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
