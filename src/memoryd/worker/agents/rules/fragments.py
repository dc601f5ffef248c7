"""Sentences that full stops tore apart: "Runbooks? In the wiki.", "Tabs. Not spaces.", "No PII. Company policy."."""

import re
from dataclasses import replace

from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.patterns import lazy
from memoryd.worker.agents.rules.sentences import Sentence

_TOPIC = lazy(
    r"(?!(?:what|why|how|who|when|where|which|is|are|do|does|did|can|ok|right|ready|really)\b)"
    r"\w[\w'-]*(?: [\w'-]+){0,2}\?$",
    re.I,
)
_OTHER_SIDE = lazy(r"(?:not|never|and not|no)\b[^?]{2,40}$", re.I)
_SHORT = lazy(r"\w[\w'-]*(?: [\w'-]+){0,3}[.!]*$")
_AUTHORITY = lazy(r"(?:[\w'-]+ ){0,3}(?:policy|rules?|convention|standard|guidelines?|law|regulations?)[.!]*$", re.I)


def rejoined(found: list[Sentence]) -> list[Sentence]:
    """Join each fragment to the sentence before it. English alone: Chinese writes a comma there."""
    made: list[Sentence] = []
    for sentence in found:
        gap = _gap(made[-1], sentence) if made else ""
        if gap:
            made[-1] = _joined(made[-1], gap, sentence)
        else:
            made.append(sentence)
    return made


def _gap(before: Sentence, sentence: Sentence) -> str:
    """Return what stands between two fragments of one sentence, '' when they are two sentences."""
    if language_of(sentence.text) is not ENGLISH:
        return ""
    if _TOPIC.match(before.masked) and not sentence.masked.endswith("?"):
        return ": "
    contrasts = _SHORT.match(before.masked) and _OTHER_SIDE.match(sentence.masked)
    vouches = _AUTHORITY.match(sentence.masked) and not before.masked.endswith("?")
    return ", " if contrasts or vouches else ""


def _joined(before: Sentence, gap: str, sentence: Sentence) -> Sentence:
    return replace(
        before,
        text=before.text.rstrip(".!?") + gap + sentence.text,
        masked=before.masked.rstrip(".!?") + gap + sentence.masked,
    )
