"""How a text is taken apart into words: for what compares memories, and for the index, which stems with its own engine.

Chinese, Japanese and Korean have no spaces, so their runs are taken as character bigrams; it finds what a segmenter
finds and needs no dictionary. A code symbol or a path is asked for whole, in parts, or by its beginning: `zork_pa`,
`zork parse` and `zork_parse` all find `zork_parse_v2`. Width, case and traditional characters are folded.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from memoryd.memory.twins import simplified
from memoryd.patterns import lazy

MAX_WORD_CHARS = 100  #: a longer run of letters is data, not a word
MIN_START_CHARS = 3  #: of a word or symbol that is asked for by its beginning

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_CHUNK = lazy(rf"[{CJK}]+|[^\s{CJK}]+")
_CJK_CHAR = lazy(rf"[{CJK}]")
_WORD = lazy(r"[^\W_]+(?:['’][^\W\d_]+)?")
_JOINED = lazy(r"[^\W_][\w./\\:@#+-]*[./\\:@#+_-][\w./\\:@#+-]*[^\W_]")
_CONTENT = lazy(rf"[{CJK}]+|[^\W{CJK}]+(?:['’][^\W\d_{CJK}]+)?")
#: particles and pronouns: they end a word instead of being part of one
_CJK_STOP = lazy("[的了吗呢吧啊呀嘛么我你您他她它们]")

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

Stems = Callable[[str], Sequence[str]]  #: a word to its stemmed parts, without stop words


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a query: found as the `whole`, or as all of its `parts`; a symbol also by its beginning."""

    whole: str | None = None  #: of a symbol
    parts: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()  #: parts of a symbol before its last piece
    last: str = ""  #: its last piece without a stem: with the others found, a word may begin with it


def normal(text: str) -> str:
    """Return the text in NFKC (full width resolved) with simplified characters: to compare, never to keep."""
    return text if text.isascii() else simplified(unicodedata.normalize("NFKC", text))


def is_particle(char: str) -> bool:
    """Whether a character is a Chinese particle or pronoun, which says nothing by itself."""
    return bool(_CJK_STOP.match(char))


def words_of(text: str, stems: Stems) -> list[str]:
    """Return the words of a document, in order; a symbol's whole comes before its parts, and a run's characters too."""
    found: list[str] = []
    for chunk in _chunks(text):
        found.extend(_of_run(chunk) if _CJK_CHAR.match(chunk) else _of_latin(chunk, stems))
    return found


def asked(query: str, stems: Stems) -> list[Word]:
    """Return the words of a query; empty when it has only stop words.

    Particles (的, 了, 吗 ...) and stop words ask for nothing, but a query of one run of particles asks for them.
    """
    words = [word for chunk in _chunks(query) for word in _words(chunk, stems)]
    return words or [Word(parts=tuple(_of_run(chunk))) for chunk in _chunks(query) if _CJK_CHAR.match(chunk)]


def single(query: str) -> list[str]:
    """Return the characters of a query's CJK runs without particles: weaker signs than the pairs, for ranking."""
    runs = (chunk for chunk in _chunks(query) if _CJK_CHAR.match(chunk))
    return [char for run in runs for char in run if not is_particle(char)]


def parts(word: str) -> list[str]:
    """Return the lower-case words of a contracted or camelCase word, without stop words; not's contraction is `not`."""
    return [piece for piece in _split(word) if piece not in STOP_WORDS]


@lru_cache(maxsize=16_384)
def _split(word: str) -> tuple[str, ...]:
    plain, _, rest = word.replace("’", "'").partition("'")
    if rest.casefold() == "t" and plain.casefold().endswith("n"):
        return ("not",)
    return tuple(piece.casefold()[:MAX_WORD_CHARS] for piece in CAMEL.split(plain) if piece)


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry meaning: stemmed Latin words without stop words, bigrams of CJK runs.

    Code symbols count whole and in parts (`max_line_bytes`, `max`, `line`, `byte`). A contraction of not is `not`.
    """
    return frozenset(_content(normal(text)))


def has_word(word: str, words: frozenset[str], text: str) -> bool:
    """Whether a text with these content words holds a word; a single CJK character may be part of any run."""
    return word in words or (len(word) == 1 and bool(_CJK_CHAR.match(word)) and word in normal(text))


def answers(word: Word, words: frozenset[str], text: str) -> bool:
    """Whether a text with these content words holds what a word of a query asks for, in one of its ways."""
    if word.parts and all(has_word(part, words, text) for part in word.parts):
        return True
    if word.whole is None or len(word.whole) < MIN_START_CHARS:
        return word.whole in words
    if re.search(rf"(?<![^\W_]){re.escape(word.whole)}", normal(text).casefold()):
        return True
    begins = len(word.last) >= MIN_START_CHARS and bool(word.lead) and words.issuperset(word.lead)
    return begins and any(held.startswith(word.last) for held in words)


def asked_content(query: str) -> list[Word]:
    """Return the words of a query as `content_words` would hold them."""
    words = asked(query, lambda word: tuple(map(stem, parts(word))))
    held = (replace(word, parts=tuple(p for p in word.parts if p not in _STOP_BIGRAMS)) for word in words)
    return [word for word in held if word.parts or word.whole]


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


def _chunks(text: str) -> Iterator[str]:
    return (match.group() for match in _CHUNK.finditer(normal(text)))


def _words(chunk: str, stems: Stems) -> Iterator[Word]:
    if _CJK_CHAR.match(chunk):
        yield from (Word(parts=_pairs(piece)) for piece in _pieces(chunk))
        return
    for match in _JOINED.finditer(chunk):
        yield _symbol(match.group(), stems)
    for match in _WORD.finditer(_JOINED.sub(" ", chunk)):
        if len(_split(match.group())) > 1:
            yield _symbol(match.group(), stems)
        elif stemmed := tuple(stems(match.group())):
            yield Word(parts=stemmed)


def _symbol(symbol: str, stems: Stems) -> Word:
    pieces = [piece for match in _WORD.finditer(symbol) for piece in _split(match.group())]
    *lead, last = [tuple(stems(piece)) for piece in pieces]
    before = tuple(chain.from_iterable(lead))
    return Word(whole=_folded(symbol), parts=(*before, *last), lead=before, last=pieces[-1])


def _pieces(run: str) -> Iterable[str]:
    """The run between its particles."""
    return filter(None, _CJK_STOP.split(run))


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(map("".join, pairwise(run))) if len(run) > 1 else (run,)


def _of_run(run: str) -> Iterator[str]:
    yield from run
    yield from map("".join, pairwise(run))


def _of_latin(chunk: str, stems: Stems) -> Iterator[str]:
    for match in _JOINED.finditer(chunk):
        whole = _folded(match.group())
        yield whole
        last = re.split(r"[/\\]", whole)[-1]  # of a path: the file
        if last != whole and _JOINED.fullmatch(last):
            yield last
    for match in _WORD.finditer(chunk):
        if len(_split(match.group())) > 1:
            yield _folded(match.group())
        yield from stems(match.group())


def _folded(symbol: str) -> str:
    return symbol.casefold()[:MAX_WORD_CHARS]


def _content(text: str) -> Iterator[str]:
    for match in _CONTENT.finditer(text):
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
    pieces = [part for chunk in plain.split("_") for part in CAMEL.split(chunk) if part]
    names = [plain, *pieces] if len(pieces) > 1 else [plain]
    return tuple(stem(n) for n in map(str.casefold, names) if n not in STOP_WORDS and n.strip("_"))
