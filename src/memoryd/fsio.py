"""The file system: the one module that syncs, renames, exchanges and opens below a folder.

Linux calls stand beside their macOS twins (F_FULLFSYNC, renameatx_np) and beside a portable form (a walk with
O_NOFOLLOW, link + unlink, moving aside) that a system or file system without them gets.

Errors: FileNotFoundError and FileExistsError are answers and pass as they are; every other OSError leaves as
CannotWrite or PathRefused, with a sentence that names the path.
"""

import ctypes
import errno
import fcntl
import os
import secrets
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from memoryd.errors import CannotWrite, MemorydError, PathRefused

_portable = False  #: set by tests: behave as where openat2, renameat2 and renameatx_np are missing

_LIBC = ctypes.CDLL(None, use_errno=True)
_MAC = sys.platform == "darwin"
_RENAME_CALL = "renameatx_np" if _MAC else "renameat2"
_EXCHANGE = 2  # RENAME_EXCHANGE, and RENAME_SWAP on macOS
_NOREPLACE = 4 if _MAC else 1  # RENAME_EXCL on macOS
_OPENAT2 = 437  # the same number on x86_64 and aarch64
_RESOLVE = 0x02 | 0x04 | 0x08  # NO_MAGICLINKS, NO_SYMLINKS, BENEATH
_MISSING = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
_ALWAYS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

TEMPORARY = (".memoryd-", ".tmp")  #: start and end of the names of unfinished files; never part of anything

_exchanges: dict[tuple[int, int], bool] = {}  # (device, inode) of a folder -> what the probe said


# -- errors ------------------------------------------------------------------------------------------------------

_REFUSED = {
    errno.ELOOP: "a symbolic link stands in its way; put a real file or folder there",
    errno.EXDEV: "it leads outside its folder",
    errno.ENOTDIR: "a part of it is a symbolic link or no folder; put a real folder there",
    errno.EISDIR: "it is a folder; move it away",
    errno.ENXIO: "it is a pipe or a device; move it away",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}
_CANNOT = {
    errno.ENOSPC: "disk full; free space and try again",
    errno.EDQUOT: "your disk quota is used up; free space and try again",
    errno.EROFS: "the file system is read-only; mount it writable",
    errno.EACCES: "permission denied; give your user read and write access to it",
    errno.EPERM: "the system does not permit it; look at its owner and attributes",
    errno.EIO: "the disk reports an error; look at the system log",
    errno.EMFILE: "too many open files; raise the limit (ulimit -n) and restart memoryd",
    errno.ENFILE: "the system has too many open files; close programs and try again",
}


def translate(error: OSError, action: str, path: str) -> MemorydError:
    """Return the error that says "cannot <action> <path>: <why>; <what to do>"."""
    number = error.errno or 0
    if number in _REFUSED:
        return PathRefused(f"cannot {action} {path}: {_REFUSED[number]}")
    return CannotWrite(f"cannot {action} {path}: {_CANNOT.get(number) or os.strerror(number)}")


@contextmanager
def translated(action: str, folder: int | None, name: str | os.PathLike[str]) -> Iterator[None]:
    """Translate the OSErrors of the block, about `name` in an open folder, or a path when that is None."""
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        raise translate(error, action, _where(folder, name)) from error


def _where(folder: int | None, name: str | os.PathLike[str]) -> str:
    return os.fspath(name) if folder is None else os.path.join(_path_of(folder), name)


def _path_of(fd: int) -> str:
    try:
        if _MAC:
            return os.fsdecode(fcntl.fcntl(fd, 50, bytes(1024)).rstrip(b"\0"))  # F_GETPATH
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return ""


# -- durability --------------------------------------------------------------------------------------------------


def sync(fd: int) -> None:
    """Return once the content of a file survives a power cut."""
    with translated("sync", fd, ""):
        if sys.platform == "darwin":
            try:
                fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            except OSError as error:
                if error.errno not in _MISSING:
                    raise
                os.fsync(fd)
        else:
            os.fdatasync(fd)


def sync_dir(where: int | str | os.PathLike[str]) -> None:
    """Return once the names in a folder survive a power cut. A file system that cannot is left as it is."""
    with nullcontext(where) if isinstance(where, int) else folder(where) as fd, translated("sync", fd, ""):
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _MISSING:
                raise


# -- reading and writing -----------------------------------------------------------------------------------------


def open_folder(path: str | os.PathLike[str]) -> int:
    """Open a folder that the caller trusts; links in its path are followed."""
    with translated("open", None, path):
        return os.open(path, _FOLDER)


@contextmanager
def folder(path: str | os.PathLike[str]) -> Iterator[int]:
    """`open_folder` for the time of a block."""
    fd = open_folder(path)
    try:
        yield fd
    finally:
        os.close(fd)


class Irregular(OSError):
    """A folder, pipe, socket or device stands where a file was looked for."""


def open_regular(path: str | os.PathLike[str], *, follow: bool = False) -> int:
    """Open a file to read that anybody may have put there; a pipe's writer is not waited for.

    :param follow: also through a link, because a person named it
    :raises Irregular: it is no regular file
    :raises OSError: it cannot be opened
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise Irregular(errno.EINVAL, "no regular file", os.fspath(path))


def open_beneath(root_fd: int, relpath: str, flags: int, mode: int = 0o600) -> int:
    """Open a regular file below a folder, or with O_DIRECTORY a folder; never through a link or `..`.

    The descriptor is close-on-exec. A pipe, device or socket is refused without waiting for its other end.

    :raises FileNotFoundError: nothing there
    :raises FileExistsError: with O_EXCL
    :raises PathRefused: a link, a way out, or no regular file
    """
    with translated("open", root_fd, relpath):
        fd = _open_resolved(root_fd, relpath, flags | _ALWAYS, mode)
    if flags & os.O_DIRECTORY or stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise PathRefused(f"cannot open {_where(root_fd, relpath)}: it is no regular file; move it away")


def _open_resolved(root_fd: int, relpath: str, flags: int, mode: int) -> int:
    if not _portable and sys.platform == "linux":
        try:
            return _openat2(root_fd, relpath, flags, mode)
        except OSError as error:
            # EPERM is what old container filters answer to a call that they do not know.
            if error.errno not in {errno.ENOSYS, errno.EPERM}:
                raise
    return _walk(root_fd, relpath, flags, mode)


def _openat2(root_fd: int, relpath: str, flags: int, mode: int) -> int:
    how = ctypes.create_string_buffer(struct.pack("QQQ", flags, mode if flags & os.O_CREAT else 0, _RESOLVE), 24)
    while True:
        fd: int = _LIBC.syscall(_OPENAT2, root_fd, os.fsencode(relpath), how, 24)
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in {errno.EINTR, errno.EAGAIN}:
            raise OSError(number, os.strerror(number), relpath)


def _walk(root_fd: int, relpath: str, flags: int, mode: int) -> int:
    parts = [part for part in relpath.split("/") if part not in {"", "."}] or ["."]
    if relpath.startswith("/") or ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), relpath)
    here = os.dup(root_fd)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        return os.open(parts[-1], flags, mode, dir_fd=here)
    finally:
        os.close(here)


def read_all(fd: int) -> bytes:
    """Read a file from where it stands to its end."""
    with translated("read", fd, ""):
        return b"".join(iter(lambda: os.read(fd, 1 << 17), b""))


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however many calls it takes (an interrupted call is repeated by Python)."""
    rest = memoryview(data)
    with translated("write", fd, ""):
        while rest:
            rest = rest[os.write(fd, rest) :]


def stage(dir_fd: int, name: str, data: bytes, mode: int = 0o600) -> None:
    """Put a whole, synced file at `name`, replacing what is there; the name itself is durable after `sync_dir`.

    A crash leaves `name` as it was or whole, and at most one temporary (TEMPORARY).
    """
    temporary = secrets.token_hex(8).join(TEMPORARY)
    with translated("write", dir_fd, name):
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ALWAYS, mode, dir_fd=dir_fd)
    try:
        try:
            with translated("write", dir_fd, name):
                os.fchmod(fd, mode)  # whatever the umask
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        rename(dir_fd, temporary, name)
    except BaseException:
        unlink(dir_fd, temporary)
        raise


def write_durable(path: str | os.PathLike[str], data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file whole and return once it survives a power cut."""
    path = Path(path)
    with folder(path.parent) as parent_fd:
        stage(parent_fd, path.name, data, mode)
        sync_dir(parent_fd)


def create_durable(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """The same where nothing stands yet. :raises FileExistsError: something stands there; nothing changed"""
    staged = secrets.token_hex(8).join(TEMPORARY)
    with folder(path.parent) as parent_fd:
        stage(parent_fd, staged, data, mode)
        try:
            rename_noreplace(parent_fd, staged, path.name)
        except BaseException:
            unlink(parent_fd, staged)
            raise
        sync_dir(parent_fd)


# -- names -------------------------------------------------------------------------------------------------------


def make_dirs(path: Path, mode: int = 0o700) -> None:
    """Make a folder and its missing parents, each durable and with `mode`; folders that exist are left alone."""
    if path.is_dir():
        return
    make_dirs(path.parent, mode)
    with translated("make", None, path):
        with suppress(FileExistsError):
            os.mkdir(path, mode)
        sync_dir(path.parent)


def make_dir(dir_fd: int, name: str, mode: int = 0o700) -> None:
    """Make a folder in a folder, durable; one that exists is left alone."""
    with translated("make", dir_fd, name):
        try:
            os.mkdir(name, mode, dir_fd=dir_fd)
        except FileExistsError:
            return
    sync_dir(dir_fd)


def unlink(dir_fd: int, name: str) -> None:
    """Remove a name; nothing happens when it is gone."""
    with translated("remove", dir_fd, name), suppress(FileNotFoundError):
        os.unlink(name, dir_fd=dir_fd)


def rename(dir_fd: int, a: str, b: str) -> None:
    """Rename `a` to `b`, replacing it: for a `b` that only memoryd uses."""
    with translated("write", dir_fd, b):
        os.rename(a, b, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def rename_noreplace(dir_fd: int, a: str, b: str) -> None:
    """Rename `a`, a name that only memoryd uses, to `b` where nothing stands.

    Without the system call: link, then unlink; a crash in between leaves the one file under both names.

    :raises FileExistsError: something stands at `b`; nothing changed
    """
    with translated("write", dir_fd, b):
        try:
            _rename_flagged(dir_fd, a, b, _NOREPLACE)
        except OSError as error:
            if error.errno not in _MISSING:
                raise
            os.link(a, b, src_dir_fd=dir_fd, dst_dir_fd=dir_fd, follow_symlinks=False)
            os.unlink(a, dir_fd=dir_fd)


def exchange(dir_fd: int, a: str, b: str) -> None:
    """Let two names change places in one step.

    :raises FileNotFoundError: one of them is missing; nothing changed
    """
    with translated("write", dir_fd, b):
        _rename_flagged(dir_fd, a, b, _EXCHANGE)


def _rename_flagged(dir_fd: int, a: str, b: str, flag: int) -> None:
    call = None if _portable else getattr(_LIBC, _RENAME_CALL, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), a)
    if call(dir_fd, os.fsencode(a), dir_fd, os.fsencode(b), ctypes.c_uint(flag)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), a)


def can_exchange(dir_fd: int) -> bool:
    """Whether names of this folder can be exchanged: tried once per folder with two temporaries."""
    status = os.fstat(dir_fd)
    key = (status.st_dev, status.st_ino)
    if _portable:
        return False
    if key not in _exchanges:
        _exchanges[key] = _probe(dir_fd)
    return _exchanges[key]


def _probe(dir_fd: int) -> bool:
    a, b = (secrets.token_hex(8).join(TEMPORARY) for _ in range(2))
    try:
        for name in (a, b):
            with translated("write", dir_fd, name):
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ALWAYS, 0o600, dir_fd=dir_fd))
        try:
            _rename_flagged(dir_fd, a, b, _EXCHANGE)
        except OSError as error:
            if error.errno not in {*_MISSING, errno.EPERM}:
                raise translate(error, "write", _where(dir_fd, a)) from error
            return False
        return True
    finally:
        unlink(dir_fd, a)
        unlink(dir_fd, b)


def replace(dir_fd: int, staged: str, name: str, spare: str) -> None:
    """Let `staged` and `name` change places: by exchange, else by moving `name` aside to `spare` for a moment.

    Moving aside has a window of two renames in which `name` is missing. A crash there leaves the old file at `spare`,
    and the new one at `staged` or `name`.

    :raises FileNotFoundError: nothing stands at `name`; nothing changed
    :raises FileExistsError: someone saved to `name` inside the window: that save stands, the old file is at `spare`
    """
    if can_exchange(dir_fd):
        exchange(dir_fd, staged, name)
    else:
        _move_aside(dir_fd, staged, name, spare)


def _move_aside(dir_fd: int, staged: str, name: str, spare: str) -> None:
    rename(dir_fd, name, spare)
    try:
        rename_noreplace(dir_fd, staged, name)
    except FileExistsError:
        raise
    except BaseException:
        with suppress(FileExistsError):
            rename_noreplace(dir_fd, spare, name)
        raise
    rename(dir_fd, spare, staged)
