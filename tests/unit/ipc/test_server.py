import asyncio
import contextlib
import json
import os
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from support.serving import HEALTH, health, serving, until

from memoryd.errors import CannotWrite, NotFound, PathRefused
from memoryd.ipc import server as server_module
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.methods.base import Done
from memoryd.ipc.methods.daemon import Paused
from memoryd.ipc.protocol import MAX_LINE_BYTES, encode_call
from memoryd.ipc.server import Limits, Peer, Server, bind, rehearse

CALL = encode_call(1, "daemon.health")


async def exchange(path: Path, sent: bytes) -> list[dict[str, Any]]:
    """Send bytes, close our side, return the answers."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(sent)
    writer.write_eof()
    answers = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return [json.loads(line) for line in answers.splitlines()]


def codes(answers: list[dict[str, Any]]) -> list[str]:
    return [answer["error"]["data"]["code"] if "error" in answer else "ok" for answer in answers]


async def test_requests_of_a_connection_are_answered_in_order(socket_path: Path) -> None:
    async def slow_pause(params: Any, peer: Peer) -> BaseModel:
        await asyncio.sleep(0.01 if params.seconds == 1 else 0)
        return Paused(paused=True)

    async with serving(socket_path, {"daemon.pause": slow_pause}):
        calls = [encode_call(n, "daemon.pause", {"seconds": n}) for n in (1, 2, 3)]
        assert [answer["id"] for answer in await exchange(socket_path, b"".join(calls))] == [1, 2, 3]


async def test_every_mistake_is_answered_and_the_connection_goes_on(socket_path: Path) -> None:
    async def missing(params: Any, peer: Peer) -> BaseModel:
        raise NotFound("no such session")

    async def broken(params: Any, peer: Peer) -> BaseModel:
        raise ZeroDivisionError("private detail")

    failures: list[str] = []
    handlers = {"session.get": missing, "daemon.resume": broken}
    async with serving(socket_path, handlers, failures=failures) as server:
        lines = [
            b"nonsense",
            b"\xff\xfe\x00",
            b"[" * 100_000,
            b"x" * (MAX_LINE_BYTES + 10),
            encode_call(2, "session.get", {"host": "h", "session_id": "s"}).strip(),
            encode_call(3, "daemon.resume").strip(),
            encode_call(4, "daemon.shutdown").strip(),
            b'{"jsonrpc":"2.0","id":5,"method":"fly"}',
            CALL.strip(),
        ]
        answers = await exchange(socket_path, b"\n".join(lines) + b"\n")
        assert codes(answers) == [
            *("bad-event", "bad-event", "bad-event", "line-too-long", "not-found"),
            *("internal", "unknown-method", "unknown-method", "ok"),
        ]
        assert [answer["id"] for answer in answers] == [None, None, None, None, 2, 3, 4, 5, 1]
        assert "private detail" not in json.dumps(answers)
        assert failures == ["daemon.resume: private detail"]
        await until(lambda: server.clients == 0)


async def test_ten_thousand_hostile_lines_each_get_a_typed_error(socket_path: Path) -> None:
    hostile = [b"\x80%d" % n if n % 2 else b'{"jsonrpc":"2.0","id":%d,"method":"x"}' % n for n in range(10_000)]
    async with serving(socket_path):
        reader, writer = await asyncio.open_unix_connection(str(socket_path))

        async def send() -> None:
            for n in range(0, len(hostile), 500):
                writer.write(b"\n".join(hostile[n : n + 500]) + b"\n")
                await writer.drain()
            writer.write_eof()

        _, answers = await asyncio.wait_for(asyncio.gather(send(), reader.read()), 60)
        writer.close()
        assert set(codes([json.loads(line) for line in answers.splitlines()])) == {"bad-event", "unknown-method"}
        assert answers.count(b"\n") == len(hostile)


async def test_a_client_beyond_the_limit_is_told_busy(socket_path: Path) -> None:
    async with serving(socket_path, limits=Limits(max_clients=2)) as server:
        held = [await asyncio.open_unix_connection(str(socket_path)) for _ in range(2)]
        await until(lambda: server.clients == 2)
        assert "clients 2" in repr(server)
        assert codes(await exchange(socket_path, b"")) == ["busy"]
        held[0][1].close()
        await until(lambda: server.clients == 1)
        assert codes(await exchange(socket_path, CALL)) == ["ok"]
        held[1][1].close()


async def test_a_line_that_does_not_get_finished_costs_its_connection_only(socket_path: Path) -> None:
    async with serving(socket_path, limits=Limits(line_seconds=0.05)):
        reader, writer = await asyncio.open_unix_connection(str(socket_path))
        writer.write(CALL[:10])
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        assert codes(await exchange(socket_path, CALL)) == ["ok"]


async def test_an_idle_connection_ends_after_its_time(socket_path: Path) -> None:
    async with serving(socket_path, limits=Limits(idle_seconds=0.05)) as server:
        reader, writer = await asyncio.open_unix_connection(str(socket_path))
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        await until(lambda: server.clients == 0)


async def test_a_client_that_does_not_read_its_answer_is_dropped(socket_path: Path) -> None:
    async def huge(params: Any, peer: Peer) -> BaseModel:
        return HEALTH.model_copy(update={"summary": "x" * 4_000_000})

    async with serving(socket_path, {"daemon.health": huge}, limits=Limits(write_seconds=0.05)) as server:
        held = socket.socket(socket.AF_UNIX)
        held.setblocking(False)
        await asyncio.get_running_loop().sock_connect(held, str(socket_path))
        await asyncio.get_running_loop().sock_sendall(held, CALL)
        await until(lambda: server.clients == 1)
        await until(lambda: server.clients == 0)
        held.close()


async def test_a_client_that_hangs_up_before_its_answer_leaves_no_error_for_the_log(
    socket_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, writers = asyncio.Event(), list[asyncio.StreamWriter]()

    async def late(params: Any, peer: Peer) -> BaseModel:
        await gone.wait()
        return HEALTH

    async def opened(**given: Any) -> Any:
        pair = await asyncio_open(**given)
        writers.append(pair[1])
        return pair

    asyncio_open = asyncio.open_unix_connection
    monkeypatch.setattr(asyncio, "open_unix_connection", opened)
    async with serving(socket_path, {"daemon.health": late}) as server:
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        await asyncio.get_running_loop().sock_connect(client, str(socket_path))
        await asyncio.get_running_loop().sock_sendall(client, CALL)
        await until(lambda: server.clients == 1)
        client.close()
        gone.set()
        await until(lambda: server.clients == 0)
    closed = writers[0]._protocol._closed  # type: ignore[attr-defined]
    assert closed.done()
    assert not closed._log_traceback  # else it is logged when it is collected before its protocol


async def test_directory_and_socket_are_ours_alone(socket_path: Path) -> None:
    async with serving(socket_path):
        assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket_path.stat().st_mode) == 0o600
    assert not socket_path.exists()


async def test_a_stale_socket_file_is_replaced_and_a_newer_one_is_left_at_close(socket_path: Path) -> None:
    (await asyncio.to_thread(bind, socket_path)).close()
    assert socket_path.exists()
    server = Server({"daemon.health": health})
    await server.start(socket_path)
    socket_path.unlink()
    successor = await asyncio.to_thread(bind, socket_path)
    await server.close()
    assert socket_path.exists()
    successor.close()


@pytest.mark.parametrize("listen", [bind, rehearse])
def test_what_is_no_socket_stays(socket_path: Path, listen: Callable[[Path], object]) -> None:
    socket_path.parent.mkdir(mode=0o700)
    socket_path.write_text("precious")
    with pytest.raises(PathRefused, match="no socket"):
        listen(socket_path)
    assert socket_path.read_text() == "precious"


@pytest.mark.parametrize("listen", [bind, rehearse])
def test_a_directory_open_to_others_is_refused_and_left_as_it_is(
    short_dir: Path, listen: Callable[[Path], object]
) -> None:
    folder = short_dir / "open"
    folder.mkdir(mode=0o755)
    with pytest.raises(PathRefused, match="0700"):
        listen(folder / "s")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


@pytest.mark.parametrize("listen", [bind, rehearse])
def test_a_path_too_long_for_a_socket_is_a_sentence(short_dir: Path, listen: Callable[[Path], object]) -> None:
    with pytest.raises(CannotWrite, match="cannot listen"):
        listen(short_dir / "run" / ("x" * 120))


async def test_a_rehearsal_beside_a_daemon_that_listens_leaves_nothing(socket_path: Path) -> None:
    async with serving(socket_path):
        await asyncio.to_thread(rehearse, socket_path)
        await asyncio.to_thread(rehearse, socket_path)
        assert [path.name for path in socket_path.parent.iterdir()] == [socket_path.name]
        async with AsyncClient(socket_path) as client:
            await client.call("daemon.health", timeout=5)


async def test_an_activated_socket_is_served_and_its_file_is_the_service_managers(socket_path: Path) -> None:
    activated = await asyncio.to_thread(bind, socket_path)
    async with serving(socket_path, activated=activated):
        assert codes(await exchange(socket_path, CALL)) == ["ok"]
    assert socket_path.exists()


async def test_another_users_process_is_turned_away(socket_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_peer", lambda connection: Peer(uid=os.getuid() + 1, pid=1))
    async with serving(socket_path):
        with contextlib.suppress(ConnectionError):  # whether the end or a reset comes first is the kernel's business
            assert await exchange(socket_path, CALL) == []


def test_the_kernel_names_the_peer() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    assert server_module._peer_linux(ours) == Peer(uid=os.getuid(), pid=os.getpid())
    ours.close()
    theirs.close()


class MacSocket:
    """A socket as macOS answers LOCAL_PEERCRED: struct xucred."""

    def __init__(self, version: int) -> None:
        self.version = version

    def getsockopt(self, level: int, option: int, size: int) -> bytes:
        assert (level, option, size) == (0, 1, 76)
        return struct.pack("=IIh2x16I", self.version, 501, 1, 20, *[0] * 15)


def test_the_peer_on_macos_is_read_from_its_credentials() -> None:
    connection: Any = MacSocket(0)
    assert server_module._peer_darwin(connection) == Peer(uid=501, pid=None)
    with pytest.raises(OSError, match="credentials"):
        server_module._peer_darwin(MacSocket(1))  # type: ignore[arg-type]


async def test_closing_answers_what_is_in_flight_and_refuses_what_comes_after(socket_path: Path) -> None:
    entered, finish = asyncio.Event(), asyncio.Event()

    async def slow(params: Any, peer: Peer) -> BaseModel:
        entered.set()
        await finish.wait()
        return Done()

    server = Server({"daemon.shutdown": slow, "daemon.health": health})
    await server.start(socket_path)
    idle = AsyncClient(socket_path)
    assert await idle.call("daemon.health") == HEALTH
    reader, writer = await asyncio.open_unix_connection(str(socket_path))
    writer.write(encode_call(1, "daemon.shutdown") + CALL)
    await entered.wait()
    closing = asyncio.create_task(server.close(grace_seconds=10))
    await until(lambda: not socket_path.exists())
    finish.set()
    answers = [json.loads(line) for line in (await asyncio.wait_for(reader.read(), 10)).splitlines()]
    assert codes(answers)[0] == "ok"
    assert codes(answers)[1:] in ([], ["shutting-down"])
    await asyncio.wait_for(closing, 10)
    assert server.clients == 0
    writer.close()
    await idle.close()


async def test_closing_waits_no_longer_than_its_grace(socket_path: Path) -> None:
    async def stuck(params: Any, peer: Peer) -> BaseModel:
        await asyncio.Event().wait()
        raise AssertionError

    server = Server({"daemon.shutdown": stuck})
    await server.start(socket_path)
    _, writer = await asyncio.open_unix_connection(str(socket_path))
    writer.write(encode_call(1, "daemon.shutdown"))
    await until(lambda: server.clients == 1)
    await asyncio.wait_for(server.close(grace_seconds=0.05), 10)
    assert server.clients == 0
    writer.close()


CHILD = """
import asyncio, resource, sys
from collections.abc import Callable
from pathlib import Path
from memoryd.ipc.methods.daemon import Health
from memoryd.ipc.server import Server

async def health(params, peer):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Health(state="ok", version="0", uid=0, data_dir="/", pid=0, uptime_seconds=float(peak))

async def main():
    {setup}
    server = Server({{"daemon.health": health}})
    await server.start(Path(sys.argv[1]))
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def child(path: Path, setup: str = "pass") -> subprocess.Popen[bytes]:
    code = textwrap.dedent(CHILD.format(setup=setup))
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def ask(path: Path, sent: bytes = CALL) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(path))
        connection.sendall(sent)
        answer: dict[str, Any] = json.loads(connection.makefile("rb").readline())
        return answer


def peak_kib(path: Path) -> float:
    return float(ask(path)["result"]["uptime_seconds"])


def test_a_gigabyte_without_a_newline_costs_a_few_mebibytes(socket_path: Path) -> None:
    process = child(socket_path)
    try:
        before = peak_kib(socket_path)
        flood, sent_mebibytes = b"x" * (1 << 20), 0
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(str(socket_path))
            try:
                while sent_mebibytes < 1024:
                    connection.sendall(flood)
                    sent_mebibytes += 1
            except OSError:
                pass
            try:
                answer = connection.recv(65536)
            except ConnectionResetError:
                answer = b""
        assert 64 <= sent_mebibytes < 80, "the connection was given up too early or too late"
        assert not answer or b"line-too-long" in answer
        grown = (peak_kib(socket_path) - before) / 1024
        assert grown < 24, f"the peak grew by {grown:.0f} MiB"
    finally:
        end(process)


def test_running_out_of_descriptors_pauses_accepting_and_passes(socket_path: Path) -> None:
    setup = "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))"
    process = child(socket_path, setup)
    held = []
    try:
        for _ in range(30):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(socket_path))
            held.append(connection)
        descriptors = Path(f"/proc/{process.pid}/fd")
        patience = time.monotonic() + 10
        while len(os.listdir(descriptors)) < 16 and time.monotonic() < patience:
            time.sleep(0.01)
        assert len(os.listdir(descriptors)) == 16
        cpu_before = _cpu_ticks(process.pid)
        for connection in held[:-2]:
            connection.close()
        assert ask(socket_path)["result"]["state"] == "ok"
        spent_seconds = (_cpu_ticks(process.pid) - cpu_before) / os.sysconf("SC_CLK_TCK")
        assert spent_seconds < 0.5, "accepting spun while there were no descriptors"
    finally:
        for connection in held:
            connection.close()
        end(process)


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_thousands_of_connections_leave_the_server_answering(socket_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(2_000, hard - 200)
    process = child(socket_path)
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    held: list[socket.socket] = []
    try:
        for _ in range(count):
            connection = socket.socket(socket.AF_UNIX)
            held.append(connection)
            connection.settimeout(10)
            connection.connect(str(socket_path))
        refused = json.loads(held[-1].makefile("rb").readline())
        assert refused["error"]["data"]["code"] == "busy"
        for connection in held:
            connection.close()
        held.clear()
        answers = iter(lambda: ask(socket_path), None)
        assert any("result" in answer for answer, _ in zip(answers, range(200), strict=False))
    finally:
        for connection in held:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        end(process)
