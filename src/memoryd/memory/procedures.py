"""Procedures: which of them a prompt or an open goal asks for, and the steps that they consist of. Pure.

score = hits / keywords of the query, the keywords being at most 50 of its first 1 500 characters, Chinese ones first.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryd.ipc.events import Tier
from memoryd.memory.catalogue import Known
from memoryd.memory.words import CJK, content_words, normal
from memoryd.patterns import lazy

QUERY_CHARS, MAX_KEYWORDS = 1_500, 50
HIT = 0.3  #: a score above it is a hit
MATCHES = 2  #: best ones that are handed back with their steps
TELL = 0.45  #: confidence from which on a procedure is listed unasked: seen twice
_CHUNK = lazy(rf"[{CJK}]+|[^\s{CJK}]+")
_IS_CJK = lazy(rf"[{CJK}]")
_STEP = lazy(r"^\s*\d{1,2}[.)、]\s*(\S.*)$", re.MULTILINE)


def keywords(query: str) -> tuple[str, ...]:
    """Return the words that a query asks with, Chinese ones first, each once."""
    chunks = _CHUNK.findall(normal(query[:QUERY_CHARS]))
    ordered = sorted(chunks, key=lambda chunk: not _IS_CJK.match(chunk))  # stable: else in their order
    return tuple(dict.fromkeys(word for chunk in ordered for word in sorted(content_words(chunk))))[:MAX_KEYWORDS]


def score(asked: Sequence[str], words: frozenset[str]) -> float:
    """Return 0 to 1: the share of the keywords that are among the words."""
    return sum(word in words for word in asked) / max(1, len(asked))


def matched(known: Iterable[Known], prompt: str, goals: Iterable[str], now: datetime) -> list[Known]:
    """Return the procedures that a prompt or one of the goals asks for, the best first."""
    queries = [found for query in (prompt, *goals) if (found := keywords(query))]
    scored = [
        (max((score(query, _words(one)) for query in queries), default=0.0), one)
        for one in known
        if one.entry.active and not one.entry.expired(now)
    ]
    hits = [(points, one) for points, one in scored if points > HIT]
    hits.sort(key=lambda hit: (-hit[0], -(hit[1].entry.confidence or 1.0), hit[1].key))
    return [one for _, one in hits[:MATCHES]]


def told_unasked(known: Known, now: datetime) -> bool:
    """Whether a procedure is sure enough to be listed without being asked for; a person's own always is."""
    entry = known.entry
    return entry.active and not entry.expired(now) and (entry.confidence is None or entry.confidence >= TELL)


def steps_of(known: Known) -> tuple[str, ...]:
    """Return the numbered steps of a procedure, else its rows."""
    rows = tuple(_STEP.findall(known.entry.body))
    return rows or tuple(row.strip() for row in known.entry.body.splitlines() if row.strip())


def _words(known: Known) -> frozenset[str]:
    """What it is for; of one in a person's words its steps too. The steps of work are the same for many tasks."""
    entry = known.entry
    body = "" if entry.tier is Tier.TOOL else entry.body
    return content_words(f"{entry.name}\n{entry.description}\n{body}")
