"""The lists of tools that another server tells, tool by tool: one that is malformed takes no other with it.

The SDK refuses a list as a whole, and cannot read a line that is nested too deep. So a tool that it would refuse is
taken out of the answer before it reads it, and what is nested deeper than any schema is read as nothing.
"""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse, Tool, jsonrpc_message_adapter
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError

from memoryd.ipc.mcp.lines import MAX_SCHEMA_CHARS

MAX_DEPTH = 32  #: of a schema that is told
_READ_DEPTH = 100  #: of a line; the parser's own limit is twice that
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')

Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


@asynccontextmanager
async def tool_by_tool(
    transport: AbstractAsyncContextManager[Streams], version: Callable[[], str | None]
) -> AsyncIterator[Streams]:
    """A transport whose lists of tools hold none that is malformed, or larger than is told.

    :param version: of the protocol, once it is agreed on
    """
    async with transport as (read, write):
        yield _Listing(read, version), write


class _Listing:
    """What comes from a server; all but `receive` is the stream's own."""

    def __init__(self, read: ReadStream[SessionMessage | Exception], version: Callable[[], str | None]) -> None:
        self._read, self._version = read, version

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read, name)

    async def receive(self) -> SessionMessage | Exception:
        return self._told(await self._read.receive())

    def __aiter__(self) -> "_Listing":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._told(await anext(self._read))

    async def aclose(self) -> None:
        await self._read.aclose()

    async def __aenter__(self) -> "_Listing":
        await self._read.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._read.__aexit__(*error)

    def _told(self, heard: SessionMessage | Exception) -> SessionMessage | Exception:
        heard = _read_flat(heard) if isinstance(heard, ValidationError) else heard
        message = heard.message if isinstance(heard, SessionMessage) else None
        if isinstance(message, JSONRPCResponse) and isinstance(tools := message.result.get("tools"), list):
            message.result["tools"] = [tool for tool in tools if self._is_whole({**message.result, "tools": [tool]})]
        return heard

    def _is_whole(self, listed: dict[str, Any]) -> bool:
        """Whether the SDK takes an answer that tells one tool, whose schema is one that is handed on."""
        (tool,) = listed["tools"]
        try:
            validate_server_result("tools/list", self._version() or LATEST_HANDSHAKE_VERSION, listed)
            schema = json.dumps(Tool.model_validate(tool, by_name=False).input_schema)
        except ValidationError:
            return False
        return len(schema) <= MAX_SCHEMA_CHARS and flat(schema, MAX_DEPTH) == schema


def _read_flat(unread: ValidationError) -> SessionMessage | Exception:
    """A line that the parser gave up, read without what is nested too deep."""
    line = unread.errors(include_url=False, include_context=False)[0]["input"]
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(flat(str(line), _READ_DEPTH), by_name=False))
    except ValidationError:
        return unread


def flat(text: str, depth: int) -> str:
    """Return JSON with `null` for what is nested deeper than that. Linear."""
    kept, level, at = list[str](), 0, 0
    for found in _TOKEN.finditer(text):
        if found[0] in "[{":
            level += 1
            if level == depth + 1:
                kept += [text[at : found.start()], "null"]
        elif found[0] in "]}":
            at = found.end() if level == depth + 1 else at
            level -= 1
    return "".join([*kept, text[at:] if level <= depth else ""])
