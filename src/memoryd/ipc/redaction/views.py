r"""The ways in which a secret may be written: as it is, JSON-escaped, URL-encoded, wrapped over lines.

A view is the text with one of these taken back, and the way from its positions to those of the text. So each rule
is written once, and for the plain form. A view that would be the text again is not made.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ESCAPE = re.compile(r"""\\\\{0,15}(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>["'/nrt]))""")
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t"}
_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f]|0[AaDd])")  #: ASCII alone: no secret that we know holds more
_FULL = r"[^\n]{24}[\w+/-]"  #: a line that was long enough to be wrapped, and ends within a token
_NEXT = r"[\w+/.=@-]"
_WRAP = re.compile(
    rf"\n(?:(?<={_FULL}\n)|(?<={_FULL}[\\\r]\n))[ \t>|]{{0,8}}"
    r"(?![A-Za-z_][\w.-]{0,64}\s?(?::|=(?![=;,\s]|$))|-----)"  # the next line assigns nothing
    rf"(?:(?P<mixed>(?={_NEXT}{{0,64}}\d)(?={_NEXT}{{0,64}}[A-Za-z]))"  # it goes on with letters and digits
    rf"|(?={_NEXT}[a-z\d+/.=@_-]{{0,64}}[A-Z]))",  # or, after such, with a capital where no word has one
    re.ASCII,
)


_BEFORE, _AFTER = 512, 2048  #: characters of a secret that hold nothing rewritten, at the most

Part = tuple[int, int, str]  #: where it begins and ends in the text, and what it becomes


@dataclass(frozen=True, slots=True)
class View:
    """A text in which some parts became shorter."""

    text: str
    starts: tuple[int, ...]  #: in the view; from there on `shifts` are added
    shifts: tuple[int, ...]
    parts_gone: bool  #: the parts became nothing, so none belongs to what ends before it

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the view stands in the text that it was made of."""
        before_end = bisect_left if self.parts_gone else bisect_right
        return start + self._shift(bisect_right(self.starts, start)), end + self._shift(before_end(self.starts, end))

    def regions(self) -> Iterator[tuple[int, int]]:
        """What of the view differs from the text, with what may belong to it: from a blank to a blank."""
        start, end = self.starts[0], self.starts[0]
        for at in self.starts[1:]:
            if at - end > _BEFORE + _AFTER:
                yield self._widened(start, end)
                start = at
            end = at
        yield self._widened(start, end)

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        before, after = self.text.rfind(" ", 0, max(start - _BEFORE, 0)), self.text.find(" ", end + _AFTER)
        return max(before, 0), after if after >= 0 else len(self.text)

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
    return _rewritten(text, map(_character, _ESCAPE.finditer(text))) if "\\" in text else None


def _character(match: re.Match[str]) -> Part:
    made = chr(int(match["code"], 16)) if match["code"] else _CHARACTERS.get(match["char"], match["char"])
    return (*match.span(), made)


def _unquoted(text: str) -> View | None:
    parts = ((*match.span(), chr(int(match[1], 16))) for match in _PERCENT.finditer(text))
    return _rewritten(text, parts) if "%" in text else None


def _unwrapped(text: str) -> View | None:
    return _rewritten(text, _wraps(text)) if "\n" in text else None


def _wraps(text: str) -> Iterator[Part]:
    for match in _WRAP.finditer(text):
        start = match.start() - (text[match.start() - 1] in "\\\r")
        if match["mixed"] is not None or any(map(str.isdigit, text[text.rfind(" ", 0, start) + 1 : start][-64:])):
            yield start, match.end(), ""


def _rewritten(text: str, parts: Iterable[Part]) -> View | None:
    """The text with its parts replaced, None without any."""
    rows: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    read = written = 0
    for start, end, made in parts:
        rows += [text[read:start], made]
        written += start - read + len(made)
        read = end
        starts.append(written)
        shifts.append(end - written)
    if not starts:
        return None
    return View("".join([*rows, text[read:]]), tuple(starts), tuple(shifts), parts_gone=not any(rows[1::2]))
