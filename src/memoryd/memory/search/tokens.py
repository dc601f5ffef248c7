"""The one tokenisation: documents and queries are taken apart alike, in any language. Used by the index's processes.

Latin words are stemmed (English Snowball, irregular forms by a table) and stop words dropped; runs of Chinese,
Japanese and Korean become their characters and pairs of characters; code symbols and paths stand whole and in parts:
`src/app/getUser.py` is found by itself, `getUser.py`, `getuser`, `app`, `user` and `py`. Width, case and traditional
characters are folded.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from memoryd.memory.search.irregular import BASE
from memoryd.memory.text import CAMEL, CJK, STOP_WORDS, is_particle, normal

MAX_WORD_CHARS = 100  #: a longer run of letters is data, not a word

_CHUNK = re.compile(rf"[{CJK}]+|[^\s{CJK}]+")
_CJK_CHAR = re.compile(rf"[{CJK}]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_JOINED = re.compile(r"[^\W_][\w./\\:@#+-]*[./\\:@#+_-][\w./\\:@#+-]*[^\W_]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query: found as the `whole`, or as all of its `parts`."""

    whole: str | None
    parts: tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Return the tokens of a document, in order; a symbol's whole comes before its parts."""
    found: list[str] = []
    for chunk in _chunks(text):
        found.extend(_of_run(chunk) if _CJK_CHAR.match(chunk) else _of_latin(chunk))
    return found


def asked(query: str) -> list[Word]:
    """Return the words of a query; empty when it has only stop words.

    Particles (的, 了, 吗 ...) and stop words ask for nothing, but a query of one run of particles asks for them.
    """
    words = [word for chunk in _chunks(query) for word in _words(chunk)]
    return words or [Word(None, tuple(_of_run(chunk))) for chunk in _chunks(query) if _CJK_CHAR.match(chunk)]


def single(query: str) -> list[str]:
    """Return the characters of a query's CJK runs without particles: weaker signs than the pairs, for ranking."""
    runs = (chunk for chunk in _chunks(query) if _CJK_CHAR.match(chunk))
    return [char for run in runs for char in run if not is_particle(char)]


def _chunks(text: str) -> Iterator[str]:
    return (match.group() for match in _CHUNK.finditer(normal(text)))


def _words(chunk: str) -> Iterator[Word]:
    if _CJK_CHAR.match(chunk):
        yield from (Word(None, _pairs(piece)) for piece in _pieces(chunk))
        return
    for match in _JOINED.finditer(chunk):
        yield Word(_folded(match.group()), tuple(_plain(match.group())))
    for match in _WORD.finditer(_JOINED.sub(" ", chunk)):
        parts = tuple(_plain(match.group()))
        whole = _folded(match.group()) if len(parts) > 1 else None
        if parts:
            yield Word(whole, parts)


def _pieces(run: str) -> Iterator[str]:
    """The run between its particles."""
    piece = ""
    for char in run:
        if not is_particle(char):
            piece += char
        elif piece:
            yield piece
            piece = ""
    if piece:
        yield piece


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(map("".join, pairwise(run))) if len(run) > 1 else (run,)


def _of_run(run: str) -> Iterator[str]:
    yield from run
    yield from map("".join, pairwise(run))


def _of_latin(chunk: str) -> Iterator[str]:
    for match in _JOINED.finditer(chunk):
        whole = _folded(match.group())
        yield whole
        last = re.split(r"[/\\]", whole)[-1]  # of a path: the file
        if last != whole and _JOINED.fullmatch(last):
            yield last
    for match in _WORD.finditer(chunk):
        parts = _plain(match.group())
        if len(parts) > 1:
            yield _folded(match.group())
        yield from parts


def _folded(symbol: str) -> str:
    return symbol.casefold()[:MAX_WORD_CHARS]


def _plain(symbol: str) -> list[str]:
    """The stemmed words of a symbol, without stop words."""
    return [stemmed for match in _WORD.finditer(symbol) for stemmed in _stems(match.group())]


@lru_cache(maxsize=16_384)
def _stems(word: str) -> tuple[str, ...]:
    plain, _, rest = word.replace("’", "'").partition("'")
    if rest.casefold() == "t" and plain.casefold().endswith("n"):
        return ("not",)
    names = [part.casefold()[:MAX_WORD_CHARS] for part in CAMEL.split(plain) if part]
    return tuple(_stemmed(BASE.get(name, name) for name in names if name not in STOP_WORDS))


def _stemmed(words: Iterable[str]) -> list[str]:
    return _analyzer().analyze(" ".join(words))


@cache
def _analyzer() -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()
