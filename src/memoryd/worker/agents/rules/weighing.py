"""The decision on one sentence: whether it says something lasting, and what kind of thing, nearly word for word.

The weight of the sentence decides (`scales`), sooner where a pattern knows a plain one; patterns tell what it is about,
and so the file it goes to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.attributes import attributes_of
from memoryd.worker.agents.rules.facts import Fact
from memoryd.worker.agents.rules.held import slots_of
from memoryd.worker.agents.rules.patterns import MENTIONED, PREFERRED, REMEMBERED, Kind, Language, Pattern
from memoryd.worker.agents.rules.plain import states_plainly
from memoryd.worker.agents.rules.rendering import fact_of
from memoryd.worker.agents.rules.scales import (
    ASKED,
    CHANGING,
    CUT,
    LASTING,
    PLAIN,
    SHORT,
    TENTATIVE,
    TOLD,
    weigh_clause,
)
from memoryd.worker.agents.rules.sentences import Sentence, after_opener, clauses

PLAIN_KINDS = frozenset((Kind.PERSON, Kind.PREFERENCE, Kind.PROJECT, Kind.DECISION))
OF_PERSON = frozenset(("user name", "user role", "user place", "user employer", "editor", "shell", "operating system"))

_ASKED_MARKS = "?？ "
_TOLD = lazy(r".{0,40}?(?:\bremember(?: that\b|:)|记住)", re.IGNORECASE)  #: "remember to ..." may be a task
_OURS = lazy(r"(?:we|our)\b|我们|咱们", re.IGNORECASE)
_OWN = lazy(r"\b(?:i|i'm|i've|im|my|me|we|our)\b|我|咱|本人", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Clause:
    """One clause, its openers taken off."""

    start: int
    end: int
    pattern: Pattern | None  #: that knows it
    remembered: bool  #: opens with a wish to remember


def facts_of(sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
    """Return what a sentence says that lasts. `under_heading`: the person announced it as a rule."""
    masked = sentence.masked.rstrip(_ASKED_MARKS)
    weight = max(sentence.lasting, sentence.alone)
    if masked.endswith((":", "：")) or (weight < ASKED and not under_heading):
        return []
    found = list(_clauses(masked, language, under_heading=under_heading))
    plain = (
        _is_plain(found, sentence, weight, language)
        or _tells_change(sentence, language)
        or (weight >= (ASKED if sentence.only else PLAIN) and states_plainly(sentence, language))
    )
    if sentence.lasting < LASTING and not under_heading and not plain:
        return []
    parts = _by_attribute(found, masked, language)
    made = (_fact(part, sentence, language, under_heading=under_heading, divided=len(parts) > 1) for part in parts)
    return [fact for fact in made if fact]


def _is_plain(found: list[_Clause], sentence: Sentence, weight: int, language: Language) -> bool:
    """Whether a statement is so plain that it is believed sooner: "remember: ...", or one clause about me or us."""
    masked, lasting = sentence.masked, sentence.lasting
    if found and found[0].remembered:
        return lasting >= PLAIN or (not masked.endswith(("?", "？")) and bool(_TOLD.match(masked)))
    kinds = {clause.pattern.kind if clause.pattern else None for clause in found}
    if kinds == {Kind.RULE} and language.standing.search(masked):
        return lasting >= PLAIN
    if len(found) != 1:
        return False
    kind = found[0].pattern.kind if found[0].pattern else None
    if (weight if kind is Kind.DECISION else lasting) < PLAIN:
        return False
    if kind in PLAIN_KINDS and _OWN.search(masked):
        return True
    return lasting >= SHORT and (kind is Kind.RULE or bool(_OURS.match(masked)))


def _tells_change(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence tells a new value of a known attribute: "CI moved to Buildkite"."""
    told = sentence.lasting >= PLAIN and sentence.changing >= TOLD and not language.question.match(sentence.masked)
    return told and any(not attribute.startswith("own ") for attribute in attributes_of(sentence.text))


def _by_attribute(found: list[_Clause], masked: str, language: Language) -> list[list[_Clause]]:
    """Divide what a person says of themselves where another attribute begins, so that each can change by itself."""
    parts: list[list[_Clause]] = []
    before = frozenset[str]()
    for clause in found:
        slots = slots_of(language.render(Kind.PERSON, masked[clause.start : clause.end]), language, OF_PERSON)
        if not parts or (before and slots and not slots & before):
            parts.append([])
            before = slots
        parts[-1].append(clause)
        before |= slots
    return parts


def _fact(
    part: list[_Clause], sentence: Sentence, language: Language, *, under_heading: bool, divided: bool
) -> Fact | None:
    span = part[0].start, part[-1].end
    known = [clause.pattern for clause in part if clause.pattern]
    importance = max((pattern.importance for pattern in known), default=MENTIONED)
    if known:
        kind = known[0].kind
    elif divided:
        kind = Kind.PERSON
    else:
        kind = Kind.RULE if under_heading else language.kind_of(sentence.masked[slice(*span)])
    return fact_of(sentence, span, language, kind, REMEMBERED if part[0].remembered else importance)


def sounds_changed(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence that is no question says that something is not as it was."""
    masked = sentence.masked
    if language.question.match(masked):
        return False
    if sentence.changing >= CHANGING or any(sign.search(masked) for sign in (language.standing, *language.old_values)):
        return True
    start, _ = after_opener(masked, 0, len(masked), language)
    news = language.news.search(masked) or language.changed.search(masked)
    return bool(news) and not language.request.match(masked, start)


def unsure(sentence: Sentence, language: Language) -> list[Fact]:
    """Return what a sentence beside a correction may say: it counts when it replaces something known."""
    if sentence.lasting < (ASKED if sentence.only and attributes_of(sentence.text) else TENTATIVE):
        return []
    masked = sentence.masked.rstrip(_ASKED_MARKS)
    fact = fact_of(sentence, (0, len(masked)), language, language.kind_of(masked), PREFERRED)
    return [replace(fact, tentative=True)] if fact else []


def _clauses(masked: str, language: Language, *, under_heading: bool) -> Iterator[_Clause]:
    """Yield the clauses that say something, without those at both ends that belong to the talk around the statement."""
    standing = under_heading or bool(language.standing.search(masked))
    remembered = False
    for start, end in _trimmed(clauses(masked, language.clause_end), masked, language):
        at, opened = after_opener(masked, start, end, language)
        remembered |= bool(opened and opened["remember"])
        if at < end:
            marked = remembered or bool(opened and opened["standing"])
            known = language.table.match(masked, at, end, standing=standing or marked)
            yield _Clause(at, end, known[0] if known else None, remembered)


def _trimmed(bounds: list[tuple[int, int]], masked: str, language: Language) -> list[tuple[int, int]]:
    if len(bounds) < 2:
        return bounds
    kept = [n for n, (start, end) in enumerate(bounds) if weigh_clause(masked[start:end], language) >= CUT]
    return bounds[kept[0] : kept[-1] + 1] if kept else bounds
