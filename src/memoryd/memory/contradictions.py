"""Two memories that cannot both hold: found pair by pair, asked about once, answered with what stays. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

from memoryd.memory import entries
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.model import CORE_FILES, EntryType, FileKey, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save
from memoryd.memory.text import bare, cut

Keep = Literal["first", "second", "both"]
MAX_COMPARED = 400  #: statements of one place
NAME_CHARS = 80  #: of an entry
MIN_SHARED = 1  #: content words of a pair that is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two memories: a line of a core file, or an entry, which says it in its first line."""

    root: Root
    path: str
    text: str
    type: EntryType | None = None  #: of an entry

    @property
    def key(self) -> FileKey:
        return FileKey(self.root, self.path)

    def taken_out(self) -> Proposal:
        if self.path in CORE_FILES:
            return Lines(root=self.root, file=self.path, remove=(self.text,))
        slug = entries.slug_of(self.path) or self.path
        return Archive(root=self.root, slug=slug, reason="it contradicted another memory")

    def reworded(self, text: str) -> Proposal:
        if self.type is None:
            return Lines(root=self.root, file=self.path, replace=((self.text, text),))
        slug = entries.slug_of(self.path) or self.path
        return Save(root=self.root, slug=slug, name=cut(text, NAME_CHARS), type=self.type, content=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """The newer of two memories first, and how they differ."""

    first: Side
    second: Side
    difference: str

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same question, whatever else changes."""
        return tuple(sorted(f"{side.root}/{side.path}\0{side.text.casefold()}" for side in (self.first, self.second)))

    @property
    def text(self) -> str:
        rows = (f"{n}. {side.root}/{side.path}: {side.text}" for n, side in enumerate((self.first, self.second), 1))
        return "\n".join(rows)

    def detail(self, cites: Sequence[int]) -> dict[str, Any]:
        return {**asdict(self), "cites": sorted(cites)}

    @classmethod
    def of(cls, detail: Mapping[str, Any]) -> "Contradiction":
        sides = ({**detail[name], "root": Root(detail[name]["root"])} for name in ("first", "second"))
        first, second = (Side(**side) for side in sides)
        return cls(first=first, second=second, difference=detail["difference"])

    def answered(self, keep: Keep, text: str | None = None) -> tuple[Proposal, ...]:
        """What a person's answer asks for; `both`: nothing.

        :param text: what is so, in the place of the one that stays
        """
        if keep == "both":
            return ()
        kept, gone = (self.first, self.second) if keep == "first" else (self.second, self.first)
        return (gone.taken_out(), *([kept.reworded(text)] if text is not None else []))


def find(
    catalogue: Catalogue, difference: Callable[[str, str], str | None], newer: Callable[[Side, Side], bool]
) -> Iterator[Contradiction]:
    """Yield the pairs that contradict each other.

    :param difference: how two texts do, asked only of those that share a word
    :param newer: whether the first was said, or written, after the second
    """
    sides = [(side, words) for side, words in _sides(catalogue)][:MAX_COMPARED]
    for (one, mine), (other, others) in combinations(sides, 2):
        if len(mine & others) >= MIN_SHARED and (found := difference(one.text, other.text)):
            first, second = (one, other) if newer(one, other) else (other, one)
            yield Contradiction(first=first, second=second, difference=str(found))


def _sides(catalogue: Catalogue) -> Iterator[tuple[Side, frozenset[str]]]:
    for line in catalogue.lines:
        yield Side(root=line.key.root, path=line.key.path, text=line.text), line.words
    for known in catalogue.entries:
        if known.entry.active and not known.entry.dated and known.key.root is not Root.TEAM:
            key, entry = known.key, known.entry
            yield Side(root=key.root, path=key.path, text=_statement(known), type=entry.type), known.words


def _statement(known: Known) -> str:
    return next((bare(row) for row in known.entry.body.split("\n") if bare(row)), known.entry.name)
