"""The only listener: a Unix socket for our own user, with a deadline on everything a client may delay.

Handlers are injected; a connection's requests are answered in order. Only the holder of the data lock may start one.
"""

import asyncio
import contextlib
import errno
import os
import socket
import stat
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memoryd.errors import (
    Busy,
    CannotWrite,
    Conflict,
    InternalError,
    MemorydError,
    NoDaemon,
    PathRefused,
    ShuttingDown,
    UnknownMethod,
)
from memoryd.ipc.framing import LineReader
from memoryd.ipc.protocol import RequestId, error_reply, parse_envelope, parse_params, result_reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Who is at the other end, by the kernel's word."""

    uid: int
    pid: int | None  #: None where the platform does not tell
    connection: socket.socket | None = field(default=None, repr=False, compare=False)


Handler = Callable[[Any, Peer], Awaitable[BaseModel]]  #: (an instance of the method's params, peer) -> its result


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    max_clients: int = 512
    line_seconds: float = 10.0  #: from the first byte of a line to its LF
    idle_seconds: float = 300.0  #: without a byte between two lines
    write_seconds: float = 10.0  #: until the client has taken an answer
    accept_pause_seconds: float = 1.0  #: when the process or the machine is out of descriptors or memory


def _ignore(method: str, error: Exception) -> None:
    pass


class Server:
    """Serve `handlers` on a socket until `close`."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        *,
        on_failure: Callable[[str, Exception], None] = _ignore,
        limits: Limits | None = None,
    ) -> None:
        """
        :param on_failure: told the method and the error when a handler breaks with anything but a MemorydError
        """
        self._handlers = handlers
        self._on_failure = on_failure
        self._limits = limits or Limits()
        self._clients: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()  #: clients between two lines: nothing of theirs is in flight
        self._closing = False
        self._socket: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._bound: tuple[Path, tuple[int, int]] | None = None

    def __repr__(self) -> str:
        state = "closing" if self._closing else "listening" if self._accepting else "idle"
        return f"<Server {state} | clients {self.clients}>"

    @property
    def clients(self) -> int:
        return len(self._clients)

    async def start(
        self, path: Path, activated: socket.socket | None = None, inherited: socket.socket | None = None
    ) -> None:
        """Listen; returns once a client can connect.

        :param activated: a listening socket handed over by the service manager, which also removes its file
        :param inherited: the one at `path` that the daemon before gave away; its file is ours now
        :raises PathRefused: the directory or the file at `path` is not ours alone
        :raises CannotWrite: the socket cannot be made there
        """
        listener = inherited if activated is None else activated
        if listener is None:
            listener = await asyncio.to_thread(bind, path)
        if activated is None:
            self._bound = (path, _identity(await asyncio.to_thread(os.lstat, path)))
        listener.setblocking(False)
        self._socket = listener
        self._accepting = asyncio.create_task(self._accept(listener))

    async def hand_over(self, peer: Peer) -> None:
        """Give the listening socket to the process at the other end: who connects from now on waits for that one.

        It goes ahead of the answer with a space, which means nothing in JSON. The file at its path stays.

        :raises Conflict: the service manager keeps the socket
        :raises NoDaemon: the other end is gone; this server goes on listening
        """
        if self._bound is None or self._socket is None or peer.connection is None:
            raise Conflict("the service manager keeps this socket; restart the daemon there: `memoryd restart`")
        await self._stop_accepting()
        try:
            socket.send_fds(peer.connection, [b" "], [self._socket.fileno()])
        except OSError as error:
            self._accepting = asyncio.create_task(self._accept(self._socket))
            raise NoDaemon(f"the socket cannot be handed over: {error.strerror}; `memoryd restart` again") from error
        self._bound = None

    async def close(self, *, grace_seconds: float = 5.0) -> None:
        """Stop accepting, answer what was read, at most for `grace_seconds`, and remove our own socket file."""
        self._closing = True
        await self._stop_accepting()
        if self._socket is not None:
            self._socket.close()
        if self._bound is not None:
            await asyncio.to_thread(_unlink_own, *self._bound)
        for task in self._waiting:
            task.cancel()
        if self._clients:
            _, late = await asyncio.wait(self._clients, timeout=grace_seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def _stop_accepting(self) -> None:
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    await asyncio.sleep(self._limits.accept_pause_seconds)
                elif error.errno not in _GONE:
                    raise
                continue
            self._admit(connection)
            await asyncio.sleep(0)  # a flood of connections must not starve those who are already in

    def _admit(self, connection: socket.socket) -> None:
        peer = _peer_or_none(connection)
        if peer is None or peer.uid != os.getuid():
            connection.close()
        elif len(self._clients) >= self._limits.max_clients:
            busy = Busy(f"{self._limits.max_clients} clients are connected already; try again")
            with contextlib.suppress(OSError):
                connection.setblocking(False)
                connection.send(error_reply(None, busy))
            connection.close()
        else:
            task = asyncio.create_task(self._serve(connection, peer))
            self._clients.add(task)
            task.add_done_callback(self._clients.discard)

    async def _serve(self, connection: socket.socket, peer: Peer) -> None:
        connection.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        writer.transport.set_write_buffer_limits(high=0)
        lines = LineReader(reader.read)
        try:
            while not lines.broken and await self._begun(lines):
                reply = await self._answer(lines, peer)
                if not reply:
                    break
                writer.write(reply)
                async with asyncio.timeout(self._limits.write_seconds):
                    await writer.drain()
        except (TimeoutError, OSError):
            writer.transport.abort()
            with contextlib.suppress(OSError):  # a fault of the transport that nobody asks for would be logged
                await writer.wait_closed()
        finally:
            writer.close()

    async def _begun(self, lines: LineReader) -> bool:
        if self._closing:
            return False
        task = asyncio.current_task()
        assert task is not None
        self._waiting.add(task)
        try:
            async with asyncio.timeout(self._limits.idle_seconds):
                return await lines.begun()
        finally:
            self._waiting.discard(task)

    async def _answer(self, lines: LineReader, peer: Peer) -> bytes:
        """Read one line and return its reply; b'' when the stream ended instead."""
        request_id: RequestId | None = None
        try:
            async with asyncio.timeout(self._limits.line_seconds):
                line = await lines.line()
            if not line:
                return b""
            envelope = parse_envelope(line)
            request_id = envelope.id
            request = parse_params(envelope)
            if self._closing:
                raise ShuttingDown("the daemon is stopping; send this again after it has started")
            result = await self._handle(request.method, request.params, peer)
            return self._reply(request.method, request.id, result)
        except MemorydError as error:
            return error_reply(request_id, error)

    def _reply(self, method: str, request_id: RequestId, result: BaseModel) -> bytes:
        try:
            return result_reply(request_id, result)
        except ValueError as error:  # text that is no Unicode: never the end of the connection
            self._on_failure(method, error)
            raise InternalError(f"the answer of {method} cannot be written; the daemon's log says why") from error

    async def _handle(self, method: str, params: BaseModel, peer: Peer) -> BaseModel:
        handler = self._handlers.get(method)
        if handler is None:
            raise UnknownMethod(
                f"this daemon does not serve {method}; `memoryd restart` if it is older than the command"
            )
        try:
            return await handler(params, peer)
        except MemorydError:
            raise
        except Exception as error:
            self._on_failure(method, error)
            raise InternalError(f"{method} failed inside the daemon; its log says why") from error


_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_GONE = {errno.ECONNABORTED, errno.EINTR, errno.EAGAIN, errno.EPROTO}


def bind(path: Path) -> socket.socket:
    """Bind and listen at `path`, mode 0600 in a directory of 0700, in place of a stale socket file.

    :raises PathRefused: the directory is open to others, or what stands at `path` is no socket
    :raises CannotWrite: the operating system refused
    """
    with _told(path):
        _private_directory(path.parent)
        _remove_stale(path)
        return _listener(path)


def rehearse(path: Path) -> None:
    """Find out whether `bind` would succeed, beside a daemon that listens there; nothing stays. Blocking.

    :raises PathRefused, CannotWrite: as `bind`
    """
    with _told(path):
        _private_directory(path.parent)
        _must_be_socket(path)
        trial = path.with_name(path.name[:-1] + ("~" if path.name[-1] != "~" else "-"))  # as long as the other
        _remove_stale(trial)
        _listener(trial).close()
        trial.unlink()


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"cannot listen at {path}: {error.strerror or error}; choose another socket") from error


def _listener(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(os.fspath(path))
        path.chmod(0o600)
        listener.listen(min(socket.SOMAXCONN, 4096))
    except BaseException:
        listener.close()
        raise
    return listener


def _private_directory(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PathRefused(
            f"the socket's directory {directory} must be a directory of yours with mode 0700; "
            f"run `chmod 700 {directory}` or set MEMORYD_SOCKET to a path in another one"
        )


def _remove_stale(path: Path) -> None:
    _must_be_socket(path)
    path.unlink(missing_ok=True)


def _must_be_socket(path: Path) -> None:
    """:raises PathRefused: something else stands there"""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise PathRefused(f"{path} is no socket and stays; move it away or set MEMORYD_SOCKET")


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _unlink_own(path: Path, identity: tuple[int, int]) -> None:
    with contextlib.suppress(OSError):
        if _identity(path.lstat()) == identity:
            path.unlink()


def _peer_or_none(connection: socket.socket) -> Peer | None:
    try:
        return _peer(connection)
    except OSError:
        return None


def _peer_linux(connection: socket.socket) -> Peer:
    option = getattr(socket, "SO_PEERCRED", 17)
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, 12))
    return Peer(uid=uid, pid=pid, connection=connection)


_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  #: <sys/un.h> of macOS
_XUCRED = struct.Struct("=IIh2x16I")  #: struct xucred: version, uid, number of groups, groups


def _peer_darwin(connection: socket.socket) -> Peer:
    found = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
    if len(found) < 8 or struct.unpack_from("=I", found)[0] != 0:
        raise OSError(errno.EINVAL, "no peer credentials")
    return Peer(uid=struct.unpack_from("=I", found, 4)[0], pid=None, connection=connection)


_peer = _peer_darwin if sys.platform == "darwin" else _peer_linux
