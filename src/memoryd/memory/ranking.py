"""How memories are ranked: relevance by words, recency by decay, importance as written (DESIGN.md 6)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, assert_never

from memoryd.memory.catalogue import Catalogue, Known, KnownLine
from memoryd.memory.labels import age_days
from memoryd.memory.model import Entry, EntryType, FileKey
from memoryd.memory.text import content_words, cut, fold

NAME_WEIGHT, DESCRIPTION_WEIGHT, BODY_WEIGHT = 3, 2, 1
TYPE_WEIGHTS = {EntryType.USER: 1.0, EntryType.FEEDBACK: 0.8, EntryType.PROJECT: 0.5, EntryType.REFERENCE: 0.3}
LINE_WEIGHT = TYPE_WEIGHTS[EntryType.USER]
SESSION_WEIGHT = TYPE_WEIGHTS[EntryType.REFERENCE]
RELEVANCE_SHARE, RECENCY_SHARE, IMPORTANCE_SHARE = 0.5, 0.3, 0.2
HALF_LIFE_DAYS = 30
HISTORICAL_RECENCY = 0.01
COMMON_SHARE = 0.2  #: a word in more of the memories than this tells nothing about one of them
COMMON_AT_LEAST = 3  #: in small memories a word may repeat this often

Match = Literal["words", "any", "phrase", "literal", "prefix"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory that answers a query."""

    key: FileKey
    name: str
    entry: Entry | None  #: None: a line of a core file or a session summary
    score: float
    snippet: str  #: at most 200 characters


def recency(entry: Entry, now: datetime) -> float:
    """Return 0 to 1: exponential decay times the tier of age (<= 7 days 1.0, <= 30 0.7, older 0.3).

    An entry without a time counts as one half-life old.
    """
    if not entry.active:
        return HISTORICAL_RECENCY
    moment = entry.updated_at or entry.created_at
    days = age_days(moment, now) if moment else HALF_LIFE_DAYS
    tier = 1.0 if days <= 7 else 0.7 if days <= 30 else 0.3
    return math.exp(-math.log(2) / HALF_LIFE_DAYS * days) * tier


def relevance(query: frozenset[str], known: Known) -> float:
    """Return 0 to 1: the words of the query that the entry holds, weighted by where, times the weight of its type."""
    if not query:
        return 0.0
    found = sum(_field_weight(word, known) for word in query)
    return found / (NAME_WEIGHT * len(query)) * TYPE_WEIGHTS[known.entry.type]


def composite(query: frozenset[str], known: Known, now: datetime) -> float:
    """Return 0 to 1: how much a memory matters for a query, now."""
    return RELEVANCE_SHARE * relevance(query, known) + standing(known.entry, now)


def standing(entry: Entry, now: datetime) -> float:
    """Return the part of the composite that no query changes: recency and importance."""
    return RECENCY_SHARE * recency(entry, now) + IMPORTANCE_SHARE * entry.importance


def ranked(entries: Sequence[Known], query: frozenset[str], now: datetime) -> list[Known]:
    """Return the entries, the best first; ties by key, so that the order is stable."""
    return sorted(entries, key=lambda known: (-composite(query, known, now), known.key))


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


def search(catalogue: Catalogue, query: str, match: Match = "words", limit: int = 10) -> list[Hit]:
    """Find entries, core lines and session summaries, the best first.

    `words`: all words of the query; `any`: one of them; `phrase`: the words in sequence, compared folded; `literal`:
    these very characters; `prefix`: each word begins a word. Historical entries come last.
    """
    asked = content_words(query)
    hits = [
        Hit(
            key=known.key,
            name=known.entry.name,
            entry=known.entry,
            score=(relevance(asked, known) + 0.01) * (1 if known.entry.active else HISTORICAL_RECENCY),
            snippet=_snippet(known.entry.body or known.entry.description, asked),
        )
        for known in catalogue.entries
        if _matches(_text_of(known.entry), known.words, query, asked, match)
    ]
    plain = [(line.key, line.text, line.words, LINE_WEIGHT) for line in catalogue.lines]
    plain += [(s.key, s.text, content_words(s.text), SESSION_WEIGHT) for s in catalogue.sessions]
    for key, text, words, weight in plain:
        if _matches(text, words, query, asked, match):
            score = (len(asked & words) / (NAME_WEIGHT * max(1, len(asked))) + 0.01) * weight
            hits.append(Hit(key=key, name=key.path, entry=None, score=score, snippet=_snippet(text, asked)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]


def _text_of(entry: Entry) -> str:
    return "\n".join((entry.name, entry.slug, entry.description, " ".join(entry.tags), entry.body))


def _field_weight(word: str, known: Known) -> int:
    if word in known.name_words:
        return NAME_WEIGHT
    if word in known.description_words:
        return DESCRIPTION_WEIGHT
    return BODY_WEIGHT if word in known.words else 0


def _matches(text: str, words: frozenset[str], query: str, asked: frozenset[str], match: Match) -> bool:
    if not query.strip():
        return False
    match match:
        case "literal":
            return query in text
        case "phrase":
            return fold(query) in fold(text)
        case "words" if asked:
            return asked <= words
        case "any" if asked:
            return bool(asked & words)
        case "any" | "words" | "prefix":
            held = re.findall(r"\w+", fold(text))
            return all(any(word.startswith(start) for word in held) for start in fold(query).split())
        case _:
            assert_never(match)


def _snippet(text: str, words: frozenset[str]) -> str:
    """Return the line that holds most of the words."""
    rows = [row for row in text.split("\n") if row.strip()]
    return cut(max(rows, key=lambda row: len(words & content_words(row)), default=""), 200)
