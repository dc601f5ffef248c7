"""Which files an import may read: below the named paths, regular, ours, no links, no copies of a sync conflict."""

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from memoryd import fsio
from memoryd.daemon.imports.found import Candidate, PassedOver, Stamp
from memoryd.errors import LimitExceeded, NotFound

MAX_FILES = 50_000  #: that one import looks at
MAX_DEPTH = 12

_SUFFIXES = {".jsonl", ".json", ".md", ".mdc", ".db"}
_NAMES = {".cursorrules", ".windsurfrules", ".clinerules", "state.vscdb"}
_IN_TALKS = "agent-transcripts"  #: a folder in which texts are conversations
_NOT_INSIDE = {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "tool-results", "target", "dist"}
_CONFLICT = re.compile(r"\(.*conflicted copy.*\)|\.sync-conflict-\d|_conflict-\d{8}", re.IGNORECASE)
_NUMBERED = re.compile(r"(.+) (?:\d{1,2}|\(\d{1,2}\))(\.\w+)")


class Refusal(Exception):
    """A file that is not read; the text says why."""


def candidates(paths: Iterable[Path], *, but: Path | None = None) -> Iterator[Candidate | PassedOver]:
    """Look at the named files, and below the named folders, in the order of their names. Blocking.

    :param but: a folder whose files are none: memoryd's own
    :raises NotFound: nothing is at one of the paths
    :raises LimitExceeded: more than 50 000 files
    """
    looked = 0
    for path in paths:
        for found in _below(path) if path.is_dir() else _named(path):
            if but is not None and found.path.resolve().is_relative_to(but):
                continue
            looked += 1
            if looked > MAX_FILES:
                raise LimitExceeded(f"more than {MAX_FILES} files; import the folders below {path} one by one")
            yield found


def opened(path: Path) -> tuple[int, Stamp]:
    """Open a file of a source.

    :raises Refusal: it is not a regular file of our uid with one name, or cannot be read
    """
    try:
        fd = fsio.open_regular(path)
    except OSError as error:
        why = "a link; name what it leads to" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise Refusal(why) from error
    status = os.fstat(fd)
    if why := _objection(status):
        os.close(fd)
        raise Refusal(why)
    return fd, _stamp(status)


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file. :raises Refusal: see `opened`"""
    fd, _ = opened(path)
    try:
        return os.pread(fd, size, 0)
    finally:
        os.close(fd)


def _named(path: Path) -> Iterator[Candidate | PassedOver]:
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"there is nothing at {path}; name a file or a folder") from error
    yield _judged(path, status, named=True)


def _below(folder: Path, depth: int = 0) -> Iterator[Candidate | PassedOver]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield PassedOver(path=folder, why=f"cannot be read: {error.strerror}")
        return
    names = {entry.name for entry in entries}
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _NOT_INSIDE and depth < MAX_DEPTH:
                yield from _below(path, depth + 1)
        elif path.suffix in _SUFFIXES or entry.name in _NAMES or (path.suffix == ".txt" and _IN_TALKS in path.parts):
            if _is_conflict(entry.name, names):
                yield PassedOver(path=path, why="a copy that a sync conflict left; name the file itself")
                continue
            with contextlib.suppress(FileNotFoundError):
                yield _judged(path, path.lstat(), named=False)


def _is_conflict(name: str, beside: set[str]) -> bool:
    numbered = _NUMBERED.fullmatch(name)
    return bool(_CONFLICT.search(name)) or bool(numbered and f"{numbered[1]}{numbered[2]}" in beside)


def _judged(path: Path, status: os.stat_result, *, named: bool) -> Candidate | PassedOver:
    if named and _CONFLICT.search(path.name):
        return PassedOver(path=path, why="a copy that a sync conflict left; name the file itself")
    if why := _objection(status):
        return PassedOver(path=path, why=why)
    return Candidate(path=path, stamp=_stamp(status), named=named)


def _objection(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "a link; name what it leads to"
    if not stat.S_ISREG(status.st_mode):
        return "no regular file"
    if status.st_uid != os.getuid():
        return "it belongs to another user"
    return "it has a second name (a hard link)" if status.st_nlink > 1 else ""


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(dev=status.st_dev, ino=status.st_ino, size=status.st_size, mtime_ns=status.st_mtime_ns)
