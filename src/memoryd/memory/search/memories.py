"""Search over the memory of a place: relevance from the index, or from the texts themselves while there is none."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import assert_never

from memoryd.ipc.methods.memory import Match
from memoryd.memory.catalogue import Catalogue, Known, KnownLine, SessionSummary
from memoryd.memory.model import Entry, FileKey
from memoryd.memory.ranking import (
    HISTORICAL_RECENCY,
    LINE_IMPORTANCE,
    LINE_WEIGHT,
    NAME_WEIGHT,
    SESSION_IMPORTANCE,
    SESSION_WEIGHT,
    TYPE_WEIGHTS,
    WEIGHTS,
    Weights,
    coverage,
    faded,
    recency,
)
from memoryd.memory.search.documents import Memory
from memoryd.memory.search.snippets import snippet
from memoryd.memory.text import fold, jaccard
from memoryd.memory.words import Word, answers, asked_content, content_words

SAME = 0.7  #: Jaccard index of the words from which one hit only says another again
PER_FILE = 3  #: lines of one core file among the first hits
COMPARED = 100  #: best hits that are made diverse


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory that answers a query."""

    key: FileKey
    name: str
    entry: Entry | None  #: None: a line of a core file or a session summary
    score: float
    snippet: str  #: at most 200 characters


@dataclass(frozen=True, slots=True)
class Relevant:
    """A memory, and how well it answers: 0 to 1."""

    memory: Memory
    relevance: float


def ranked_hits(
    found: Iterable[Relevant], query: str, now: datetime, limit: int, weights: Weights = WEIGHTS
) -> list[Hit]:
    """Return the best hits first: relevance x weight of the type, recency and importance, each with its weight.

    Historical entries come last. What a better hit says already, and further lines of one file, come after the rest.
    """
    scored = sorted(
        ((_score(one, now, weights), one.memory) for one in found), key=lambda pair: (-pair[0], pair[1].key)
    )
    return [_hit(memory, score, query) for score, memory in islice(_diverse(scored), limit)]


def scaled(found: Sequence[tuple[Memory, float]]) -> list[Relevant]:
    """Return BM25 scores as shares of the best."""
    best = max((score for _, score in found), default=0.0)
    return [Relevant(memory, score / best if best else 0.0) for memory, score in found]


def matching(catalogue: Catalogue, query: str, match: Match = "words") -> list[Relevant]:
    """Find entries, core lines and session summaries by reading them all.

    `words`: all words of the query, a code symbol or path also by its beginning; `any`: one of them; `phrase`: the
    words in sequence, compared folded; `literal`: these very characters; `prefix`: each begins a word.
    """
    asked, words = content_words(query), asked_content(query)
    held: list[tuple[Memory, str, frozenset[str]]] = [
        (known, _text_of(known.entry), known.words) for known in catalogue.papers
    ]
    held += [(line, line.text, line.words) for line in catalogue.lines]
    held += [
        (summary, summary.text, content_words(summary.text)) for summary in (*catalogue.sessions, *catalogue.archived)
    ]
    return [
        Relevant(memory, _relevance(memory, asked, known))
        for memory, text, known in held
        if _matches(text, known, query, words, match)
    ]


def _relevance(memory: Memory, asked: frozenset[str], words: frozenset[str]) -> float:
    if isinstance(memory, Known):
        return coverage(asked, memory)
    return len(asked & words) / (NAME_WEIGHT * max(1, len(asked)))


def _score(one: Relevant, now: datetime, weights: Weights) -> float:
    match one.memory:
        case Known(entry=entry):
            relevance = one.relevance * TYPE_WEIGHTS[entry.type]
            score = weights.composite(relevance, recency(entry, now, weights), entry.importance)
            return score if entry.active else score * HISTORICAL_RECENCY
        case KnownLine():
            return weights.composite(one.relevance * LINE_WEIGHT, faded(None, now, weights), LINE_IMPORTANCE)
        case SessionSummary(date=date):
            fresh = faded(_day(date), now, weights)
            return weights.composite(one.relevance * SESSION_WEIGHT, fresh, SESSION_IMPORTANCE)
        case _:
            assert_never(one.memory)


def _day(date: str) -> datetime | None:
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC)
    except ValueError:
        return None


def _diverse(scored: Sequence[tuple[float, Memory]]) -> Iterator[tuple[float, Memory]]:
    """Compares no more than is asked for: a page is the best few."""
    again: list[tuple[float, Memory]] = []
    seen: list[frozenset[str]] = []
    of_file: Counter[FileKey] = Counter()
    for score, memory in scored[:COMPARED]:
        words = content_words(memory.text) if isinstance(memory, SessionSummary) else memory.words
        if of_file[memory.key] >= PER_FILE or any(jaccard(words, other) >= SAME for other in seen):
            again.append((score, memory))
        else:
            of_file[memory.key] += 1
            yield score, memory
        seen.append(words)
    yield from again
    yield from scored[COMPARED:]


def _hit(memory: Memory, score: float, query: str) -> Hit:
    if isinstance(memory, Known):
        entry = memory.entry
        shown = snippet(entry.body or entry.description, query)
        return Hit(key=memory.key, name=entry.name, entry=entry, score=score, snippet=shown)
    return Hit(key=memory.key, name=memory.key.path, entry=None, score=score, snippet=snippet(memory.text, query))


def _text_of(entry: Entry) -> str:
    return "\n".join((entry.name, entry.slug, entry.description, " ".join(entry.tags), entry.body))


def _matches(text: str, held: frozenset[str], query: str, asked: Sequence[Word], match: Match) -> bool:
    if not query.strip():
        return False
    match match:
        case "literal":
            return query in text
        case "phrase":
            return fold(query) in fold(text)
        case "words" if asked:
            return all(answers(word, held, text) for word in asked)
        case "any" if asked:
            return any(answers(word, held, text) for word in asked)
        case "any" | "words" | "prefix":
            begun = re.findall(r"\w+", fold(text))
            return all(any(word.startswith(start) for word in begun) for start in fold(query).split())
        case _:
            assert_never(match)
