"""Which value a sentence names as holding no longer: a place of the sentence, and the words of it that memory holds."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memoryd.memory.text import fold
from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.held import Held
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.topics import FRAME

MAX_WORDS = 8  #: of a value; Chinese characters are words here
_WORD = lazy(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff,;:!?]+")
_NAME = lazy(r"\w*[A-Z0-9]\w*")
_EDGES = lazy(
    r"^(?:(?:the|my|our|an?|with|to|tak(?:e|ing)|us(?:e|ing)|on|in|of|do(?:ing)?) )+"
    r"|(?: (?:in|up|off|down|out|for good))+$",
    re.IGNORECASE,
)
_CJK = lazy(r"[\u3400-\u9fff]")
_DENIED = lazy(r"\b(?:not|never|don't|avoid|no longer)\b|不|别|禁止")


def places_of_old(text: str, masked: str, language: Language) -> tuple[str, ...]:
    """Return the places of a sentence in which it speaks of a value that holds no longer, nearly as they stand."""
    found = (text[slice(*m.span("old"))].strip(" .`") for p in language.old_values for m in p.finditer(masked))
    return tuple(dict.fromkeys(place for place in found if len(place) > 1))


def values_in(place: str) -> Iterator[str]:
    """Yield what the value of a place may be, the longest first: a single word only at one of its ends, or a name."""
    place = _EDGES.sub("", place)
    words = [*_WORD.finditer(place)]
    for count in range(min(len(words), MAX_WORDS), 0, -1):
        for n in range(len(words) - count + 1):
            value = place[words[n].start() : words[n + count - 1].end()].strip(".`\"'")
            if _is_a_value(value) and (count > 1 or _may_stand_alone(words, n)):
                yield value


def _may_stand_alone(words: Sequence[re.Match[str]], n: int) -> bool:
    """Whether one word may be the value: one at an end, or a name among words that are none."""
    if n in (0, len(words) - 1):
        return True
    return bool(_NAME.match(words[n][0])) and not any(_NAME.match(words[k][0]) for k in (n - 1, n + 1))


def asserts(held: Held, value: str) -> bool:
    """Whether a fact says that a value holds: it names it, and not as one to avoid or one of before."""
    folded = fold(simplified(value))
    if folded not in held.folded:
        return False
    said = re.search(rf"(?<![a-z0-9_]){re.escape(folded)}(?![a-z0-9])", held.folded)
    if said is None or _DENIED.search(held.folded[: said.start()]):
        return False
    return not any(folded in fold(place) for place in _places_in(held.text))


@lru_cache(maxsize=1_024)
def _places_in(text: str) -> tuple[str, ...]:
    return places_of_old(text, simplified(text), language_of(text))


def _is_a_value(text: str) -> bool:
    return len(text) > 1 and bool(content_words(simplified(text)) - FRAME) and not (len(text) < 2 and _CJK.match(text))
