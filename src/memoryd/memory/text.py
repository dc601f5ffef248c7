"""How memory text is compared and measured: similarity, tokens, script; its words stand in `words.py`."""

import math
import unicodedata
from itertools import pairwise

from memoryd.memory.words import normal
from memoryd.patterns import lazy

_HAN = lazy("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_OR_HANGUL = lazy("[\u3040-\u30ff\uac00-\ud7af]")
_CHINESE_SHARE = 0.3
_WIDE = lazy("[\u2e80-\uffff]")
_ASTRAL = lazy("[\U00010000-\U0010ffff]")
_OTHER_SCRIPTS = lazy("[\u0370-\u1fff]")  #: Greek and Cyrillic to the Indic scripts and Thai
_MARKUP = lazy(r"[\s*_`#>~|\[\]-]+")
_LINE_MARK = lazy(r"^\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)\s+")
_CLAUSE_END = lazy(r"[,;:.!?。\n]|\s[-–—]+\s|\b(?:and|but|so)\b|所以")
_RESTRAINS = lazy(r"\b(?:not?|never|nor|unless|except|only|if|without|until)\b|n['’]t\b|[不别勿禁未没只]|除非")


def fold(text: str) -> str:
    """Return the form in which two texts count as the same: normal, casefolded, white space collapsed."""
    return " ".join(normal(text).casefold().split())


def leaves_out(old: str, new: str) -> bool:
    """Whether a text says nothing but whole clauses of another, in their order, and not all of them.

    A clause that may restrain the others ("never", "unless", 除非) is none that may be left out.
    """
    before, after = _clauses(old), _clauses(new)
    gone, wanted = list[str](), after[::-1]
    for clause in before:
        if wanted and clause == wanted[-1]:
            wanted.pop()
        else:
            gone.append(clause)
    return bool(after) and bool(gone) and not wanted and not any(map(_RESTRAINS.search, gone))


def _clauses(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [clause.strip() for clause in _CLAUSE_END.split(plain) if clause.strip()]


def effective(text: str) -> str:
    """Return the folded text without white space and markup: what is left to say something."""
    return _MARKUP.sub("", fold(text))


def similarity(a: str, b: str) -> float:
    """Return the Jaccard index of the character bigrams, 0.0 to 1.0; a one-character text is its own bigram."""
    return jaccard(bigrams(a), bigrams(b))


def bigrams(text: str) -> frozenset[str]:
    """Return the character bigrams of the effective characters."""
    chars = effective(text)
    return frozenset(map("".join, pairwise(chars))) if len(chars) > 1 else frozenset(filter(None, [chars]))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def tokens(text: str) -> int:
    """Estimate model tokens: 1 for a wide character (CJK), 2 for one beyond the BMP (emoji), 1 for 2 letters of other
    scripts, 1 for 4 of the rest, rounded up.

    Within 30 % of two public tokenizers for English, Chinese and code (`bench/tokens.py`); up to 50 % too high for
    Japanese and Korean. Hashes and long numbers cost up to 2.4 times as much as this says.
    """
    if text.isascii():
        return math.ceil(len(text) / 4)
    wide, astral, other = (len(kind.findall(text)) for kind in (_WIDE, _ASTRAL, _OTHER_SCRIPTS))
    return wide + 2 * astral + math.ceil((len(text) - wide - astral + other) / 4)


def head(text: str, budget: int) -> str:
    """Return the longest beginning of a text that is within a budget of tokens."""
    if tokens(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= budget else (low, middle - 1)
    return text[:low]


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese: 30 % of its letters are Han, and none is kana or hangul."""
    letters = sum(map(str.isalpha, text))
    return bool(letters) and len(_HAN.findall(text)) >= _CHINESE_SHARE * letters and not _KANA_OR_HANGUL.search(text)


def bare(line: str) -> str:
    """Return a line without its list, heading or quote marker: the form in which lines are cited and compared."""
    return _LINE_MARK.sub("", line, count=1).strip()


def nearest_sentence(text: str, wanted: str, limit: int) -> str:
    """Return the sentence or line of a text that shares most characters with `wanted`, in at most `limit`."""
    for mark in "。！？":
        text = text.replace(mark, f"{mark}\n")
    parts = [part.strip() for part in text.replace(". ", ".\n").splitlines() if part.strip()]
    return max(parts, key=lambda part: similarity(part, wanted), default=text)[:limit]


def cut(text: str, limit: int) -> str:
    """Return the text in at most `limit` characters, white space collapsed, with an ellipsis where it was cut."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
