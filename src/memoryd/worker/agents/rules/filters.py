"""What a sentence is, before anybody asks what it says: a text to invent, a retraction, a wish to forget, a request."""

import re
from dataclasses import replace

from memoryd.memory.text import cut
from memoryd.memory.words import CJK
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.facts import Forget
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.scales import FORGETTING, weigh_wish
from memoryd.worker.agents.rules.sentences import Sentence, after_opener, clauses, mask

MAX_REQUEST_CHARS = 160
MAX_NAMING_WORDS = 5  #: before a placeholder, that only name what is hidden: "the user's API key is"
_LISTED_CHARS = 16  #: of a clause that only goes on with a list: "and the small steps"

_MATERIAL_BEGINS = lazy(r"[:：]\s*\S")
_SHRUG = lazy(
    r"(?:(?:oh|ok|no|nah|well|just|ah),? )*(?:forget it|never ?mind)\b[,.;:!]* \S(?!.*\b(?:back|delete|erase)\b)",
    re.IGNORECASE,
)
_HIDDEN_LAST = lazy(r"\[(?:secret|pii):[\w-]+(?::[0-9a-f]{4})?\][\s\W]*$")
_NAMING = lazy(rf"[{CJK}]{{1,2}}|[^\s{CJK}]+")
_AFTER_RETRACTION = " ,.:，。：-–—"


def invents_or_hands_over(sentence: Sentence, language: Language) -> bool:
    """Whether what follows is nobody's word: a text to invent, or one to work on after a colon."""
    if language.fiction.match(sentence.masked):
        return True
    colon = _MATERIAL_BEGINS.search(sentence.masked)
    return bool(
        colon and language.request.match(sentence.masked) and language.material.match(sentence.masked, 0, colon.start())
    )


def after_retraction(sentence: Sentence, language: Language) -> tuple[Sentence, bool]:
    """Return what follows a "scratch that", and whether there was one."""
    match = language.retraction.match(sentence.masked)
    if not match:
        return sentence, False
    text, masked = (words[match.end() :].lstrip(_AFTER_RETRACTION) for words in (sentence.text, sentence.masked))
    return replace(sentence, text=text, masked=masked), True


def wish_to_forget(sentence: Sentence, language: Language) -> Forget | None:
    """Return the wish that a sentence holds; a Chinese sentence may hold an English one."""
    if _SHRUG.match(sentence.masked):
        return None
    for table in (language, ENGLISH) if language is not ENGLISH else (language,):
        match = table.forget.match(sentence.masked)
        if match:
            what = "，".join(part for part in match.groups() if part).strip()
            named = "" if table.nameless.match(what) else what
            return Forget(what=named, said=sentence.text, language=table)
    if sentence.forgetting >= FORGETTING:
        clause = max(_not_spared(sentence, language), key=lambda part: weigh_wish(mask(part), language), default="")
        return Forget(what=clause, said=sentence.text, language=language) if clause else None
    return None


def _not_spared(sentence: Sentence, language: Language) -> list[str]:
    """Return the clauses of a wish without those that say what may stay, and what is listed behind those."""
    kept, spared = list[str](), False
    for start, end in clauses(sentence.masked, language.clause_end):
        clause = sentence.text[start:end]
        spared = bool(language.spare.search(sentence.masked, start, end)) or (spared and len(clause) <= _LISTED_CHARS)
        kept += [] if spared else [clause]
    return kept


def spared_in(sentence: Sentence, language: Language) -> list[str]:
    """Return the clauses that say what may stay: "the name can stay"."""
    bounds = clauses(sentence.masked, language.clause_end)
    return [sentence.text[a:b] for a, b in bounds if language.spare.search(sentence.masked[a:b])]


def hides_what_it_says(text: str) -> bool:
    """Whether a placeholder for a secret is all that a line tells: "the password is [secret:assigned:3f9a]"."""
    hidden = _HIDDEN_LAST.search(text)
    return hidden is not None and len(_NAMING.findall(text[: hidden.start()])) <= MAX_NAMING_WORDS


def request_in(sentence: Sentence) -> str:
    """Return a sentence from its first clause on that asks for something, '' when none does."""
    language = language_of(sentence.text)
    for start, end in clauses(sentence.masked, language.clause_end):
        at, _ = after_opener(sentence.masked, start, end, language)
        if at < end and (language.request.match(sentence.masked, at) or language.question.match(sentence.masked, at)):
            return cut(sentence.text[at:], MAX_REQUEST_CHARS)
    return ""
