"""Peers of two releases: hooks of older ones with the daemon of this one, this program with an older daemon."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from golden import wire
from golden.shapes import OPTIONAL
from support.daemons import running, until

from memoryd.daemon import scriptchecks
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.install import Installer
from memoryd.errors import UnknownMethod
from memoryd.ipc import hookscript
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places
from memoryd.ipc.server import bind

HOOKS = sorted((wire.HERE / "hooks").glob("*.txt"))


def script(source: str, places: Places) -> str:
    """A hook script as the releases of that source wrote it, without the compiled half."""
    run = f"run(sys.argv[1], sys.argv[2], {str(places.socket)!r}, {str(places.spool)!r})"
    return f"#!{os.path.realpath(sys.executable)} -IS\nimport sys\n\nexec(r'''{source}''')\n{run}\nposix._exit(0)\n"


def fire(path: Path, event: str, **payload: str) -> str:
    stdin = json.dumps({"session_id": path.name, "hook_event_name": event, **payload})
    done = subprocess.run([path, "claude-code", event], input=stdin, env={}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


async def turns(daemon: Daemon, session: str) -> int:
    sql = "select turn_count from sessions where session_id = ?"
    found = await asyncio.to_thread(daemon.journal.rows, sql, session)
    return int(found[0]["turn_count"]) if found else 0


async def test_hooks_of_older_releases_are_heard_and_what_they_left_in_the_spool_comes_in(home: Path) -> None:
    folder = home / "hooks"
    async with running(home) as daemon:
        places = daemon.places
        for held in HOOKS:
            path = folder / held.stem
            await asyncio.to_thread(hookscript.write, path, script(held.read_text("utf-8"), places))
            told = await asyncio.to_thread(fire, path, "SessionStart", source="startup", cwd=str(home))
            assert "additionalContext" in told
            await asyncio.to_thread(fire, path, "Stop", prompt_id="p1")
            assert await turns(daemon, path.name) == 1
    for held in HOOKS:
        await asyncio.to_thread(fire, folder / held.stem, "Stop", prompt_id="p2")
    async with running(home) as daemon:
        for held in HOOKS:
            assert await until(partial(_two, daemon, held.stem))


async def _two(daemon: Daemon, session: str) -> bool:
    return await turns(daemon, session) == 2


@contextlib.contextmanager
def older_daemon(path: Path, *methods: str) -> Iterator[None]:
    """Answers requests as the golden files say: a hook word for word, others without the fields that may be missing."""
    listening = bind(path)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, connection.makefile("rb") as lines:
                    for line in lines:
                        answer = json.dumps(_answer(json.loads(line), methods), separators=(",", ":"))
                        connection.sendall(answer.encode() + b"\n")

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        listening.close()


def _answer(request: dict[str, Any], methods: tuple[str, ...]) -> dict[str, Any]:
    method, head = request["method"], {"jsonrpc": "2.0", "id": request["id"]}
    if method not in methods:
        data = {"code": "unknown-method", "retry": "never"}
        return head | {"error": {"code": -32601, "message": "a newer client needs `memoryd restart`", "data": data}}
    golden = wire.told(method)
    optional = {path for path, told in golden["result"].items() if told.endswith(OPTIONAL)} - {"stdout", "exit_code"}
    return head | {"result": {name: value for name, value in golden["reply"]["result"].items() if name not in optional}}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(data=tmp_path / "data", socket=tmp_path / "s", config=tmp_path / "config.toml")


def test_this_program_reads_an_older_daemon_and_says_what_to_do(places: Places) -> None:
    with older_daemon(places.socket, "daemon.health", "memory.list"), Client(places.socket) as client:
        health = client.call("daemon.health")
        assert health.protocol == 1
        told = list(scriptchecks.skew(Installer(places=places), health.version))
        assert told[0].endswith("`memoryd restart`")
        assert client.call("memory.list", {"cwd": "/"}).waiting == 0
        with pytest.raises(UnknownMethod, match="memoryd restart"):
            client.call("usage.get")


def test_every_method_of_an_older_daemon_can_be_read_when_it_leaves_out_what_it_may(places: Places) -> None:
    names = [path.stem for path in sorted((wire.HERE / "methods").glob("*.json"))]
    with older_daemon(places.socket, *names), Client(places.socket) as client:
        for name in names:
            client.call(name, wire.told(name)["request"]["params"])


def test_a_daemon_that_speaks_a_newer_protocol_is_told(places: Places) -> None:
    (told, *_) = scriptchecks.skew(Installer(places=places), "9.0", 99)
    assert told.startswith("the daemon is memoryd 9.0 and speaks a newer protocol")


def test_the_hook_of_this_release_is_heard_by_an_older_daemon(places: Places, tmp_path: Path) -> None:
    path = tmp_path / "newest"
    hookscript.write(path, hookscript.generate(places, Path(sys.executable)))
    with older_daemon(places.socket, "hook.deliver"):
        assert fire(path, "Stop") == "some text"
    assert not places.spool.exists()


async def test_what_a_newer_peer_says_is_passed_over_from_a_hook_and_told_to_a_client(home: Path) -> None:
    async with running(home) as daemon:
        deliver = {"id": "a" * 32, "at": "2026-11-30T08:00:00Z", "host": "claude-code", "raw": "{}", "newer": 1}
        answer, refused = await asyncio.to_thread(_raw, daemon.places.socket, deliver)
        assert answer["result"]["exit_code"] == 0
        assert "newer is unknown to memoryd" in refused["error"]["message"]
        assert "`memoryd restart`" in refused["error"]["message"]


def _raw(path: Path, deliver: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as lines:
        connection.connect(str(path))
        for method, params in (("hook.deliver", deliver), ("memory.list", {"newer": 1})):
            connection.sendall(
                json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
            )
        return json.loads(lines.readline()), json.loads(lines.readline())
