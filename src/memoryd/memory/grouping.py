"""Many candidates for memory at once: what is the same falls together, so that one question decides a whole group.

Batch, duplicates inside it, similar ones that are kept already, groups: only a group that is not obvious needs a
model, and one call can ask about many groups. The numbers of a group mean places in the batch.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memoryd.memory.search.port import RELATED as NEAR
from memoryd.memory.text import effective, fold
from memoryd.memory.wording import telling

RELATED = 0.30  #: share of the telling words of the shorter text; below it two texts are about different things
MAX_NEIGHBOURS = 3  #: kept memories that are shown with a group, the nearest first

_ARTICLES = frozenset({"a", "an", "the"})
_STOPS = ".,;:!?。，；：！？"

Similarity = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[float]]]
"""Texts a, texts b -> a row for each of a: how near it is to each of b, 0 to 1, 1 for the same; no rows: unknown."""


class Standing(StrEnum):
    """What a group needs."""

    FRESH = "fresh"  #: nothing like it: kept without a question
    KNOWN = "known"  #: kept already, word for word or nearly: dropped without a question
    TWINS = "twins"  #: the batch says it several times and memory does not: the fullest is kept without a question
    OPEN = "open"  #: something related is kept, or the batch says related things: somebody must decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    standing: Standing
    members: tuple[int, ...]  #: in the order of the batch
    best: int  #: the member that says most
    neighbours: tuple[int, ...] = ()  #: places in `kept` of what is related, the nearest first


def group(batch: Sequence[str], kept: Sequence[str], *, similarity: Similarity | None = None) -> list[Group]:
    """Group a batch of texts; every member stands in exactly one group, groups in the order of their first member.

    :param kept: the active memories that it is compared with
    :param similarity: of an embedder, on top of words; a pair counts as related from `NEAR` of it on
    """
    among = _related(batch, batch, similarity)
    outside = _related(batch, kept, similarity)
    return [_group(members, batch, kept, outside) for members in _together(len(batch), among)]


def _related(texts: Sequence[str], others: Sequence[str], similarity: Similarity | None) -> list[dict[int, float]]:
    """For each text the places of what it is related to, with how near."""
    words, other_words = [telling(t) for t in texts], [telling(t) for t in others]
    rows = similarity(texts, others) if similarity and texts and others else None
    found = list[dict[int, float]]()
    for n, mine in enumerate(words):
        near = {m: _overlap(mine, theirs) for m, theirs in enumerate(other_words)}
        if rows:
            near = {m: max(value, rows[n][m] if rows[n][m] >= NEAR else 0.0) for m, value in near.items()}
        found.append({m: value for m, value in near.items() if value >= RELATED})
    return found


def _overlap(mine: frozenset[str], theirs: frozenset[str]) -> float:
    shared = len(mine & theirs)
    return shared / min(len(mine), len(theirs)) if shared > 1 or (shared and min(len(mine), len(theirs)) < 3) else 0.0


def _together(size: int, related: Sequence[dict[int, float]]) -> Iterable[tuple[int, ...]]:
    """The connected parts."""
    label = list(range(size))
    for n in range(size):
        for m in related[n]:
            old, new = max(label[n], label[m]), min(label[n], label[m])
            label = [new if one == old else one for one in label]
    for first in sorted(set(label)):
        yield tuple(n for n in range(size) if label[n] == first)


def _group(
    members: tuple[int, ...], batch: Sequence[str], kept: Sequence[str], outside: Sequence[dict[int, float]]
) -> Group:
    best = max(members, key=lambda n: (len(effective(batch[n])), -n))
    nearness = dict[int, float]()
    for n in members:
        for m, value in outside[n].items():
            nearness[m] = max(value, nearness.get(m, 0.0))
    neighbours = tuple(sorted(nearness, key=lambda m: (-nearness[m], m))[:MAX_NEIGHBOURS])
    alike = all(_same(batch[n], batch[best]) for n in members)
    if neighbours and all(any(_same(batch[n], kept[m]) for m in neighbours) for n in members):
        standing = Standing.KNOWN
    elif neighbours or not alike:
        standing = Standing.OPEN
    else:
        standing = Standing.TWINS if len(members) > 1 else Standing.FRESH
    return Group(standing=standing, members=members, best=best, neighbours=neighbours)


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same with the same words: what only one of them says may be the change itself, and so
    may the order ("moved from A to B")."""
    return _in_order(one) == _in_order(other)


def _in_order(text: str) -> list[str]:
    return [word for word in (word.rstrip(_STOPS) for word in fold(text).split()) if word and word not in _ARTICLES]
