"""The user's own words of one prompt -> facts, wishes to forget, requests.

Each sentence goes through the same steps: whose words it is, whether it may say something lasting, what it says.
Nothing is better than junk: a sentence that is a question, a guess, a joke, a story, about somebody else or about
the task at hand says nothing.
"""

import re
from dataclasses import replace

from memoryd.worker.agents.rules.facts import Fact, Forget, Reading
from memoryd.worker.agents.rules.filters import (
    after_retraction,
    invents_or_hands_over,
    may_state,
    request_in,
    wish_to_forget,
    without_question,
)
from memoryd.worker.agents.rules.fragments import rejoined
from memoryd.worker.agents.rules.languages import ENGLISH, language_of, mostly_latin
from memoryd.worker.agents.rules.ownership import Ownership
from memoryd.worker.agents.rules.patterns import Kind, Language, lazy
from memoryd.worker.agents.rules.rendering import MAX_FACT_CHARS, old_values, with_next, with_sentence
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence, lines, sentences_of
from memoryd.worker.agents.rules.weighing import facts_of, unsure

MAX_FACTS = 24  #: of one prompt; a text that states more is a document
NEAR = 0  #: from this weight on, in tenths of a logit, a sentence right after a fact belongs to it

_STANDING = {Kind.RULE, Kind.PREFERENCE}
_OTHER_TOPIC = lazy(r"(?:the|this|that|these|those|leave|result|first|then|next|it)\b", re.IGNORECASE)
_PRONOUN = lazy(r"(?:it|they|that|those|these|this)(?:'s|'re)?\b(?! said| being)", re.IGNORECASE)


def read(own: str) -> Reading:
    """Read the user's own words of one prompt (`memory.spans.own_words`)."""
    reader = _Reader()
    for line in lines(own):
        reader.take_line(line)
        if len(reader.facts) >= MAX_FACTS:
            break
    return Reading(facts=reader.told(), forgets=tuple(reader.forgets), requests=tuple(reader.requests))


class _Reader:
    """The state of reading one prompt, line by line."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.forgets: list[Forget] = []
        self.requests: list[str] = []
        self._words = Ownership()
        self._previous: Sentence | None = None  #: said nothing lasting by itself
        self._changes = False  #: a sentence says that something is no longer as it was
        self._corrects = False
        self._old_values: tuple[str, ...] = ()

    def told(self) -> tuple[Fact, ...]:
        """Return the facts; what one sentence says about a change holds for the prompt."""
        return tuple(
            replace(
                fact,
                changes=fact.changes or self._changes,
                corrects=self._corrects,
                old_values=tuple(dict.fromkeys(fact.old_values + self._old_values)),
            )
            for fact in self.facts[:MAX_FACTS]
        )

    def take_line(self, line: str) -> None:
        if not line:
            self._words.blank_line()
            return
        self._words.line()
        if self._words.foreign:
            return
        under_heading = self._words.under_heading and line.startswith("- ")
        found = rejoined(sentences_of(line.removeprefix("- ")))
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
        wish = wish_to_forget(sentence, language)
        if wish:
            self.forgets.append(wish)
        elif language.marker_only.fullmatch(sentence.masked):
            self._make_rule_of_previous()
        else:
            self._note_change(sentence, language)
            self._take_statement(sentence, language, under_heading=under_heading)

    def _make_rule_of_previous(self) -> None:
        """After a task, "Every time." makes a rule of it."""
        if self._previous:
            self.facts.extend(facts_of(self._previous, language_of(self._previous.text), under_heading=True))

    def _note_change(self, sentence: Sentence, language: Language) -> None:
        if not language.question.match(sentence.masked):
            self._changes |= bool(language.change.search(sentence.masked))
            self._corrects |= bool(language.correction.search(sentence.masked))
            self._old_values += old_values(sentence.masked, language)

    def _take_statement(self, sentence: Sentence, language: Language, *, under_heading: bool) -> None:
        sentence, taken_back = after_retraction(sentence, language)
        if taken_back:
            self.facts.clear()
        facts = self._stated(sentence, language, under_heading=under_heading)
        if self._goes_on(facts):
            self.facts[-1] = with_next(self.facts[-1], facts[0])
        else:
            self.facts.extend(replace(fact, changes=True) if taken_back else fact for fact in facts)
        if not facts and self._explains(sentence, language):
            self.facts[-1] = with_sentence(self.facts[-1], sentence)
            return
        self._previous = None if facts else sentence
        if not facts or without_question(sentence, language) is not sentence:
            self._ask(sentence)

    def _stated(self, sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
        """Return the facts of a sentence, read as what it may be: a statement, a correction, English in Chinese."""
        facts = facts_of(sentence, language, under_heading=under_heading)
        if not facts and (self._corrects or self._changes):
            facts = unsure(sentence, language)
        foreign = not facts and language is not ENGLISH and mostly_latin(sentence.text)
        if foreign and may_state(sentence, language):
            facts = facts_of(sentence, ENGLISH, under_heading=under_heading)
        about_it = len(facts) == 1 and _PRONOUN.match(facts[0].said)
        return self._with_antecedent(facts[0]) if about_it else facts

    def _with_antecedent(self, fact: Fact) -> list[Fact]:
        """A sentence about "it" says what it is about in the sentence before."""
        if self._previous is None and self.facts and self.facts[-1].language is fact.language:
            self.facts[-1] = with_next(self.facts[-1], fact)
            return []
        if self._previous is None or not may_state(self._previous, fact.language):
            return [fact]
        text = f"{fact.language.render(fact.kind, self._previous.text)} {fact.text}"
        return [replace(fact, text=text)] if len(text) <= MAX_FACT_CHARS else []

    def _explains(self, sentence: Sentence, language: Language) -> bool:
        """Whether a sentence that says too little by itself belongs to the fact right before it."""
        masked = sentence.masked
        if not self.facts or self._previous is not None or sentence.start_of_line:
            return False
        return (
            self.facts[-1].language is language
            and language.weigh(masked) >= NEAR
            and may_state(sentence, language)
            and not any(words.match(masked) for words in (_OTHER_TOPIC, language.request, language.third_person))
        )

    def _goes_on(self, facts: list[Fact]) -> bool:
        """Whether a sentence only completes the rule of the sentence before it."""
        if len(facts) != 1 or not self.facts or self._previous is not None:
            return False
        fact = facts[0]
        return {self.facts[-1].kind, fact.kind} <= _STANDING and bool(fact.language.continuation.match(fact.said))

    def _ask(self, sentence: Sentence) -> None:
        request = request_in(sentence)
        if request:
            self.requests.append(request)
