"""A memory directory on disk: make it, read it, see what others changed in it."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memoryd import fsio
from memoryd.clock import mono
from memoryd.errors import CannotWrite, PathRefused
from memoryd.memory.aside import digest
from memoryd.memory.path_rules import FOLDERS, MAX_DEPTH, MAX_FILE_BYTES, broken_rule, is_conflict_copy
from memoryd.memory.ports import Author, Version, Versions
from memoryd.memory.sight import UNSURE, Mark, Sight

MAX_KEPT_BYTES = 8 * 1024 * 1024  #: contents held between readings; the files beyond are read again


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file or folder of a memory directory that is not read, and why, as a clause for people."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of a memory directory while it is open: `path` is "" for the root, or ends in a slash."""

    path: str
    fd: int
    mark: Mark  #: of before it was listed
    entries: tuple[os.DirEntry[str], ...]  #: their `stat` works as long as the folder is open


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    mark: Mark
    digest: str
    content: bytes | None


class MemoryDirectory:
    """One root of Markdown files. Not for two threads at once: callers hold the directory's lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped: tuple[Skipped, ...] = ()  #: by the last reading
        self._known: dict[str, _Known] = {}

    def create(self) -> None:
        """Make the directory and its folders, mode 0700, durable; what exists is left alone."""
        for folder in ("", *FOLDERS):
            fsio.make_dirs(self.path / folder)

    def read_all(self) -> dict[str, bytes]:
        """The content of every managed file by its path; empty when the directory does not exist.

        Unchanged files are not opened again, up to MAX_KEPT_BYTES. `skipped` tells what was left out.
        """
        files = {path: self._content(path, known) for path, known in self._look()[1].items()}
        return {path: content for path, content in files.items() if content is not None}

    def look(self) -> Sight:
        """What every managed file is now, without its content; unchanged files are not opened again."""
        began = mono()
        folders, files = self._look()
        return Sight(
            root=self.path, at_mono=began,
            around={**folders, **{skip.path: UNSURE for skip in self.skipped}},  # one may become fit unseen
            files={path: known.mark for path, known in files.items()},
            digests={path: known.digest for path, known in files.items()},
        )  # fmt: skip

    def observe(
        self, versions: Versions, now: datetime, author_of: Callable[[str], Author] = lambda _: Author.OUTSIDE
    ) -> list[Version]:
        """Record every file that differs from its newest version, and every one that is gone.

        :param author_of: who wrote a path: a host whose tool event named it, else outside
        :return: what was recorded, by path
        """
        newest = versions.newest(self.path)
        _, present = self._look()
        changed = [path for path, known in present.items() if newest.get(path) != known.digest]
        gone = [path for path, known in newest.items() if known and path not in present and not self._skips(path)]
        found = [
            Version(root=self.path, path=path, content=content, author=author_of(path), run_id=None, at=now)
            for path in sorted((*changed, *gone))
            if (content := self._content(path, present.get(path))) is not None or path in gone
        ]
        if found:
            versions.record(found)
        return found

    def _look(self) -> tuple[dict[str, Mark], dict[str, _Known]]:
        """Bring what is known up to date: a stat for each file, and a read where it changed. Its folders and files."""
        skipped: list[Skipped] = []
        folders: dict[str, Mark] = {}
        known: dict[str, _Known] = {}
        room = MAX_KEPT_BYTES
        for folder in folders_of(self.path, skipped):
            folders[folder.path] = folder.mark
            for entry in folder.entries:
                path = folder.path + entry.name
                if not entry.name.endswith(".md") or entry.name.startswith("."):
                    continue
                found = self._look_at(folder.fd, entry, path, keep=room)
                if isinstance(found, str):
                    skipped.append(Skipped(path=path, reason=found))
                elif found is not None:
                    known[path] = found
                    room -= len(found.content or b"")
        self._known, self.skipped = known, tuple(skipped)
        return folders, known

    def _look_at(self, dir_fd: int, entry: os.DirEntry[str], path: str, *, keep: int) -> _Known | str | None:
        """What is known of a file now; a reason to skip it; None when it went away."""
        before = self._known.get(path)
        try:
            status = entry.stat(follow_symlinks=False)
            if before is not None and before.mark.holds(status):
                return before
            if reason := _unfit(path, status):
                return reason
            return _read(dir_fd, entry.name, keep)
        except FileNotFoundError:
            return None
        except (PathRefused, CannotWrite) as error:
            return str(error)

    def _content(self, path: str, known: _Known | None) -> bytes | None:
        if known is None:
            return None
        if known.content is not None:
            return known.content
        try:
            with fsio.folder(self.path) as root_fd:
                return _bytes_at(root_fd, path)
        except (FileNotFoundError, PathRefused, CannotWrite):
            return None

    def _skips(self, path: str) -> bool:
        return any(path == skip.path or path.startswith(f"{skip.path}/") for skip in self.skipped)


def unread(root: Path) -> list[Skipped]:
    """What of a directory is not read, by a look at names and sizes alone."""
    skipped: list[Skipped] = []
    for folder in folders_of(root, skipped):
        for entry in folder.entries:
            if entry.name.endswith(".md") and not entry.name.startswith("."):
                path = folder.path + entry.name
                reason = _unfit(path, entry.stat(follow_symlinks=False))
                skipped += [Skipped(path=path, reason=reason)] if reason else []
    return skipped


def folders_of(root: Path, skipped: list[Skipped] | None = None) -> Iterator[Folder]:
    """The root and the folders that hold managed files, one open at a time, never through a link.

    A missing root has none. A folder that cannot be opened is added to `skipped`.
    """
    try:
        root_fd = fsio.open_folder(root)
    except FileNotFoundError:
        return
    skipped = [] if skipped is None else skipped
    waiting = ["", *(f"{folder}/" for folder in reversed(FOLDERS))]
    try:
        while waiting:
            path = waiting.pop()
            try:
                fd = fsio.open_beneath(root_fd, path or ".", os.O_RDONLY | os.O_DIRECTORY)
            except FileNotFoundError:
                continue
            except (PathRefused, CannotWrite) as error:
                skipped.append(Skipped(path=path.rstrip("/"), reason=str(error)))
                continue
            try:
                mark = Mark.of(os.fstat(fd), time.time_ns())
                entries = _entries(fd)
                if path and path.count("/") < MAX_DEPTH - 1:
                    waiting.extend(f"{path}{name}/" for name in _subfolders(entries))
                yield Folder(path=path, fd=fd, mark=mark, entries=entries)
            finally:
                os.close(fd)
    finally:
        os.close(root_fd)


def _entries(fd: int) -> tuple[os.DirEntry[str], ...]:
    with fsio.translated("list", fd, "."), os.scandir(fd) as entries:
        return tuple(sorted(entries, key=lambda entry: entry.name))


def _subfolders(entries: Sequence[os.DirEntry[str]]) -> list[str]:
    return [entry.name for entry in entries if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)]


def _unfit(path: str, status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "it is a link or no regular file"
    if status.st_nlink > 1:
        return "it has another name elsewhere (a hard link); copy it and remove the link"
    if status.st_size > MAX_FILE_BYTES:
        return f"it is longer than {MAX_FILE_BYTES} bytes; divide it"
    if is_conflict_copy(path):
        return "it is a conflict copy of a synchronising program; merge it by hand and remove it"
    return broken_rule(path)


def _read(dir_fd: int, name: str, keep: int) -> _Known:
    # The mark is taken before the read: a change during the read gives the file another one.
    fd = fsio.open_beneath(dir_fd, name, os.O_RDONLY)
    try:
        mark = Mark.of(os.fstat(fd), time.time_ns())
        content = fsio.read_all(fd)
    finally:
        os.close(fd)
    return _Known(mark=mark, digest=digest(content), content=content if len(content) <= keep else None)


def _bytes_at(root_fd: int, path: str) -> bytes:
    fd = fsio.open_beneath(root_fd, path, os.O_RDONLY)
    try:
        return fsio.read_all(fd)
    finally:
        os.close(fd)
