"""List items of a Markdown text: the lines of a core file that hold a fact.

Headings, comments, prose and code are never touched; an edit changes the bytes of its own item alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryd.memory.text import fold

SAME_FACT = 0.6  #: bigram similarity at which one line is another wording of a line
_ITEM = re.compile(r"(?P<mark>[ \t]*[-*+][ \t]+)(?P<text>\S.*?)[ \t]*\r?\n?\Z", re.DOTALL)
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_CONTINUED = re.compile(r"[ \t]+\S")


class Item(NamedTuple):
    """One list item with its indented continuation lines."""

    start: int  #: index of its first line
    end: int
    mark: str  #: indent and marker, e.g. `- `
    text: str  #: white space collapsed


def split_lines(text: str) -> list[str]:
    """Cut at LF alone, line ends kept: joined they are the text again."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def items(text: str) -> tuple[Item, ...]:
    """Return the list items outside comments and fenced code, in order."""
    return tuple(_scan(split_lines(text)))


def texts(text: str) -> tuple[str, ...]:
    return tuple(item.text for item in items(text))


def find(text: str, wanted: str) -> Item | None:
    """Return the first item that says `wanted`, compared folded."""
    return next((item for item in items(text) if fold(item.text) == fold(_one_line(wanted))), None)


def add(text: str, *new: str) -> str:
    """Append items after the last one, or at the end of a text that has none."""
    rows, newline, known = split_lines(text), newline_of(text), items(text)
    made = [f"- {_one_line(one)}{newline}" for one in new]
    if rows and not rows[-1].endswith("\n"):
        rows[-1] += newline
    if known:
        at = known[-1].end
        return "".join([*rows[:at], *made, *rows[at:]])
    gap = [newline] if rows and rows[-1].strip() else []
    return "".join([*rows, *gap, *made])


def replace(text: str, item: Item, new: str) -> str:
    """Put `new` in the place of an item; its marker stays."""
    rows = split_lines(text)
    ending = rows[item.end - 1][len(rows[item.end - 1].rstrip("\r\n")) :]
    return "".join([*rows[: item.start], f"{item.mark}{_one_line(new)}{ending}", *rows[item.end :]])


def remove(text: str, *gone: Item) -> str:
    taken = {n for item in gone for n in range(item.start, item.end)}
    return "".join(row for n, row in enumerate(split_lines(text)) if n not in taken)


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def prose(text: str) -> str:
    """Return what a person can read in a core file: the text without HTML comments and headings."""
    shown = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    return "\n".join(row.rstrip() for row in shown.splitlines() if row.strip() and not row.startswith("#"))


def _one_line(text: str) -> str:
    """A fact as one line; a marker that came with it is dropped."""
    return re.sub(r"^[-*+] ", "", " ".join(text.split()))


def _scan(rows: list[str]) -> Iterator[Item]:
    at, fence, comment = 0, "", False
    while at < len(rows):
        row, at = rows[at], at + 1
        if fence or comment:
            fence = "" if fence and row.strip().startswith(fence) else fence
            comment = comment and "-->" not in row
        elif opened := _FENCE.match(row):
            fence = opened[1]
        elif "<!--" in row and "-->" not in row.partition("<!--")[2]:
            comment = True
        elif (found := _ITEM.match(row)) and not found["text"].startswith("<!--"):
            first = at - 1
            while at < len(rows) and _CONTINUED.match(rows[at]) and not _ITEM.match(rows[at]):
                at += 1
            rest = (r.strip() for r in rows[first + 1 : at])
            yield Item(first, at, found["mark"], " ".join([" ".join(found["text"].split()), *rest]))
