"""What a sentence's signs weigh: for a lasting statement, for a change of something known, for a wish to forget.

The weights are fitted by `bench/rules_fit.py`, one file a language: a row is a sign and its three weights in hundredths
of a logit. 0 is as likely as not; the thresholds below were chosen by leaving labelled sets out of the fit.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import IntEnum
from functools import cache
from itertools import repeat
from pathlib import Path

from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence
from memoryd.worker.agents.rules.signs import Place, patterns_in, signs_around, signs_in

FOLDER = Path(__file__).parent / "weights"
BASE = "(base)"  #: the sign that every text has
PART = "(part)"  #: and the one of a clause that is weighed by itself

NEIGHBOURS = ("<", ">")  #: signs of the sentences before and behind begin with these

LASTING = 80  #: from this on a sentence says something lasting
ELECTED = 20  #: from this on it does when another reader found so too
SHORT = 60  #: from this on one of a single clause does that a rule's pattern knows, or that is about us
PLAIN = -60  #: from this on "remember: ..." does, and a single clause about the person, a preference, the project
ASKED = -400  #: from this on what opens with a wish to remember does, and what a prompt plainly states and nothing else
TENTATIVE = -250  #: from this on a sentence beside a correction may replace something known
HOPELESS = -350  #: patterns never lift a sentence of less to where it counts: they are not asked
CUT = -300  #: a first or last clause below this is left out
CHANGING = -50  #: from this on a fact replaces what is known about its topic
TOLD = 150  #: from this on a sentence that gives a known attribute a new value is plain
HINTING = -200  #: from this on it may, where the two are about the same attribute or share most of their topic
ANNOUNCING = -50  #: from this much of a lasting statement on, a change holds for the whole prompt
FORGETTING = -200  #: from this on a sentence is a wish to forget


class Scale(IntEnum):
    """The columns of a weight file, after the sign."""

    LASTING = 0
    CHANGING = 1  #: of what is lasting: it gives a new value for something known
    FORGETTING = 2


def weighed(sentence: Sentence, place: Place, language: Language) -> Sentence:
    """Return a sentence with its weights; one that is too long to state anything stays without."""
    if len(sentence.text) > MAX_SENTENCE_CHARS:
        return sentence
    signs = {BASE, *language.grams(sentence.masked), *signs_around(sentence, place, language)}
    if any(_sum(scale, signs, language) >= HOPELESS for scale in (Scale.LASTING, Scale.FORGETTING)):
        signs |= patterns_in(sentence.masked, language)
    lasting, changing, forgetting = (_sum(scale, signs, language) for scale in Scale)
    around = _sum(Scale.LASTING, (sign for sign in signs if sign.startswith(NEIGHBOURS)), language)
    return replace(sentence, lasting=lasting, alone=lasting - around, changing=changing, forgetting=forgetting,
                   only=place.before is None and place.after is None)  # fmt: skip


def weigh_clause(masked: str, language: Language) -> int:
    """Return how much speaks for a clause as a part of a lasting statement."""
    return _sum(Scale.LASTING, {BASE, PART, *signs_in(masked, language)}, language)


def weigh_wish(masked: str, language: Language) -> int:
    """Return how much speaks for a clause as a wish to forget."""
    return _sum(Scale.FORGETTING, {BASE, *signs_in(masked, language)}, language)


def _sum(scale: Scale, signs: Iterable[str], language: Language) -> int:
    known = weights(language.code)[scale]
    return sum(map(known.get, signs, repeat(0)))


@cache
def weights(code: str) -> tuple[dict[str, int], ...]:
    """Read the weights of a language, one table a scale."""
    tables: tuple[dict[str, int], ...] = tuple({} for _ in Scale)
    for row in (FOLDER / f"{code}.tsv").read_text("utf-8").splitlines():
        sign, *numbers = row.split("\t")
        for table, number in zip(tables, numbers, strict=True):
            if number:
                table[sign] = int(number)
    return tables
