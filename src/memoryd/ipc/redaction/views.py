r"""The ways in which a secret may be written: as it is, JSON-escaped, URL-encoded, wrapped over lines.

A view is the text with one of these taken back, and the way from its positions to those of the text. So each rule
is written once, and for the plain form. A view that would be the text again is not made.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import add, sub

_ESCAPE = re.compile(r"""\\\\{0,15}(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>["'/nrt]))""")
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", **{char: char for char in "\"'/"}}
#: ASCII, and what UTF-8 writes with more bytes: no secret that we know holds it, but the words before one do
_PERCENT = re.compile(r"%(?:[2-7][0-9A-Fa-f]|0[AaDd]|[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3})")
_FULL = r"[^\n]{24}[\w+/-]"  #: a line that was long enough to be wrapped, and ends within a token
_NEXT = r"[\w+/.=@-]"
_WRAP = re.compile(
    rf"\n(?:(?<={_FULL}\n)|(?<={_FULL}[\\\r]\n))[ \t>|]{{0,8}}"
    r"(?![A-Za-z_][\w.-]{0,64}(?:\s?:|\s=|=(?![=;,\s]|$))|-----)"  # the next line assigns nothing
    rf"(?:(?P<mixed>(?={_NEXT}{{0,64}}\d)(?={_NEXT}{{0,64}}[A-Za-z]))"  # it goes on with letters and digits
    rf"|(?={_NEXT}[a-z\d+/.=@_-]{{0,64}}[A-Z]))",  # or, after such, with a capital where no word has one
    re.ASCII,
)
_BEFORE, _AFTER = 512, 2048  #: characters of a secret that hold nothing rewritten, at the most
_SEAM = 32  #: characters of the longest literal, and some
_SEARCH = 256  #: characters in which a blank is looked for


@dataclass(frozen=True, slots=True)
class View:
    """A text in which some parts became shorter."""

    text: str
    starts: tuple[int, ...]  #: in the view; from there on `shifts` are added
    shifts: tuple[int, ...]
    made: frozenset[str]  #: what the parts became; empty: nothing, so none belongs to what ends before it

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the view stands in the text that it was made of."""
        before_end = bisect_right if self.made else bisect_left
        return start + self._shift(bisect_right(self.starts, start)), end + self._shift(before_end(self.starts, end))

    def seams(self) -> str:
        """The surroundings of parts that are gone: where words may stand that the text does not hold."""
        return "\n".join(self.text[max(start - _SEAM, 0) : start + _SEAM] for start in self.starts)

    def regions(self) -> Iterator[tuple[int, int]]:
        """What of the view differs from the text, with what may belong to it, if it can be from blank to blank."""
        start, end = self.starts[0], self.starts[0]
        for at in self.starts[1:]:
            if at - end > _BEFORE + _AFTER:
                yield self._widened(start, end)
                start = at
            end = at
        yield self._widened(start, end)

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        first, last = max(start - _BEFORE, 0), min(end + _AFTER, len(self.text))
        blank = self.text.rfind(" ", max(first - _SEARCH, 0), first)
        next_blank = self.text.find(" ", last, last + _SEARCH)
        return first if blank < 0 else blank, last if next_blank < 0 else next_blank

    def _shift(self, index: int) -> int:
        return self.shifts[index - 1] if index else 0


def views(text: str) -> Iterator[View]:
    """The other ways to read a text, each made of the one before: its positions lead back step by step."""
    for make in (_unescaped, _unquoted, _unwrapped):
        view = make(text)
        if view is not None:
            text = view.text
            yield view


def _unescaped(text: str) -> View | None:
    if "\\" not in text:
        return None
    found = list(_ESCAPE.finditer(text))
    return _rewritten(text, [match.span() for match in found], [_CHARACTERS.get(m[2]) or _wide(m) for m in found])


def _wide(match: re.Match[str]) -> str:
    return chr(int(match["code"], 16))


def _unquoted(text: str) -> View | None:
    if "%" not in text:
        return None
    found = list(_PERCENT.finditer(text))
    return _rewritten(text, [match.span() for match in found], [_decoded(match) for match in found])


def _decoded(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode(errors="replace")


def _unwrapped(text: str) -> View | None:
    wraps = list(_wraps(text)) if "\n" in text else []
    return _rewritten(text, wraps, [""] * len(wraps))


def _wraps(text: str) -> Iterator[tuple[int, int]]:
    for match in _WRAP.finditer(text):
        start = match.start() - (text[match.start() - 1] in "\\\r")
        if match["mixed"] is not None or any(map(str.isdigit, text[max(start - 64, 0) : start].rpartition(" ")[2])):
            yield start, match.end()


def _rewritten(text: str, places: Sequence[tuple[int, int]], made: Sequence[str]) -> View | None:
    """The text with what stands at each place replaced; None without any."""
    if not places:
        return None
    ends = [0, *(end for _, end in places)]
    kept = [text[end:start] for end, (start, _) in zip(ends, places, strict=False)]
    starts = tuple(accumulate(map(add, map(len, kept), map(len, made))))
    shifts = tuple(map(sub, ends[1:], starts))
    rows = chain.from_iterable(zip(kept, made, strict=True))
    return View("".join([*rows, text[ends[-1] :]]), starts, shifts, frozenset(filter(None, made)))
