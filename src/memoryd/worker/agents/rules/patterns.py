"""The shape of a language table: what one pattern says, and what a whole language says.

`english.py` and `chinese.py` each hold one table of this shape; the words that both or neither can hold stand
beside the step that asks for them.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from memoryd.patterns import lazy

REMEMBERED, CORRECTED, PREFERRED, MENTIONED = 1.0, 0.8, 0.6, 0.4  #: importance without a model (SOURCES.md)
CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


class Kind(StrEnum):
    """What a fact is about; it decides the file."""

    AGENT = "agent"  #: identity.md
    PERSON = "person"  #: user.md
    PREFERENCE = "preference"  #: preferences.md
    RULE = "rule"  #: constraints.md
    DECISION = "decision"  #: an entry with its reason
    PROJECT = "project"  #: an entry
    POINTER = "pointer"  #: an entry of type reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way to say a fact, matched at the beginning of a clause, its openers taken off."""

    kind: Kind
    regex: re.Pattern[str]
    importance: float = MENTIONED
    one_clause: bool = False  #: matches within one clause; others may reach over the rest of the sentence
    standing: bool = False  #: counts only in a sentence that says "from now on", "always", 以后, ...


def patterns_of(regexes: Iterable[re.Pattern[str]], **conditions: Any) -> tuple[Pattern, ...]:
    """Return one pattern for each regex, all under the same conditions: the other fields of `Pattern`."""
    return tuple(Pattern(regex=regex, **conditions) for regex in regexes)


def filled(pattern: str, classes: Mapping[str, str]) -> str:
    """Put the word classes in the place of their `<CLASS>` names."""
    for name, words in classes.items():
        pattern = pattern.replace(f"<{name}>", words)
    return pattern


class Table:
    """The patterns of a language in their order: the first that matches wins.

    Neighbours under the same condition are one alternation, so that a clause costs a dozen matches and not a hundred.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        def condition(pattern: Pattern) -> tuple[bool, bool, int]:
            return pattern.one_clause, pattern.standing, pattern.regex.flags

        self._runs: list[tuple[re.Pattern[str], list[Pattern]]] = []
        for key, neighbours in groupby(patterns, condition):
            run = list(neighbours)
            alternation = "|".join(f"(?P<p{n}>{pattern.regex.pattern})" for n, pattern in enumerate(run))
            self._runs.append((lazy(alternation, key[2]), run))

    def match(self, text: str, at: int, clause_end: int, *, standing: bool) -> tuple[Pattern, int] | None:
        """Return the pattern that matches at `at` and where its match ends, None when none does."""
        for alternation, run in self._runs:
            if run[0].standing and not standing:
                continue
            match = alternation.match(text, at, clause_end if run[0].one_clause else len(text))
            if match and match.lastgroup:
                return run[int(match.lastgroup[1:])], match.end()
        return None


@dataclass(frozen=True, slots=True)
class Alias:
    """What people call a thing that lines tell in other words: "my employer", 东家."""

    concept: str  #: the same in each language that knows it
    words: re.Pattern[str]  #: in a `what`
    lines: re.Pattern[str]  #: that they mean, in this language


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Language:
    """All that the pipeline asks about a language. Patterns see quoted text as blanks (`sentences.mask`)."""

    code: str
    table: Table
    clause_end: re.Pattern[str]  #: the separator between two clauses
    opener: re.Pattern[str]  #: fillers before a fact; group `standing` or `remember` when they mark one
    standing: re.Pattern[str]  #: anywhere: the sentence speaks of more than the task at hand
    everywhere: re.Pattern[str]  #: the words claim all projects
    question: re.Pattern[str]
    joke: re.Pattern[str]  #: takes back what stands before it in the prompt
    retraction: re.Pattern[str]  #: takes back what stands before it in the prompt, as "never mind"
    material: re.Pattern[str]  #: a request to work on a text that follows
    fiction: re.Pattern[str]  #: a request to invent text: what follows is nobody's word
    heading: re.Pattern[str]  #: a line before a colon that introduces the user's own rules
    request: re.Pattern[str]  #: a clause that asks for something now; it is no part of a fact
    tail: re.Pattern[str]  #: what is cut off the end of a fact
    about_answers: re.Pattern[str]  #: a rule about how to talk to the person is a preference
    addition: re.Pattern[str]  #: the sentence adds to something known: "also", 另外
    present: re.Pattern[str]  #: anywhere: holds now, as if it had not before: "now", 现在
    changed: re.Pattern[str]  #: anywhere: something is not as it was: "moved", "is history", 改, 换
    old_value: tuple[re.Pattern[str], ...]  #: group `old`: the value that no longer holds
    slots: tuple[tuple[str, re.Pattern[str]], ...]  #: attributes with one value at a time
    reason: re.Pattern[str]  #: between a statement and its reason
    anaphoric: re.Pattern[str]  #: a fact that only points at something said elsewhere: "always do that"
    forget: re.Pattern[str]  #: "forget that"; the groups named `what...` name the fact
    of_rules: re.Pattern[str]  #: a wish to forget that speaks of a rule or a habit
    spare: re.Pattern[str]  #: beside a wish to forget: says what may stay
    aliases: tuple[Alias, ...]  #: how people call what they want forgotten
    recent: re.Pattern[str]  #: in a `what`: points at what was said last
    nameless: re.Pattern[str]  #: a `what` that names nothing: "that", 这个
    render: Callable[[Kind, str], str]  #: the words of a fact as a line about "the user"
    grams: Callable[[str], frozenset[str]]  #: the words of a sentence as signs
    openers: Callable[[str], frozenset[str]]  #: its first words
    kind_of: Callable[[str], Kind]  #: what a lasting statement that no pattern knows is about
    correction: re.Pattern[str]  #: anywhere: takes back what was said before, without naming it
