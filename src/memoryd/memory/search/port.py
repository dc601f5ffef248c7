"""The index as the daemon sees it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # the processes of the index import this page, and no more than they need
    from memoryd.memory.search.documents import Document

RELATED = 0.8  #: nearness from which two short texts may tell of the same

Field = Literal["memory", "turn"]


class Damaged(Exception):
    """There is no index, or its files are not what was written: it is to be removed and built again."""


class Unavailable(Exception):
    """The index cannot be asked now: its process did not start, ended, or took too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """What the index holds; committed with it, so a restart goes on from here."""

    seq: int = 0  #: turns of events up to this one
    roots: dict[str, str] = field(default_factory=dict)  #: memory directory -> digest of the memories that are in


@dataclass(frozen=True, slots=True)
class Found:
    id: str  #: of a document
    score: float  #: BM25; comparable within one answer


@dataclass(frozen=True, slots=True)
class Removal:
    """All documents with this value: `dir`, `root` (memories alone), `session` (`host/id`) or `id`."""

    field: Literal["dir", "root", "session", "id"]
    value: str


class Index(Protocol):
    """Blocking: called from worker threads."""

    def state(self) -> IndexState:
        """:raises Damaged: none there :raises Unavailable: it cannot be asked"""
        ...

    def apply(self, *, add: "Sequence[Document]", remove: Sequence[Removal], state: IndexState) -> None:
        """Remove, then add, then keep the state: one durable commit.

        A document takes the place of one with its id, and of its twin.

        :raises Damaged: the files are not what was written :raises Unavailable: it cannot be written
        """
        ...

    def search(
        self, query: str, *, field: Field, dirs: Sequence[str] = (), every: bool = False, limit: int = 50
    ) -> list[Found]:
        """Documents by BM25, the best first.

        :param dirs: only of these memory directories; empty: of all
        :param every: every word of the query must occur, else one is enough
        :raises Damaged: the files are not what was written :raises Unavailable: it cannot be asked
        """
        ...

    def near(self, texts: Sequence[str], others: Sequence[str]) -> Sequence[Sequence[float]]:
        """A row for each text: how near it is to each of the others by its meaning, 0 to 1; from `RELATED` on they may
        tell of the same. No rows without an embedder.

        :raises Unavailable: it cannot be asked
        """
        ...

    def wipe(self) -> None:
        """Take the index from the disk: no word of it can be read afterwards."""
        ...

    def rest(self) -> None:
        """Give back what an index that is not in use would hold."""
        ...

    def close(self) -> None: ...
