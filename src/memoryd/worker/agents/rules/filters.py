"""What a sentence is, before anybody asks what it says: a question, a task, a wish to forget, a guess, a statement."""

from dataclasses import replace

from memoryd.memory.text import cut
from memoryd.worker.agents.rules.facts import Forget
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.patterns import Language, lazy
from memoryd.worker.agents.rules.sentences import Sentence, clauses

MAX_REQUEST_CHARS = 160
ASIDE = -5  #: a request below this, in tenths of a logit, is a task

_MATERIAL_BEGINS = lazy(r"[:：]\s*\S")
_AFTER_RETRACTION = " ,.:，。：-–—"
_MODAL = lazy(r"[\w-]+ (?:[\w-]+ ){0,2}(?:should|must|may|is|are|goes?|gets?|lives?|needs?|has to|have to)\b")


def may_state(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence may say something lasting at all."""
    masked = sentence.masked
    if language.question.match(masked) and not language.standing_question.match(masked):
        return False
    if language.hypothetical.search(masked):
        return False
    return not language.passing.search(masked) or bool(language.firm.search(masked))


def is_task(language: Language, masked: str, at: int, end: int) -> bool:
    """Whether a clause asks for something now, or asks at all."""
    if language.question.match(masked, at, end):
        return True
    if _MODAL.match(masked, at, end):
        return False
    return bool(language.request.match(masked, at, end)) and language.weigh(masked[at:end]) < ASIDE


def invents_or_hands_over(sentence: Sentence, language: Language) -> bool:
    """Whether what follows is nobody's word: a text to invent, or one to work on after a colon."""
    if language.fiction.match(sentence.masked):
        return True
    colon = _MATERIAL_BEGINS.search(sentence.masked)
    return bool(
        colon and language.request.match(sentence.masked) and language.material.match(sentence.masked, 0, colon.start())
    )


def without_question(sentence: Sentence, language: Language) -> Sentence:
    """Cut a question off the end of a statement: "I use fish, how do I set PATH?"."""
    bounds = clauses(sentence.masked, language.clause_end)
    if len(bounds) < 2 or not language.own_question.match(sentence.masked, bounds[-1][0]):
        return sentence
    end = bounds[-2][1]
    opened = language.opener.match(sentence.masked)
    if not language.told.match(sentence.masked, opened.end() if opened else 0, end):
        return sentence
    return replace(sentence, text=sentence.text[:end], masked=sentence.masked[:end])


def after_retraction(sentence: Sentence, language: Language) -> tuple[Sentence, bool]:
    """Return what follows a "scratch that", and whether there was one."""
    match = language.retraction.match(sentence.masked)
    if not match:
        return sentence, False
    text, masked = (words[match.end() :].lstrip(_AFTER_RETRACTION) for words in (sentence.text, sentence.masked))
    return replace(sentence, text=text, masked=masked), True


def wish_to_forget(sentence: Sentence, language: Language) -> Forget | None:
    """Return the wish that a sentence holds; a Chinese sentence may hold an English one."""
    for table in (language, ENGLISH) if language is not ENGLISH else (language,):
        match = table.forget.match(sentence.masked)
        if match:
            what = " ".join(part for part in match.groups() if part).strip()
            return Forget(what="" if table.nameless.match(what) else what, language=table)
    return None


def request_in(sentence: Sentence) -> str:
    """Return a sentence from its first clause on that asks for something, '' when none does."""
    language = language_of(sentence.text)
    for start, end in clauses(sentence.masked, language.clause_end):
        opened = language.opener.match(sentence.masked, start)
        at = max(start, opened.end() if opened else start)
        if at < end and (language.request.match(sentence.masked, at) or language.question.match(sentence.masked, at)):
            return cut(sentence.text[at:], MAX_REQUEST_CHARS)
    return ""
