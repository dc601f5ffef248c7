"""The listening socket goes from one daemon to the next, with those who wait at it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from support.serving import HEALTH, serving, until

from memoryd.errors import Conflict
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.methods.base import Done
from memoryd.ipc.methods.daemon import HandedOver
from memoryd.ipc.server import Peer, Server, bind
from memoryd.ipc.succession import take_over


def giving(server: list[Server]) -> Any:
    async def hand_over(params: Any, peer: Peer) -> BaseModel:
        await server[0].hand_over(peer)
        return HandedOver(pid=1)

    return hand_over


async def test_who_connects_between_two_daemons_waits_for_the_second(socket_path: Path) -> None:
    servers: list[Server] = []
    async with serving(socket_path, {"daemon.handover": giving(servers)}) as first:
        servers.append(first)
        inherited = await asyncio.to_thread(take_over, socket_path)
        assert inherited is not None
        async with AsyncClient(socket_path) as client:
            waiting = asyncio.create_task(client.call("daemon.health"))
            await until(lambda: client._streams is not None)
            await first.close()
            assert socket_path.exists()
            assert not waiting.done()
            second = Server({"daemon.health": _health})
            await second.start(socket_path, inherited=inherited)
            assert (await waiting).version == "second"
        await second.close()
    assert not socket_path.exists()


async def _health(params: Any, peer: Peer) -> BaseModel:
    return HEALTH.model_copy(update={"version": "second"})


async def test_a_socket_that_is_the_service_managers_is_not_given_away(socket_path: Path) -> None:
    servers: list[Server] = []
    activated = await asyncio.to_thread(bind, socket_path)
    async with serving(socket_path, {"daemon.handover": giving(servers)}, activated=activated) as server:
        servers.append(server)
        with pytest.raises(Conflict, match="memoryd restart"):
            await asyncio.to_thread(take_over, socket_path)
        async with AsyncClient(socket_path) as client:
            assert await client.call("daemon.health") == HEALTH


async def test_a_daemon_whose_successor_dies_while_it_asks_goes_on(socket_path: Path) -> None:
    failed = asyncio.Event()

    async def hand_over(params: Any, peer: Peer) -> BaseModel:
        await until(lambda: asking.done())
        try:
            await server.hand_over(peer)
        finally:
            failed.set()
        return HandedOver(pid=1)

    async with serving(socket_path, {"daemon.handover": hand_over}) as server:
        _, writer = await asyncio.open_unix_connection(str(socket_path))
        writer.write(b'{"jsonrpc":"2.0","id":1,"method":"daemon.handover"}\n')
        writer.transport.abort()
        asking = asyncio.create_task(writer.wait_closed())
        await asyncio.wait_for(failed.wait(), 10)
        async with AsyncClient(socket_path) as client:
            assert await client.call("daemon.health") == HEALTH


async def test_one_that_cannot_hand_over_is_asked_to_stop(socket_path: Path) -> None:
    asked = asyncio.Event()

    async def shutdown(params: Any, peer: Peer) -> BaseModel:
        asked.set()
        return Done()

    async with serving(socket_path, {"daemon.shutdown": shutdown}):
        assert await asyncio.to_thread(take_over, socket_path) is None
    assert asked.is_set()


def test_where_nobody_listens_there_is_nothing_to_take_over(socket_path: Path) -> None:
    assert take_over(socket_path) is None
