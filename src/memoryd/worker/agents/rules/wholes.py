"""Sentences made whole before they are read: a lead-in in the language of what it leads to, nothing with a gap.

"Remember that 我们用 TiDB" is read as Chinese; of a sentence from which something private was taken out, the clauses
that were whole without it; of one that ends in a task, what it states before.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from memoryd.ipc.sanitise import PRIVATE
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.attributes import attributes_of
from memoryd.worker.agents.rules.languages import CHINESE, ENGLISH, language_of
from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.sentences import Sentence, after_opener, clauses

_COMMA = lazy(r"[,;](?=\s)\s*|[，；]")
#: begins what an agent is to do
_TASK = lazy(
    r"(?:(?:so|and|please|pls|now|then|can we) )*(?:(?:can|could|would|will) (?:you|we)|please|(?:add|fix|update|write"
    r"|make|redo|rename|adapt|adjust|change"
    r"|regenerate|rebase|rerun|move|remove|show|explain|generate|check|look|help|give me|do you)\b)"
    r"|(?:所以|那|然后|顺便|现在|先)*(?:帮|请|麻烦|给我|写|补|改|更新|重写|加个?|删|查|看|跑|生成|检查|迁移|配"
    r"|[^，。]{1,8}(?:改|调|更新|补|重写|重新给?)一?[下套份])",
    re.IGNORECASE,
)
_CONDITION = lazy(r"\s*(?:if|when|once|unless|before|after|while|since)\b|如果|要是|等|当", re.IGNORECASE)
_LEAD = {ENGLISH: "Remember: ", CHINESE: "记住："}
#: begins a statement of its own, whatever stood before it
_SUBJECT = lazy(
    r"\s*(?P<own>(?:the|i|i'm|we|we're|my|our|this|these|all|every|always|never)\b|[我咱]|这个?|所有|每)", re.IGNORECASE
)


def whole(sentence: Sentence) -> Iterator[Sentence]:
    """Yield what can be read of a sentence: nothing, when all of it leans on what is private."""
    sentence = _in_one_language(sentence)
    if PRIVATE in sentence.text and not _asks(sentence):
        yield from _without_gaps(sentence)
    else:
        yield sentence


def before_task(sentence: Sentence) -> Sentence | None:
    """Return what a sentence states before it comes to a task: "the CI is Jenkins now, could you fix the badge".

    None: it gives no value there, or comes to no task.
    """
    language = language_of(sentence.text)
    bounds = clauses(sentence.masked, _COMMA)
    at = next((end for (_, end), (start, _) in pairwise(bounds) if _begins_task(sentence.masked[start:])), 0)
    if not at or not _gives_value(sentence.masked[:at], language):
        return None
    return replace(sentence, text=sentence.text[:at], masked=sentence.masked[:at])


def _begins_task(clause: str) -> bool:
    return bool(_TASK.match(clause.lstrip()))


def _gives_value(said: str, language: Language) -> bool:
    if _CONDITION.match(said) or language.question.match(said) or language.request.match(said):
        return False
    return any(not attribute.startswith("own ") for attribute in attributes_of(said))


def _in_one_language(sentence: Sentence) -> Sentence:
    if language_of(sentence.text) is ENGLISH:
        return sentence
    for language in (ENGLISH, CHINESE):
        at, opened = after_opener(sentence.masked, 0, len(sentence.masked), language)
        other = language_of(sentence.text[at:])
        if opened and opened["remember"] and other is not language:
            return replace(sentence, text=_LEAD[other] + sentence.text[at:], masked=_LEAD[other] + sentence.masked[at:])
    return sentence


def _asks(sentence: Sentence) -> bool:
    """Whether it is a task or a question: those are told as they are, and teach nothing."""
    language = language_of(sentence.text)
    at, _ = after_opener(sentence.masked, 0, len(sentence.masked), language)
    return any(pattern.match(sentence.masked, at) for pattern in (language.request, language.question))


def _without_gaps(sentence: Sentence) -> Iterator[Sentence]:
    """Yield the runs of clauses without a gap, each behind the lead-in of the sentence."""
    language = language_of(sentence.text)
    lead_end, _ = after_opener(sentence.masked, 0, len(sentence.masked), language)
    lead, start, end = slice(0, lead_end), lead_end, lead_end
    for a, b in _bounds(sentence, language, lead_end):
        if PRIVATE in sentence.text[a:b]:
            yield from _part(sentence, lead, slice(start, end))
            begun = sentence.text.startswith(PRIVATE, a) and _SUBJECT.match(sentence.masked, a + len(PRIVATE), b)
            start, end = (begun.start("own"), b) if begun and PRIVATE not in sentence.text[begun.end() : b] else (b, b)
        else:
            start, end = (a if start == end else start), b
    yield from _part(sentence, lead, slice(start, end))


def _bounds(sentence: Sentence, language: Language, lead_end: int) -> Iterator[tuple[int, int]]:
    """The bounds of the clauses behind the lead-in."""
    for start, end in clauses(sentence.masked, language.clause_end):
        if end > lead_end:
            yield max(start, lead_end), end


def _part(sentence: Sentence, lead: slice, part: slice) -> Iterator[Sentence]:
    if any(map(str.isalnum, sentence.text[part])):
        text, masked = sentence.text, sentence.masked
        yield replace(sentence, text=text[lead] + text[part], masked=masked[lead] + masked[part])
