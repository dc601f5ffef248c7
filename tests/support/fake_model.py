"""A provider of models on a loopback socket: it speaks the interfaces of `fake_wire`, and counts.

A test says how each call is answered; the last answer repeats. What was asked and what was charged can be compared with
what memoryd believes.
"""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.fake_wire import JSON, Asked, Reply, told

__all__ = ["JSON", "Asked", "Reply"]


def item(text: str, *cites: str, kind: str = "preference", **fields: str) -> dict[str, Any]:
    return {"kind": kind, "text": text, "cites": list(cites), **fields}


def error(status: int, code: str, message: str = "no", **headers: str) -> Reply:
    """A refusal as OpenAI and those like it word it."""
    body = json.dumps({"error": {"message": message, "type": code, "code": code}})
    return Reply(status=status, raw=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


Answering = Callable[[Asked], Reply]


@dataclass
class FakeModel:
    """The server's side of a test."""

    replies: list[Reply | Answering]
    asked: list[Asked] = field(default_factory=list)
    charged: list[tuple[int, int]] = field(default_factory=list)  #: tokens in and out of each call
    url: str = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        chosen = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        reply = chosen if isinstance(chosen, Reply) else chosen(asked)
        if reply.status == 200 and reply.raw is None and reply.tokens and not reply.hangs_up:
            self.charged.append(reply.tokens)
        return reply

    @property
    def tokens(self) -> tuple[int, int]:
        """Charged in all."""
        return sum(pair[0] for pair in self.charged), sum(pair[1] for pair in self.charged)


@contextlib.asynccontextmanager
async def serving(*replies: Reply | Answering, tls: ssl.SSLContext | None = None) -> AsyncIterator[FakeModel]:
    """A fake that listens; its `url` is the root of both interfaces."""
    fake = FakeModel(list(replies))

    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await _one(fake, reader, writer):
                pass
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    fake.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}/v1"
    try:
        yield fake
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.contextmanager
def served(*replies: Reply | Answering) -> Iterator[FakeModel]:
    """The same for a test without a loop: in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = serving(*replies)
    try:
        yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _one(fake: FakeModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ", 2)[1]
    headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in head.splitlines()[1:]) if name}
    body = json.loads(await _body(reader, headers) or b"{}")
    if not head.startswith("POST "):  # what a program of its own looks for beside the model
        writer.write(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n")
        return True
    asked = Asked(path=path, headers=headers, body=body)
    reply = fake.answer(asked)
    await asyncio.sleep(reply.seconds)
    if reply.hangs_up:
        return False
    content = (told(asked, reply) if reply.raw is None else reply.raw).encode()
    streams = reply.raw is None and asked.streams
    rows = {
        "content-type": "text/event-stream" if streams else reply.content_type,
        "content-length": str(len(content)),
        **reply.headers,
    }
    writer.write(
        "".join([f"HTTP/1.1 {reply.status} X\r\n", *(f"{n}: {v}\r\n" for n, v in rows.items()), "\r\n"]).encode()
    )
    writer.write(content)
    await writer.drain()
    return True


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)
