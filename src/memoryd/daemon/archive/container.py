"""One tar file with a checksum for each member, in `SHA256SUMS`, the last of them: `sha256sum -c` reads it too.

Written whole or not at all, 0600. Read as data: members are never unpacked by their own paths.
"""

import hashlib
import io
import json
import os
import secrets
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from memoryd import __version__, fsio
from memoryd.errors import BadEvent, Conflict, NotFound, PathRefused

HEAD, SUMS = "archive.json", "SHA256SUMS"
VERSION = 1  #: of the archive's form; a reader refuses a newer one
_CHUNK = 1 << 20


@dataclass(slots=True)
class Writer:
    """Adds members to an archive that is being written."""

    tar: tarfile.TarFile
    _sums: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, content: bytes) -> None:
        self.add_file(name, io.BytesIO(content), len(content))

    def add_folder(self, name: str) -> None:
        """Nobody but its owner looks into a folder that is unpacked."""
        info = tarfile.TarInfo(name)
        info.type, info.mode = tarfile.DIRTYPE, 0o700
        self.tar.addfile(info)

    def add_file(self, name: str, file: BinaryIO, size: int) -> None:
        """Add what a file holds from where it stands."""
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600
        reading = _Hashing(file)
        self.tar.addfile(info, reading)
        self._sums[name] = reading.sha256.hexdigest()

    @property
    def members(self) -> int:
        return len(self._sums)

    def close(self) -> None:
        sums = "".join(f"{digest}  {name}\n" for name, digest in self._sums.items())
        self.add(SUMS, sums.encode())


class _Hashing(io.RawIOBase):
    """A file, and the hash of what was read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.sha256.update(data)
        return data


@contextmanager
def writing(target: Path, data: Path, head: Mapping[str, Any], *, force: bool = False) -> Iterator[Writer]:
    """Write an archive to `target`, compressed when it ends in .gz; it appears whole, at the end of the block.

    :param data: the data directory, in which none may be written
    :param force: in place of a file that stands there
    :raises PathRefused: inside the data directory, or no regular file stands there
    :raises Conflict: a file stands there
    :raises CannotWrite: the disk is full, or the folder cannot be written
    """
    check_target(target, data, force=force)
    temporary = secrets.token_hex(8).join(fsio.TEMPORARY)
    with fsio.folder(target.parent) as folder_fd:
        try:
            with fsio.translated("write", folder_fd, target.name):
                fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder_fd)
                with os.fdopen(fd, "wb", closefd=True) as file:
                    yield from _filled(file, target, head)
                    file.flush()
                    fsio.sync(file.fileno())
            _put(folder_fd, temporary, target, force=force)
            fsio.sync_dir(folder_fd)
        except BaseException:
            fsio.unlink(folder_fd, temporary)
            raise


def _filled(file: BinaryIO, target: Path, head: Mapping[str, Any]) -> Iterator[Writer]:
    mode = "w:gz" if target.name.endswith("gz") else "w"
    with tarfile.open(fileobj=file, mode=mode, format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
        writer = Writer(tar)
        writer.add(HEAD, json.dumps({"version": VERSION, "memoryd": __version__, **head}, indent=1).encode())
        yield writer
        writer.close()


def _put(folder_fd: int, temporary: str, target: Path, *, force: bool) -> None:
    if force:
        return fsio.rename(folder_fd, temporary, target.name)
    try:
        return fsio.rename_noreplace(folder_fd, temporary, target.name)
    except FileExistsError as error:  # since it was looked at
        raise _there(target) from error


def _there(target: Path) -> Conflict:
    return Conflict(f"{target} is there already; name another file, or let it be replaced (`force`)")


def check_target(target: Path, data: Path, *, force: bool) -> None:
    """:raises PathRefused: inside the data directory, or no regular file stands there
    :raises NotFound: no folder for it
    :raises Conflict: a file stands there"""
    check_outside(target, data)
    if not target.parent.is_dir():
        raise NotFound(f"no folder {target.parent}; make it, or name another one")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise PathRefused(f"cannot write {target}: it is a link or no regular file; name another one")
    if target.exists() and not force:
        raise _there(target)


def check_outside(path: Path, data: Path) -> None:
    """:raises PathRefused: a path inside the data directory, or the directory itself"""
    if not path.is_absolute():
        raise PathRefused(f"cannot use {path}: give the whole path")
    if path.resolve().is_relative_to(data.resolve()):
        raise PathRefused(f"cannot use {path}: it is inside the data directory; choose a place outside of {data}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive whose checksums all hold."""

    head: Mapping[str, Any]
    _tar: tarfile.TarFile

    @property
    def names(self) -> list[str]:
        return [member.name for member in self._tar.getmembers() if member.isfile()]

    def read(self, name: str) -> bytes:
        """:raises BadEvent: no such member"""
        try:
            member = self._tar.extractfile(name)
        except KeyError as error:
            raise BadEvent(f"the archive has no {name}; it is not whole") from error
        assert member is not None
        return member.read()

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a JSON lines member, none when it is missing."""
        if name not in self.names:
            return
        for number, line in enumerate(self.read(name).splitlines(), start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadEvent(f"{name}:{number} is no JSON") from error
            yield row


@contextmanager
def opened(path: Path, kind: str) -> Iterator[Archive]:
    """Verify an archive whole, then read it.

    :param kind: what `archive.json` must say, e.g. `export`
    :raises BadEvent: no archive, of another kind or a newer form, or a checksum is wrong
    """
    try:
        fd = fsio.open_regular(path, follow=True)
    except fsio.Irregular as error:
        raise PathRefused(f"cannot read {path}: it is no regular file") from error
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        try:
            with tarfile.open(fileobj=file, mode="r:*") as tar:
                _verify(tar, path)
                yield Archive(head=_head(tar, path, kind), _tar=tar)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise BadEvent(f"{path} is no archive, or not whole ({type(error).__name__}); make it anew") from error


def _verify(tar: tarfile.TarFile, path: Path) -> None:
    found = {}
    for member in tar:
        if member.isdir():
            continue
        if not member.isfile() or member.name in found:
            raise BadEvent(
                f"{path} holds {member.name!r}, which is no plain file or is there twice; it is none of ours"
            )
        found[member.name] = _sha256(tar, member)
    if SUMS not in found:
        raise BadEvent(f"{path} has no {SUMS}: it is not whole, or none of ours; nothing was imported")
    told = {}
    for row in _content(tar, SUMS).decode("utf-8", "replace").splitlines():
        digest, _, name = row.partition("  ")
        told[name] = digest
    del found[SUMS]
    wrong = sorted(name for name in {*found, *told} if found.get(name) != told.get(name))
    if wrong:
        raise BadEvent(f"{path} is damaged: the checksum of {wrong[0]} is wrong; nothing was imported, make it anew")


def _sha256(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = tar.extractfile(member)
    assert file is not None
    sha256 = hashlib.sha256()
    for chunk in iter(lambda: file.read(_CHUNK), b""):
        sha256.update(chunk)
    return sha256.hexdigest()


def _content(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    assert file is not None
    return file.read()


def _head(tar: tarfile.TarFile, path: Path, kind: str) -> Mapping[str, Any]:
    try:
        head: dict[str, Any] = json.loads(_content(tar, HEAD))
        version, found = int(head["version"]), str(head["kind"])
    except (KeyError, ValueError, TypeError) as error:
        raise BadEvent(f"{path} is no archive of memoryd") from error
    if version > VERSION:
        raise BadEvent(f"{path} was written by memoryd {head.get('memoryd')}, which is newer; upgrade, then try again")
    if found != kind:
        raise BadEvent(f"{path} is a {found}, not an {kind}; docs/operations.md says how a backup is restored")
    return head
