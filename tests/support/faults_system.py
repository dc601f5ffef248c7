"""The system under a daemon: what its calls do is said here, before it starts and while it runs.

A library in C is preloaded into the daemon alone (not into its children); both sides map a block of numbers.
"""

import functools
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_suffix(".c")
_FIELDS = (
    "calls", "kill_at", "short_permil", "again_permil", "sync_delay_us", "clock_shift_s", "seed",
    "shortened", "interrupted", "delayed",
)  # fmt: skip
_LAST_BYTES = 256


class System:
    """The numbers of the block: what they mean stands beside them in the source."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "system"
        self._path.write_bytes(bytes(8 * len(_FIELDS) + _LAST_BYTES))
        with self._path.open("r+b") as file:
            self._block = mmap.mmap(file.fileno(), 0)
        self._library = _library()

    @property
    def under(self) -> list[str]:
        """What goes before the command of a process that is to stand on this system."""
        return ["env", f"LD_PRELOAD={self._library}", f"FAULTS_BLOCK={self._path}"]

    def set(self, **numbers: int) -> None:
        for name, number in numbers.items():
            struct.pack_into("q", self._block, 8 * _FIELDS.index(name), number)

    def get(self, name: str) -> int:
        return int(struct.unpack_from("q", self._block, 8 * _FIELDS.index(name))[0])

    @property
    def last(self) -> str:
        """The call that ended the process, and its file."""
        return self._block[8 * len(_FIELDS) :].rstrip(b"\0").decode(errors="replace")

    def forget(self) -> None:
        """All numbers are 0 again."""
        self._block[:] = bytes(len(self._block))


def system(folder: Path) -> System:
    """Skips the test, with the reason, where there is none."""
    if sys.platform != "linux":
        pytest.skip("the library that is preloaded is written for Linux")
    if shutil.which("gcc") is None:
        pytest.skip("gcc compiles the library that is preloaded, and it is not installed")
    return System(folder)


@functools.cache
def _library() -> Path:
    """Compiled once a process; the folder is removed with it."""
    folder = tempfile.TemporaryDirectory(prefix="faults-")
    _KEPT.append(folder)
    library = Path(folder.name) / "system.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-o", os.fspath(library), os.fspath(_SOURCE), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return library


_KEPT: list["tempfile.TemporaryDirectory[str]"] = []
