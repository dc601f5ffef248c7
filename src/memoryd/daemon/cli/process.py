"""Start and stop without a service manager. The data lock says who runs; nothing else is believed."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from memoryd import fsio
from memoryd.clock import mono
from memoryd.daemon.lock import holder
from memoryd.errors import Busy, CannotWrite, MemorydError, NoDaemon
from memoryd.ipc.client import Client
from memoryd.ipc.methods.daemon import Health
from memoryd.ipc.places import Places

START_SECONDS = 10.0
SUCCEED_SECONDS = 60.0  #: a successor waits for the running job of the daemon before
STOP_SECONDS = 20.0  #: a running job has 10 s to put itself back
MAX_LOG_BYTES = 5_000_000  #: a longer log becomes `daemon.log.1` at the next start
LOG_LINES = 12  #: shown when the daemon does not come up
_FORGOTTEN = ("PYTHONDONTWRITEBYTECODE", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID")


def health(places: Places, *, timeout: float = 5.0) -> Health:
    """:raises NoDaemon: nobody listens :raises Busy: no answer in time"""
    with Client(places.socket) as client:
        found: Health = client.call("daemon.health", timeout=timeout)
        return found


def start(places: Places) -> tuple[Health, bool]:
    """Have a daemon that answers; True when this call started it.

    Of many callers one starts it, the others wait for that one.

    :raises NoDaemon: it did not come up; the sentence ends with the last lines of its log
    :raises Busy: another caller does not get it up
    """
    with _only_one(places, mono() + 2 * START_SECONDS):
        try:
            return health(places, timeout=2.0), False
        except NoDaemon:
            pass
        log = places.data / "daemon.log"
        child, seen = _spawn(log)
        return _wait_until_up(places, child, mono() + START_SECONDS, lambda: _tail(log, seen)), True


def restart(places: Places) -> Health:
    """Have a new daemon in place of the one that runs: who connects meanwhile waits for it.

    Of many callers one does it, the others find it done. The one before goes on when the new one cannot start.

    :raises NoDaemon: it did not come up; the sentence says whether the one before goes on
    :raises PathRefused, CannotWrite: it could not listen or write its log; the one before goes on
    :raises Busy: another caller does not get it up, or the one before does not end
    """
    before = holder(places.data)
    with _only_one(places, mono() + SUCCEED_SECONDS):
        if before != holder(places.data):
            with suppress(MemorydError):
                return health(places)
        if not _answers(places):
            _end(places)
        log = places.data / "daemon.log"
        child, seen = _spawn(log, "--take-over")
        return _wait_until_succeeded(places, child, lambda: _tail(log, seen))


def check() -> None:
    """Have this program try whether it could start, beside the daemon that runs.

    :raises NoDaemon: it could not; the sentence says why
    """
    done = subprocess.run(_command("--check"), capture_output=True, text=True, env=_environment(), check=False)
    if done.returncode:
        said = done.stderr.strip().removeprefix("memoryd: ")
        raise NoDaemon(f"this memoryd could not start, so the one that runs goes on: {said}")


def _end(places: Places) -> None:
    """End a daemon that does not answer, or listens elsewhere: what can fail after that is tried before.

    One that no signal ends in time is killed: what was acknowledged is in the journal.
    """
    from memoryd.ipc import server  # only who restarts pays for it

    server.rehearse(places.socket)
    check()
    _open_log(places.data / "daemon.log").close()
    try:
        stop(places)
    except Busy:
        pid = holder(places.data)
        if not pid:
            raise
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if not _wait(lambda: holder(places.data) != pid, mono() + STOP_SECONDS):
            raise


def _answers(places: Places) -> bool:
    try:
        health(places, timeout=2.0)
    except MemorydError:
        return False
    return True


@contextmanager
def _only_one(places: Places, deadline_mono: float) -> Iterator[None]:
    fsio.make_dirs(places.data)
    path = places.data / "starting"
    with fsio.translated("open", None, str(path)):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not _wait(lambda: _try_lock(fd), deadline_mono):
            raise Busy("another `memoryd start` is still at it; see `memoryd status`")
        yield
    finally:
        os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _command(*options: str) -> list[str]:
    return [sys.executable, "-P", "-m", "memoryd", "serve", *options]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _FORGOTTEN}


def _spawn(log: Path, *options: str) -> tuple["subprocess.Popen[bytes]", int]:
    """The daemon in a session of its own; also where its part of the log begins."""
    with _open_log(log) as out:
        seen = out.seek(0, os.SEEK_END)
        child = subprocess.Popen(
            _command(*options), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, cwd="/",
            env=_environment(),
        )  # fmt: skip
    return child, seen


def _open_log(log: Path) -> BinaryIO:
    """:raises CannotWrite: it is not ours to write"""
    try:
        if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise CannotWrite(f"cannot write {log}: {error.strerror}; correct its owner or its mode") from error
    return os.fdopen(fd, "ab")


def _wait_until_up(
    places: Places, child: "subprocess.Popen[bytes]", deadline_mono: float, tail: Callable[[], str]
) -> Health:
    found: list[Health] = []

    def answers() -> bool:
        try:
            found.append(health(places, timeout=1.0))
        except MemorydError:
            return child.poll() is not None and holder(places.data) is None
        return True

    _wait(answers, deadline_mono)
    ended = "does not answer" if child.poll() is None else f"ended with status {child.returncode}"
    child.returncode = 0  # it is meant to outlive us; Popen warns of children that do
    if found:
        return found[0]
    raise NoDaemon(f"memoryd was started and {ended}; its log {places.data / 'daemon.log'} says:\n{tail()}")


def _wait_until_succeeded(places: Places, child: "subprocess.Popen[bytes]", tail: Callable[[], str]) -> Health:
    found: list[Health] = []

    def settled() -> bool:
        if child.poll() is not None:
            return True
        with suppress(MemorydError):
            found[:] = [health(places, timeout=1.0)]
        return bool(found) and found[0].pid == child.pid

    _wait(settled, mono() + SUCCEED_SECONDS)
    ended = "does not answer" if child.poll() is None else f"ended with status {child.returncode}"
    child.returncode = 0  # as above
    if found and found[0].pid == child.pid:
        return found[0]
    pid = holder(places.data)
    now = "no daemon runs" if pid is None else f"the one before, pid {pid}, goes on"
    raise NoDaemon(f"the new memoryd {ended}, {now}; its log {places.data / 'daemon.log'} says:\n{tail()}")


def _tail(log: Path, seen: int) -> str:
    with log.open("rb") as file:
        file.seek(seen)
        rows = file.read().decode("utf-8", "replace").splitlines()
    return "\n".join(f"  {row}" for row in rows[-LOG_LINES:]) or "  (nothing)"


def stop(places: Places) -> int | None:
    """Stop the daemon and return its pid once its data is free; None when none ran.

    :raises Busy: it does not end
    """
    pid = holder(places.data)
    if pid is None:
        return None
    asked = _asked_to_stop(places)
    gone = asked and _wait(lambda: holder(places.data) != pid, mono() + STOP_SECONDS)
    if not gone and pid and holder(places.data) == pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGCONT)  # one that was halted would end when it goes on, whoever waits by then
        gone = _wait(lambda: holder(places.data) != pid, mono() + STOP_SECONDS)
    if not gone and holder(places.data) == pid:
        raise Busy(f"the daemon, pid {pid or 'unknown'}, does not end; `kill -KILL {pid or 'PID'}` loses nothing")
    return pid


def _asked_to_stop(places: Places) -> bool:
    try:
        with Client(places.socket) as client:
            client.call("daemon.shutdown", timeout=5.0)
    except MemorydError:
        return False
    return True


def _wait(done: Callable[[], bool], deadline_mono: float) -> bool:
    """Look with growing pauses, 10 ms to 200 ms, until it is done or time is up."""
    pause = 0.01
    while not done():
        if mono() >= deadline_mono:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
    return True
