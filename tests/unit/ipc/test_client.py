import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from support.serving import HEALTH, health, serving

from memoryd.errors import Busy, Conflict, NoDaemon, ShuttingDown
from memoryd.ipc.client import AsyncClient, Client
from memoryd.ipc.methods.daemon import Paused, PauseParams
from memoryd.ipc.server import Peer, bind


async def refuse(params: Any, peer: Peer) -> BaseModel:
    raise Conflict("somebody else was first")


async def pause(params: Any, peer: Peer) -> BaseModel:
    return Paused(paused=params.seconds == 60)


HANDLERS = {"daemon.resume": refuse, "daemon.pause": pause}


async def test_both_clients_return_results_and_raise_the_daemons_errors(socket_path: Path) -> None:
    def blocking() -> None:
        with Client(socket_path) as client:
            assert client.call("daemon.health") == HEALTH
            assert client.call("daemon.pause", {"seconds": 60}).paused
            with pytest.raises(Conflict, match="first"):
                client.call("daemon.resume")
            assert client.call("daemon.pause", PauseParams(seconds=60)).paused

    async with serving(socket_path, HANDLERS):
        await asyncio.to_thread(blocking)
        async with AsyncClient(socket_path) as client:
            assert await client.call("daemon.health") == HEALTH
            with pytest.raises(Conflict, match="first"):
                await client.call("daemon.resume")
            many = await asyncio.gather(*(client.call("daemon.pause", {"seconds": 60}) for _ in range(20)))
            assert all(answer.paused for answer in many)


async def test_without_a_daemon_the_sentence_says_how_to_start_it(socket_path: Path) -> None:
    with pytest.raises(NoDaemon, match="memoryd start"):
        await asyncio.to_thread(lambda: Client(socket_path).call("daemon.health"))
    with pytest.raises(NoDaemon, match="memoryd start"):
        await AsyncClient(socket_path).call("daemon.health")


async def test_a_restarted_daemon_is_found_again(socket_path: Path) -> None:
    client, waiting = Client(socket_path), AsyncClient(socket_path)
    for _ in range(2):
        async with serving(socket_path):
            assert await asyncio.to_thread(client.call, "daemon.health") == HEALTH
            assert await waiting.call("daemon.health") == HEALTH
    client.close()
    await waiting.close()


@contextmanager
def listener(path: Path, behave: Callable[[socket.socket], None]) -> Iterator[None]:
    """A daemon of one connection that does what `behave` says, then hangs up."""
    listening = bind(path)

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            behave(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        thread.join(10)
        listening.close()


def test_a_daemon_that_hangs_up_is_no_daemon(socket_path: Path) -> None:
    with listener(socket_path, lambda connection: None), Client(socket_path) as client:
        with pytest.raises(NoDaemon, match=r"went away|no daemon"):
            client.call("daemon.health")


def test_a_daemon_that_stays_silent_is_busy(socket_path: Path) -> None:
    done = threading.Event()

    def wait(connection: socket.socket) -> None:
        done.wait(10)

    with listener(socket_path, wait), Client(socket_path) as client:
        with pytest.raises(Busy, match="did not answer"):
            client.call("daemon.health", timeout=0.05)
        done.set()


async def test_a_late_answer_reaches_nobody(socket_path: Path) -> None:
    release = asyncio.Event()

    async def slow(params: Any, peer: Peer) -> BaseModel:
        await release.wait()
        return Paused(paused=True)

    async with serving(socket_path, {"daemon.pause": slow, "daemon.health": health}):
        async with AsyncClient(socket_path) as client:
            with pytest.raises(Busy):
                await client.call("daemon.pause", timeout=0.05)
            release.set()
            assert await client.call("daemon.health") == HEALTH


PUBLISH = {"event": {"id": "e1", "kind": "turn", "host": "generic", "session_id": "s", "at": "2026-11-30T08:00:00Z"}}


def answering(path: Path, *lines: bytes) -> threading.Thread:
    """Daemons one after the other at one socket: each answers a request with its line, b'' hangs up."""
    listening = bind(path)

    def serve() -> None:
        for line in lines:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(line)
        listening.close()

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


STOPPING = b'{"jsonrpc":"2.0","id":1,"error":{"message":"stopping","data":{"code":"shutting-down"}}}\n'
PUBLISHED = b'{"jsonrpc":"2.0","id":2,"result":{"seq":7,"duplicate":false,"turn_count":1}}\n'
PAUSED = b'{"jsonrpc":"2.0","id":2,"result":{"paused":true}}\n'


def blocking(path: Path, method: str, params: dict[str, Any]) -> Any:
    with Client(path) as client:
        return client.call(method, params)


def awaiting(path: Path, method: str, params: dict[str, Any]) -> Any:
    async def call() -> Any:
        async with AsyncClient(path) as client:
            return await client.call(method, params)

    loop = asyncio.new_event_loop()  # not `asyncio.run`, which takes the loop of the other tests away
    try:
        return loop.run_until_complete(call())
    finally:
        loop.close()


@pytest.mark.parametrize("call", [blocking, awaiting])
def test_what_a_daemon_left_undone_is_asked_of_the_next(socket_path: Path, call: Callable[..., Any]) -> None:
    for method, params, first, second in (
        ("event.publish", PUBLISH, b"", PUBLISHED),
        ("event.publish", PUBLISH, STOPPING, PUBLISHED),
        ("daemon.pause", {}, STOPPING, PAUSED),
    ):
        daemons = answering(socket_path, first, second)
        assert call(socket_path, method, params)
        daemons.join(10)


@pytest.mark.parametrize("call", [blocking, awaiting])
def test_what_may_have_been_done_already_is_not_asked_twice(socket_path: Path, call: Callable[..., Any]) -> None:
    daemon = answering(socket_path, b"")
    with pytest.raises(NoDaemon, match="went away"):
        call(socket_path, "daemon.pause", {})
    daemon.join(10)


def test_without_a_next_daemon_the_first_error_stands(socket_path: Path) -> None:
    daemon = answering(socket_path, STOPPING)
    with pytest.raises(ShuttingDown, match="stopping"):
        blocking(socket_path, "event.publish", PUBLISH)
    daemon.join(10)
