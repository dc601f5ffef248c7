"""The part of a text that answers a query."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from memoryd.memory.text import cut
from memoryd.memory.words import CJK, content_words, has_word, is_particle, normal, stem

SNIPPET_CHARS = 200

_ASKED = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_CJK_CHAR = re.compile(rf"[{CJK}]")


class Part(NamedTuple):
    """The part of a text that answers best."""

    text: str
    holds: bool  #: whether it holds anything of the query


def part(text: str, query: str, *, limit: int = SNIPPET_CHARS) -> Part:
    """Return at most `limit` characters of the line that holds most of the query, the first hit among them."""
    needles = _needles(query)
    rows = [pair for pair in zip(text.split("\n"), _folded(text).split("\n"), strict=True) if pair[0].strip()]
    counts = [_count(folded, needles) for _, folded in rows]
    if not rows:
        return Part("", False)
    best = counts.index(max(counts))
    row, folded = (" ".join(side.split()) for side in rows[best])
    return Part(_window(row, folded, needles, limit), counts[best] > 0)


def snippet(text: str, query: str) -> str:
    """Return the part of a text that answers best."""
    return part(text, query).text


def speaks_of(text: str, query: str) -> float:
    """Return the share of the query's words that a text holds, 0 to 1: relevance without an index."""
    words = _words(query)
    held = content_words(text)
    if words:
        return sum(has_word(word, held, text) for word in words) / len(words)
    return float(bool(query.strip()) and normal(query).casefold().strip() in _folded(text))


@lru_cache(maxsize=16)
def _words(query: str) -> frozenset[str]:
    return content_words(query)


@lru_cache(maxsize=16)  # asked again for each text of an answer
def _needles(query: str) -> tuple[str, ...]:
    """Beginnings of words, pairs of CJK characters, or a single one; the longest first."""
    words = _words(query)
    found: set[str] = set()
    for match in _ASKED.finditer(normal(query).casefold()):
        run = match.group()
        if not _CJK_CHAR.match(run):
            found |= {stem(run)} if stem(run) in words or not words else set()
        elif len(run) < 3:
            found.add(run)
        else:
            found |= {run[i : i + 2] for i in range(len(run) - 1) if not any(map(is_particle, run[i : i + 2]))}
    return tuple(sorted(found, key=lambda needle: (-len(needle), needle)))


def _count(folded: str, needles: Iterable[str]) -> int:
    return sum(needle in folded for needle in needles)


def _at(folded: str, needle: str) -> int:
    """Where a needle stands: at the beginning of a word if it does anywhere, else within one; -1: nowhere."""
    first = at = folded.find(needle)
    while at > 0 and folded[at - 1].isalnum() and needle.isascii():
        at = folded.find(needle, at + 1)
    return first if at < 0 else at


def _folded(text: str) -> str:
    """The text folded to be compared, each character and each line at its place."""
    folded = normal(text).casefold()
    return folded if len(folded) == len(text) else "".join(map(_folded_char, text))


@lru_cache(maxsize=4_096)
def _folded_char(char: str) -> str:
    return (normal(char).casefold() or char)[0]


def _window(row: str, folded: str, needles: Sequence[str], limit: int) -> str:
    if len(row) <= limit:
        return row
    places = [at for needle in needles if (at := _at(folded, needle)) >= 0]
    start = max(0, min(places, default=0) - limit // 4)
    if start:
        start = row.find(" ", start, start + 20) + 1 or start
    return ("…" if start else "") + cut(row[start:], limit - bool(start))
