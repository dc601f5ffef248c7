"""The bridge: a client of another memory server, on the official SDK. A process of its own, below a keeper.

It reads lines of `lines`, starts the server as its child on stdio, and writes lines; it ends with its input.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TextIO

from mcp import Client, StdioServerParameters
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, CallToolResult, Implementation, TextContent, Tool
from pydantic import BaseModel

from memoryd import __version__
from memoryd.ipc.mcp.lines import (
    ASKED,
    MAX_DESCRIPTION_CHARS,
    MAX_LINE_BYTES,
    MAX_TEXT_CHARS,
    MAX_TOOLS,
    Answer,
    Begin,
    Call,
    Fault,
    Ready,
    ToolInfo,
)
from memoryd.ipc.mcp.listing import tool_by_tool
from memoryd.ipc.redaction import redact

KEPT_CHARS = 300  #: of the last that a server printed before it failed to start
MAX_UNASKED = 1_000  #: messages of a server between two answers; more is a flood
GRACE_SECONDS = 1.0  #: beyond a call's time, which the daemon keeps itself
_PAGES = 10  #: of a list of tools

Say = Callable[[BaseModel], None]


class ServerGone(Exception):
    """The server has ended, or does not speak the protocol any more."""


def main() -> None:
    """Serve the daemon until our input ends, or the server does."""
    logging.disable(logging.CRITICAL)  # the SDK tells of each line that it does not understand
    asyncio.run(_serve(_speech()))


def _speech() -> Say:
    """The standard output, for the protocol alone; what is printed goes to the errors instead."""
    out = os.dup(1)
    os.dup2(2, 1)

    def say(line: BaseModel) -> None:
        text = line.model_dump_json().encode() + b"\n"
        while text:
            text = text[os.write(out, text) :]

    return say


async def _serve(say: Say) -> None:
    lines = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    begin = Begin.model_validate_json(await lines.readline())
    with _last_words() as (errors, words):
        patience = _Patience(say)
        try:
            async with _client(begin, errors, patience) as client:
                say(Ready(tools=tuple(await _tools(client))))
                words = str  # from here on they may quote what was said to it
                await _answer_all(client, lines, patience.heard)
        except Exception as error:  # whatever a server does ends here, as one line
            say(Fault(reason=_why(error, words())))


class _Patience:
    """Counts what a server says unasked; a flood of it ends the process, and the keeper all of it."""

    def __init__(self, say: Say) -> None:
        self._say, self._left = say, MAX_UNASKED

    async def __call__(self, message: object) -> None:
        self._left -= 1
        if self._left < 0:
            self._say(Fault(reason="it sends more than anybody asked for"))
            os._exit(1)

    def heard(self, line: BaseModel) -> None:
        """It answered, whatever it was."""
        self._left = MAX_UNASKED
        self._say(line)


@contextlib.asynccontextmanager
async def _client(begin: Begin, errors: TextIO, unasked: MessageHandlerFnT) -> AsyncIterator[Client]:
    command, *args = begin.command
    server = StdioServerParameters(command=command, args=args, env=dict(begin.env), encoding_error_handler="replace")
    us = Implementation(name="memoryd", version=__version__)
    agreed: list[Client] = []
    transport = tool_by_tool(
        stdio_client(server, errlog=errors), lambda: agreed[0].protocol_version if agreed else None
    )
    async with Client(transport, mode="auto", client_info=us, cache=None, message_handler=unasked) as client:
        agreed.append(client)
        yield client


async def _tools(client: Client) -> list[ToolInfo]:
    found, cursor = list[Tool](), None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        if not (cursor := page.next_cursor) or len(found) >= MAX_TOOLS:
            break
    return [_told(tool) for tool in found[:MAX_TOOLS]]


def _told(tool: Tool) -> ToolInfo:
    return ToolInfo(
        name=tool.name, description=(tool.description or "")[:MAX_DESCRIPTION_CHARS], input_schema=tool.input_schema,
        reads_only=bool(tool.annotations and tool.annotations.read_only_hint),
    )  # fmt: skip


async def _answer_all(client: Client, lines: asyncio.StreamReader, say: Say) -> None:
    """Answer calls, several at once, until there is nobody to answer. :raises ServerGone: nor anything to ask"""
    async with asyncio.TaskGroup() as group:
        calls = set[asyncio.Task[None]]()
        while (line := await lines.readline()) and isinstance(asked := ASKED.validate_json(line), Call):
            calls.add(task := group.create_task(_answer(client, asked, say)))
            task.add_done_callback(calls.discard)
        for task in calls:
            task.cancel()


async def _answer(client: Client, call: Call, say: Say) -> None:
    try:
        result = await client.call_tool(
            call.tool, dict(call.arguments), read_timeout_seconds=call.seconds + GRACE_SECONDS
        )
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise ServerGone from error
        say(Fault(id=call.id, reason=f"it refused the call with code {error.code}"))
    except Exception as error:  # an answer that is none: its text may quote what was asked
        say(Fault(id=call.id, reason=f"it answered what is no answer ({type(error).__name__})"))
    else:
        say(Answer(id=call.id, text=_text_of(result), is_error=bool(result.is_error)))


def _text_of(result: CallToolResult) -> str:
    """The structured content as JSON where there is some, else the texts."""
    if result.structured_content is not None:
        whole = json.dumps(result.structured_content, ensure_ascii=False)
        if len(whole) <= MAX_TEXT_CHARS:
            return whole
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))[:MAX_TEXT_CHARS]


def _why(error: BaseException, words: str) -> str:
    """The fault of a server in a sentence; `words`: what it printed before anything was said to it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError):
        return f"it cannot be started: {error.strerror or error}"
    if isinstance(error, ServerGone) or (isinstance(error, MCPError) and error.code == CONNECTION_CLOSED):
        return f"its process ended{f': {words}' if words else ''}"
    return f"it does not speak the protocol ({type(error).__name__}){f': {words}' if words else ''}"


@contextlib.contextmanager
def _last_words() -> Iterator[tuple[TextIO, Callable[[], str]]]:
    """A stream for what a server prints, and the last of it on one line. It is read to its end, so nobody waits."""
    out, into = os.pipe()
    kept = bytearray()

    def read() -> None:
        with os.fdopen(out, "rb", buffering=0) as pipe:
            while chunk := pipe.read(64 * 1024):
                kept.extend(chunk)
                del kept[: -4 * KEPT_CHARS]

    threading.Thread(target=read, daemon=True).start()
    with os.fdopen(into, "w") as stream:
        yield stream, lambda: redact(" ".join(bytes(kept).decode("utf-8", "replace").split()))[-KEPT_CHARS:]
