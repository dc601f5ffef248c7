"""The dot names beside a file while it is changed, and for some seconds afterwards.

`.<name>.<run>.<base><new>.<n>.new` holds the staged content first, and after the exchange what came out.
`.old` is where a file system without exchange moves the old file for a moment. The two short hashes say which
contents are ours: anything else in such a file was written by someone who had it open, and is a person's edit.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from memoryd import fsio

_FORM = re.compile(
    r"\.(?P<name>.+)\.(?P<run>[0-9a-f]{12})\.(?P<base>[0-9a-f]{8})(?P<new>[0-9a-f]{8})\.(?P<n>\d{1,2})\.(?P<kind>new|old)"
)
_MAX_ASIDES = 100
NO_FILE = "0" * 8  #: the short hash of no file


class Kind(StrEnum):
    NEW = "new"
    OLD = "old"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """One dot name; `str(aside)` is the name on disk, at most 40 bytes longer than the file's."""

    name: str
    run: str  #: `run_tag` of the run
    base: str  #: `short_hash` of the content before
    new: str  #: `short_hash` of the content after
    n: int
    kind: Kind = Kind.NEW

    def __str__(self) -> str:
        return f".{self.name}.{self.run}.{self.base}{self.new}.{self.n}.{self.kind}"

    @property
    def spare(self) -> str:
        """Where a file system without exchange moves the old file for a moment."""
        return str(replace(self, kind=Kind.OLD))

    @property
    def ours(self) -> frozenset[str]:
        """Short hashes of the contents that memoryd put or found there."""
        return frozenset((self.base, self.new))


def digest(content: bytes) -> str:
    """sha256 in hex: the name of a content in the versions."""
    return hashlib.sha256(content).hexdigest()


def short_hash(content: bytes | None) -> str:
    """8 hex characters."""
    return NO_FILE if content is None else digest(content)[:8]


def run_tag(run_id: str) -> str:
    """12 hex characters for a run id of any form."""
    return hashlib.sha256(run_id.encode()).hexdigest()[:12]


def parse(filename: str) -> Aside | None:
    match = _FORM.fullmatch(filename)
    if match is None:
        return None
    name, run, base, new, n, kind = match.groups()
    return Aside(name=name, run=run, base=base, new=new, n=int(n), kind=Kind(kind))


def parse_all(filenames: Iterable[str]) -> list[Aside]:
    """The asides among names, in a stable order."""
    return sorted(filter(None, map(parse, filenames)), key=str)


def asides_of(dir_fd: int, name: str, run: str) -> list[Aside]:
    """What one run (a `run_tag`) has beside one file."""
    with fsio.translated("list", dir_fd, "."):
        found = parse_all(os.listdir(dir_fd))
    return [aside for aside in found if aside.name == name and aside.run == run]


def fresh(dir_fd: int, name: str, run: str, *, base: str, new: str) -> Aside:
    """An unused dot name for a change between two short hashes; its `spare` is unused as well."""
    taken = {aside.n for aside in asides_of(dir_fd, name, run)}
    n = next(number for number in range(_MAX_ASIDES) if number not in taken)
    return Aside(name=name, run=run, base=base, new=new, n=n)


def remove_temporaries(dir_fd: int, filenames: Iterable[str]) -> None:
    """Remove unfinished files, which a process that died left; nothing ever pointed to them."""
    begin, end = fsio.TEMPORARY
    for filename in filenames:
        if filename.startswith(begin) and filename.endswith(end):
            fsio.unlink(dir_fd, filename)
