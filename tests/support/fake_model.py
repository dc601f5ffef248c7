"""A provider of models on a loopback socket: it speaks OpenAI's and Anthropic's interface, and counts.

A test says how each call is answered; the last answer repeats. What was asked and what was charged can be compared with
what memoryd believes.
"""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def is_anthropic(self) -> bool:
        return self.path.partition("?")[0].endswith("/messages")

    @property
    def is_responses(self) -> bool:
        return self.path.partition("?")[0].endswith("/responses")

    @property
    def way(self) -> str:
        """In which form an answer is wanted."""
        if any(_name(tool) == "propose" for tool in self.body.get("tools", ())):
            return "tools"
        wanted = self.body.get("response_format") or self.body.get("output_config") or {}
        if wanted.get("type") == "json_object":
            return "json-object"
        return "json-schema" if wanted else "text"

    @property
    def text(self) -> str:
        """All that was sent, as the model would read it."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def is_probe(self) -> bool:
        return "Please remember that I prefer" in json.dumps(self.body.get("messages"))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """How a request is answered."""

    items: Sequence[Mapping[str, Any]] | None = None  #: in the form that was asked for
    text: str | None = None  #: as it is
    call: tuple[str, Mapping[str, Any] | str] | None = None  #: a tool's name and arguments
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None  #: the body
    content_type: str = JSON
    finish: str | None = None
    seconds: float = 0.0  #: before anything is said
    hangs_up: bool = False
    tokens: tuple[int, int] | None = (900, 40)  #: charged; None: usage is not told


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
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _one(fake: FakeModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ", 2)[1]
    headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in head.splitlines()[1:]) if name}
    body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
    if not head.startswith("POST "):  # what a program of its own looks for beside the model
        writer.write(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n")
        return True
    asked = Asked(path=path, headers=headers, body=body)
    reply = fake.answer(asked)
    await asyncio.sleep(reply.seconds)
    if reply.hangs_up:
        return False
    content = (_told(asked, reply) if reply.raw is None else reply.raw).encode()
    streams = reply.raw is None and bool(body.get("stream"))
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


def _told(asked: Asked, reply: Reply) -> str:
    call, text = reply.call, reply.text
    if reply.items is not None:
        answer = {"items": list(reply.items)}
        call = ("propose", answer) if asked.way == "tools" else None
        text = None if call else json.dumps(answer, ensure_ascii=False)
    if asked.is_responses:
        return _responses(text or "", reply)
    whole = _anthropic(asked, reply, call, text) if asked.is_anthropic else _openai(asked, reply, call, text)
    return _events(whole) if asked.body.get("stream") else json.dumps(whole)


def _events(whole: dict[str, Any]) -> str:
    """A message of Anthropic's interface, streamed; each block in one piece."""
    rows: list[dict[str, Any]] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        delta = {"type": "text_delta", "text": block["text"]}
        rows += [
            {"type": "content_block_start", "index": index, "content_block": {**block, "text": ""}},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    rows.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": whole["usage"]["output_tokens"]}})
    return _stream([*rows, {"type": "message_stop"}])


def _responses(text: str, reply: Reply) -> str:
    """An answer of OpenAI's newer interface, streamed."""
    tokens_in, tokens_out = reply.tokens or (0, 0)
    message = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    usage = {"input_tokens": tokens_in, "output_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    return _stream(
        [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": message},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ]
    )


def _stream(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n" for row in rows)


def _openai(asked: Asked, reply: Reply, call: Any, text: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call:
        arguments = call[1] if isinstance(call[1], str) else json.dumps(call[1])
        message["tool_calls"] = [
            {"id": f"c{id(call)}", "type": "function", "function": {"name": call[0], "arguments": arguments}}
        ]
    told: dict[str, Any] = {
        "id": "r", "object": "chat.completion", "created": 1, "model": asked.body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish or ("tool_calls" if call else "stop")}
        ],
    }  # fmt: skip
    if reply.tokens:
        tokens_in, tokens_out = reply.tokens
        told["usage"] = {
            "prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out,
        }  # fmt: skip
    return told


def _anthropic(asked: Asked, reply: Reply, call: Any, text: str | None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if call:
        content.append({"type": "tool_use", "id": "c1", "name": call[0], "input": call[1]})
    tokens_in, tokens_out = reply.tokens or (0, 0)
    return {
        "id": "r", "type": "message", "role": "assistant", "model": asked.body["model"], "content": content,
        "stop_reason": reply.finish or ("tool_use" if call else "end_turn"), "stop_sequence": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }  # fmt: skip


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("name") or tool.get("function", {}).get("name"))
