"""The line that a part of a sentence becomes: trimmed, about "the user", its reason taken off."""

import re
from dataclasses import replace

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.facts import Fact
from memoryd.worker.agents.rules.languages import CHINESE
from memoryd.worker.agents.rules.patterns import PREFERRED, Kind, Language
from memoryd.worker.agents.rules.scales import CHANGING, HINTING
from memoryd.worker.agents.rules.sentences import Sentence

MAX_FACT_CHARS = 240  #: longer ones are told, not stated
_TAIL_CHARS = 40  #: of a fact are looked at for what is cut off its end
_MIN_STATED_CHARS = 3  #: a reason needs something before it that it is the reason of
_LAUGHTER = lazy(r"\b(?:ha(?:ha)+|lol|lmao|rofl)\b|哈哈|😂|🤣", re.IGNORECASE)


def fact_of(
    sentence: Sentence, span: tuple[int, int], language: Language, kind: Kind, importance: float
) -> Fact | None:
    """Return a part of a sentence as a fact; None when it is laughed at, points elsewhere or has no fitting length."""
    text = _trimmed(sentence.text[slice(*span)], language)
    if kind is Kind.RULE and language.about_answers.search(simplified(text)):
        kind, importance = Kind.PREFERENCE, max(importance, PREFERRED)
    if kind is Kind.RULE and _LAUGHTER.search(sentence.masked):
        return None
    text, reason = _without_reason(text, language) if kind in (Kind.DECISION, Kind.PROJECT) else (text, "")
    line = language.render(kind, text)
    if not 2 <= len(line.strip()) <= MAX_FACT_CHARS or language.anaphoric.fullmatch(simplified(text)):
        return None
    kind = Kind.DECISION if reason else kind
    fact = Fact(
        kind=kind, text=line, said=sentence.text, language=language, importance=importance, lasting=sentence.lasting,
        reason=reason,
    )  # fmt: skip
    return _with_claims(fact, sentence.masked, sentence.changing)


def _with_claims(fact: Fact, masked: str, changing: int) -> Fact:
    """What the whole sentence says about other facts holds for each part of it."""
    language = fact.language
    return replace(
        fact,
        old_values=old_values(masked, language),
        changes=changing >= CHANGING,
        may_change=changing >= HINTING or any(p.search(masked) for p in (language.changed, language.present)),
        adds=bool(language.addition.search(masked)),
        everywhere=bool(language.everywhere.search(masked)),
    )


def old_values(masked: str, language: Language) -> tuple[str, ...]:
    """Return the values that a sentence names as holding no longer."""
    found = (match["old"].strip(" .") for pattern in language.old_value for match in pattern.finditer(masked))
    return tuple(dict.fromkeys(old for old in found if len(old) > 1))


def with_next(fact: Fact, following: Fact) -> Fact:
    """Return a fact that goes on with the next one, unchanged when both do not fit into a line."""
    text = f"{fact.text}{'；' if fact.language is CHINESE else '. '}{following.text}"
    return replace(fact, text=text) if len(text) <= MAX_FACT_CHARS else fact


def _trimmed(text: str, language: Language) -> str:
    """Cut off what talk leaves at the end, layer by layer: ", thanks!", "ok?"."""
    text, before = text.strip(), ""
    while text != before:
        before = text
        cut_at = max(0, len(text) - _TAIL_CHARS)  # the tail's pattern would look at every place of a long text
        text = (text[:cut_at] + language.tail.sub("", text[cut_at:])).strip(" ,;，；、")
    return text + ")" if text.count("(") > text.count(")") else text


def _without_reason(text: str, language: Language) -> tuple[str, str]:
    """Split a statement from its reason, which is '' when it gives none."""
    match = language.reason.search(simplified(text))
    if not match or match.start() < _MIN_STATED_CHARS or match.end() >= len(text):
        return text, ""
    return text[: match.start()].strip(" ,，"), text[match.end() :].strip()
