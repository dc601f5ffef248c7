"""Two clients of the socket, one codec: `Client` blocks, `AsyncClient` awaits. One connection, one call at a time."""

import asyncio
import itertools
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel

from memoryd.clock import mono
from memoryd.errors import Busy, MemorydError, NoDaemon, ShuttingDown
from memoryd.ipc.protocol import MAX_REPLY_BYTES, REPEATABLE, decode_reply, encode_call

Params = BaseModel | Mapping[str, Any] | None


def _no_daemon(path: Path) -> NoDaemon:
    return NoDaemon(f"no daemon answers at {path}; start it with `memoryd start` or `memoryd service install`")


def _cut_off(method: str) -> "_CutOff":
    return _CutOff(f"the daemon went away before it answered {method}; start it with `memoryd start` and try again")


class _CutOff(NoDaemon):
    """The connection broke before the answer."""


def _may_repeat(error: MemorydError, method: str) -> bool:
    """Whether the next daemon may be asked the same: nothing was done, or doing it twice changes nothing."""
    return isinstance(error, ShuttingDown) or (isinstance(error, _CutOff) and method in REPEATABLE)


def _late(method: str, timeout: float) -> Busy:
    return Busy(f"the daemon did not answer {method} within {timeout:g} s; see `memoryd status`")


class Client:
    """A blocking client; connects at the first call and again after an error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def call(self, method: str, params: Params = None, *, timeout: float = 30.0) -> Any:
        """Return the result, an instance of `METHODS[method].result`.

        A daemon that is being restarted is asked again, once, where that cannot do anything twice.

        :param timeout: seconds for the whole exchange
        :raises NoDaemon: nobody listens, or the connection broke
        :raises Busy: no answer in time
        :raises MemorydError: what the daemon answered
        """
        deadline_mono = mono() + timeout
        try:
            return self._call(method, params, deadline_mono, timeout)
        except (ShuttingDown, _CutOff) as error:
            self.close()
            if not _may_repeat(error, method):
                raise
            with suppress(NoDaemon):  # nobody came after it
                return self._call(method, params, deadline_mono, timeout)
            raise

    def _call(self, method: str, params: Params, deadline_mono: float, timeout: float) -> Any:
        request_id = next(self._ids)
        line = encode_call(request_id, method, params)
        try:
            reply = self._exchange(line, deadline_mono)
        except TimeoutError:
            self.close()
            raise _late(method, timeout) from None
        except OSError as error:
            self.close()
            raise _cut_off(method) from error
        if not reply.endswith(b"\n"):
            self.close()
            raise _cut_off(method)
        return decode_reply(reply, request_id, method)

    def _exchange(self, line: bytes, deadline_mono: float) -> bytes:
        if self._socket is not None and _hung_up(self._socket):
            self.close()
        connection = self._socket or self._connect(deadline_mono)
        connection.settimeout(_left(deadline_mono))
        connection.sendall(line)
        reply = bytearray()
        while not reply.endswith(b"\n") and len(reply) <= MAX_REPLY_BYTES:
            connection.settimeout(_left(deadline_mono))
            chunk = connection.recv(256 * 1024)
            if not chunk:
                return b""
            reply += chunk
        return bytes(reply)

    def _connect(self, deadline_mono: float) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(_left(deadline_mono))
            connection.connect(str(self._path))
        except (BlockingIOError, TimeoutError):  # its backlog is full
            connection.close()
            raise TimeoutError from None
        except OSError as error:
            connection.close()
            raise _no_daemon(self._path) from error
        self._socket = connection
        return connection


def _hung_up(connection: socket.socket) -> bool:
    """Whether the daemon closed an idle connection, e.g. at its restart."""
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _left(deadline_mono: float) -> float:
    left = deadline_mono - mono()
    if left <= 0:
        raise TimeoutError
    return left


class AsyncClient:
    """The same for asyncio; calls of several tasks wait for each other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._ids = itertools.count(1)
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._streams is not None:
            writer = self._streams[1]
            self._streams = None
            writer.transport.abort()

    async def call(self, method: str, params: Params = None, *, timeout: float = 30.0) -> Any:
        """As `Client.call`. A cancelled call closes the connection, so that its late answer reaches nobody."""
        try:
            async with asyncio.timeout(timeout), self._turn:
                try:
                    return await self._call(method, params)
                except (ShuttingDown, _CutOff) as error:
                    await self.close()
                    if not _may_repeat(error, method):
                        raise
                    with suppress(NoDaemon):  # nobody came after it
                        return await self._call(method, params)
                    raise
        except TimeoutError:
            raise _late(method, timeout) from None

    async def _call(self, method: str, params: Params) -> Any:
        request_id = next(self._ids)
        line = encode_call(request_id, method, params)
        try:
            reply = await self._exchange(line)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise _cut_off(method) from error
        return decode_reply(reply, request_id, method)

    async def _exchange(self, line: bytes) -> bytes:
        if self._streams is not None and self._streams[0].at_eof():
            await self.close()
        reader, writer = self._streams or await self._connect()
        try:
            writer.write(line)
            await writer.drain()
            return await reader.readuntil(b"\n")
        except BaseException:
            await self.close()
            raise

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            self._streams = await asyncio.open_unix_connection(str(self._path), limit=MAX_REPLY_BYTES)
        except OSError as error:
            raise _no_daemon(self._path) from error
        return self._streams
