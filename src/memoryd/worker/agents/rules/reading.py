"""The user's own words of one prompt -> facts, wishes to forget, requests.

Each sentence goes through the same steps: whose words it is, what it weighs in its place, what it says. Nothing is
better than junk: a sentence that weighs too little says nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.facts import Fact, Forget, Reading
from memoryd.worker.agents.rules.filters import (
    after_retraction,
    hides_what_it_says,
    invents_or_hands_over,
    request_in,
    spared_in,
    wish_to_forget,
)
from memoryd.worker.agents.rules.fragments import rejoined
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.olds import places_of_old
from memoryd.worker.agents.rules.ownership import Ownership
from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.rendering import MAX_FACT_CHARS, with_next
from memoryd.worker.agents.rules.scales import ANNOUNCING, CHANGING, ELECTED, LASTING, weighed
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence, lines, sentences_of
from memoryd.worker.agents.rules.signs import Place
from memoryd.worker.agents.rules.weighing import facts_of, sounds_changed, unsure
from memoryd.worker.agents.rules.wholes import before_task, whole

MAX_FACTS = 24  #: of one prompt; a text that states more is a document
MAX_BESIDE_CHARS = 1000  #: of a prompt may tell what a fact in it replaces

_PRONOUN = lazy(r"(?:it|they|that|those|these|this)(?:'s|'re)?\b(?! said| being)", re.IGNORECASE)


Elected = Callable[[str], bool]
"""Whether another reader found that a sentence says something lasting."""


def nobody(sentence: str) -> bool:
    """There is no other reader."""
    return False


def read(own: str, elected: Elected = nobody) -> Reading:
    """Read the user's own words of one prompt (`memory.spans.own_words`)."""
    reader = _Reader(own)
    for line, found in laid_out(own):
        told = (weighed(*placed, language_of(placed[0].text)) for placed in found)
        reader.take_line(line, [_with_vote(sentence, elected) for sentence in told])
        if len(reader.facts) >= MAX_FACTS:
            break
    return reader.told()


def _with_vote(sentence: Sentence, elected: Elected) -> Sentence:
    """A sentence that another reader elects says something lasting if it weighs nearly enough by itself."""
    if ELECTED <= sentence.lasting < LASTING and elected(sentence.text):
        return replace(sentence, lasting=LASTING)
    return sentence


def laid_out(own: str) -> Iterator[tuple[str, list[tuple[Sentence, Place]]]]:
    """Yield the lines of a prompt with their sentences, each with what stands around it."""
    found = [(line, rejoined(_sentences(line))) for line in lines(own)]
    around = [None, *(sentence for _, made in found for sentence in made), None]
    n = 0
    for line, made in found:
        places = [Place(around[k], around[k + 2], line.startswith("- ")) for k in range(n, n + len(made))]
        n += len(made)
        yield line, list(zip(made, places, strict=True))


def _sentences(line: str) -> list[Sentence]:
    return [part for sentence in sentences_of(line.removeprefix("- ")) for part in whole(sentence)]


class _Reader:
    """The state of reading one prompt, line by line."""

    def __init__(self, own: str) -> None:
        self._own = own
        self.facts: list[Fact] = []
        self.forgets: list[Forget] = []
        self.requests: list[str] = []
        self._spared: list[str] = []
        self._words = Ownership()
        self._previous: Sentence | None = None  #: said nothing lasting by itself
        self._changes = False  #: a sentence says that something is no longer as it was
        self._corrects = False
        self._old_values: tuple[str, ...] = ()

    def told(self) -> Reading:
        """Return what was read; what one sentence says about a change holds for the prompt."""
        facts = tuple(
            replace(
                fact,
                beside=self._own[:MAX_BESIDE_CHARS],
                changes=fact.changes or self._changes,
                corrects=self._corrects,
                old_values=tuple(dict.fromkeys(fact.old_values + self._old_values)),
            )
            for fact in self.facts[:MAX_FACTS]
        )
        return Reading(
            facts=facts, forgets=tuple(self.forgets), spared=tuple(self._spared) if self.forgets else (),
            requests=tuple(self.requests),
        )  # fmt: skip

    def take_line(self, line: str, found: list[Sentence]) -> None:
        if not line:
            self._words.blank_line()
            return
        self._words.line()
        if self._words.foreign:
            return
        under_heading = self._words.under_heading and line.startswith("- ")
        for n, sentence in enumerate(found, start=1):
            self._take(sentence, under_heading=under_heading, last=n == len(found))

    def _take(self, sentence: Sentence, *, under_heading: bool, last: bool) -> None:
        if self._words.foreign or len(sentence.text) > MAX_SENTENCE_CHARS:
            return
        language = language_of(sentence.text)
        if language.joke.match(sentence.masked):
            self.facts.clear()
        elif invents_or_hands_over(sentence, language):
            self._ask(sentence)
            self._words.text_follows()
        else:
            if last:
                self._words.line_ends(sentence, language)
            self._take_own(sentence, language, under_heading=under_heading)

    def _take_own(self, sentence: Sentence, language: Language, *, under_heading: bool) -> None:
        self._spared += spared_in(sentence, language)
        wish = wish_to_forget(sentence, language)
        if wish:
            self.forgets.append(wish)
        else:
            self._note_change(sentence, language)
            self._take_statement(sentence, language, under_heading=under_heading)

    def _note_change(self, sentence: Sentence, language: Language) -> None:
        if not language.question.match(sentence.masked):
            self._changes |= sentence.lasting >= ANNOUNCING and sentence.changing >= CHANGING
            self._corrects |= bool(language.correction.search(sentence.masked))
            self._old_values += places_of_old(sentence.text, sentence.masked, language)

    def _take_statement(self, sentence: Sentence, language: Language, *, under_heading: bool) -> None:
        sentence, taken_back = after_retraction(sentence, language)
        if taken_back:
            self.facts.clear()
        facts = self._stated(sentence, language, under_heading=under_heading)
        self.facts.extend(replace(fact, changes=True) if taken_back else fact for fact in facts)
        self._previous = None if facts else sentence
        if not facts:
            self._ask(sentence)

    def _stated(self, sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
        """Return the facts of a sentence, read as what it may be: a statement, or a correction."""
        facts = facts_of(sentence, language, under_heading=under_heading)
        if not facts and (head := before_task(sentence)):
            sentence = weighed(head, Place(), language)
            facts = facts_of(sentence, language, under_heading=under_heading)
        if not facts and (self._corrects or self._changes or sounds_changed(sentence, language)):
            facts = unsure(sentence, language)
        facts = [fact for fact in facts if not hides_what_it_says(fact.text)]
        about_it = len(facts) == 1 and _PRONOUN.match(facts[0].said)
        return self._with_antecedent(facts[0]) if about_it else facts

    def _with_antecedent(self, fact: Fact) -> list[Fact]:
        """A sentence about "it" says what it is about in the sentence before."""
        if self._previous is None and self.facts and self.facts[-1].language is fact.language:
            self.facts[-1] = with_next(self.facts[-1], fact)
            return []
        if self._previous is None:
            return [fact]
        text = f"{fact.language.render(fact.kind, self._previous.text)} {fact.text}"
        return [replace(fact, text=text)] if len(text) <= MAX_FACT_CHARS else []

    def _ask(self, sentence: Sentence) -> None:
        request = request_in(sentence)
        if request:
            self.requests.append(request)
