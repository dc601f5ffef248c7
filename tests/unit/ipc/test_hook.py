"""The hook in a process of its own: the generated script against every kind of daemon."""

import json
import os
import posix
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import BadEvent, Busy
from memoryd.ipc import hook, hookscript
from memoryd.ipc.methods.events import HookDeliver, HookDelivered
from memoryd.ipc.places import Places
from memoryd.ipc.protocol import MAX_LINE_BYTES, error_reply, parse_request, result_reply
from memoryd.ipc.server import bind

STDIN = '{"session_id":"s1","hook_event_name":"Stop","last_assistant_message":"done 中文 \\"quoted\\""}\n'


@dataclass
class Hook:
    script: Path
    socket: Path
    spool: Path

    def __call__(
        self, *arguments: str, stdin: bytes = STDIN.encode(), env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> bytes:
        """Run it and return its stdout; it must exit 0 and say nothing on stderr."""
        done = subprocess.run(
            [self.script, *arguments], input=stdin, env=env or {}, cwd=cwd, capture_output=True, timeout=30, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def spooled(self) -> list[HookDeliver]:
        names = sorted(name for name in os.listdir(self.spool) if not name.startswith("."))
        return [_params((self.spool / name).read_bytes()) for name in names]


def _params(line: bytes) -> HookDeliver:
    assert line.endswith(b"\n")
    params = parse_request(line).params
    assert isinstance(params, HookDeliver)
    return params


@pytest.fixture(scope="session")
def script_text() -> Callable[[Places], str]:
    cache: dict[str, str] = {}

    def generate(places: Places) -> str:
        here = Places(data=Path("/DATA"), socket=Path("/SOCKET"), config=Path("/c"))
        if not cache:
            cache["text"] = hookscript.generate(here, Path(sys.executable))
        return cache["text"].replace("/SOCKET", str(places.socket)).replace("/DATA/spool", str(places.spool))

    return generate


@pytest.fixture
def run_hook(short_dir: Path, socket_path: Path, script_text: Callable[[Places], str]) -> Hook:
    places = Places(data=short_dir / "data", socket=socket_path, config=short_dir / "c")
    script = short_dir / "memoryd-hook"
    hookscript.write(script, script_text(places))
    return Hook(script, socket_path, places.spool)


@contextmanager
def daemon(path: Path, answer: Callable[[bytes], bytes | None]) -> Iterator[list[bytes]]:
    """A daemon that answers each connection's line; None: it never answers. Yields the lines it read."""
    listening = bind(path)
    stopping = threading.Event()
    lines: list[bytes] = []
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            connection, _ = listening.accept()
            held.append(connection)
            if stopping.is_set():
                return
            line = connection.makefile("rb").readline()
            lines.append(line)
            reply = answer(line)
            if reply is not None:
                connection.sendall(reply)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield lines
    finally:
        stopping.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(path))
        thread.join(10)
        for connection in [*held, listening]:
            connection.close()


def accept(text: str) -> Callable[[bytes], bytes]:
    return lambda line: result_reply(1, HookDelivered(stdout=text, seq=1))


def test_it_delivers_stdin_word_for_word_and_prints_the_answer(run_hook: Hook, short_dir: Path) -> None:
    answer = '{"hookSpecificOutput":{"additionalContext":"记住\\n\\"quotes\\" \U0001f600"}}'
    env = {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/p/中", "ANTHROPIC_API_KEY": "private", "HOME": "/h"}
    with daemon(run_hook.socket, accept(answer)) as lines:
        printed = run_hook("claude-code", "SessionStart", env=env, cwd=short_dir)
    assert printed.decode() == answer
    params = _params(lines[0])
    assert (params.host, params.event, params.raw, params.cwd) == (
        *("claude-code", "SessionStart", STDIN),
        os.path.realpath(short_dir),
    )
    assert params.env == {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/p/中"}
    assert abs(params.at.timestamp() - time.time()) < 60
    assert not run_hook.spool.exists()


def test_an_empty_answer_prints_nothing(run_hook: Hook) -> None:
    with daemon(run_hook.socket, accept("")) as lines:
        assert run_hook("claude-code") == b""
    assert _params(lines[0]).event is None


def test_without_a_daemon_the_event_waits_in_the_spool(run_hook: Hook) -> None:
    for _ in range(3):
        assert run_hook("claude-code", "Stop") == b""
    waiting = run_hook.spooled()
    assert [params.raw for params in waiting] == [STDIN] * 3
    assert len({params.id for params in waiting}) == 3
    assert stat.S_IMODE(run_hook.spool.stat().st_mode) == 0o700
    for entry in run_hook.spool.iterdir():
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600
        assert entry.name.endswith(_params(entry.read_bytes()).id)


@pytest.mark.parametrize("behave", ["hangs up", "busy"])
def test_what_the_daemon_did_not_take_waits_in_the_spool(run_hook: Hook, behave: str) -> None:
    reply = b"" if behave == "hangs up" else error_reply(None, Busy("full"))

    def answer(line: bytes) -> bytes:
        return reply or b"\n"

    with daemon(run_hook.socket, answer) as lines:
        run_hook("claude-code", "Stop")
    assert [params.id for params in run_hook.spooled()] == [_params(lines[0]).id]
    assert not (run_hook.spool / ".slow").exists()


def test_what_the_daemon_will_never_take_is_not_kept(run_hook: Hook) -> None:
    with daemon(run_hook.socket, lambda line: error_reply(1, BadEvent("no"))):
        assert run_hook("claude-code", "Stop") == b""
    assert not run_hook.spool.exists()


def test_a_silent_daemon_costs_one_deadline_not_one_per_call(run_hook: Hook) -> None:
    with daemon(run_hook.socket, lambda line: None) as lines:
        for _ in range(4):
            run_hook("claude-code", "Stop")
        assert len(lines) == 1
        assert len(run_hook.spooled()) == 4
        mark = run_hook.spool / ".slow"
        old = time.time() - hook.SLOW_SECONDS - 1
        os.utime(mark, (old, old))
        run_hook("claude-code", "Stop")
        assert len(lines) == 2


LISTENER = """
import socket, sys, time
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen(1)
print(flush=True)
time.sleep(60)
"""


def test_a_stopped_daemon_with_a_full_backlog_is_not_waited_for(run_hook: Hook) -> None:
    run_hook.socket.parent.mkdir(mode=0o700)
    process = subprocess.Popen([sys.executable, "-c", LISTENER, str(run_hook.socket)], stdout=subprocess.PIPE)
    held: list[socket.socket] = []
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        with suppress(BlockingIOError):
            for _ in range(100):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].setblocking(False)
                held[-1].connect(str(run_hook.socket))
        assert len(held) < 100
        assert run_hook("claude-code", "UserPromptSubmit") == b""
        assert len(run_hook.spooled()) == 1
        assert not (run_hook.spool / ".slow").exists()
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close() if process.stdout else None
        for connection in held:
            connection.close()


def test_the_memory_agents_own_session_is_not_recorded(run_hook: Hook) -> None:
    with daemon(run_hook.socket, accept("never")) as lines:
        assert run_hook("claude-code", "Stop", env={"MEMORYD_CHILD": "1"}) == b""
    assert lines == []
    assert not run_hook.spool.exists()


def test_an_open_stdin_does_not_hold_a_complete_document(run_hook: Hook) -> None:
    with daemon(run_hook.socket, accept("ok")) as lines:
        process = subprocess.Popen([run_hook.script, "generic"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        assert process.stdin is not None
        assert process.stdout is not None
        for part in (b'{"session_id":"s', b'","deep":{"a":[1]}}', b" \n"):
            process.stdin.write(part)
            process.stdin.flush()
        assert process.stdout.read() == b"ok"
        assert process.wait(10) == 0
        process.stdin.close()
        process.stdout.close()
    assert json.loads(_params(lines[0]).raw)["deep"] == {"a": [1]}


@pytest.mark.parametrize("stdin", [b"", b"  \n"])
def test_nothing_on_stdin_is_nothing(run_hook: Hook, stdin: bytes) -> None:
    assert run_hook("claude-code", "Stop", stdin=stdin) == b""
    assert not run_hook.spool.exists()


def test_bytes_that_are_no_text_still_make_one_line(run_hook: Hook) -> None:
    run_hook("claude-code", "Stop", stdin=b'\xff\x00\n{"a":"\x1b\\"')
    assert run_hook.spooled()[0].raw == '\ufffd\x00\n{"a":"\x1b\\"'


def test_a_payload_too_large_for_a_line_is_cut_to_fit(run_hook: Hook) -> None:
    run_hook("claude-code", "Stop", stdin=b'{"prompt":"' + b'"' * 7_000_000)
    (name,) = (name for name in os.listdir(run_hook.spool) if not name.startswith("."))
    assert (run_hook.spool / name).stat().st_size <= MAX_LINE_BYTES
    assert run_hook.spooled()[0].raw.startswith('{"prompt":"""')


def test_a_tool_event_leaves_only_name_and_outcome_in_the_spool(run_hook: Hook) -> None:
    payload = {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "private input"},
        "tool_response": {"stdout": "private output"},
    }
    run_hook("qwen", "PostToolUse", stdin=json.dumps(payload).encode())
    run_hook("qwen", "PostToolUseFailure", stdin=json.dumps({**payload, "error": "private"}).encode())
    run_hook("qwen", "PostToolUse", stdin=b"no json, private")
    kept = [json.loads(params.raw) for params in run_hook.spooled()]
    common = {"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    assert kept == [{**common, "ok": True}, {**common, "ok": False}]


def test_a_full_spool_drops_the_event_and_says_so(run_hook: Hook) -> None:
    run_hook.spool.mkdir(parents=True, mode=0o700)
    with (run_hook.spool / "1-1-big").open("wb") as sparse:
        sparse.truncate(hook.MAX_SPOOL_BYTES)
    assert run_hook("claude-code", "Stop") == b""
    assert sorted(os.listdir(run_hook.spool)) == [".full", "1-1-big"]


def test_a_spool_of_too_many_files_is_full(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "MAX_SPOOL_FILES", 3)
    for n in range(3):
        (short_dir / str(n)).write_bytes(b"x")
    hook.spool(str(short_dir), "4-1-x", b"line\n")
    assert sorted(os.listdir(short_dir)) == [".full", "0", "1", "2"]


def test_a_failed_write_leaves_no_half_of_an_event(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, text: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hook, "_write", full)
    with pytest.raises(OSError, match="space"):
        hook.spool(str(short_dir), "4-1-x", b"line\n")
    assert os.listdir(short_dir) == []


def test_a_file_that_the_daemon_takes_meanwhile_does_not_count(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(2):
        (short_dir / str(n)).write_bytes(b"x")
    listed = list(os.scandir(short_dir))
    (short_dir / "1").unlink()
    monkeypatch.setattr(posix, "scandir", lambda folder: iter(listed))
    monkeypatch.setattr(hook, "MAX_SPOOL_FILES", 2)
    assert hook._room(str(short_dir), 1)


def test_on_macos_the_spool_is_synced_to_the_platter(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    mac = types.ModuleType("fcntl")
    mac.F_FULLFSYNC = 51  # type: ignore[attr-defined]
    mac.fcntl = lambda descriptor, command: calls.append(command)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fcntl", mac)
    monkeypatch.setattr(sys, "platform", "darwin")
    hook.spool(str(short_dir), "4-1-x", b"line\n")
    assert calls == [51, 51]  # the file, then its name


def test_on_linux_file_and_folder_are_synced_around_the_rename(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    rename = os.rename

    def moved(source: str, target: str) -> None:
        steps.append("rename")
        rename(source, target)

    monkeypatch.setattr(hook, "_sync", lambda descriptor: steps.append("sync"))
    monkeypatch.setattr(posix, "rename", moved)
    hook.spool(str(short_dir), "4-1-x", b"line\n")
    assert steps == ["sync", "rename", "sync"]


def test_whatever_breaks_the_hook_returns_0(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise RuntimeError

    monkeypatch.setattr(hook, "_stdin", broken)
    assert hook.run("claude-code", "Stop", "/nowhere", "/nowhere/spool") == 0


def test_usage_errors_and_lost_directories_are_silent_too(run_hook: Hook, short_dir: Path) -> None:
    assert run_hook() == b""
    gone = short_dir / "gone"
    gone.mkdir()
    shell = ["/bin/sh", "-c", 'rmdir "$PWD" && exec "$0" claude-code Stop', str(run_hook.script)]
    done = subprocess.run(
        shell, cwd=gone, input=STDIN.encode(), env={"PATH": "/bin:/usr/bin"}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert run_hook.spooled()[0].cwd is None


def test_only_c_modules_are_loaded(run_hook: Hook) -> None:
    probe = run_hook.script.read_text().replace("posix._exit(0)", "posix.write(1, ' '.join(sys.modules).encode())")
    code = f"{probe}\nposix._exit(0)"
    run_hook.script.write_text(code)
    loaded: set[str] = set(run_hook("claude-code", "Stop").decode().split())
    unwanted: set[Any] = {"json", "socket", "os", "re", "enum", "selectors", "typing", "memoryd"}
    assert loaded & unwanted == set()
