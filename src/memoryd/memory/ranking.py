"""How memories are ranked: relevance by words, recency by decay, importance as written (DESIGN.md 6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryd.memory.catalogue import Catalogue, Known, KnownLine
from memoryd.memory.labels import age_days
from memoryd.memory.model import Entry, EntryType
from memoryd.memory.words import content_words

NAME_WEIGHT, DESCRIPTION_WEIGHT, BODY_WEIGHT = 3, 2, 1
TYPE_WEIGHTS = {EntryType.USER: 1.0, EntryType.FEEDBACK: 0.8, EntryType.PROJECT: 0.5, EntryType.REFERENCE: 0.3}
LINE_WEIGHT = TYPE_WEIGHTS[EntryType.USER]
SESSION_WEIGHT = TYPE_WEIGHTS[EntryType.REFERENCE]
LINE_IMPORTANCE, SESSION_IMPORTANCE = 0.6, 0.4  #: of a stated preference, of anything else
HISTORICAL_RECENCY = 0.01
MAX_USES = 127  #: that slow decay
COMMON_SHARE = 0.2  #: a word in more of the memories than this tells nothing about one of them
COMMON_AT_LEAST = 3  #: in small memories a word may repeat this often


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The shares of the composite, which add up to 1, and after how many days half of the recency is gone."""

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    half_life_days: float = 30.0

    def composite(self, relevance: float, recency: float, importance: float) -> float:
        return self.relevance * relevance + self.recency * recency + self.importance * importance


WEIGHTS = Weights()


def recency(entry: Entry, now: datetime, weights: Weights = WEIGHTS) -> float:
    """Return 0 to 1: exponential decay times the tier of age (<= 7 days 1.0, <= 30 0.7, older 0.3).

    An entry without a time counts as one half-life old.
    """
    if not entry.active:
        return HISTORICAL_RECENCY
    return faded(entry.updated_at or entry.created_at, now, weights, uses=entry.uses)


def faded(moment: datetime | None, now: datetime, weights: Weights = WEIGHTS, *, uses: int = 0) -> float:
    """Return the recency of something that was last true at a moment, None for an unknown one.

    :param uses: for how many different prompts it was wanted
    """
    days = slowed(age_days(moment, now) if moment else weights.half_life_days, uses)
    tier = 1.0 if days <= 7 else 0.7 if days <= 30 else 0.3
    return math.exp(-math.log(2) / weights.half_life_days * days) * tier


def slowed(days: float, uses: int) -> float:
    """Return the days by which something ages that is used: with 1 use half as fast, with 3 a third, at most 1/8."""
    return days / (1 + math.log2(1 + min(uses, MAX_USES)))


def relevance(query: frozenset[str], known: Known) -> float:
    """Return 0 to 1: the words of the query that the entry holds, weighted by where, times the weight of its type."""
    return coverage(query, known) * TYPE_WEIGHTS[known.entry.type]


def coverage(query: frozenset[str], known: Known) -> float:
    """Return 0 to 1: the words of the query that the entry holds, weighted by where."""
    return sum(_field_weight(word, known) for word in query) / (NAME_WEIGHT * max(1, len(query)))


def composite(query: frozenset[str], known: Known, now: datetime, weights: Weights = WEIGHTS) -> float:
    """Return 0 to 1: how much a memory matters for a query, now."""
    return weights.composite(relevance(query, known), recency(known.entry, now, weights), known.entry.importance)


def standing(entry: Entry, now: datetime, weights: Weights = WEIGHTS) -> float:
    """Return the part of the composite that no query changes: recency and importance."""
    return weights.composite(0.0, recency(entry, now, weights), entry.importance)


def ranked(entries: Sequence[Known], query: frozenset[str], now: datetime, weights: Weights = WEIGHTS) -> list[Known]:
    """Return the entries, the best first; ties by key, so that the order is stable."""
    return sorted(entries, key=lambda known: (-composite(query, known, now, weights), known.key))


def telling_words(catalogue: Catalogue, query: str) -> frozenset[str]:
    """Return the words of a query that can tell one memory from another."""
    documents = [known.words for known in catalogue.entries] + [line.words for line in catalogue.lines]
    allowed = max(COMMON_AT_LEAST, COMMON_SHARE * len(documents))
    counts = {word: sum(word in words for words in documents) for word in content_words(query)}
    return frozenset(word for word, count in counts.items() if 0 < count <= allowed)


def is_relevant(query: frozenset[str], telling: frozenset[str], known: Known | KnownLine) -> bool:
    """Whether a memory truly speaks of what is asked: two telling words, one in its name, or all words of the query."""
    shared = telling & known.words
    named = isinstance(known, Known) and bool(shared & known.name_words)
    return bool(shared) and (len(shared) >= 2 or named or query <= known.words)


def _field_weight(word: str, known: Known) -> int:
    if word in known.name_words:
        return NAME_WEIGHT
    if word in known.description_words:
        return DESCRIPTION_WEIGHT
    return BODY_WEIGHT if word in known.words else 0
