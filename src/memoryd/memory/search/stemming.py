"""The words of the index: `memory/words.py` with the stems of its engine. Used by the index's processes alone.

English is stemmed by Snowball, irregular forms by a table; other scripts stay as they are.
"""

from functools import cache, lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from memoryd.memory import words
from memoryd.memory.search.irregular import BASE
from memoryd.memory.words import Word


def words_of(text: str) -> list[str]:
    """Return the words of a document, in order."""
    return words.words_of(text, stems)


def asked(query: str) -> list[Word]:
    """Return the words of a query; empty when it has only stop words."""
    return words.asked(query, stems)


@lru_cache(maxsize=16_384)
def stems(word: str) -> tuple[str, ...]:
    """Return a word's stemmed parts, without stop words."""
    return tuple(_analyzer().analyze(" ".join(BASE.get(part, part) for part in words.parts(word))))


@cache
def _analyzer() -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()
