"""The statements of a text, whoever wrote it, each with how much it reads like something lasting."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from memoryd.worker.agents.rules.filters import hides_what_it_says, request_in, wish_to_forget
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.reading import laid_out
from memoryd.worker.agents.rules.scales import weighed
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence
from memoryd.worker.agents.rules.signs import Place

FLOOR = -150  #: a sentence of less states nothing that lasts, however often it comes
EVEN, STEP = -25, 60.0  #: the weight that is as relevant as not, and how many more make a difference
BY_ITSELF = Place(None, None, False)  #: what comes again stands beside other things each time
MIN_CHARS = 12  #: of a statement that says something, Chinese characters counting double


class Statement(NamedTuple):
    text: str
    relevance: float  #: 0 to 1


def statements(text: str) -> Iterator[Statement]:
    """Yield the sentences that may state something lasting: no questions, requests or wishes to forget."""
    for _, found in laid_out(text):
        for sentence, place in found:
            language = language_of(sentence.text)
            told = max((weighed(sentence, where, language) for where in (place, BY_ITSELF)), key=_lasting)
            if _states(told):
                yield Statement(told.text.strip(), 1 / (1 + math.exp((EVEN - told.lasting) / STEP)))


def _states(sentence: Sentence) -> bool:
    language = language_of(sentence.text)
    return (
        sentence.lasting >= FLOOR
        and MIN_CHARS <= _length(sentence.text) <= MAX_SENTENCE_CHARS
        and not sentence.text.rstrip().endswith(("?", "？", ":", "："))
        and not language.question.match(sentence.masked)
        and not request_in(sentence)
        and wish_to_forget(sentence, language) is None
        and not hides_what_it_says(sentence.text)
    )


def _lasting(sentence: Sentence) -> int:
    return sentence.lasting


def _length(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)
