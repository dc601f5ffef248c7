"""Clients of our own user that mean harm, or are broken, against the real daemon."""

import contextlib
import json
import resource
import socket
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from support.faults_profile import dice, pick
from support.faults_publish import Ledger
from support.faults_table import Judge
from support.installation import Installation, installed, until

from memoryd.errors import Busy, NoDaemon

MEGABYTE = 1 << 20
GROWTH_BYTES = 64 * MEGABYTE  #: a line of 8 MiB, its copies while it grows, and what the allocator keeps
CODES = {"bad-event", "unknown-method", "not-found", "usage", "result"}
HOLD = 512  #: connections that the daemon serves at a time


@pytest.fixture(scope="module")
def hostage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One daemon for all that follows."""
    with installed(tmp_path_factory.mktemp("hostile") / "h") as installation:
        installation.start()
        yield installation
        assert installation.stop() == 0


@pytest.fixture
def daemon(hostage: Installation) -> Iterator[Installation]:
    """The daemon, which is as well after each test as it was before."""
    pid = hostage.call("daemon.health").pid
    yield hostage
    _is_well(hostage, pid)


def test_a_gigabyte_without_an_end_is_refused_in_bounded_memory(daemon: Installation, judge: Judge) -> None:
    before = _peak(daemon, reset=True)
    sent, answer = 0, b""
    with _connected(daemon) as one:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 1024:
                one.sendall(b"x" * MEGABYTE)
                sent += 1
        with contextlib.suppress(ConnectionResetError):
            answer = one.recv(65536)
    growth = _peak(daemon) - before
    print(f"closed after {sent} MiB, {growth / MEGABYTE:.1f} MiB more memory")
    judge("line without an end, or too long", 1)
    assert growth < GROWTH_BYTES
    assert _code(answer) == "line-too-long" if answer else sent < 1024


def test_lines_that_are_too_long_one_after_the_other_are_answered_in_bounded_memory(
    daemon: Installation, judge: Judge
) -> None:
    before = _peak(daemon, reset=True)
    lines = pick(quick=4, full=32)
    judge("line without an end, or too long", lines)
    with _connected(daemon) as one, one.makefile("rb") as replies:
        for _ in range(lines):
            for _ in range(32):
                one.sendall(b"y" * MEGABYTE)
            one.sendall(b"\n")
            assert _code(replies.readline()) == "line-too-long"
        one.sendall(_request("daemon.health"))
        assert json.loads(replies.readline())["result"]["state"] == "ok"
    assert _peak(daemon) - before < GROWTH_BYTES


def test_junk_is_answered_line_by_line_with_typed_errors(daemon: Installation, judge: Judge) -> None:
    random, seen = dice("junk"), Counter[str]()
    before = _peak(daemon, reset=True)
    with _connected(daemon) as one, one.makefile("rb") as replies:
        for _ in range(pick(quick=50, full=1000)):
            lines = [_junk(random) for _ in range(100)]
            one.sendall(b"".join(line + b"\n" for line in lines))
            for line in lines:
                reply = replies.readline()
                assert reply.endswith(b"\n"), (line[:200], reply[:200])
                seen[_code(reply)] += 1
    judge("line that is no request", sum(seen.values()))
    print(dict(seen), f"{(_peak(daemon) - before) / MEGABYTE:.1f} MiB more memory")
    assert seen.keys() <= CODES
    assert _peak(daemon) - before < GROWTH_BYTES
    assert not [one for one in daemon.call("session.list").items if not one.session_id.startswith("well-")]


def test_a_malformed_line_costs_one_typed_error(daemon: Installation, judge: Judge) -> None:
    lines = (
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"event.publish","params":{"event":' + b'{"data":' * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"event.publish","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jsonrpc":"2.0","id":1,"method":"daemon.health","params":{"x":"\xff\xfe\xc3\x28"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"daemon.health","params":{"x":"\xed\xa0\x80"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"daemon.health","params":{"x":"\\ud800"}}',
        b'{"jsonrpc":"2.0","id":' + b"9" * 100_000 + b',"method":"daemon.health"}',
        b'{"jsonrpc":"2.0","id":1e400,"method":"daemon.health"}',
    )
    judge("line that is no request", len(lines))
    with _connected(daemon) as one, one.makefile("rb") as replies:
        for line in lines:
            one.sendall(line + b"\n" + _request("daemon.health"))
            assert _code(replies.readline()) == "bad-event", line[:80]
            assert json.loads(replies.readline())["result"]["state"] == "ok"


def test_payloads_of_hooks_that_are_no_json_are_acknowledged_and_kept_apart(daemon: Installation, judge: Judge) -> None:
    random, count = dice("payloads"), pick(quick=200, full=5_000)
    judge("payload of a hook that is no JSON", count)
    with daemon.client() as client:
        for number in range(count):
            raw = _junk(random).decode("utf-8", "replace")
            params = {"id": f"{number:032x}", "at": "2026-11-30T08:00:00Z", "host": "claude-code", "event": "Stop"}
            answer = client.call("hook.deliver", {**params, "raw": raw}, timeout=20)
            assert (answer.stdout, answer.exit_code) == ("", 0)
    assert "not understood" in daemon.call("daemon.health").reason


def test_slow_clients_in_every_place_are_thrown_out_and_a_flood_is_told_to_wait(
    daemon: Installation, judge: Judge
) -> None:
    flood = pick(quick=1_000, full=10_000)
    _allow_descriptors(flood + 500)
    judge("connection that says nothing", flood)
    before = _peak(daemon, reset=True)
    with daemon.client() as known, contextlib.ExitStack() as stack:
        known.call("daemon.health", timeout=20)
        crowd = [stack.enter_context(_connected(daemon)) for _ in range(flood)]
        for one in crowd:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                one.sendall(b"{")
        told, held = Counter[str](), crowd
        until(lambda: len(_hear(held, told)) < HOLD, seconds=60, what=lambda: f"{len(held)} held, {dict(told)}")
        known.call("daemon.health", timeout=20)
        print(f"{flood} connections: {dict(told)}; {(_peak(daemon) - before) / MEGABYTE:.1f} MiB more")
        assert told.keys() <= {"busy", "closed"}
        assert told["busy"] > 0
        assert _peak(daemon) - before < GROWTH_BYTES
        # The places are free again when the slow ones' time is up, though none of them has gone.
        until(lambda: _served(daemon), seconds=40, what=daemon.tail)


def _hear(held: list[socket.socket], told: Counter[str]) -> list[socket.socket]:
    """Take those out of `held` that were told something; returns the rest."""
    said = [(one, _said(one)) for one in held]
    told.update(words for _, words in said if words)
    held[:] = [one for one, words in said if not words]
    return held


def _said(one: socket.socket) -> str | None:
    """What a connection was told without having asked anything."""
    one.setblocking(False)
    try:
        answer = one.recv(4096)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return "closed"
    return _code(answer) if answer else "closed"


def _junk(random: Random) -> bytes:
    """A line that no client would send."""
    line = random.choice((_noise, _torn, _twisted, _typed))(random).replace(b"\n", b" ").strip()
    return line or b"?"


def _noise(random: Random) -> bytes:
    return random.randbytes(random.randrange(1, 400))


def _torn(random: Random) -> bytes:
    whole = _event(random)
    return whole[: random.randrange(1, len(whole) - 1)]


def _twisted(random: Random) -> bytes:
    """A request with some bytes changed so that it is none any more."""
    line = bytearray(_event(random))
    for _ in range(random.randrange(1, 6)):
        line[random.randrange(len(line))] = random.choice(b'\x00\x1b"{}[]\\,:\xff\xc0e-')
    return b"!" + bytes(line)


def _typed(random: Random) -> bytes:
    """Well-formed JSON with the wrong things in it."""
    values: list[object] = [None, True, -1, 1e308, 2**70, "", "\u0000", "x" * 5000, [], {}, [[[]]], {"a": {"b": []}}]
    params = {random.choice(("event", "raw", "cwd", "id", "name", "limit")): random.choice(values) for _ in range(3)}
    request: dict[str, object] = {
        "jsonrpc": random.choice(("2.0", "2.0", "2.0", 2)), "id": random.choice((1, "one", *values)),
        "method": random.choice(("event.publish", "hook.deliver", "no.such", "__class__", "memory.why", "job.retry")),
        "params": random.choice((params, params, *values)),
    }  # fmt: skip
    if random.random() < 0.2:
        request["extra"] = random.choice(values)
    return json.dumps(request).encode()


def _event(random: Random) -> bytes:
    event = Ledger(f"junk-{random.randrange(100)}").next().event
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "event.publish", "params": {"event": event}}).encode()


def _request(method: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": {}}).encode() + b"\n"


def _code(reply: bytes) -> str:
    """The error's code, or `result`; an error is one line with all that the protocol says about errors."""
    answer = json.loads(reply)
    if "result" in answer:
        return "result"
    error = answer["error"]
    assert "Traceback" not in error["message"]
    assert error["data"]["retry"] in ("never", "later", "after-restart")
    return str(error["data"]["code"])


@contextlib.contextmanager
def _connected(daemon: Installation) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(60)
        one.connect(str(daemon.places.socket))
        yield one


def _served(daemon: Installation) -> bool:
    try:
        return bool(daemon.call("daemon.health").state)
    except (Busy, NoDaemon):
        return False


def _is_well(daemon: Installation, pid: int) -> None:
    """It is the same process, a normal client gets its answers, and the log shows no failure inside."""
    ledger = Ledger(f"well-{uuid.uuid4().hex}", cwd=str(daemon.home))
    with daemon.client() as client:
        for _ in range(2):
            ledger.send(client, ledger.next())
        health = client.call("daemon.health", timeout=20)
    assert (health.pid, health.state in ("ok", "degraded")) == (pid, True)
    assert daemon.complaints() == []


def _peak(daemon: Installation, *, reset: bool = False) -> int:
    """The most bytes of memory that the daemon has held since the last reset."""
    process = Path(f"/proc/{daemon.pid}")
    if reset:
        (process / "clear_refs").write_text("5")
    fields = (line.split() for line in (process / "status").read_text().splitlines())
    return next(int(field[1]) * 1024 for field in fields if field[0] == "VmHWM:")


def _allow_descriptors(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        pytest.skip(f"{count} connections need as many descriptors, at most {hard} are allowed here")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
