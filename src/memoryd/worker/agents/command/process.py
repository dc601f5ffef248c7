"""One program, run once: the prompt on its input, what it prints within bounds, nothing left of it afterwards."""

import asyncio
import contextlib
import signal
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.worker.agents import exits
from memoryd.worker.agents.exits import Started

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
            return await _talked(started, prompt.encode(errors="replace"))
    finally:
        await _end(started)
        started.close()


async def _talked(started: Started, prompt: bytes) -> Ended:
    child = started.process
    feeding = asyncio.create_task(_feed(child, prompt))
    out = asyncio.create_task(_heard(started, child.stdout, MAX_OUT_BYTES, MAX_OUT_BYTES))
    error = asyncio.create_task(_heard(started, child.stderr, KEPT_ERROR_BYTES, MAX_ERROR_BYTES))
    try:
        await started.exited.wait()
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


async def _heard(
    started: Started, stream: asyncio.StreamReader | None, kept_bytes: int, max_bytes: int
) -> tuple[bytes, bool]:
    """The last of what it prints, and whether that had no end: then it is killed."""
    assert stream is not None
    words, endless = await exits.last_words(stream, kept_bytes=kept_bytes, max_bytes=max_bytes)
    if endless:
        started.signal(signal.SIGKILL)
    return words, endless


async def _end(started: Started) -> None:
    """Ask it to end: a login that it is just renewing, which works once, has to be written down. Then kill all."""
    if not started.exited.is_set():
        started.signal(signal.SIGTERM)
        await started.has_ended(LINGER_SECONDS)
    await started.kill()


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
