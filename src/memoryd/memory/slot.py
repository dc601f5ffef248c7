"""The place of one file: look at it, change it, and never lose what someone else put there meanwhile."""

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from memoryd import fsio
from memoryd.errors import PathRefused
from memoryd.memory.path_rules import MAX_FILE_BYTES


class Foreign(Enum):
    """Something that memoryd neither reads nor keeps: a link, a folder, a pipe, a file of more than 1 MiB."""

    FOREIGN = "foreign"


Seen = bytes | None | Foreign  #: what stands at a name; None: nothing


def peek(dir_fd: int, name: str) -> Seen:
    """:raises CannotWrite: it cannot be read"""
    try:
        fd = fsio.open_beneath(dir_fd, name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except PathRefused:
        return Foreign.FOREIGN
    try:
        return fsio.read_all(fd) if os.fstat(fd).st_size <= MAX_FILE_BYTES else Foreign.FOREIGN
    finally:
        os.close(fd)


def open_parent(root: Path, path: str, *, make: bool) -> int:
    """Open the folder of a file of a memory directory, through no link; with `make`, missing folders are made.

    :raises FileNotFoundError: a folder is missing
    :raises PathRefused: a link or no folder in the way
    """
    here = fsio.open_folder(root)
    for part in path.split("/")[:-1]:
        try:
            if make:
                fsio.make_dir(here, part)
            below = fsio.open_beneath(here, part, os.O_RDONLY | os.O_DIRECTORY)
        finally:
            os.close(here)
        here = below
    return here


@dataclass(slots=True, kw_only=True)
class Slot:
    """A file's name in an open folder, with the dot name `aside` that it changes places with."""

    dir_fd: int
    name: str
    aside: str
    spare: str  #: for file systems without exchange
    installed: bool = False  #: ours stands at the name
    held: bool = False  #: someone may have the file at `aside` open: it was at the name before

    def install(self, *, put: bytes | None, want: bytes | None) -> list[Seen]:
        """Let the name hold `put`, which is at `aside`, instead of `want`, which will be there afterwards.

        None stands for no file on either side. When something other than `want` comes out it is put back, as often
        as someone saves meanwhile, so that the last save stands.

        :return: what else came out, oldest first; empty when done as asked. It is on disk at the name or at `aside`,
            or was replaced there by the person who saved
        """
        if want is None:
            return self._create()
        if put is None:
            return self._remove(want)
        return self._swap(put, want)

    def _create(self) -> list[Seen]:
        try:
            fsio.rename_noreplace(self.dir_fd, self.aside, self.name)
        except FileExistsError:
            return [peek(self.dir_fd, self.name)]
        self.installed = not self.installed
        return []

    def _remove(self, want: bytes) -> list[Seen]:
        try:
            fsio.rename(self.dir_fd, self.name, self.aside)
        except FileNotFoundError:
            return [None]
        self.installed, self.held = not self.installed, True
        out = peek(self.dir_fd, self.aside)
        if out == want:
            return []
        # When the name is taken again, the newer save stands and `out` stays beside it.
        if not self._create():
            return [out]
        return [out, peek(self.dir_fd, self.name)]

    def _swap(self, put: Seen, want: Seen) -> list[Seen]:
        outs: list[Seen] = []
        while True:
            try:
                fsio.replace(self.dir_fd, self.aside, self.name, self.spare)
            except FileNotFoundError:
                # Deleted since: that is the last thing the person did.
                self.installed = False
                return [*outs, None]
            except FileExistsError:
                return self._overtaken(outs, want)
            self.installed, self.held = not self.installed, True
            out = peek(self.dir_fd, self.aside)
            if out == want:
                return outs
            outs.append(out)
            put, want = out, put

    def _overtaken(self, outs: list[Seen], want: Seen) -> list[Seen]:
        """A save while the old file was moved aside: it stands, the old one waits at `spare`."""
        self.installed, self.held = False, True
        old = peek(self.dir_fd, self.spare)
        return [*outs, *([] if old == want else [old]), peek(self.dir_fd, self.name)]
