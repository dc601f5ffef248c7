"""Signs that a memory is not worth keeping, duplicates, and how full each type is. These warn; they never refuse.

The words stand here in English and Chinese, side by side.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoryd.memory.model import Entry, EntryType
from memoryd.memory.text import bigrams, effective, jaccard

MIN_EFFECTIVE_CHARS = 10
DUPLICATE = 0.70  #: Jaccard of character bigrams
TYPE_TOTALS: Mapping[EntryType, int] = {
    EntryType.USER: 4_000,
    EntryType.FEEDBACK: 4_000,
    EntryType.PROJECT: 8_000,
    EntryType.REFERENCE: 4_000,
}  #: characters of the active bodies of a type, separators counted; default of `[memory] type_totals`
SEPARATOR_CHARS = 2  #: the blank line between two bodies

_TRANSIENT = (
    "currently", "at the moment", "right now", "for now", "just now", "today", "this morning", "in progress",
    "temporarily", "working on it", "for the time being", "until tomorrow",
    "正在", "目前", "此刻", "眼下", "暂时", "临时", "今天", "刚刚", "刚才", "进行中", "这会儿", "先这样",
)  # fmt: skip
_VAGUE = (
    "maybe", "perhaps", "possibly", "probably", "sort of", "kind of", "not sure", "might be", "somehow", "i guess",
    "可能", "也许", "大概", "或许", "好像", "似乎", "不确定", "应该是", "差不多", "说不定",
)  # fmt: skip
_CODE = (
    r"\bfn\s+\w+\s*[(<]", r"\bimpl(?:<\w+>)?\s+\w+\s*(?:\{|for\b)", r"\bstruct\s+\w+\s*[{(;]",
    r"\bdef\s+\w+\s*\(", r"\bclass\s+\w+\s*[:({]", r"\bfunction\s*\w*\s*\(", r"=>\s*\{",
    r"\bimport\s*\{", r"\bfrom\s+[\"']", r"\bfrom\s+[\w.]+\s+import\b", r"#include\s*[<\"]",
    r"\b(?:const|let|var)\s+\w+\s*=", r"\bpublic\s+(?:static|class|void)\b", r"\breturn\s+[^;\n]+;",
)  # fmt: skip


def _any_word(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in words), re.IGNORECASE)


class Flag(StrEnum):
    TOO_SHORT = "too-short"
    TRANSIENT = "transient"
    VAGUE = "vague"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One sign, and the words that gave it."""

    flag: Flag
    found: str


_PATTERNS = (
    (Flag.TRANSIENT, _any_word(_TRANSIENT)),
    (Flag.VAGUE, _any_word(_VAGUE)),
    (Flag.CODE, re.compile("|".join(_CODE))),
)


def signs(content: str) -> tuple[Sign, ...]:
    """Return what speaks against keeping a text: too short, transient, vague, code; at most one of each."""
    size = len(effective(content))
    short = [Sign(flag=Flag.TOO_SHORT, found=str(size))] if size < MIN_EFFECTIVE_CHARS else []
    hits = ((flag, pattern.search(content)) for flag, pattern in _PATTERNS)
    return (*short, *(Sign(flag=flag, found=hit.group()) for flag, hit in hits if hit))


def duplicate_of(content: str, entries: Iterable[Entry], *, except_slug: str | None = None) -> str | None:
    """Return the slug of the active entry that says nearly the same (bigrams >= 0.70), the nearest one."""
    pairs = bigrams(content)
    scored = ((jaccard(pairs, bigrams(e.body)), e.slug) for e in entries if e.active and e.slug != except_slug)
    score, slug = max(scored, default=(0.0, ""))
    return slug if score >= DUPLICATE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """How full a type is, in characters."""

    used: int
    limit: int

    @property
    def over(self) -> bool:
        return self.used > self.limit


def totals(entries: Iterable[Entry], limits: Mapping[EntryType, int] = TYPE_TOTALS) -> Mapping[EntryType, Total]:
    """Return the total of each type over its active entries."""
    bodies: dict[EntryType, list[int]] = {kind: [] for kind in EntryType}
    for entry in entries:
        if entry.active:
            bodies[entry.type].append(len(entry.body))
    return {
        kind: Total(used=sum(sizes) + SEPARATOR_CHARS * max(0, len(sizes) - 1), limit=limits[kind])
        for kind, sizes in bodies.items()
    }
