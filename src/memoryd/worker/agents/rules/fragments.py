"""Sentences that full stops tore apart ("Tabs. Not spaces.", "Ask first. Every time."), and the question behind one.

"I write Python on a Mac, why does this fail?" is a statement and a question: each is read by itself.
"""

import re
from dataclasses import replace

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence

_TOPIC = lazy(
    r"(?!(?:what|why|how|who|when|where|which|is|are|do|does|did|can|ok|right|ready|really)\b)"
    r"\w[\w'-]*(?: [\w'-]+){0,2}\?$",
    re.I,
)
_OTHER_SIDE = lazy(r"(?:not|never|and not|no)\b[^?]{2,40}$", re.I)
_SHORT = lazy(r"\w[\w'-]*(?: [\w'-]+){0,3}[.!]*$")
_AUTHORITY = lazy(r"(?:[\w'-]+ ){0,3}(?:policy|rules?|convention|standard|guidelines?|law|regulations?)[.!]*$", re.I)


#: says of the sentence before that it always holds
_ALWAYS = lazy(
    r"(?:(?:and )?(?:every (?:single )?time|always|no exceptions?|without exception|from now on|for good|permanently"
    r"|in general|everywhere)"
    r"|(?:that|this|it|which)(?:['’]s| is)? (?:goes for|true for|true of|holds for|applies to|counts for)\b[^?]{2,60}"
    r"|每次(?:都是)?|每回|永远|没有例外|无一例外|一直都?是?这?样?|长期有效)[。.!！]*$",
    re.I,
)
#: only says why the sentence before was said, or that it is to be followed
_LEANS = lazy(
    r"(?:just )?so (?:that )?you (?:know|have|get|see)\b|[^?]{0,60}\b(?:follow(?:ed|s)? suit|likewise|accordingly)\b",
    re.I,
)
_BEHIND = lazy(
    r"(?P<said>(?:(?:hi|hey|hello|btw|fyi|ok|so)[,:!]? )*(?:i|i['’]?m|i['’]ve|my|we|we['’]re|our)\b"
    r"(?!.*\b(?:if|when|whenever|wonder|unsure|not sure)\b)[^?]{8,}?)"
    r"(?:[,;]|\s+-+|\s+and|\.\.+)\s+(?:(?:and|so|but|now|then)\s+)*"
    r"(?P<asks>(?:(?:why|how|what|where|which|who|can|could|would|will|does|do|did|is|are|should|any)\b.*\?\W*"
    r"|(?:can|could|would) you\b.*))$",
    re.I,
)
_BEHIND_CHINESE = lazy(
    r"(?!.*(?:如果|要是|假设|假如|倘若|万一|的时候|每次|凡是|遇到|不知道|不懂|想知道|想问))"
    r"(?P<said>(?:[^，]{0,6}，)?.{0,6}(?:我|咱|本人).{5,}?)[，；]"
    r"(?P<asks>(?:那|请问|现在|所以)?(?:(?:请|麻烦你?|你)?(?:帮我|帮忙).*|[^，]*(?:为什么|为啥|怎么|咋|哪[里个儿]|啥|什么|吗|能不能|是不是).*[?？]))$"
)


def rejoined(found: list[Sentence]) -> list[Sentence]:
    """Part each sentence from a question behind it, and join each fragment to the sentence before it."""
    made: list[Sentence] = []
    for sentence in (part for whole in found for part in _parted(whole)):
        gap = _gap(made[-1], sentence) if made else ""
        if gap:
            made[-1] = _joined(made[-1], gap, sentence)
        else:
            made.append(sentence)
    return made


def _parted(sentence: Sentence) -> list[Sentence]:
    if len(sentence.text) > MAX_SENTENCE_CHARS:
        return [sentence]
    behind = _BEHIND if language_of(sentence.text) is ENGLISH else _BEHIND_CHINESE
    match = behind.match(sentence.masked)
    if not match:
        return [sentence]
    return [
        replace(sentence, text=sentence.text[slice(*match.span(name))], masked=match[name]) for name in ("said", "asks")
    ]


def _gap(before: Sentence, sentence: Sentence) -> str:
    """Return what stands between two fragments of one sentence, '' when they are two sentences.

    Chinese writes a comma where English tears: there only what marks the sentence before is joined.
    """
    asked = before.masked.endswith(("?", "？"))
    if language_of(sentence.text) is not ENGLISH:
        return "，" if _ALWAYS.match(sentence.masked) and not asked else ""
    if _TOPIC.match(before.masked) and not sentence.masked.endswith("?"):
        return ": "
    contrasts = _SHORT.match(before.masked) and _OTHER_SIDE.match(sentence.masked)
    marks = any(pattern.match(sentence.masked) for pattern in (_AUTHORITY, _ALWAYS, _LEANS))
    return ", " if contrasts or (marks and not asked) else ""


def _joined(before: Sentence, gap: str, sentence: Sentence) -> Sentence:
    return replace(
        before,
        text=before.text.rstrip(".!?。！") + gap + sentence.text,
        masked=before.masked.rstrip(".!?。！") + gap + sentence.masked,
    )
