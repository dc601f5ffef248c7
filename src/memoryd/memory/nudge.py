"""A look back each few turns: do the active memories still agree with what was said lately? At most one line. Pure.

By rules, the most telling first: a memory that names what the user has just corrected; a rule or a decision of the user
that no memory holds; an old memory about what the talk is of.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.corrected import corrections
from memoryd.memory.fence import PREFETCH_CLOSE, PREFETCH_OPEN, clean, quoted
from memoryd.memory.labels import Labels, age_days
from memoryd.memory.model import Root
from memoryd.memory.ranking import is_relevant, telling_words
from memoryd.memory.spans import own_words
from memoryd.memory.terms import terms
from memoryd.memory.text import cut
from memoryd.memory.words import content_words

OLD_DAYS = 30  #: from this age on a memory that the talk is of is to be looked at
COVERED = 0.6  #: share of a sentence's words that one memory holds when it says it already
MAX_CHARS = 160  #: of what a line quotes
_DENIES = re.compile(r"\b(?:not|never|no|don['’]t|avoid|instead of|rather than)\b|[不别]|禁止|而非", re.IGNORECASE)


def reminder(catalogue: Catalogue, prompts: Sequence[str], words: Labels, now: datetime) -> str:
    """Return the one line that an agent should read with the next prompt, '' when memory and talk agree.

    :param prompts: of the user, the newest last
    """
    said = [own_words(prompt) for prompt in reversed(prompts)]
    found = (*_outdated(catalogue, said, words), *_unsaved(catalogue, said, words), *_old(catalogue, said, words, now))
    return next(map(clean, found), "")


def added(text: str, line: str, words: Labels) -> str:
    """Return what a prompt is told, with the line behind it."""
    if not line:
        return text
    if not text:
        return "\n".join([PREFETCH_OPEN, words.recalled, line, PREFETCH_CLOSE])
    return f"{text.removesuffix(PREFETCH_CLOSE)}{line}\n{PREFETCH_CLOSE}"


def _statements(catalogue: Catalogue) -> list[str]:
    """What memory holds as the user's."""
    entries = [known.entry for known in catalogue.entries if known.entry.active and not known.entry.dated]
    bodies = [entry.body or entry.description or entry.name for entry in entries]
    return [line.text for line in catalogue.lines] + bodies


def _outdated(catalogue: Catalogue, said: Sequence[str], words: Labels) -> Iterator[str]:
    for one in (one for text in said for one in corrections(text) if one.use and one.instead_of):
        wrong, right = content_words(one.instead_of), content_words(one.use)
        for statement in _statements(catalogue):
            held = content_words(statement)
            if wrong <= held and not right <= held and not _DENIES.search(statement):
                yield words.nudge_outdated.format(_quote(statement), _quote(one.said))


def _unsaved(catalogue: Catalogue, said: Sequence[str], words: Labels) -> Iterator[str]:
    held = [content_words(statement) for statement in (*_statements(catalogue), *_learned(catalogue))]
    for _, sentence in (term for text in said for term in terms(text)):
        asked = content_words(sentence)
        if asked and not any(len(asked & one) >= COVERED * len(asked) for one in held):
            yield words.nudge_unsaved.format(_quote(sentence))


def _learned(catalogue: Catalogue) -> list[str]:
    return [known.entry.body for known in (*catalogue.instincts, *catalogue.procedures) if known.entry.active]


def _old(catalogue: Catalogue, said: Sequence[str], words: Labels, now: datetime) -> Iterator[str]:
    query = "\n".join(said)
    asked, telling = content_words(query), telling_words(catalogue, query)
    for known in catalogue.entries:
        if _is_old(known, now) and is_relevant(asked, telling, known):
            age = words.age(known.entry.updated_at or known.entry.created_at, now)
            yield words.nudge_old.format(_quote(known.entry.name), age)


def _is_old(known: Known, now: datetime) -> bool:
    entry, moment = known.entry, known.entry.updated_at or known.entry.created_at
    own = known.key.root is not Root.TEAM and entry.active and not entry.dated
    return own and moment is not None and age_days(moment, now) >= OLD_DAYS


def _quote(text: str) -> str:
    return quoted(cut(text, MAX_CHARS))
