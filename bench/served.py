"""The real daemon as a child process on a home of its own."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, sleep

from bench.ground import Ground
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places

READY_SECONDS = 60.0
_HEALTH = b'{"jsonrpc":"2.0","id":1,"method":"daemon.health","params":{}}\n'
_ANSWERED = b'{"jsonrpc":"2.0","id":1,"result":'


@dataclass(slots=True)
class Served:
    """`python -m memoryd serve`; `settings` are configuration variables, e.g. `CONSOLIDATION__INTERVAL_TURNS`."""

    ground: Ground
    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def env(self) -> dict[str, str]:
        own = {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home / "run")}
        return self.ground.env | own | {f"MEMORYD_{name}": value for name, value in self.settings.items()}

    @property
    def places(self) -> Places:
        return placing.find(self.env)

    @property
    def database(self) -> Path:
        return self.places.data / "state.db"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> float:
        """Spawn, and wait until `daemon.health` answers; returns the seconds. :raises RuntimeError: it does not"""
        log = self.home / "log"
        with log.open("ab") as stream:
            began = perf_counter()
            self.process = subprocess.Popen(
                [self.ground.python, "-m", "memoryd", "serve"], env=self.env, stdin=subprocess.DEVNULL,
                stdout=stream, stderr=stream, start_new_session=True,
            )  # fmt: skip
        while not self._healthy():
            if self.process.poll() is not None or perf_counter() - began > READY_SECONDS:
                raise RuntimeError(f"the daemon does not get ready:\n{log.read_text(errors='replace')[-2000:]}")
            sleep(0.001)
        return perf_counter() - began

    def _healthy(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(READY_SECONDS)
            connection.connect(os.fspath(self.places.socket))
            connection.sendall(_HEALTH)
            return connection.recv(65536).startswith(_ANSWERED)
        return False

    def stop(self) -> None:
        """SIGTERM, SIGKILL when that does not end it; reaped on return."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_idle(self, seconds: float = 60.0) -> None:
        """Until no job waits or runs. :raises TimeoutError: they still do"""
        limit = perf_counter() + seconds
        with Client(self.places.socket) as client:
            while perf_counter() < limit:
                stats = client.call("worker.stats")
                if not stats.queued and not stats.running:
                    return
                sleep(0.1)
        raise TimeoutError("jobs do not end")


@contextlib.contextmanager
def serving(ground: Ground, name: str, **settings: str) -> Iterator[Served]:
    """A daemon that is ready, and is ended whatever happens."""
    one = Served(ground, ground.room(name), settings)
    try:
        one.start()
        yield one
    finally:
        one.stop()
