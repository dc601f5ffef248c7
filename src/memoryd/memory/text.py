"""How memory text is compared and measured: words, similarity, tokens.

Chinese, Japanese and Korean have no spaces, so their runs are taken as character bigrams; it finds what a
segmenter finds and needs no dictionary.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from memoryd.memory.twins import simplified

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{CJK}]+|[^\W{CJK}]+(?:['’][^\W\d_{CJK}]+)?")
_CJK_CHAR = re.compile(rf"[{CJK}]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_CHINESE_SHARE = 0.3
_WIDE = re.compile("[\u2e80-\uffff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_OTHER_SCRIPTS = re.compile("[\u0370-\u1fff]")  #: Greek and Cyrillic to the Indic scripts and Thai
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: particles and pronouns: they end a word instead of being part of one
_CJK_STOP = re.compile("[的了吗呢吧啊呀嘛么我你您他她它们]")
_MARKUP = re.compile(r"[\s*_`#>~|\[\]-]+")
_LINE_MARK = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)\s+")
_CLAUSE_END = re.compile(r"[,;:.!?。\n]|\s[-–—]+\s|\b(?:and|but|so)\b|所以")
_RESTRAINS = re.compile(r"\b(?:not?|never|nor|unless|except|only|if|without|until)\b|n['’]t\b|[不别勿禁未没只]|除非")

_ENGLISH_STOPS = """
    a an the this that these those i me my mine we us our you your he him his she her it its they them their
    is are was were be been being am do does did done doing have has had having can could will would shall may might
    of in on at to for from by with about as into onto over under and or but if then than so because while when where
    what which who whom whose why how there here just also too very really please thanks thank ok okay yes let lets
    get got some any each such own same more most other up down out off again now s t re ve ll d m"""
_CHINESE_STOPS = """
    这个 那个 这些 那些 什么 怎么 怎样 可以 一个 一些 一下 没有 如果 因为 所以
    但是 就是 还是 已经 请问 时候 或者 以及 这里 那里"""
STOP_WORDS = frozenset(_ENGLISH_STOPS.split())
_STOP_BIGRAMS = frozenset(_CHINESE_STOPS.split())


def normal(text: str) -> str:
    """Return the text in NFKC (full width resolved) with simplified characters: to compare, never to keep."""
    return text if text.isascii() else simplified(unicodedata.normalize("NFKC", text))


def fold(text: str) -> str:
    """Return the form in which two texts count as the same: normal, casefolded, white space collapsed."""
    return " ".join(normal(text).casefold().split())


def is_particle(char: str) -> bool:
    """Whether a character is a Chinese particle or pronoun, which says nothing by itself."""
    return bool(_CJK_STOP.match(char))


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry meaning: stemmed Latin words without stop words, bigrams of CJK runs.

    Code symbols count whole and in parts (`max_line_bytes`, `max`, `line`, `byte`). A contraction of not is `not`.
    """
    return frozenset(_words(normal(text)))


def has_word(word: str, words: frozenset[str], text: str) -> bool:
    """Whether a text with these content words holds a word; a single CJK character may be part of any run."""
    return word in words or (len(word) == 1 and bool(_CJK_CHAR.match(word)) and word in normal(text))


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
    parts = [part for chunk in plain.split("_") for part in CAMEL.split(chunk) if part]
    names = [plain, *parts] if len(parts) > 1 else [plain]
    return tuple(stem(n) for n in map(str.casefold, names) if n not in STOP_WORDS and n.strip("_"))


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
