"""Text -> sentences -> clauses, in English and Chinese.

A sentence remembers its raw words and a masked copy of equal length in which quotations are blanked, so that no
pattern matches inside a quotation and a short quoted name still stands in the line that is written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryd.worker.agents.rules.chinese_script import simplified

MAX_SENTENCE_CHARS = 400  #: longer ones are pasted or told, not stated
BLANK = "\x1a"  #: stands for a quoted character

_QUOTED = re.compile(
    r'"[^"\n]{1,200}"|“[^“”\n]{1,200}”|「[^「」\n]{1,200}」|『[^『』\n]{1,200}』|‘[^‘’\n]{1,200}’'
    r"|(?<![\w'’])'(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
)
_MARKER = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)、]|[（(]?[一二三四五六七八九十][)）、])\s*(?=\S)")
_ENDS = re.compile(r"[.!?]+[\"'”’)]*(?=\s|$)|[。！？!?…]+[”」』）)]*|(?<=[\u4e00-\u9fff])[!?](?=\S)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|dr|mr|mrs|ms|prof|fig))$", re.I)
_SHELL = re.compile(r"\s*(?:[$%#>]|>>>|\w+@[\w.-]+:\S*[$#])\s+[\w./~-]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a prompt. `start_of_line`: a line break stands before it."""

    text: str
    masked: str
    start_of_line: bool = False

    def part(self, start: int, end: int) -> str:
        return self.text[start:end]


def mask(text: str) -> str:
    """Return `text` in simplified characters, with the inside of each quotation blanked; the length stays."""
    return simplified(_QUOTED.sub(lambda m: m[0][0] + BLANK * (len(m[0]) - 2) + m[0][-1], text))


def lines(own: str) -> Iterator[str]:
    """Yield the lines a person typed: without list markers, shell transcripts left out."""
    in_shell = False
    for row in own.split("\n"):
        if not row.strip():
            in_shell = False
            yield ""
        elif _SHELL.match(row):
            in_shell = True
        elif not in_shell and row.count("|") < 2:  # two make a row of a table
            marker = _MARKER.match(row)
            yield f"- {row[marker.end() :].strip()}" if marker else row.strip()


def sentences_of(line: str) -> list[Sentence]:
    """Split one line; "e.g." and file names stay whole, a sentence in brackets loses them."""
    masked, found, at = mask(line), [], 0
    for end in _ENDS.finditer(masked):
        if end[0] == "." and _ABBREVIATION.search(masked[max(0, end.start() - 8) : end.start()]):
            continue
        found.append((at, end.end()))
        at = end.end()
    found.append((at, len(line)))
    made = (_sentence(line[a:b], masked[a:b], first=a == 0) for a, b in found)
    return [sentence for sentence in made if sentence is not None]


def _sentence(text: str, masked: str, *, first: bool) -> Sentence | None:
    start = len(text) - len(text.lstrip(" \t(（"))
    end = len(text.rstrip())
    if not any(map(str.isalnum, text[start:end])):
        return None
    return Sentence(text[start:end], masked[start:end], first)


def clauses(masked: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the bounds of the clauses, their separators left out."""
    bounds, at = [], 0
    for gap in separator.finditer(masked):
        if gap.start() > at:
            bounds.append((at, gap.start()))
        at = gap.end()
    bounds.append((at, len(masked)))
    return [(a, b) for a, b in bounds if masked[a:b].strip()]
