"""An agent child for tests: the real one, with a work of this file, which the model's name chooses.

`python -P agent_child.py [--landlock=VERSION] ORDER`; the brief's `settings.model` is `NAME` or `NAME ARGUMENT`.
"""

import asyncio
import ctypes
import errno
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from memoryd.memory.proposals import Lines
from memoryd.worker.agents.brief import (
    AgentFault,
    Brief,
    Compare,
    Comparing,
    Cost,
    Done,
    Need,
    Note,
    Purse,
    Work,
    incomparable,
)
from memoryd.worker.agents.child import landlock
from memoryd.worker.agents.child.process import main

SEPARATOR = "; "  #: between two ways out

Act = Callable[[Brief, Purse, str], Awaitable[Done]]


async def each_prompt(brief: Brief, purse: Purse, argument: str) -> Done:
    """One call a prompt, then each prompt as a preference."""
    said = [s for s in brief.projection.sessions for _ in s.user_texts()]
    for _ in said:
        reservation = await purse.reserve(Need(tokens=100))
        await purse.spent(reservation, Cost(tokens_in=60, tokens_out=10, usd=0.01))
    return Done(
        proposals=_as_preferences(brief),
        notes=(
            *(Note(host=s.host, session_id=s.session_id, text="noted") for s in said),
            Note(host="other", session_id="other", text="not its own"),
        ),
    )


async def asks(brief: Brief, purse: Purse, argument: str) -> Done:
    """As `each_prompt`, with a call for each over the network: one line there, one back."""
    port = int(brief.settings.base_url.rpartition(":")[2])
    for session in brief.projection.sessions:
        for _ in session.user_texts():
            reservation = await purse.reserve(Need(tokens=100))
            answer, question = await asyncio.open_connection("127.0.0.1", port)
            question.write(b"ask\n")
            if not await answer.readline():
                raise AgentFault("provider-down", "the provider hung up")
            question.close()
            await purse.spent(reservation, Cost(tokens_in=60, tokens_out=10, usd=0.01))
    return Done(proposals=_as_preferences(brief))


def _as_preferences(brief: Brief) -> tuple[Lines, ...]:
    texts = [u for session in brief.projection.sessions for u in session.user_texts()]
    return tuple(Lines(file="preferences.md", add=(u.text,), cites=(u.seq,)) for u in texts)


async def compares(brief: Brief, comparing: Comparing) -> Done:
    """Have the first prompt compared with all, and tell what came of it."""
    session = brief.projection.sessions[0]
    said = tuple(u.text for u in session.user_texts())
    near = await comparing(Compare(texts=said[:1], others=said))
    return Done(notes=(Note(host=session.host, session_id=session.session_id, text=str(near.rows)),))


async def as_told(brief: Brief, purse: Purse, argument: str) -> Done:
    """Do what the last prompt names."""
    name, _, rest = brief.projection.sessions[-1].user_texts()[-1].text.partition(" ")
    return await ACTS[name](brief, purse, rest)


async def fault(brief: Brief, purse: Purse, argument: str) -> Done:
    code, _, seconds = argument.partition(" ")
    raise AgentFault(code, "mend it", float(seconds) if seconds else None)  # type: ignore[arg-type]


async def raises(brief: Brief, purse: Purse, argument: str) -> Done:
    raise RuntimeError(brief.projection.sessions[0].utterances[0].text)


async def exits(brief: Brief, purse: Purse, argument: str) -> Done:
    os._exit(int(argument))


async def killed(brief: Brief, purse: Purse, argument: str) -> Done:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


async def call_that_hangs(brief: Brief, purse: Purse, argument: str) -> Done:
    await purse.reserve(Need(tokens=100))
    await asyncio.sleep(3600)
    return Done()


async def deaf_loop(brief: Brief, purse: Purse, argument: str) -> Done:
    """No signal, no end of input and no turn for any other thread."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


async def prints(brief: Brief, purse: Purse, argument: str) -> Done:
    """Noise on the standard output of the process, which is not the protocol's."""
    print("noise" * 1000, flush=True)
    return Done()


async def endless_line(brief: Brief, purse: Purse, argument: str) -> Done:
    while True:
        os.write(_protocol(), b"x" * 65536)


async def endless_lines(brief: Brief, purse: Purse, argument: str) -> Done:
    while True:
        line = b'{"kind":"reserve","need":{}}' + b" " * 500_000 + b"\n"
        while line:
            line = line[os.write(_protocol(), line) :]


async def endless_errors(brief: Brief, purse: Purse, argument: str) -> Done:
    while True:
        os.write(2, b"y" * 65536)


async def not_paid_for(brief: Brief, purse: Purse, argument: str) -> Done:
    await purse.spent("another's", Cost(tokens_in=1))
    return Done()


async def grandchild(brief: Brief, purse: Purse, argument: str) -> Done:
    """Leave one behind, known by a word: in a session of its own, deaf, its parent gone; `bare`: no environment."""
    how, _, word = argument.partition(" ")
    code = f"# {word}\nimport signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(3600)"
    env: dict[str, str] | None = {} if how == "bare" else None
    shell = f"import os, subprocess; p = subprocess.Popen([{sys.executable!r}, '-c', {code!r}], start_new_session=True)"
    run = [sys.executable, "-c", shell]
    await asyncio.to_thread(subprocess.run, run, check=True, env=env, start_new_session=True)
    return Done()


async def grandchild_and_hang(brief: Brief, purse: Purse, argument: str) -> Done:
    await grandchild(brief, purse, f"bare {argument}")
    return await call_that_hangs(brief, purse, "")


async def memory(brief: Brief, purse: Purse, argument: str) -> Done:
    """Touch that many megabytes."""
    kept = []
    for _ in range(int(argument) // 16):
        kept.append(b"\1" * (16 * 1024 * 1024))
        await asyncio.sleep(0)
    return Done()


async def forks(brief: Brief, purse: Purse, argument: str) -> Done:
    """A child that starts the next, and so on, each in a session of its own; bounded, for the machine's sake."""
    _chain(int(argument))
    return Done()


def _chain(left: int) -> None:
    while left and os.fork() == 0:
        os.setsid()
        left -= 1
    signal.pause()


def _protocol() -> int:
    """The descriptor that the real child has kept for itself: the pipe that its errors do not go to."""
    errors = os.fstat(2).st_ino
    return next(
        n for n in range(3, 64) if _is_pipe(n) and os.fstat(n).st_ino != errors and os.get_inheritable(n) is False
    )


def _is_pipe(number: int) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{number}").startswith("pipe:") and os.get_blocking(number)
    except OSError:
        return False


async def tries(brief: Brief, purse: Purse, argument: str) -> Done:
    """Try one way out after another, and tell of each how it went: `done`, or the error's name."""
    told = [await asyncio.to_thread(tried, *way.split(" ", 1)) for way in argument.split(SEPARATOR)]
    one = brief.projection.sessions[0]
    return Done(notes=(Note(host=one.host, session_id=one.session_id, text=SEPARATOR.join(told)),))


def tried(how: str, what: str = "") -> str:
    try:
        return WAYS_OUT[how](what) or "done"
    except OSError as error:
        return errno.errorcode[error.errno or 0]


def _connect(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> None:
    with socket.socket(family, kind) as one:
        one.settimeout(5)
        one.connect(address)


def _bind(port: str) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", int(port)))


def _trace(pid: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.ptrace(16, int(pid), None, None) < 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "ptrace")


def _ring(_: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(425, 8, ctypes.create_string_buffer(256)) < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")


def _io_priority(which: int, pid: str) -> None:
    library, number = ctypes.CDLL(None, use_errno=True), 251 if os.uname().machine == "x86_64" else 30
    if library.syscall(number, which, int(pid), 2 << 13 | 7) < 0:  # the lowest of best effort
        raise OSError(ctypes.get_errno(), "ioprio_set")


def _mode_of_open(path: str) -> None:
    with open(path, "rb") as file:
        os.fchmod(file.fileno(), 0o777)


def _privileges(_: str) -> str:
    return "done" if "NoNewPrivs:\t0" in Path("/proc/self/status").read_text() else "EPERM"


WAYS_OUT: dict[str, Callable[[str], Any]] = {
    "write": lambda path: Path(path).write_text("written by the agent") and None,
    "append": lambda path: os.close(os.open(path, os.O_WRONLY | os.O_APPEND)),
    "truncate": lambda path: os.truncate(path, 0),
    "remove": os.unlink,
    "link": lambda path: os.link(path, f"linked-{Path(path).name}"),
    "read": lambda path: Path(path).read_bytes() and None,
    "list": lambda path: os.listdir(path) and None,
    "run": lambda path: subprocess.run([path], check=True) and None,
    "connect": lambda port: _connect(socket.AF_INET, ("127.0.0.1", int(port))),
    "unix": lambda path: _connect(socket.AF_UNIX, path),
    "abstract": lambda name: _connect(socket.AF_UNIX, "\0" + name),
    "bind": _bind,
    "signal": lambda pid: os.kill(int(pid), signal.SIGUSR1),
    "trace": _trace,
    "limit": lambda pid: resource.prlimit(int(pid), resource.RLIMIT_NOFILE, (5, 5)) and None,
    "nice": lambda pid: os.setpriority(os.PRIO_PROCESS, int(pid), 10),
    "nice_user": lambda uid: os.setpriority(os.PRIO_USER, int(uid), os.getpriority(os.PRIO_PROCESS, 0)),
    "processors": lambda pid: os.sched_setaffinity(int(pid), {min(os.sched_getaffinity(0))}),
    "scheduler": lambda pid: os.sched_setscheduler(int(pid), os.SCHED_BATCH, os.sched_param(0)),
    "parameters": lambda pid: os.sched_setparam(int(pid), os.sched_param(0)),
    "io": lambda pid: _io_priority(1, pid),
    "io_user": lambda uid: _io_priority(3, uid),
    "mode": lambda path: os.chmod(path, 0o777),
    "open_mode": _mode_of_open,
    "times": lambda path: os.utime(path, (0, 0)),
    "owner": lambda path: os.chown(path, os.getuid(), os.getgid()),
    "attribute": lambda path: os.setxattr(path, "user.agent", b"was here"),
    "ring": _ring,
    "privileges": _privileges,
}

_ACTS = (
    each_prompt, asks, as_told, fault, raises, exits, killed, call_that_hangs, deaf_loop, prints, endless_line,
    endless_lines, endless_errors, not_paid_for, tries, grandchild, grandchild_and_hang, memory, forks,
)  # fmt: skip
ACTS: dict[str, Act] = {act.__name__: act for act in _ACTS}


def load(kind: str) -> Work:
    async def work(brief: Brief, purse: Purse, comparing: Comparing = incomparable) -> Done:
        name, _, argument = brief.settings.model.partition(" ")
        if name == "compares":
            return await compares(brief, comparing)
        return await ACTS[name](brief, purse, argument)

    return work


if __name__ == "__main__":
    if sys.argv[1].startswith("--landlock="):  # as a kernel of that version; 0: without
        landlock.abi = lambda: int(sys.argv[1].partition("=")[2])
    main(load)
