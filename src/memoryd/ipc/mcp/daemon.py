"""The daemon as the tools see it: one call, its errors as sentences for the model."""

from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from memoryd.errors import MemorydError
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.redaction import redact


class Daemon:
    """Connects at the first call, and again when the daemon was restarted."""

    def __init__(self, socket: Path) -> None:
        self._client = AsyncClient(socket)

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method; parameters that are None are left to their defaults.

        :raises ToolError: with the daemon's sentence, or the one that says how to start it
        """
        try:
            return await self._client.call(method, {name: v for name, v in params.items() if v is not None})
        except MemorydError as error:
            raise ToolError(redact(str(error))) from error  # a sentence may quote what it was asked for
