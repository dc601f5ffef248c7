"""Text -> sentences -> clauses, in English and Chinese.

A sentence remembers its raw words and a masked copy of equal length in which quotations are blanked, so that no
pattern matches inside a quotation and a short quoted name still stands in the line that is written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from memoryd.memory.spans import unquoted
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.caches import kept_for_a_run
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.patterns import Language

MAX_SENTENCE_CHARS = 400  #: longer ones are pasted or told, not stated
LEAST_ITEMS = 2  #: that a line must count to be divided

_MARKER = lazy(r"\s*(?:[-*+•]|\(?\d{1,2}[.)、]|[（(]?[一二三四五六七八九十][)）、])\s*(?=\S)")
_NUMBERED = lazy(r"(?<![^\s,;:.，；：。！])(\(?(\d)[)）、]\s*(?=\S))")
_ENDS = lazy(
    r"[.!?]+[\"'”’)]*(?=\s|$)|[。！？!?…]+[”」』）)]*|(?<=[\u4e00-\u9fff])[!?](?=\S)"
    r"|[，,；;](?=(?:还有(?!一|两|几|点|个)|另外|对了|此外|再就是|哦对|顺便说)[^，,。]{3})"
)
_CJK = lazy(r"[\u4e00-\u9fff]")
_NARROW = lazy(r"(?<!\d),|,(?!\d)|[;?!]")
_WIDE = {",": "，", ";": "；", "?": "？", "!": "！"}
_ABBREVIATION = lazy(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|dr|mr|mrs|ms|prof|fig))$", re.I)
_SHELL = lazy(r"\s*(?:[$%#>]|>>>|\w+@[\w.-]+:\S*[$#])\s+[\w./~-]+")

_LOG = lazy(
    r"\s*(?:\[?(?:WARN(?:ING)?|ERROR|INFO|DEBUG|FATAL|TRACE|NOTICE)\b[\]:]?"
    r"|\[\s*\d{1,3}%\]|\[?\d{4}-\d\d-\d\d[T ]\d\d:|<[\w-]+>.*</[\w-]+>)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a prompt, and what its signs weigh (`scales`), in hundredths of a logit."""

    text: str
    masked: str
    lasting: int = 0  #: how much speaks for a lasting statement
    alone: int = 0  #: the same, whatever its neighbours say
    changing: int = 0  #: for one that gives a new value for something known
    forgetting: int = 0  #: for a wish to forget
    only: bool = False  #: its prompt says nothing else


def mask(text: str) -> str:
    """Return `text` in simplified characters, with the inside of each quotation blanked; the length stays."""
    return simplified(unquoted(text))


def lines(own: str) -> Iterator[str]:
    """Yield the lines a person typed: without list markers, shell transcripts left out."""
    in_shell = False
    for row in chain.from_iterable(map(_items, own.split("\n"))):
        if not row.strip():
            in_shell = False
            yield ""
        elif _SHELL.match(row):
            in_shell = True
        elif not in_shell and not _LOG.match(row) and row.count("|") < 2:  # two make a row of a table
            marker = _MARKER.match(row)
            yield f"- {row[marker.end() :].strip()}" if marker else row.strip()


def _items(row: str) -> list[str]:
    """Divide a line that counts its items: "1) this 2) that"."""
    starts = [0]
    for number in _NUMBERED.finditer(row):
        if int(number[2]) == len(starts):
            starts.append(number.start(1))
    if len(starts) <= LEAST_ITEMS:
        return [row]
    return [row[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True) if row[a:b].strip()]


def sentences_of(line: str) -> list[Sentence]:
    """Split one line; "e.g." and file names stay whole, a sentence in brackets loses them."""
    masked, found, at = mask(line), [], 0
    for end in _ENDS.finditer(masked):
        if end[0] == "." and _ABBREVIATION.search(masked[max(0, end.start() - 8) : end.start()]):
            continue
        found.append((at, end.end()))
        at = end.end()
    found.append((at, len(line)))
    made = (_sentence(line[a:b], masked[a:b]) for a, b in found)
    return [sentence for sentence in made if sentence is not None]


def _sentence(text: str, masked: str) -> Sentence | None:
    start = len(text) - len(text.lstrip(" \t(（"))
    end = len(text.rstrip())
    if not any(map(str.isalnum, text[start:end])):
        return None
    return Sentence(text[start:end], _with_wide_marks(masked[start:end]))


def _with_wide_marks(masked: str) -> str:
    """Chinese typed with the punctuation marks of another keyboard reads as Chinese; the length stays."""
    return _NARROW.sub(lambda m: _WIDE[m[0]], masked) if _CJK.search(masked) else masked


def after_opener(masked: str, start: int, end: int, language: Language) -> tuple[int, re.Match[str] | None]:
    """Return where a clause begins behind its fillers, at most its end, and the fillers."""
    opened = language.opener.match(masked, start)
    return max(start, min(end, opened.end())) if opened else start, opened


@kept_for_a_run
def clauses(masked: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the bounds of the clauses, their separators left out."""
    bounds, at = [], 0
    for gap in separator.finditer(masked):
        if gap.start() > at:
            bounds.append((at, gap.start()))
        at = gap.end()
    bounds.append((at, len(masked)))
    return [(a, b) for a, b in bounds if masked[a:b].strip()]
