"""A memory directory of elsewhere merged into the one here: what is here wins, what was taken out stays out. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from memoryd.memory import index, lines
from memoryd.memory.changes import decode, encode
from memoryd.memory.model import CORE_FILES, INDEX_FILE, SKILL_FILE
from memoryd.memory.text import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Files that change, as they shall be, and paths that differ and were left as they are here."""

    files: Mapping[str, bytes]
    left: tuple[str, ...]


def merge(
    ours: Mapping[str, bytes],
    theirs: Mapping[str, bytes],
    *,
    seeds: Collection[bytes],
    past: Mapping[str, Collection[str]],
) -> Merged:
    """Take in files that are not here, and lines of core files.

    :param seeds: contents that nobody has written: theirs take their place
    :param past: path -> the lines, folded, that its former versions here held; a path that is not in it never was here
    """
    files: dict[str, bytes] = {}
    left = []
    for path, their in theirs.items():
        our = ours.get(path)
        wanted = _wanted(path, our, their, seeds, past)
        if wanted is None:
            left.append(path)
        elif wanted != our:
            files[path] = wanted
    return Merged(files=files, left=tuple(left))


def _wanted(
    path: str, our: bytes | None, their: bytes, seeds: Collection[bytes], past: Mapping[str, Collection[str]]
) -> bytes | None:
    """The file as it shall be, None to leave it."""
    if our == their or (our is not None and path == SKILL_FILE):
        return our
    if our is None:
        return None if path in past else their  # it was taken away here
    if our in seeds:
        return their
    if path == INDEX_FILE:
        own = index.outside(decode(our)).strip()
        return our if own or not index.outside(decode(their)).strip() else their
    if path in CORE_FILES:
        return encode(_with_lines(decode(our), decode(their), past.get(path, ())))
    return None


def _with_lines(ours: str, theirs: str, past: Collection[str]) -> str:
    for line in lines.texts(theirs):
        if lines.find(ours, line) is None and fold(line) not in past:
            ours = lines.add(ours, line)
    return ours
