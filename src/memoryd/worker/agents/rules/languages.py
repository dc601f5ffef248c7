"""Which language a sentence is read in."""

from memoryd.worker.agents.rules.chinese import CHINESE
from memoryd.worker.agents.rules.english import ENGLISH
from memoryd.worker.agents.rules.patterns import CJK, Language, lazy

__all__ = ["CHINESE", "ENGLISH", "language_of", "mostly_latin"]

_CJK_CHAR = lazy(f"[{CJK}]")
_LATIN_WORD = lazy(r"[A-Za-z]{2,}")


def language_of(text: str) -> Language:
    """Chinese from the first Chinese character on; mixed prompts follow Chinese grammar more often than not."""
    return CHINESE if _CJK_CHAR.search(text) else ENGLISH


def mostly_latin(text: str) -> bool:
    """Whether a sentence with Chinese characters may be English that only quotes them."""
    return len(_LATIN_WORD.findall(text)) >= max(3, len(_CJK_CHAR.findall(text)))
