"""The nouns of a draft: files as they shall be, which line rests on what, what was not done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memoryd.memory.model import FileKey
from memoryd.memory.proposals import Proposal

Sources = Callable[[Sequence[int]], Sequence[str]]  #: seqs -> `host/session#seq`, for the frontmatter's copies
#: the seqs that a line memoryd wrote rests on; None for a line that a person wrote
Ours = Callable[[FileKey, str], Sequence[int] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A line that the draft writes (`text.bare` form) and the events that it rests on."""

    key: FileKey
    line: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was not done because the file no longer says what the proposal expects."""

    proposal: Proposal
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """An entry that became a historical version; `successor` is the slug that replaced it, None when none did."""

    old: FileKey
    new: FileKey
    successor: str | None
    for_room: bool = False  #: its type was over its total: the lowest ranked goes, whoever asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Files as they shall be: `(bytes of the base or None, new bytes or None)` for each file that changes."""

    changes: Mapping[FileKey, tuple[bytes | None, bytes | None]]
    citations: tuple[Cited, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unchanged: tuple[Proposal, ...] = ()  #: already so
    archived: tuple[Moved, ...] = ()
    replaced: tuple[tuple[FileKey, str], ...] = ()  #: lines that gave way to another one by a proposal


def decode(content: bytes) -> str:
    """Decode a file; bytes that are no UTF-8 survive `encode`."""
    return content.decode("utf-8", "surrogateescape")


def readable(content: bytes) -> str:
    """Decode a file for readers: bytes that are no UTF-8 show as U+FFFD; the file keeps them."""
    return content.decode("utf-8", "replace")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
