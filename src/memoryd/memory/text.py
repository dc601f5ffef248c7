"""How memory text is compared and measured: words, similarity, tokens, what the eye cannot see.

Chinese, Japanese and Korean have no spaces, so their runs are taken as character bigrams; it finds what a
segmenter finds and needs no dictionary.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:['’][^\W\d_{_CJK}]+)?")
_CJK_CHAR = re.compile(rf"[{_CJK}]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_CHINESE_SHARE = 0.3
_WIDE = re.compile("[\u2e80-\uffff\U00010000-\U0010ffff]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: particles and pronouns: they end a word instead of being part of one
_CJK_STOP = re.compile("[的了吗呢吧啊呀嘛么我你您他她它们]")
_MARKUP = re.compile(r"[\s*_`#>~|\[\]-]+")
_LINE_MARK = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)\s+")
_CLAUSE_END = re.compile(r"[,;:.!?。\n]|\s[-–—]+\s|\b(?:and|but|so)\b|所以")
#: drawn as nothing: controls, soft hyphen, zero width, direction marks, fillers, tags, supplementary selectors
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
#: joiners draw Persian, Indic scripts and emoji; between ASCII letters they only hide something
_JOINER_IN_ASCII = re.compile("(?:^|[\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?:[\x00-\x7f]|$)")

_ENGLISH_STOPS = """
    a an the this that these those i me my mine we us our you your he him his she her it its they them their
    is are was were be been being am do does did done doing have has had having can could will would shall may might
    of in on at to for from by with about as into onto over under and or but if then than so because while when where
    what which who whom whose why how there here just also too very really please thanks thank ok okay yes let lets
    get got some any each such own same more most other up down out off again now s t re ve ll d m"""
_CHINESE_STOPS = """
    这个 那个 这些 那些 什么 怎么 怎样 可以 一个 一些 一下 没有 如果 因为 所以
    但是 就是 还是 已经 请问 时候 或者 以及 这里 那里"""
_STOP_WORDS = frozenset(_ENGLISH_STOPS.split())
_STOP_BIGRAMS = frozenset(_CHINESE_STOPS.split())


def fold(text: str) -> str:
    """Return the form in which two texts count as the same: NFKC, casefolded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry meaning: stemmed Latin words without stop words, bigrams of CJK runs.

    Code symbols count whole and in parts (`max_line_bytes`, `max`, `line`, `byte`). A contraction of not is `not`.
    """
    return frozenset(_words(unicodedata.normalize("NFKC", text)))


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match.group()
        yield from _bigrams_of_run(word) if _CJK_CHAR.match(word) else _latin(word)


def _bigrams_of_run(run: str) -> Iterator[str]:
    for piece in _CJK_STOP.split(run):
        if len(piece) == 1:
            yield piece
        yield from (pair for pair in map("".join, pairwise(piece)) if pair not in _STOP_BIGRAMS)


@lru_cache(maxsize=8_192)  # a third of the cost of building a catalogue was stemming the same words
def _latin(word: str) -> tuple[str, ...]:
    plain, _, rest = word.replace("’", "'").partition("'")
    if rest.casefold() == "t" and plain.casefold().endswith("n"):
        return ("not",)
    parts = [part for chunk in plain.split("_") for part in _CAMEL.split(chunk) if part]
    names = [plain, *parts] if len(parts) > 1 else [plain]
    return tuple(stem(n) for n in map(str.casefold, names) if n not in _STOP_WORDS and n.strip("_"))


def stem(word: str) -> str:
    """Return a lower-case word without a simple English plural, -ing or -ed; other scripts come back unchanged."""
    if not word.isascii() or len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and any(c in "aeiouy" for c in root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
    return word.removesuffix("e") if len(word) > 3 else word


def leaves_out(old: str, new: str) -> bool:
    """Whether a text says nothing but whole clauses of another, in their order, and not all of them."""
    before, after = _clauses(old), _clauses(new)
    rest = iter(before)
    return 0 < len(after) < len(before) and all(clause in rest for clause in after)


def _clauses(text: str) -> list[str]:
    return [
        clause.strip() for clause in _CLAUSE_END.split(unicodedata.normalize("NFKC", text).casefold()) if clause.strip()
    ]


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
    """Estimate model tokens: 1 for each wide character (CJK, emoji), 1 for each 4 others, rounded up."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / 4)


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese: 30 % of its letters are Han, and none is kana or hangul."""
    letters = sum(map(str.isalpha, text))
    return bool(letters) and len(_HAN.findall(text)) >= _CHINESE_SHARE * letters and not _KANA_OR_HANGUL.search(text)


def has_invisible(text: str) -> bool:
    """Whether the text holds characters that a reader cannot see and a model can; line ends and tabs are fine."""
    return bool(_UNSEEN.search(text) or _JOINER_IN_ASCII.search(text))


def bare(line: str) -> str:
    """Return a line without its list, heading or quote marker: the form in which lines are cited and compared."""
    return _LINE_MARK.sub("", line, count=1).strip()


def cut(text: str, limit: int) -> str:
    """Return the text in at most `limit` characters, white space collapsed, with an ellipsis where it was cut."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
