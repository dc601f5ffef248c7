"""The page that a snapshot is written on: it grows block by block and never over its budget."""

from collections.abc import Iterable, Sequence

import structlog

from memoryd.memory.blocks import Block, Insert, Section
from memoryd.memory.fence import CLOSE, OPEN, closed
from memoryd.memory.labels import Labels
from memoryd.memory.text import tokens

_MISSES = 3  #: memories in a row of a section that do not fit: the rest is not tried
_ANY_COUNT = 100_000

log = structlog.get_logger("recall")
_told: set[str] = set()  #: blocks whose failure is in the log; each is told once


def tell_once(block: str, reason: str) -> None:
    """Log that a block was left out, the first time that it is."""
    if block not in _told:
        _told.add(block)
        log.warning("recall.block_failed", block=block, reason=reason)


class Page:
    """Rows by block, and what room is left."""

    def __init__(
        self, *, budget_tokens: int, max_chars: int, shown: frozenset[str], words: Labels, closing: frozenset[str],
        empty: bool,
    ) -> None:  # fmt: skip
        """
        :param closing: the names of the closing blocks that are on
        :param empty: there is no memory at all to show
        """
        self._budget, self._max_chars = budget_tokens, max_chars
        self._shown, self._words, self._closing, self._empty = shown, words, closing, empty
        around = "\n".join([OPEN, words.quoted, "", *self._last(empty=empty), *self._not_shown(_ANY_COUNT), CLOSE, ""])
        self._tokens = budget_tokens - tokens(around)  #: still free
        self._chars = max_chars - len(around)
        self._rows: list[tuple[int, list[str]]] = []  #: by the block's place
        self._items: list[str] = []
        self._left_out = 0

    def fill(self, block: Block, sections: Sequence[Section]) -> None:
        """Add what fits of a block; one that breaks leaves nothing behind."""
        before = (self._tokens, self._chars, self._left_out, len(self._items))
        floor = max(0, self._tokens - int(self._tokens * block.share))
        rows: list[str] = []
        try:
            for section in sections:
                self._section(section, floor, rows)
        except Exception as error:
            self._tokens, self._chars, self._left_out, items = before
            del self._items[items:]
            return tell_once(block.name, type(error).__name__)
        self._rows.append((block.order, rows))
        return None

    def close(self) -> tuple[str, tuple[str, ...], int]:
        """Return the text, the ids of the memories in it and how many did not fit; no text is over the budget."""
        if self._shown and not self._items:
            return "", (), 0
        body = [row for _, rows in sorted(self._rows, key=lambda pair: pair[0]) for row in _closed(rows)]
        last, note = self._last(empty=self._empty and not self._items), self._not_shown(self._left_out)
        gap = [""] if body and not body[0].startswith("\n") else []
        text = "\n".join([OPEN, self._words.quoted, *gap, *body, *last, *note, CLOSE])
        if not (body or note):  # every block is off or has nothing to say
            return "", (), self._left_out
        if tokens(text) > self._budget or len(text) > self._max_chars:
            return "", (), self._left_out
        return text, tuple(self._items), self._left_out

    def _section(self, section: Section, floor: int, rows: list[str]) -> None:
        self._left_out += 0 if self._shown else section.unlisted
        lead, misses = f"\n{section.heading}\n" if section.heading else "", 0
        for piece in section.pieces:
            if piece.id in self._shown:
                continue
            text = "" if misses >= _MISSES else lead + piece.render()
            if text and self._fits(text, self._tokens - floor):
                rows.append(text)
                self._tokens -= tokens(text) + 1
                self._chars -= len(text) + 1
                self._items += filter(None, [piece.id])
                lead = ""
            else:
                misses += bool(piece.id)
        self._left_out += misses

    def _fits(self, text: str, allowance: int) -> bool:
        return tokens(text) + 1 <= allowance and len(text) + 1 <= self._chars

    def _last(self, *, empty: bool) -> list[str]:
        if empty:
            return [self._words.empty]
        return ["", self._words.verify] if "verify" in self._closing else []

    def _not_shown(self, count: int) -> list[str]:
        wanted = count and "left_out" in self._closing
        return ["", self._words.left_out.format(count, self._words.hint)] if wanted else []


def closing_names(blocks: Iterable[Block]) -> frozenset[str]:
    return frozenset(block.name for block in blocks if block.insert is Insert.CLOSING)


def _closed(rows: list[str]) -> list[str]:
    return closed("\n".join(rows).split("\n")) if rows else []
