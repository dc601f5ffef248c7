"""Where a run stands: interpreter, file system, profile; a temporary folder on a real disk."""

import contextlib
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_MEMORY_FILE_SYSTEMS = {"tmpfs", "ramfs"}
_CANDIDATES = ("/var/tmp", "/tmp")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One run. `folder` is empty at the start and short enough for a socket path."""

    folder: Path
    quick: bool

    def pick(self, *, quick: T, full: T) -> T:
        return quick if self.quick else full

    def room(self, name: str) -> Path:
        """A new folder."""
        path = self.folder / name
        path.mkdir()
        return path

    @property
    def python(self) -> str:
        """The interpreter that runs the daemon: the one of this virtual environment."""
        return sys.executable

    @property
    def bare_python(self) -> str:
        """The same without the virtual environment and without a shim on PATH."""
        return os.path.realpath(sys.executable)

    @property
    def env(self) -> dict[str, str]:
        """For children: nothing of this process. PYTHONDONTWRITEBYTECODE would make each start compile."""
        return {"PATH": os.defpath, "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def describe(self) -> str:
        """The machine in one paragraph, without names and paths."""
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        return (
            f"{os.cpu_count()} CPUs, load {load}; {platform.system()} {platform.release().split('-')[0]}, "
            f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
            f"{file_system(self.folder) or 'unknown file system'}; {'quick' if self.quick else 'full'} profile"
        )


@contextlib.contextmanager
def prepared(*, quick: bool) -> Iterator[Ground]:
    """A ground whose folder is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="mdb-", dir=_disk()) as folder:
        yield Ground(folder=Path(folder), quick=quick)


def _disk() -> str:
    fits = (c for c in _CANDIDATES if os.access(c, os.W_OK) and file_system(Path(c)) not in _MEMORY_FILE_SYSTEMS)
    return next(fits, tempfile.gettempdir())


def file_system(path: Path) -> str:
    """The kind of file system that holds `path`; '' where the platform has no mount table in /proc."""
    best, kind = -1, ""
    with contextlib.suppress(OSError):
        for row in Path("/proc/self/mounts").read_text().splitlines():
            _, point, found, *_ = row.split()
            if path.resolve().is_relative_to(point) and len(Path(point).parts) >= best:
                best, kind = len(Path(point).parts), found
    return kind
