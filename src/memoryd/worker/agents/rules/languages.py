"""Which language a sentence is read in."""

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese import CHINESE
from memoryd.worker.agents.rules.english import ENGLISH
from memoryd.worker.agents.rules.patterns import CJK, Language

__all__ = ["CHINESE", "ENGLISH", "language_of"]

_CJK_CHAR = lazy(f"[{CJK}]")


def language_of(text: str) -> Language:
    """Chinese from the first Chinese character on; mixed prompts follow Chinese grammar more often than not."""
    return CHINESE if _CJK_CHAR.search(text) else ENGLISH
