"""A memory tool as the bench drives it: one document written, one question asked, killed, started again."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any, ClassVar

from support.installation import until

from bench.process import tree, weighed

READY_SECONDS, SETTLED_SECONDS = 90.0, 1800.0
REST_SECONDS, RESTED_CPU = 3.0, 0.1  #: the CPU seconds that still count as rest in that time


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One message of a conversation. `key` is unique and usable as a file name."""

    key: str
    session: str
    role: str
    text: str
    at: datetime


@dataclass(slots=True)
class Tool(ABC):
    """One tool on a home of its own."""

    name: ClassVar[str]
    version: ClassVar[str]
    through: ClassVar[str]  #: the interface that is measured
    more: ClassVar[str]  #: what it does that memoryd does not, or does otherwise

    home: Path
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @abstractmethod
    def start(self) -> None:
        """Return when it answers."""

    @abstractmethod
    def write(self, document: Document) -> None:
        """Return when it says that it has it."""

    @abstractmethod
    def search(self, query: str, limit: int) -> Sequence[str]:
        """Keys of documents, the best first."""

    @abstractmethod
    def count(self) -> int:
        """Documents that it can read."""

    def hook(self) -> tuple[Sequence[str], Mapping[str, str]] | None:
        """What a host runs when a person has said something, and its environment; stdin is Claude Code's."""
        return None

    def settle(self) -> None:
        """Wait until all its processes rest: what it does after a write is done."""
        until_rest(self.pid)

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def env(self) -> dict[str, str]:
        found = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1"}
        return found | {"DO_NOT_TRACK": "1"}

    def spawn(
        self,
        argv: Sequence[str],
        more: Mapping[str, str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int | None = None,
    ) -> "subprocess.Popen[bytes]":
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                argv,
                env={**self.env, **more},
                cwd=self.home,
                stderr=log,
                start_new_session=True,
                stdin=stdin,
                stdout=log if stdout is None else stdout,
            )
        return self.process

    def kill(self) -> None:
        """SIGKILL to it and its children, at once."""
        for pid in tree(self.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def log(self) -> str:
        return "\n".join((self.home / "log").read_text(errors="replace").splitlines()[-20:])


def until_rest(pid: int) -> None:
    """:raises RuntimeError: it works for longer than `SETTLED_SECONDS`"""
    limit = monotonic() + SETTLED_SECONDS
    used = weighed(pid).cpu
    while monotonic() < limit:
        sleep(REST_SECONDS)
        before, used = used, weighed(pid).cpu
        if used - before < RESTED_CPU:
            return
    raise RuntimeError(f"it still works after {SETTLED_SECONDS:g} s")


class Web:
    """JSON over one HTTP connection that is kept."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        return json.loads(self.exchange(method, path, body, headers or {})[0])

    def exchange(self, method: str, path: str, body: object, headers: Mapping[str, str]) -> tuple[bytes, str]:
        """The body, and the session that the server names.

        :raises OSError: there is no server, or it refuses
        """
        sent = None if body is None else json.dumps(body)
        asked = (method, path, sent, {"Content-Type": "application/json", **headers})
        try:
            self._connection.request(*asked)
            answer = self._connection.getresponse()
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):  # it was idle for too long
            self._connection.close()
            self._connection.request(*asked)
            answer = self._connection.getresponse()
        told = answer.read()
        if answer.status >= 400:
            raise OSError(f"{path} answers {answer.status}: {told[:200].decode(errors='replace')}")
        return told, answer.getheader("mcp-session-id", "")

    def close(self) -> None:
        self._connection.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(tool: Tool, web: Web, path: str) -> None:
    """Wait until a server answers."""

    def asked() -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            web.exchange("GET", path, None, {})
            return True
        web.close()
        return False

    until(asked, seconds=READY_SECONDS, what=tool.log)


@contextlib.contextmanager
def running(tool: Tool) -> Iterator[Tool]:
    tool.home.mkdir(exist_ok=True)
    tool.start()
    try:
        yield tool
    finally:
        tool.kill()


def syncs(tool: Tool, documents: Sequence[Document]) -> float | None:
    """How often a write waits for the disk, all processes together; None: strace cannot be had."""
    if (strace := shutil.which("strace")) is None:
        return None
    told = tool.home / "syncs"
    attached = [argument for pid in tree(tool.pid) for argument in ("-p", str(pid))]
    argv = [strace, "-f", "-o", str(told), "-e", "trace=fsync,fdatasync,msync,sync_file_range", *attached]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as tracer:
        assert tracer.stderr is not None
        if b"attached" not in tracer.stderr.readline():
            return None
        for document in documents:
            tool.write(document)
        tracer.send_signal(signal.SIGINT)
    return sum("resumed" not in line and "sync" in line for line in told.read_text().splitlines()) / len(documents)
