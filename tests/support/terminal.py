"""A program in a terminal of its own, 160 columns wide: what it shows is read as a person reads it."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

ROWS, COLUMNS = 50, 160
ENTER, DOWN, ESCAPE = "\r", "\x1b[B", "\x1b"
_LOOK_SECONDS = 0.05
_UNKNOWN = re.compile(rb"\x1b\[[<=>][0-9;:]*[A-Za-z]|\x1b\[\?[0-9;]*(u|\$[a-z])")  #: that the emulator stumbles over
_UNFINISHED = re.compile(rb"\x1b(\[[<=>?0-9;:]*)?\Z")


class NotShown(AssertionError):
    """What was waited for did not come; the text holds the screen."""


class _Screen(pyte.Screen):
    """Answers what programs ask a terminal."""

    def __init__(self, answer: Callable[[bytes], object]) -> None:
        super().__init__(COLUMNS, ROWS)
        self._answer = answer

    def report_device_status(self, mode: int, private: bool = False) -> None:
        """Also in its private form, which the emulator does not know."""
        super().report_device_status(mode)

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)

    def write_process_input(self, text: str) -> None:
        self._answer(text.encode())


class Terminal:
    """Closes its program when the block ends, whatever happened."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.program = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env={**env, "TERM": "xterm-256color"},
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(theirs)
        self._screen = _Screen(lambda answer: os.write(self._ours, answer))
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""
        self.seen = ""  #: every screen that was looked at

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.program.poll() is None:
            os.killpg(self.program.pid, signal.SIGKILL)
            self.program.wait()
        os.close(self._ours)

    @property
    def shown(self) -> str:
        return "\n".join(row.rstrip() for row in self._screen.display if row.strip())

    def type(self, text: str) -> None:
        """Type a text, and let it arrive: programs take what comes at once with a line end for pasted."""
        os.write(self._ours, text.encode())
        self._look(0.3)

    def say(self, text: str) -> None:
        self.type(text)
        self.type(ENTER)

    def choose(self, wanted: str) -> None:
        """Go down a menu to a choice and take it."""
        self.wait_for(wanted)
        self.settle()
        for _ in range(9):
            if re.search(rf"[❯›>●→].*{wanted}", self.shown):
                return self.type(ENTER)
            self.type(DOWN)
        raise NotShown(f"cannot choose {wanted!r}:\n{self.shown}")

    def settle(self) -> None:
        """Wait until nothing is drawn any more: what is typed before a screen is ready is lost."""
        end = time.monotonic() + 5.0
        while self._look(0.4) and time.monotonic() < end:
            pass

    def wait_for(self, wanted: str, *, seconds: float = 30.0) -> None:
        """Wait until a pattern stands on the screen."""
        self.wait_until(lambda: re.search(wanted, self.shown, re.MULTILINE), f"screen with {wanted!r}", seconds=seconds)

    def wait_until(self, holds: Callable[[], Any], what: str, *, seconds: float = 30.0) -> None:
        """:raises NotShown: with the screen as it is"""
        end = time.monotonic() + seconds
        while not holds():
            over = self.program.poll() is not None
            if (not self._look(_LOOK_SECONDS) and over and not holds()) or time.monotonic() > end:
                raise NotShown(f"no {what} (exit status {self.program.poll()}):\n{self.shown}")

    def wait_for_end(self, *, seconds: float = 20.0) -> int:
        self.wait_until(lambda: self.program.poll() is not None, "end of the program", seconds=seconds)
        return self.program.wait()

    def _look(self, seconds: float) -> bool:
        """Take in what is written for so long; whether there was anything."""
        end, any_ = time.monotonic() + seconds, False
        while select.select([self._ours], [], [], max(0.0, end - time.monotonic()))[0]:
            with contextlib.suppress(OSError):  # EIO: the program has closed its side
                if written := os.read(self._ours, 65536):
                    self._feed(written)
                    any_ = True
                    continue
            break
        if any_:
            self.seen += f"{self.shown}\n"
        return any_

    def _feed(self, written: bytes) -> None:
        written = _UNKNOWN.sub(b"", self._rest + written)
        cut = _UNFINISHED.search(written)
        self._rest = cut.group() if cut else b""
        self._stream.feed(written[: len(written) - len(self._rest)])


def _own_terminal() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
