"""The user's own words of one prompt -> facts, wishes to forget, requests.

Each sentence goes through the same steps: whose words it is, whether it may say something lasting, what it says.
Nothing is better than junk: a sentence that is a question, a guess, a joke, a story, about somebody else or about
the task at hand says nothing.
"""

import re
from dataclasses import dataclass, replace

from memoryd.memory.text import cut
from memoryd.worker.agents.rules.chinese import CHINESE
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.english import ENGLISH
from memoryd.worker.agents.rules.patterns import CJK, CORRECTED, PREFERRED, REMEMBERED, Extent, Kind, Language, Pattern
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence, clauses, lines, sentences_of

MAX_FACT_CHARS = 240  #: longer ones are told, not stated
MAX_REQUEST_CHARS = 160
MAX_FACTS = 24  #: of one prompt; a text that states more is a document
import os
FLOOR = int(os.environ.get("FLOOR","-20"))
CEILING = int(os.environ.get("CEIL","10"))
_CJK_CHAR = re.compile(f"[{CJK}]")
_LAUGHTER = re.compile(r"\b(?:ha(?:ha)+|lol|lmao|rofl)\b|哈哈|😂|🤣", re.IGNORECASE)
_STANDING = {Kind.RULE, Kind.PREFERENCE}
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_OPEN_QUOTE = re.compile(r"[\"“「『‘]\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something lasting that the user said, in one line."""

    kind: Kind
    text: str  #: as it will stand in memory, about "the user"
    said: str  #: the sentence it was taken from
    language: Language
    importance: float
    reason: str = ""  #: of a decision
    old_values: tuple[str, ...] = ()  #: named as holding no longer
    changes: bool = False  #: gives a new value for something known
    adds: bool = False  #: stands beside what is known
    tentative: bool = False  #: counts only when it replaces something known
    everywhere: bool = False  #: claims all projects


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """A wish to forget: `what` names the fact; '' means the newest one."""

    what: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one prompt says."""

    facts: tuple[Fact, ...] = ()
    forgets: tuple[Forget, ...] = ()
    requests: tuple[str, ...] = ()  #: questions and tasks, for the session's summary


def read(own: str) -> Reading:
    """Read the user's own words of one prompt (`memory.spans.own_words`)."""
    reader = _Reader()
    for line in lines(own):
        reader.take_line(line)
        if len(reader.facts) >= MAX_FACTS:
            break
    return Reading(
        facts=tuple(reader.facts[:MAX_FACTS]), forgets=tuple(reader.forgets), requests=tuple(reader.requests)
    )


class _Reader:
    """The state of reading one prompt, line by line."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.forgets: list[Forget] = []
        self.requests: list[str] = []
        self._foreign = ""  #: "block": up to the next blank line; "all": to the end of the prompt
        self._block_begun = False
        self._blanks = 0
        self._heading = False
        self._previous: Sentence | None = None  #: said nothing lasting by itself

    def take_line(self, line: str) -> None:
        if not line:
            self._take_blank()
            return
        self._blanks = 0
        if self._foreign:
            self._block_begun = True
            return
        item = line.startswith("- ")
        found = sentences_of(line.removeprefix("- "))
        for sentence in found[:-1]:
            self._take(sentence, under_heading=self._heading and item)
        for sentence in found[-1:]:
            self._take(sentence, under_heading=self._heading and item, last=True)

    def _take_blank(self) -> None:
        """A blank line ends a block; two before it has begun mean that `own_words` took it out."""
        self._heading = False
        self._blanks += 1
        if (self._foreign == "block" and self._block_begun) or (
            self._foreign and not self._block_begun and self._blanks > 1
        ):
            self._foreign = ""

    def _take(self, sentence: Sentence, *, under_heading: bool, last: bool = False) -> None:
        if self._foreign or len(sentence.text) > MAX_SENTENCE_CHARS:
            return
        language = language_of(sentence.text)
        if language.joke.match(sentence.masked):
            self.facts.clear()
            return
        if language.fiction.match(sentence.masked) or _holds_material(sentence, language):
            self._ask(sentence)
            self._foreign, self._block_begun = "all", True
            return
        self._open_block(sentence, language, last=last)
        forget = _forget(sentence, language)
        if forget:
            self.forgets.append(forget)
            return
        if language.marker_only.fullmatch(sentence.masked):
            if self._previous:
                self.facts.extend(_facts(self._previous, language_of(self._previous.text), under_heading=True))
            return
        sentence, taken_back = _after_retraction(sentence, language)
        if taken_back:
            self.facts.clear()
        facts = _facts(sentence, language, under_heading=under_heading)
        if not facts and language is not ENGLISH and _mostly_latin(sentence.text):
            facts = _facts(sentence, ENGLISH, under_heading=under_heading) if _may_state(sentence, language) else []
        if self._goes_on(facts):
            self.facts[-1] = _with_next(self.facts[-1], facts[0])
        else:
            self.facts.extend(replace(fact, changes=True) if taken_back else fact for fact in facts)
        self._previous = None if facts else sentence
        if not facts or _without_question(sentence, language) is not sentence:
            self._ask(sentence)

    def _goes_on(self, facts: list[Fact]) -> bool:
        """Whether a sentence only completes the rule of the sentence before it."""
        before = self.facts[-1] if self.facts and self._previous is None else None
        return (
            before is not None
            and len(facts) == 1
            and {before.kind, facts[0].kind} <= _STANDING
            and bool(facts[0].language.continuation.match(facts[0].said))
        )

    def _ask(self, sentence: Sentence) -> None:
        language = language_of(sentence.text)
        for start, end in clauses(sentence.masked, language.clause_end):
            opened = language.opener.match(sentence.masked, start)
            at = max(start, opened.end() if opened else start)
            if at < end and (
                language.request.match(sentence.masked, at) or language.question.match(sentence.masked, at)
            ):
                self.requests.append(cut(sentence.text[at:], MAX_REQUEST_CHARS))
                return

    def _open_block(self, sentence: Sentence, language: Language, *, last: bool) -> None:
        """What stands below a line that ends with a colon is the user's own only under a heading of theirs."""
        if not (last and sentence.text.endswith((":", "："))):
            return
        if language.heading.match(sentence.masked) and not language.material.match(sentence.masked):
            self._heading = True
        else:
            self._foreign = "all" if language.material.match(sentence.masked) else "block"
            self._block_begun = False


def language_of(text: str) -> Language:
    """Chinese from the first Chinese character on; mixed prompts follow Chinese grammar more often than not."""
    return CHINESE if _CJK_CHAR.search(text) else ENGLISH


def _holds_material(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence asks to work on the text after its colon."""
    colon = re.search(r"[:：]\s*\S", sentence.masked)
    return bool(
        colon and language.request.match(sentence.masked) and language.material.match(sentence.masked, 0, colon.start())
    )


def _with_next(fact: Fact, following: Fact) -> Fact:
    text = f"{fact.text}{'；' if fact.language is CHINESE else '. '}{following.text}"
    return replace(fact, text=text) if len(text) <= MAX_FACT_CHARS else fact


def _mostly_latin(text: str) -> bool:
    return len(_LATIN_WORD.findall(text)) >= max(3, len(_CJK_CHAR.findall(text)))


def _after_retraction(sentence: Sentence, language: Language) -> tuple[Sentence, bool]:
    """Return what follows a "scratch that", and whether there was one."""
    match = language.retraction.match(sentence.masked)
    if not match:
        return sentence, False
    rest = len(match[0])
    return replace(
        sentence,
        text=sentence.text[rest:].lstrip(" ,.:，。：-–—"),
        masked=sentence.masked[rest:].lstrip(" ,.:，。：-–—"),
    ), True


def _forget(sentence: Sentence, language: Language) -> Forget | None:
    for table in (language, ENGLISH) if language is not ENGLISH else (language,):
        match = table.forget.match(sentence.masked)
        if match:
            what = " ".join(part for part in match.groups() if part).strip()
            return Forget(what="" if table.nameless.match(what) else what, language=table)
    return None


def _may_state(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence may say something lasting at all."""
    masked = sentence.masked
    if language.question.match(masked) and not language.standing_question.match(masked):
        return False
    if language.hypothetical.search(masked):
        return False
    return not language.passing.search(masked) or bool(language.firm.search(masked))


def _without_question(sentence: Sentence, language: Language) -> Sentence:
    """Cut a question off the end of a statement: "I use fish, how do I set PATH?"."""
    bounds = clauses(sentence.masked, language.clause_end)
    if len(bounds) < 2 or not language.own_question.match(sentence.masked, bounds[-1][0]):
        return sentence
    end = bounds[-2][1]
    opened = language.opener.match(sentence.masked)
    if not language.told.match(sentence.masked, opened.end() if opened else 0, end):
        return sentence
    return replace(sentence, text=sentence.text[:end], masked=sentence.masked[:end])


def _facts(sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
    sentence = _without_question(sentence, language)
    if not _may_state(sentence, language):
        return []
    weight = language.weigh(sentence.masked) if language.weigh else 0
    if weight < FLOOR and not under_heading:
        return []
    masked = sentence.masked.rstrip("?？ ")
    bounds = clauses(masked, language.clause_end)
    standing = under_heading or bool(language.standing.search(masked))
    firm = bool(language.firm.search(masked))
    remembered, marked, facts, at = False, under_heading, list[Fact](), 0
    for n, (start, end) in enumerate(bounds):
        opened = language.opener.match(masked, max(start, at))
        at = max(start, at, opened.end() if opened else 0)
        remembered |= bool(opened and opened["remember"])
        marked |= bool(opened and (opened["standing"] or opened["remember"]))
        if at >= end:
            continue
        if language.third_person.match(masked, at, end):
            return facts
        follows = _is_person(facts) or bool(n and language.first_person.match(masked, bounds[n - 1][0]))
        hit = language.table.match(masked, at, end, standing=standing or marked, follows=follows) if (os.environ.get("TABLE") != "0" or not language.weigh) else None
        if hit is None:
            if marked and not facts:
                return _default_rule(sentence, language, at, remembered=remembered)
            continue
        pattern, matched_to = hit
        if language.weigh and os.environ.get("WHOLE"):
            return _weighty(sentence, language, bounds, remembered=remembered, kind=pattern.kind)
        if (
            pattern.kind is Kind.RULE
            and not (marked or firm)
            and _specifies_task(language, masked, bounds, n, matched_to)
        ):
            return facts
        span = _span(language, masked, bounds, n, at, pattern, matched_to)
        fact = _fact(sentence, span, language, pattern.kind, REMEMBERED if remembered else pattern.importance)
        if fact and _belongs_to(facts, fact):
            facts[-1] = replace(facts[-1], text=_joined(facts[-1], sentence.text[span[0] : span[1]]))
        elif fact and _is_person(facts) and fact.kind in _STANDING and not _has_slot(facts[-1]):
            facts[-1] = replace(facts[-1], text=_joined(facts[-1], sentence.text[span[0] : span[1]]))
        elif fact:
            facts.append(fact)
        if pattern.extent is not Extent.CLAUSE:
            return facts
    if not facts and firm:
        return _default_rule(sentence, language, _first_said(language, masked, bounds), remembered=remembered)
    if not facts and language.change.search(masked):
        unsure = _default_rule(sentence, language, _first_said(language, masked, bounds), remembered=remembered)
        return [replace(fact, tentative=True) for fact in unsure]
    if not facts and weight >= CEILING:
        return _weighty(sentence, language, bounds, remembered=remembered)
    return facts


def _weighty(sentence: Sentence, language: Language, bounds: list[tuple[int, int]], *, remembered: bool, kind: Kind | None = None) -> list[Fact]:
    """A sentence that no pattern knows but whose cues add up says something lasting: nearly word for word."""
    masked = sentence.masked
    first, last = 0, len(bounds)
    while first < last and _is_aside(language, masked, bounds[first]):
        first += 1
    while last > first and _is_aside(language, masked, bounds[last - 1]):
        last -= 1
    if first == last or not language.kind_of or language.third_person.match(masked, bounds[first][0]):
        return []
    start, end = bounds[first][0], bounds[last - 1][1]
    opened = language.opener.match(masked, start)
    at = opened.end() if opened and opened.end() < end else start
    kind = kind or language.kind_of(masked[at:end])
    fact = _fact(sentence, (at, end), language, kind, REMEMBERED if remembered else PREFERRED)
    return [fact] if fact else []


def _specifies_task(language: Language, masked: str, bounds: list[tuple[int, int]], n: int, matched_to: int) -> bool:
    """Whether the clauses around a rule make it the wording of a task: "write a validator: names must be short"."""
    before = bounds[n - 1] if n else None
    if before and masked[before[1] : bounds[n][0]].strip() in (":", "：") and language.task.match(masked, *before):
        return True
    return any(language.task.match(masked, *bound) for bound in bounds[n + 1 :] if bound[0] >= matched_to)


def _has_slot(fact: Fact) -> bool:
    matched = simplified(fact.text)
    return any(pattern.search(matched) for _, pattern in fact.language.slots)


def _belongs_to(facts: list[Fact], fact: Fact) -> bool:
    """Whether a clause about the person only adds to the one before: it names no attribute of its own."""
    return (
        _is_person(facts) and fact.kind is Kind.PERSON and not _has_slot(fact)
    )


def _joined(fact: Fact, clause: str) -> str:
    more = fact.language.render(fact.kind, _trimmed(clause, fact.language))
    return f"{fact.text}{'，' if fact.language is CHINESE else ', '}{more[:1].lower()}{more[1:]}"


def _is_person(facts: list[Fact]) -> bool:
    return bool(facts) and facts[-1].kind is Kind.PERSON


def _span(
    language: Language, masked: str, bounds: list[tuple[int, int]], n: int, at: int, pattern: Pattern, matched_to: int
) -> tuple[int, int]:
    """Return where the fact stands in the sentence."""
    end = bounds[n][1]
    if pattern.extent is Extent.CLAUSE:
        return at, end
    if pattern.extent is Extent.WHOLE or pattern.kind is Kind.RULE:
        at = max(floor, _first_clause(language, masked, bounds, n, at))
    for later in bounds[n + 1 :]:
        if later[0] >= matched_to and _is_aside(language, masked, later):
            break
        end = later[1]
    return at, end


def _first_clause(language: Language, masked: str, bounds: list[tuple[int, int]], n: int, at: int) -> int:
    while n and not _is_aside(language, masked, bounds[n - 1]):
        n -= 1
        at = bounds[n][0]
        opened = language.opener.match(masked, at)
        at = opened.end() if opened and opened.end() < bounds[n][1] else at
    return at


def _is_aside(language: Language, masked: str, bound: tuple[int, int]) -> bool:
    """Whether a clause is a request, a question or a preface: it is no part of a fact."""
    start, end = bound
    opened = language.opener.match(masked, start)
    at = max(start, min(end, opened.end()) if opened else start)
    return (
        at >= end
        or bool(language.request.match(masked, at, end))
        or bool(language.preface.match(masked, start, end))
        or bool(language.question.match(masked, at, end))
    )


def _first_said(language: Language, masked: str, bounds: list[tuple[int, int]]) -> int:
    """Return where the first clause begins that is more than an opener."""
    at = 0
    for start, end in bounds:
        opened = language.opener.match(masked, start)
        at = max(start, opened.end() if opened else start)
        if at < end and not language.preface.match(masked, at, end):
            break
    return at


def _default_rule(sentence: Sentence, language: Language, at: int, *, remembered: bool) -> list[Fact]:
    """A sentence marked as lasting that no pattern knows is a rule in the user's words."""
    if language.third_person.match(sentence.masked, at):
        return []
    importance = REMEMBERED if remembered else CORRECTED
    bounds = clauses(sentence.masked, language.clause_end)
    end = next((a for a, b in bounds if a > at and _is_aside(language, sentence.masked, (a, b))), len(sentence.masked))
    fact = _fact(sentence, (at, end), language, Kind.RULE, importance)
    return [fact] if fact else []


def _fact(sentence: Sentence, span: tuple[int, int], language: Language, kind: Kind, importance: float) -> Fact | None:
    text = _trimmed(sentence.text[span[0] : span[1]], language)
    if kind is Kind.RULE and language.about_answers.search(simplified(text)):
        kind, importance = Kind.PREFERENCE, max(importance, PREFERRED)
    if kind is Kind.RULE and _LAUGHTER.search(sentence.masked):
        return None
    reason = ""
    if kind in (Kind.DECISION, Kind.PROJECT):
        text, reason = _reason(text, language)
    line = language.render(kind, text)
    if not 2 <= len(line.strip()) <= MAX_FACT_CHARS or language.anaphoric.fullmatch(simplified(text)):
        return None
    return Fact(
        kind=Kind.DECISION if reason else kind,
        text=line,
        said=sentence.text,
        language=language,
        importance=importance,
        reason=reason,
        old_values=_old_values(sentence.masked, language),
        changes=bool(language.change.search(sentence.masked)),
        adds=bool(language.addition.search(sentence.masked)),
        everywhere=bool(language.everywhere.search(sentence.masked)),
    )


def _trimmed(text: str, language: Language) -> str:
    text = text.strip()
    while True:
        shorter = language.tail.sub("", text).strip(" ,;，；、")
        if shorter == text:
            break
        text = shorter
    if text.count("(") > text.count(")"):
        text += ")"
    return text


def _reason(text: str, language: Language) -> tuple[str, str]:
    match = language.reason.search(simplified(text))
    if not match or match.start() < 3 or match.end() >= len(text):
        return text, ""
    return text[: match.start()].strip(" ,，"), text[match.end() :].strip()


def _old_values(masked: str, language: Language) -> tuple[str, ...]:
    found = (match["old"].strip() for pattern in language.old_value for match in pattern.finditer(masked))
    return tuple(dict.fromkeys(old for old in found if len(old) > 1))
