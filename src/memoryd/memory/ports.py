"""What the memory rooms need from the journal: evidence to judge by, versions to stand on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from memoryd.ipc.events import Role, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The text of one journal event that a proposal may cite."""

    seq: int
    at: datetime
    host: str
    session_id: str
    role: Role
    tier: Tier
    text: str


class Evidence(Protocol):
    """The journal as acceptance sees it. Synchronous: called from a worker thread."""

    def spans(self, seqs: Iterable[int]) -> Mapping[int, Span]:
        """The spans that exist, by seq; a seq that was purged or never existed is missing."""
        ...

    def foreign(self, seqs: Iterable[int], *, later: bool = False) -> Sequence[tuple[Tier, str]]:
        """Texts below user tier of the cited sessions, newest first: tool, web and assistant text.

        :param later: also what came after the cited events, which a user text cannot quote
        """
        ...


class Author(StrEnum):
    RUN = "run"
    PERSON = "person"  #: through memoryd: save, edit, forget, undo, review
    HOST = "host"  #: a tool event of the agent wrote the file
    OUTSIDE = "outside"  #: found changed on disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The content of a file at one time; content None: the file was gone."""

    root: Path
    path: str
    content: bytes | None
    author: Author
    run_id: str | None
    at: datetime


class Versions(Protocol):
    """The history of the files. Synchronous: called from a worker thread; a return means durable."""

    def newest(self, root: Path) -> Mapping[str, str | None]:
        """sha256 hex of the newest version of each known path; None: known to be gone."""
        ...

    def content(self, digest: str) -> bytes | None:
        """The bytes of a version, None when unknown."""
        ...

    def record(self, versions: Sequence[Version]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file of an apply: `base` is what must stand there, None for nothing; `new` None removes it."""

    root: Path
    path: str
    base: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A fact that a person took back (undo, forget): proposing it again needs evidence that is later.

    Later in the journal, and said later: a transcript that is imported afterwards holds what was said before.
    """

    root: Path
    fact: str
    after_seq: int
    at: datetime | None = None  #: when it was taken back; None: not known any more
