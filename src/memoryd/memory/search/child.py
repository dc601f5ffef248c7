"""A child process that answers one JSON line with one; started at its first question, ended when it is not needed."""

import json
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

from memoryd.clock import mono
from memoryd.memory.search.port import Damaged, Unavailable

_SENT = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)  #: from outside: nothing that it read is at fault
END_SECONDS = 2.0  #: for a child to end by itself when its input ends


class Child:
    """One question at a time; a child that died, or took too long and was killed, is started again by the next."""

    def __init__(self, module: str, arguments: Sequence[str], *, seconds: float) -> None:
        self._argv = [sys.executable, "-I", "-m", module, *arguments]
        self._seconds = seconds  #: for an answer
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._asked_mono = 0.0  #: when it was last of use

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Blocking.

        :raises Damaged: the child says so, or died of what it read
        :raises Unavailable: it cannot be started, failed, was killed, or took too long
        """
        with self._lock:
            answer = self._answer(question)
            self._asked_mono = mono()
        if "error" in answer:
            raise (Damaged if answer["damaged"] else Unavailable)(answer["error"])
        return answer

    def rest(self, *, idle_seconds: float) -> None:
        """Let it end, if nobody asked it anything for that long."""
        if self._process is None or not self._lock.acquire(blocking=False):
            return
        try:
            if mono() - self._asked_mono >= idle_seconds:
                self._end()
        finally:
            self._lock.release()

    def end(self) -> None:
        """Let it end; one that is at work is given a moment, then killed. What it had not committed is lost."""
        if not self._lock.acquire(timeout=END_SECONDS) and (process := self._process) is not None:
            process.kill()
            self._lock.acquire()
        try:
            self._end()
        finally:
            self._lock.release()

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            process = self._process or self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            line = _line(process.stdout, self._seconds)
        except OSError as error:
            self._end()
            raise Unavailable(f"the search process failed: {error}") from error
        if line is None:
            self._kill()
            raise Unavailable(f"the search process gave no answer within {self._seconds:g} s")
        if not line.endswith(b"\n"):
            status = self._end()
            ended = f"the search process ended with status {status}"
            raise (Unavailable if status in _SENT else Damaged)(ended)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        # A group of its own: Ctrl-C at a terminal is for the daemon, which ends its children.
        self._process = subprocess.Popen(
            self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, process_group=0
        )
        return self._process

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self._end()

    def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        for pipe in (process.stdin, process.stdout):
            _close(pipe)
        try:
            return process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _line(pipe: IO[bytes], seconds: float) -> bytes | None:
    """The next line, without its end when the pipe ended; None when the time was over."""
    deadline_mono = mono() + seconds
    parts: list[bytes] = []
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while not parts or not parts[-1].endswith(b"\n"):
        if not poll.poll(max(0.0, deadline_mono - mono()) * 1000):
            return None
        parts.append(pipe.read1(1 << 20))  # type: ignore[attr-defined]
        if not parts[-1]:
            break
    return b"".join(parts)


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:  # what was not read by a child that is gone
        pass
