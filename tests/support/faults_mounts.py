"""File systems of a test's own: an ext4 on a loop file that can lose its power, and small ones that can be filled."""

import contextlib
import fcntl
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

_EXT4_IOC_SHUTDOWN = 2 << 30 | 4 << 16 | ord("X") << 8 | 125  #: _IOR('X', 125, __u32)
_NOLOGFLUSH = 2  #: what is not on the disk yet is gone, the log included


class Ext4:
    """An ext4 of its own on a file."""

    def __init__(self, folder: Path, megabytes: int, *, options: str = "", inodes: int | None = None) -> None:
        self.image, self.point, self._options = folder / "disk.img", folder / "disk", options
        self.point.mkdir()
        with self.image.open("wb") as image:
            image.truncate(megabytes << 20)
        _do("mkfs.ext4", "-q", "-F", *(["-N", str(inodes)] if inodes else []), os.fspath(self.image))

    def mount(self) -> None:
        _do("mount", "-o", f"loop,{self._options}".rstrip(","), os.fspath(self.image), os.fspath(self.point))

    def unmount(self) -> None:
        """A mount name space that somebody has copied meanwhile may hold the file system, cut off as it is: then the
        next mount is of a copy of the disk."""
        _do("umount", os.fspath(self.point))
        if self._is_held():
            copy = self.image.with_name(f"{self.image.name}+")
            _do("cp", "--sparse=always", os.fspath(self.image), os.fspath(copy))
            self.image.unlink()
            copy.rename(self.image)

    def _is_held(self) -> bool:
        command = ["losetup", "--noheadings", "--associated", os.fspath(self.image)]
        return bool(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)

    def cut_power(self) -> None:
        """From now on nothing reaches the disk, and every write fails."""
        fd = os.open(self.point, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _EXT4_IOC_SHUTDOWN, struct.pack("I", _NOLOGFLUSH))
        finally:
            os.close(fd)


@contextlib.contextmanager
def ext4(folder: Path, *, megabytes: int, options: str = "", inodes: int | None = None) -> Iterator[Ext4]:
    """Mounted; skips the test, with the reason, where that is not to be had.

    :param options: of the mount, e.g. `data=journal`
    :param inodes: how many files and folders there can be; None: as many as is usual
    """
    _need_root()
    try:
        disk = Ext4(folder, megabytes, options=options, inodes=inodes)
        disk.mount()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no ext4 on a loop file here: {_said(error)}")
    try:
        yield disk
    finally:
        _unmount_any(disk.point)


@contextlib.contextmanager
def tmpfs(folder: Path, *, megabytes: int) -> Iterator[Path]:
    _need_root()
    point = folder / "small"
    point.mkdir()
    try:
        _do("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", os.fspath(point))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no tmpfs here: {_said(error)}")
    try:
        yield point
    finally:
        _unmount_any(point)


def fill(path: Path, *, leave_bytes: int = 0) -> None:
    """Write a file until the file system is full; then give the last `leave_bytes` back."""
    with path.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(4096))
    if leave_bytes:
        os.truncate(path, max(0, path.stat().st_size - leave_bytes))


def _need_root() -> None:
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("needs root on Linux: it mounts a file system")


def _do(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def _unmount_any(point: Path) -> None:
    command: Sequence[str] = ("umount", os.fspath(point))
    if os.path.ismount(point) and subprocess.run(command, capture_output=True).returncode:
        subprocess.run(["umount", "-l", os.fspath(point)], check=True, capture_output=True)


def _said(error: Exception) -> str:
    return error.stderr.decode().strip() if isinstance(error, subprocess.CalledProcessError) else str(error)
