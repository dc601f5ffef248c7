"""Which language a sentence is read in."""

import re

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese import CHINESE
from memoryd.worker.agents.rules.english import ENGLISH
from memoryd.worker.agents.rules.patterns import CJK, Language

__all__ = ["CHINESE", "ENGLISH", "language_of"]

_CJK_CHAR = lazy(f"[{CJK}]")
#: words that only grammar needs: a sentence of one language may hold names of the other
_CHINESE_GRAMMAR = lazy("[的了是我你他她它在把用不没有要都就住坐人在做也换改们們这這那请請别別吗嗎吧呢]")
_ENGLISH_GRAMMAR = lazy(
    r"\b(?:i|i['’](?:m|ve|d)|my|me|we|our|the|this|is|are|for|to|at|in|on|from|with|as|of|not|now)\b", re.I
)
LEAST_GRAMMAR = 2


def language_of(text: str) -> Language:
    """Chinese from the first Chinese character on, but for English grammar around Chinese names."""
    if not _CJK_CHAR.search(text):
        return ENGLISH
    english = not _CHINESE_GRAMMAR.search(text) and len(_ENGLISH_GRAMMAR.findall(text)) >= LEAST_GRAMMAR
    return ENGLISH if english else CHINESE
