"""The decision on one sentence: whether it says something lasting, in which parts, each nearly word for word.

A sentence is weighed as a whole, by its patterns and its cues together: a pattern that the cues speak against is not
believed, and enough cues need no pattern.
"""

import re
from dataclasses import dataclass, replace

from memoryd.worker.agents.rules.facts import Fact
from memoryd.worker.agents.rules.filters import is_task, may_state, without_question
from memoryd.worker.agents.rules.held import slots_of
from memoryd.worker.agents.rules.languages import CHINESE
from memoryd.worker.agents.rules.patterns import (
    CORRECTED,
    MENTIONED,
    PREFERRED,
    REMEMBERED,
    Kind,
    Language,
    Pattern,
    lazy,
)
from memoryd.worker.agents.rules.rendering import fact_of
from memoryd.worker.agents.rules.sentences import Sentence, clauses

# in tenths of a logit
FLOOR = -25  #: below this a pattern alone is not believed
CEILING = 7  #: from this on a sentence says something lasting without a pattern
TENTATIVE = -25  #: from this on a sentence beside a correction may replace something known
PART = -5  #: a coordinated part below this belongs to the part before it

_IMPORTANCE = {Kind.RULE: CORRECTED, Kind.PREFERENCE: PREFERRED}  #: of what no pattern knows
_LASTING_SLOTS = {"user name", "user place", "user employer"}
_ASKED_MARKS = "?？ "
_MOCKING = lazy(
    r"\b(?:obviously|sure|yeah|totally|of course)\b.*\bha(?:ha)+\b|\bha(?:ha)+\b.*\b(?:as if|sure|yeah|imagine)\b",
    re.IGNORECASE,
)
_REPEAL = lazy(r"(?:scrap|drop|forget|scratch|ditch|ignore|disregard) (?:the|what|that|my)\b", re.IGNORECASE)
_POLITE = lazy(
    r"(?:(?:and|but|so|ok|oh|also|hey|please),? )*(?:can|could|would|will|may|might) (?:you|i|we)"
    r"(?: please| kindly| mind| ask you to| all)*,? ?",
    re.IGNORECASE,
)
_CONDITION = lazy(
    r"(?:if|when|whenever|before|after|since|once|every time|each time|any time|anytime|unless|until|as|because|while"
    r"|wherever|where|for|on|in|given|with|without|being|instead of|rather than)\b",
    re.IGNORECASE,
)
_APART = lazy(r"\b(?:and|but)\b|[;.(]|[-–—]", re.IGNORECASE)
_BARE = lazy(
    r"(?:i'?m|i am|it'?s|that'?s|this is|(?:the )?name'?s|my (?:\w+ )?name(?:'s| is)|make (?:it|that)|(?:\w+ )*call me)"
    r" (?-i:[A-Z])",
    re.IGNORECASE,
)


def facts_of(sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
    """Return what a sentence says that lasts. `under_heading`: the person announced it as a rule."""
    sentence = without_question(sentence, language)
    masked = sentence.masked.rstrip(_ASKED_MARKS)
    if masked.endswith(":") or not may_state(sentence, language):
        return []
    weight = _weight(sentence, masked, language)
    if weight < FLOOR and not under_heading:
        return []
    scan = _Scan(masked, language, under_heading=under_heading)
    scan.take_clauses()
    if not scan.believed(weight):
        return []
    found = (_fact(part, sentence, scan) for part in scan.without_preamble())
    return [fact for fact in found if fact]


def unsure(sentence: Sentence, language: Language) -> list[Fact]:
    """Return what a sentence beside a correction may say: it counts when it replaces something known."""
    masked = sentence.masked.rstrip(_ASKED_MARKS)
    if not may_state(sentence, language):
        return []
    if language.weigh(masked) < TENTATIVE and not language.change.search(masked):
        return []
    kept = [bound for bound in clauses(masked, language.clause_end) if not is_task(language, masked, *bound)]
    if not kept:
        return []
    start, end = kept[0][0], kept[-1][1]
    fact = fact_of(sentence, (start, end), language, language.kind_of(masked[start:end]), PREFERRED)
    return [replace(fact, tentative=True)] if fact else []


def _weight(sentence: Sentence, masked: str, language: Language) -> int:
    """A standing request in the form of a question is weighed without the form."""
    asked = _POLITE.match(masked) if language.standing_question.match(sentence.masked) else None
    return language.weigh(masked[asked.end() :] if asked else sentence.masked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    """One clause, its openers taken off."""

    n: int  #: its place in the sentence
    start: int
    end: int
    pattern: Pattern | None  #: that knows it
    matched_to: int  #: where the pattern's match ends, which may be clauses later
    conditional: bool  #: "when ...", "before ...": what follows is no task of the moment


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A run of clauses with a subject of their own: it may become a line."""

    start: int
    end: int
    kind: Kind | None  #: None: no pattern knows it
    importance: float
    bare: bool  #: begins with the value itself: nothing may stand before it


class _Scan:
    """A sentence taken clause by clause."""

    def __init__(self, masked: str, language: Language, *, under_heading: bool) -> None:
        self.masked, self.language, self.under_heading = masked, language, under_heading
        self.parts: list[_Part] = []
        self.remembered = False  #: opens with a wish to remember
        self._bounds = clauses(masked, language.clause_end)
        self._firm = bool(language.firm.search(masked))
        self._standing = under_heading or bool(language.standing.search(masked))
        self._marked = under_heading  #: an opener says that what follows lasts
        self._known_clauses = 0

    def take_clauses(self) -> None:
        """Divide the sentence into parts; none are left of one that is about somebody else or words a task."""
        after_condition = False
        for n in range(len(self._bounds)):
            clause = self._clause(n)
            if clause is None:
                continue
            if self._about_others(clause) or self._specifies_task(clause):
                self.parts = []
                return
            if not (after_condition or clause.conditional or clause.pattern) and self._is_task(clause):
                if self.parts:
                    return
                continue
            after_condition = clause.conditional
            self._take(clause)

    def believed(self, weight: int) -> bool:
        """Whether patterns, markers and weight together make a lasting statement of the parts."""
        if not self.parts or _MOCKING.search(self.masked):
            return False
        language, start = self.language, self.parts[0].start
        if self._known_clauses:
            return True
        if self._firm and language.own_plan and language.own_plan.match(self.masked, start):
            return False
        if self._marked or self._firm:
            return True
        asks = language.request.match(self.masked, start) and not language.lasting(self.masked)
        return weight >= CEILING and not asks

    def without_preamble(self) -> list[_Part]:
        """Return the parts; words that no pattern knows before "I'm Ada" are a greeting."""
        greeted = not self.parts[0].kind and any(part.bare for part in self.parts[1:])
        return self.parts[1:] if greeted else self.parts

    def _clause(self, n: int) -> _Clause | None:
        """Return a clause without its openers, None when it says nothing by itself."""
        start, end = self._bounds[n]
        at = self._after_opener(start, end)
        last = n + 1 == len(self._bounds)
        if at >= end or self.language.preface.match(self.masked, start, end):
            return None
        if not last and _REPEAL.match(self.masked, at, end):
            return None
        pattern, matched_to = self.language.table.match(
            self.masked, at, end, standing=self._standing or self._marked, follows=bool(self.parts)
        ) or (None, at)
        conditional = bool(_CONDITION.match(self.masked, at, end))
        return _Clause(n=n, start=at, end=end, pattern=pattern, matched_to=matched_to, conditional=conditional)

    def _after_opener(self, start: int, end: int) -> int:
        opened = self.language.opener.match(self.masked, start)
        if not opened:
            return start
        self.remembered |= bool(not self.parts and opened["remember"])
        self._marked |= bool(opened["standing"] or opened["remember"])
        return max(start, min(end, opened.end()))

    def _about_others(self, clause: _Clause) -> bool:
        """Whether the sentence's first statement is about a third person."""
        return not self.parts and bool(self.language.third_person.match(self.masked, clause.start, clause.end))

    def _specifies_task(self, clause: _Clause) -> bool:
        """Whether the clauses around a rule make it the wording of a task: "write a validator: names must be short"."""
        if not clause.pattern or clause.pattern.kind is not Kind.RULE or self._marked or self._firm:
            return False
        task, masked = self.language.task, self.masked
        before = self._bounds[clause.n - 1] if clause.n else None
        if (
            before
            and masked[before[1] : self._bounds[clause.n][0]].strip() in (":", "：")
            and task.match(masked, *before)
        ):
            return True
        later = (bound for bound in self._bounds[clause.n + 1 :] if bound[0] >= clause.matched_to)
        return any(task.match(masked, *bound) for bound in later)

    def _is_task(self, clause: _Clause) -> bool:
        return is_task(self.language, self.masked, clause.start, clause.end)

    def _take(self, clause: _Clause) -> None:
        """Begin a part with a clause, or add the clause to the part before it."""
        kind = clause.pattern.kind if clause.pattern else None
        importance = clause.pattern.importance if clause.pattern else MENTIONED
        self._known_clauses += clause.pattern is not None
        bare = kind is Kind.PERSON and bool(_BARE.match(self.masked, clause.start, clause.end))
        if not self.parts or bare or self._stands_apart(clause) or self._outlives(clause):
            self.parts.append(_Part(start=clause.start, end=clause.end, kind=kind, importance=importance, bare=bare))
            return
        last = self.parts[-1]
        kind, importance = last.kind or kind, max(last.importance, importance)
        self.parts[-1] = replace(last, end=clause.end, kind=kind, importance=importance)

    def _stands_apart(self, clause: _Clause) -> bool:
        """Whether a coordinated clause says something of its own: another kind of thing, or another attribute."""
        language, masked = self.language, self.masked
        gap = masked[self._bounds[clause.n - 1][1] : clause.start] if clause.n else ""
        if not _APART.search(gap) or not language.told.match(masked, clause.start, clause.end):
            return False
        words = masked[clause.start : clause.end]
        kind = clause.pattern.kind if clause.pattern else language.kind_of(words)
        if clause.pattern and slots_of(language.render(kind, words), language) - {"user role"}:
            return True
        return kind is not self.parts[-1].kind and (clause.pattern is not None or language.weigh(words) >= PART)

    def _outlives(self, clause: _Clause) -> bool:
        """Whether a Chinese clause about the person names what may be forgotten or changed by itself."""
        if self.language is not CHINESE or not clause.pattern:
            return False
        if not self.parts[-1].kind is clause.pattern.kind is Kind.PERSON:
            return False
        words = self.masked[clause.start : clause.end]
        return bool(slots_of(self.language.render(Kind.PERSON, words), self.language) & _LASTING_SLOTS)


def _fact(part: _Part, sentence: Sentence, scan: _Scan) -> Fact | None:
    kind, importance = part.kind, part.importance
    if kind is None:
        kind = Kind.RULE if scan.under_heading else scan.language.kind_of(scan.masked[part.start : part.end])
        importance = _IMPORTANCE.get(kind, MENTIONED)
    importance = REMEMBERED if scan.remembered else importance
    return fact_of(sentence, (part.start, part.end), scan.language, kind, importance)
