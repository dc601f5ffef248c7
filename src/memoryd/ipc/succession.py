"""How a daemon takes the listening socket over from the one before it, so that no client meets a closed door."""

import socket
from pathlib import Path

from memoryd.errors import Busy, InternalError, NoDaemon, UnknownMethod
from memoryd.ipc.client import Client
from memoryd.ipc.protocol import decode_reply, encode_call

HAND_OVER = "daemon.handover"
ANSWER_SECONDS = 30.0  #: a running job has 10 s, and as long again to be put back


def take_over(path: Path) -> socket.socket | None:
    """Ask the daemon at `path` to end, and return its listening socket; None: there is none to be had.

    A daemon of a release that cannot hand over is asked to stop. Blocking.

    :raises Conflict: a service manager keeps the socket
    :raises Busy: no answer in time
    """
    try:
        return _receive(path)
    except NoDaemon:
        return None
    except UnknownMethod:
        with Client(path) as client:
            client.call("daemon.shutdown", timeout=ANSWER_SECONDS)
        return None


def _receive(path: Path) -> socket.socket:
    try:
        line, given = _exchange(path)
    except TimeoutError as error:
        raise Busy(f"the daemon at {path} does not end within {ANSWER_SECONDS:g} s; see `memoryd status`") from error
    except OSError as error:
        raise NoDaemon(f"no daemon answers at {path}") from error
    listeners = [socket.socket(fileno=descriptor) for descriptor in given]
    try:
        decode_reply(line, 1, HAND_OVER)
        if not listeners:
            raise InternalError("the daemon kept its socket; `memoryd stop`, then `memoryd start`")
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    return listeners[0]


def _exchange(path: Path) -> tuple[bytes, list[int]]:
    """Return the answer and the descriptors that came with it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(str(path))
        connection.sendall(encode_call(1, HAND_OVER))
        line, given, _, _ = socket.recv_fds(connection, 64 * 1024, 1)
        while line and not line.endswith(b"\n") and (chunk := connection.recv(64 * 1024)):
            line += chunk
    return line, given
