"""A daemon as a real child process on a home of its own: started, killed, frozen, stopped; its database and its log."""

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.clock import mono
from memoryd.errors import NotFound
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places

READY_SECONDS = 30.0  #: no start may take longer; the tests that measure assert less
STOP_SECONDS = 30.0
_TURN = threading.Event()  #: never set: waiting for it lets other threads run


class EndedAtItsStart(AssertionError):
    """The daemon ended before it was ready."""


@dataclass(slots=True)
class Installation:
    """One HOME. `settings` are configuration variables, e.g. `CONSOLIDATION__INTERVAL_TURNS`."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)
    data_home: Path | None = None  #: XDG_DATA_HOME, e.g. on a mount
    process: "subprocess.Popen[bytes] | None" = None
    _notices: socket.socket | None = None

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the daemon: nothing of this process but PATH."""
        found = {"HOME": str(self.home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(self.home / "run")}
        if self.data_home is not None:
            found["XDG_DATA_HOME"] = str(self.data_home)
        return found | {f"MEMORYD_{name}": value for name, value in self.settings.items()}

    @property
    def places(self) -> Places:
        return placing.find(self.env)

    @property
    def database(self) -> Path:
        return self.places.data / "state.db"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def spawn(
        self, *, under: Sequence[str] = (), notice: str = "notify", log: str = "log"
    ) -> "subprocess.Popen[bytes]":
        """Start `serve` as the leader of a session of its own; `under` goes before the command."""
        self.home.mkdir(exist_ok=True)
        address = self.home / notice
        address.unlink(missing_ok=True)
        if self._notices is not None:
            self._notices.close()
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(os.fspath(address))
        command = [*under, sys.executable, "-m", "memoryd", "serve"]
        with (self.home / log).open("ab") as out:
            self.process = subprocess.Popen(
                command, env={**self.env, "NOTIFY_SOCKET": os.fspath(address)}, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip
        return self.process

    def start(self, *, under: Sequence[str] = ()) -> float:
        """Spawn and wait until the daemon says that it is ready; returns the seconds."""
        began = mono()
        process = self.spawn(under=under)
        assert self._notices is not None
        self._notices.settimeout(0.05)
        while mono() - began < READY_SECONDS:
            with contextlib.suppress(TimeoutError):
                if b"READY=1" in self._notices.recv(4096):
                    return mono() - began
            if process.poll() is not None:
                raise EndedAtItsStart(f"the daemon ended with {process.returncode} at its start:\n{self.tail()}")
        raise AssertionError(f"not ready within {READY_SECONDS} s:\n{self.tail()}")

    def kill(self) -> None:
        """SIGKILL, reaped on return."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> int:
        """SIGTERM; returns the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        assert self.process is not None
        return self.process.wait(STOP_SECONDS)

    def client(self) -> Client:
        return Client(self.places.socket)

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        with self.client() as client:
            return client.call(method, params, timeout=20)

    def idle(self, *, seconds: float = 60.0) -> None:
        """Wait until nothing waits, runs or is put off; what is put off after a fault runs at once."""
        with self.client() as client:

            def done() -> bool:
                stats = client.call("worker.stats", timeout=20)
                if stats.queued:
                    self.run_deferred(client)
                return not stats.queued and not stats.running

            until(done, seconds=seconds, what=lambda: f"idle: {client.call('job.list', timeout=20)}\n{self.tail()}")

    @staticmethod
    def run_deferred(client: Client) -> None:
        """What is put off after a fault runs at once, as when a person asks for it."""
        for job in client.call("job.list", timeout=20).items:
            if job.state == "deferred":
                with contextlib.suppress(NotFound):  # it runs by now
                    client.call("job.retry", {"id": job.id}, timeout=20)

    def tail(self, lines: int = 40) -> str:
        with contextlib.suppress(FileNotFoundError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return ""

    def forget_log(self) -> None:
        """What was logged so far is what the fault itself must lead to."""
        os.truncate(self.log, 0)

    def complaints(self) -> list[str]:
        """Lines of the log that a daemon in good health does not write."""
        text = self.log.read_text(errors="replace")
        return [line for line in text.splitlines() if "[error" in line or line.startswith("Traceback")]


@contextlib.contextmanager
def installed(home: Path, *, data_home: Path | None = None, **settings: str) -> Iterator[Installation]:
    """An installation whose daemon is ended whatever happens."""
    one = Installation(home, settings, data_home)
    try:
        yield one
    finally:
        if one.process is not None and one.process.poll() is None:
            one.kill()
        if one._notices is not None:
            one._notices.close()


@contextlib.contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection; it never checkpoints."""
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=20)
    try:
        yield connection
    finally:
        connection.close()


def rows(connection: sqlite3.Connection, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """All rows at once: a statement that is left open would hold a read transaction."""
    return connection.execute(sql, parameters).fetchall()


def until(condition: Callable[[], Any], *, seconds: float = 20.0, what: Callable[[], str] = lambda: "") -> Any:
    """Look again and again, bounded; returns the condition's value."""
    limit = mono() + seconds
    while not (value := condition()):
        if mono() > limit:
            raise AssertionError(f"not within {seconds} s: {what()}")
        _TURN.wait(0.002)
    return value


def pause(seconds: float) -> None:
    """Let a random time pass: to choose a moment, never to wait for something."""
    _TURN.wait(seconds)


def session_members(session: int) -> list[int]:
    """Pids of the processes of a session, without those that only wait to be reaped."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                state, _, _, sid = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[:4]
                if int(sid) == session and state != "Z":
                    found.append(int(entry.name))
    return found
