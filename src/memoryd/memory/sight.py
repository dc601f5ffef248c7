"""How a memory directory was when it was looked at: enough to tell by a few stats that a part of it is so still."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_RACY_NS = 2_000_000_000  # the coarsest time stamps of a file system (FAT): what is younger may change unseen


class Mark(NamedTuple):
    """What the file system tells of a file or a folder."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int
    settled: bool  #: old enough when it was looked at: the same again means the same content

    @classmethod
    def of(cls, status: os.stat_result, now_ns: int) -> "Mark":
        settled = max(status.st_mtime_ns, status.st_ctime_ns) < now_ns - _RACY_NS
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, settled)

    def holds(self, status: os.stat_result) -> bool:
        """Whether it certainly has the content that it had."""
        now = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        return self.settled and self[:4] == now


UNSURE = Mark(0, 0, 0, 0, settled=False)  #: never holds: look again


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What one look at a directory saw."""

    root: Path
    at_mono: float  #: when the look began
    around: Mapping[str, Mark]  #: its folders ("" is the root, others end in a slash); none: there is no such directory
    files: Mapping[str, Mark]  #: by path
    digests: Mapping[str, str]  #: of the same files

    def holds(self, paths: Iterable[str]) -> bool:
        """Whether no file came, went or was replaced since, and these have the same content. Blocking: a stat for each.

        False also for what is so young that it may have changed unseen.
        """
        if not self.around:
            return not os.path.lexists(self.root)
        marks = {**self.around, **{path: self.files.get(path, UNSURE) for path in paths}}
        try:
            return all(mark.holds(os.lstat(f"{self.root}/{path}")) for path, mark in marks.items())
        except OSError:
            return False
