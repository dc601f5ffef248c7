"""One daemon a data directory: a lock held for life. A stale pid file or socket can block nothing."""

import contextlib
import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path

from memoryd import fsio
from memoryd.clock import mono
from memoryd.daemon import mounts
from memoryd.errors import Busy, CannotWrite, ConfigError

_LOOK_SECONDS = 0.005  #: between two looks whether the lock is free
_LOOKS = 5  #: before a lock counts as held


@dataclass(slots=True)
class DataLock:
    """The flock on `<data>/lock`. The kernel drops it with the process, however that ends."""

    path: Path
    fd: int

    @classmethod
    def take(cls, data: Path) -> "DataLock":
        """Make the data directory (0700) if need be and lock it.

        :raises Busy: another daemon holds it; the sentence names its pid
        :raises ConfigError: a network file system (locks and WAL do not hold there), or not ours
        :raises CannotWrite: the directory cannot be made
        """
        _prepare(data)
        path = data / "lock"
        with fsio.translated("open", None, path):
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _lock(fd)
        except BlockingIOError as error:
            pid = os.pread(fd, 20, 0).decode(errors="replace").strip()
            os.close(fd)
            raise Busy(
                f"memoryd runs already with pid {pid or 'unknown'} on {data}; `memoryd status` shows it"
            ) from error
        line = f"{os.getpid()}\n".encode()
        os.pwrite(fd, line, 0)  # the line first, then its end: a reader always meets a whole number
        os.ftruncate(fd, len(line))
        return cls(path, fd)

    def release(self) -> None:
        os.close(self.fd)


def _lock(fd: int) -> None:
    """:raises BlockingIOError: somebody holds it, longer than `holder` does to look"""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        time.sleep(_LOOK_SECONDS)
    return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holder(data: Path) -> int | None:
    """The pid of the daemon that holds the lock of this data directory, None when nobody does."""
    try:
        fd = os.open(data / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid(fd)
    finally:
        os.close(fd)
    return None


def await_free(data: Path, *, seconds: float) -> None:
    """Wait until no daemon holds this data directory. Blocking.

    :raises Busy: one holds it still
    """
    limit = mono() + seconds
    while (pid := holder(data)) is not None:
        if mono() > limit:
            raise Busy(f"the daemon, pid {pid or 'unknown'}, does not end; `kill -KILL {pid or 'PID'}` loses nothing")
        time.sleep(_LOOK_SECONDS)


def _prepare(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = data.stat()
    except OSError as error:
        raise CannotWrite(f"cannot make {data}: {error.strerror}; set XDG_DATA_HOME to a writable place") from error
    if status.st_uid != os.getuid():
        raise ConfigError(f"{data} belongs to uid {status.st_uid}, this is uid {os.getuid()}; choose another data_dir")
    if status.st_mode & 0o077:
        data.chmod(0o700)
    kind = mounts.network_kind(data)
    if kind is not None:
        raise ConfigError(f"{data} is on a network file system ({kind}); set [daemon] data_dir to a local disk")


def _pid(fd: int) -> int:
    """The pid in the first line, 0 when there is none."""
    first = os.pread(fd, 20, 0).decode(errors="replace").partition("\n")[0]
    return int(first) if first.isdigit() else 0
