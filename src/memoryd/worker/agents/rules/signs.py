"""The signs that a sentence is weighed by: its words, the patterns that match it, its place in the prompt.

A sign is a short string; what each is worth stands in `weights/<language>.tsv`. Linear in the length of the sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryd.worker.agents.rules.caches import kept_for_a_run
from memoryd.worker.agents.rules.patterns import Kind, Language
from memoryd.worker.agents.rules.sentences import Sentence, after_opener, clauses

_ANYWHERE = ("standing", "changed", "correction", "everywhere", "addition", "reason", "about_answers")
_IN_FRONT = ("question", "request", "joke", "retraction", "fiction", "forget")
_MOST_CLAUSES = 4
_ASKED, _COLON = ("?", "？"), (":", "：")


@dataclass(frozen=True, slots=True)
class Place:
    """What stands around a sentence in its prompt; None at its ends."""

    before: Sentence | None = None
    after: Sentence | None = None
    listed: bool = False


def signs_in(masked: str, language: Language) -> frozenset[str]:
    """Return the signs of a sentence, or of a clause, by itself."""
    return language.grams(masked) | patterns_in(masked, language)


def signs_around(sentence: Sentence, place: Place, language: Language) -> Iterator[str]:
    """Yield the signs of a whole sentence that come from its place."""
    before, after = place.before, place.after
    yield "@first" if before is None else "@later"
    if after is None:
        yield "@last"
        if before is None:
            yield "@only"
    if place.listed:
        yield "@listed"
    if sentence.masked.endswith(_ASKED):
        yield "@asks"
    if sentence.masked.endswith(_COLON):
        yield "@colon"
    if after and after.masked.endswith(_ASKED):
        yield "@asked next"
    if before and before.masked.endswith(_COLON):
        yield "@below colon"
    yield from (f"<{gram}" for gram in language.openers(before.masked if before else ""))
    yield from (f">{gram}" for gram in language.openers(after.masked if after else ""))


@kept_for_a_run
def patterns_in(masked: str, language: Language) -> frozenset[str]:
    """Return the signs that come from patterns: they cost most of the time."""
    stated = masked.rstrip("?？ ")
    found = {f"*{name}" for name in _ANYWHERE if getattr(language, name).search(stated)}
    found |= {f"*{name}" for name in _IN_FRONT if getattr(language, name).match(masked)}
    bounds = clauses(stated, language.clause_end)
    found.add(f"#{min(len(bounds), _MOST_CLAUSES)}")
    for start, end in bounds:
        at, opened = after_opener(stated, start, end, language)
        if opened and (opened["standing"] or opened["remember"]):
            found.add("=marked")
        known = language.table.match(stated, at, end, standing="*standing" in found)
        if known:
            found |= {"=known", f"={known[0].kind}"}
    told = language.render(Kind.PERSON, stated)
    return frozenset(found | {f"§{name}" for name, pattern in language.slots if pattern.search(told)})
