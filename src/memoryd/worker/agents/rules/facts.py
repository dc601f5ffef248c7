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
from memoryd.worker.agents.rules.patterns import (
    CJK,
    CORRECTED,
    MENTIONED,
    PREFERRED,
    REMEMBERED,
    Kind,
    Language,
    lazy,
)
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence, clauses, lines, sentences_of

MAX_FACT_CHARS = 240  #: longer ones are told, not stated
MAX_REQUEST_CHARS = 160
_TAIL_CHARS = 40  #: of a fact are looked at for what is cut off its end
MAX_FACTS = 24  #: of one prompt; a text that states more is a document

FLOOR = -25  #: below this, in tenths of a logit, a pattern alone is not believed
CEILING = 7  #: from this on a sentence says something lasting without a pattern
TENTATIVE = -25  #: from this on a sentence beside a correction may replace something known
NEAR = 0  #: from this on a sentence right after a fact belongs to it
PART = -5  #: a coordinated part below this belongs to the part before it
ASIDE = -5  #: a request below this is a task
_CJK_CHAR = lazy(f"[{CJK}]")
_LAUGHTER = lazy(r"\b(?:ha(?:ha)+|lol|lmao|rofl)\b|哈哈|😂|🤣", re.IGNORECASE)
_MOCKING = lazy(
    r"\b(?:obviously|sure|yeah|totally|of course)\b.*\bha(?:ha)+\b|\bha(?:ha)+\b.*\b(?:as if|sure|yeah|imagine)\b",
    re.IGNORECASE,
)
_STANDING = {Kind.RULE, Kind.PREFERENCE}
_LATIN_WORD = lazy(r"[A-Za-z]{2,}")


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
    corrects: bool = False  #: takes back what was said before it, without naming it
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
    return Reading(facts=reader.told(), forgets=tuple(reader.forgets), requests=tuple(reader.requests))


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
            self._take_blank()
            return
        self._blanks = 0
        if self._foreign:
            self._block_begun = True
            return
        item = line.startswith("- ")
        found = _merged(sentences_of(line.removeprefix("- ")))
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
        self._note_change(sentence, language)
        sentence, taken_back = _after_retraction(sentence, language)
        if taken_back:
            self.facts.clear()
        facts = _facts(sentence, language, under_heading=under_heading)
        if not facts and language.weigh and (self._corrects or self._changes):
            facts = _unsure(sentence, language)
        if not facts and language is not ENGLISH and _mostly_latin(sentence.text):
            facts = _facts(sentence, ENGLISH, under_heading=under_heading) if _may_state(sentence, language) else []
        if len(facts) == 1 and language.weigh and _PRONOUN.match(facts[0].said):
            facts = self._with_antecedent(facts[0])
        if self._goes_on(facts):
            self.facts[-1] = _with_next(self.facts[-1], facts[0])
        else:
            self.facts.extend(replace(fact, changes=True) if taken_back else fact for fact in facts)
        if not facts and self._explains(sentence, language):
            self.facts[-1] = _with_sentence(self.facts[-1], sentence)
            return
        self._previous = None if facts else sentence
        if not facts or _without_question(sentence, language) is not sentence:
            self._ask(sentence)

    def _note_change(self, sentence: Sentence, language: Language) -> None:
        if language.weigh and not language.question.match(sentence.masked):
            self._changes |= bool(language.change.search(sentence.masked))
            self._corrects |= bool(language.correction and language.correction.search(sentence.masked))
            self._old_values += _old_values(sentence.masked, language)

    def _with_antecedent(self, fact: Fact) -> list[Fact]:
        """A sentence about "it" says what it is about in the sentence before."""
        if self._previous is None and self.facts and self.facts[-1].language is fact.language:
            self.facts[-1] = _with_next(self.facts[-1], fact)
            return []
        if self._previous is None or not _may_state(self._previous, fact.language):
            return [fact]
        text = f"{fact.language.render(fact.kind, self._previous.text)} {fact.text}"
        return [replace(fact, text=text)] if len(text) <= MAX_FACT_CHARS else []

    def _explains(self, sentence: Sentence, language: Language) -> bool:
        """Whether a sentence that says too little by itself belongs to the fact right before it."""
        return bool(
            language.weigh
            and self.facts
            and self._previous is None
            and self.facts[-1].language is language
            and not sentence.start_of_line
            and language.weigh(sentence.masked) >= NEAR
            and not _OTHER_TOPIC.match(sentence.masked)
            and _may_state(sentence, language)
            and not language.request.match(sentence.masked)
            and not language.third_person.match(sentence.masked)
        )

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


_TOPIC = lazy(
    r"(?!(?:what|why|how|who|when|where|which|is|are|do|does|did|can|ok|right|ready|really)\b)"
    r"\w[\w'-]*(?: [\w'-]+){0,2}\?$",
    re.I,
)
_OTHER_SIDE = lazy(r"(?:not|never|and not|no)\b[^?]{2,40}$", re.I)
_SHORT = lazy(r"\w[\w'-]*(?: [\w'-]+){0,3}[.!]*$")
_AUTHORITY = lazy(r"(?:[\w'-]+ ){0,3}(?:policy|rules?|convention|standard|guidelines?|law|regulations?)[.!]*$", re.I)


def _merged(found: list[Sentence]) -> list[Sentence]:
    """Join what full stops tore apart: "Runbooks? In the wiki.", "Tabs. Not spaces.", "No PII. Company policy."."""
    made: list[Sentence] = []
    for sentence in found:
        if made and language_of(sentence.text) is ENGLISH:
            before = made[-1]
            topic = _TOPIC.match(before.masked) and not sentence.masked.endswith("?")
            other = _SHORT.match(before.masked) and _OTHER_SIDE.match(sentence.masked)
            if topic or other or (_AUTHORITY.match(sentence.masked) and not before.masked.endswith("?")):
                gap = ": " if topic else ", "
                made[-1] = replace(
                    before,
                    text=before.text.rstrip(".!?") + gap + sentence.text,
                    masked=before.masked.rstrip(".!?") + gap + sentence.masked,
                )
                continue
        made.append(sentence)
    return made


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


def _with_sentence(fact: Fact, sentence: Sentence) -> Fact:
    text = f"{fact.text}. {fact.language.render(fact.kind, _trimmed(sentence.text, fact.language))}"
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
    return _weighed(sentence, language, under_heading=under_heading)


def _specifies_task(language: Language, masked: str, bounds: list[tuple[int, int]], n: int, matched_to: int) -> bool:
    """Whether the clauses around a rule make it the wording of a task: "write a validator: names must be short"."""
    before = bounds[n - 1] if n else None
    if before and masked[before[1] : bounds[n][0]].strip() in (":", "：") and language.task.match(masked, *before):
        return True
    return any(language.task.match(masked, *bound) for bound in bounds[n + 1 :] if bound[0] >= matched_to)


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
        cut_at = max(0, len(text) - _TAIL_CHARS)
        shorter = (text[:cut_at] + language.tail.sub("", text[cut_at:])).strip(" ,;，；、")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A run of clauses with a subject of their own: it may become a line."""

    start: int
    end: int
    kind: Kind | None = None  #: None: no pattern knows it
    importance: float = PREFERRED
    bare: bool = False  #: begins with the value itself: nothing may stand before it


def _weighed(sentence: Sentence, language: Language, *, under_heading: bool) -> list[Fact]:
    """Decide on the sentence as a whole, by its patterns and its cues together, and keep it nearly word for word."""
    assert language.weigh
    assert language.kind_of
    masked = sentence.masked.rstrip("?？ ")
    if masked.endswith(":"):
        return []
    asked = _POLITE.match(masked) if language.standing_question.match(sentence.masked) else None
    weight = language.weigh(masked[asked.end() :] if asked else sentence.masked)
    if weight < FLOOR and not under_heading:
        return []
    bounds = clauses(masked, language.clause_end)
    firm = bool(language.firm.search(masked))
    standing = under_heading or bool(language.standing.search(masked))
    remembered, marked = False, under_heading
    parts: list[_Part] = []
    hits = 0
    after_condition = False
    for n, (start, end) in enumerate(bounds):
        opened = language.opener.match(masked, start)
        at = max(start, min(end, opened.end())) if opened else start
        remembered |= bool(not parts and opened and opened["remember"])
        marked |= bool(opened and (opened["standing"] or opened["remember"]))
        if n + 1 < len(bounds) and _REPEAL.match(masked, at, end):
            continue
        if at >= end or language.preface.match(masked, start, end):
            continue
        if not parts and language.third_person.match(masked, at, end):
            return []
        condition = bool(_CONDITION.match(masked, at, end))
        hit = language.table.match(masked, at, end, standing=standing or marked, follows=bool(parts))
        if (
            hit
            and hit[0].kind is Kind.RULE
            and not (marked or firm)
            and _specifies_task(language, masked, bounds, n, hit[1])
        ):
            return []
        if not after_condition and not condition and not hit and _is_task(language, masked, at, end):
            if parts:
                break
            continue
        after_condition = condition
        kind, importance = (hit[0].kind, hit[0].importance) if hit else (None, MENTIONED)
        hits += bool(hit)
        bare = bool(hit and hit[0].kind is Kind.PERSON and _BARE.match(masked, at, end))
        gap = masked[bounds[n - 1][1] : at] if n else ""
        apart = bool(parts) and bool(_APART.search(gap)) and bool(language.told.match(masked, at, end))
        if apart:
            guess = kind or language.kind_of(masked[at:end])
            line = language.render(guess, masked[at:end])
            apart = bool(hit and any(p.search(line) for name, p in language.slots if name != "user role")) or (
                guess is not parts[-1].kind and (bool(hit) or language.weigh(masked[at:end]) >= PART)
            )
        if not parts or bare or apart or (hit and _outlives(parts[-1].kind, hit[0].kind, masked[at:end], language)):
            parts.append(_Part(start=at, end=end, kind=kind, importance=importance, bare=bare))
        else:
            last = parts[-1]
            parts[-1] = replace(last, end=end, kind=last.kind or kind, importance=max(last.importance, importance))

    if (
        not parts
        or _MOCKING.search(masked)
        or (firm and not hits and language.own_plan and language.own_plan.match(masked, parts[0].start))
    ):
        return []
    asks = language.request.match(masked, parts[0].start) and not language.lasting(masked)
    if not (hits or marked or firm) and (weight < CEILING or asks):
        return []
    if any(part.bare for part in parts[1:]) and not parts[0].kind:
        parts = parts[1:]
    facts = []
    for part in parts:
        kind = part.kind or (Kind.RULE if under_heading else language.kind_of(masked[part.start : part.end]))
        importance = part.importance if part.kind else _IMPORTANCE.get(kind, MENTIONED)
        fact = _fact(sentence, (part.start, part.end), language, kind, REMEMBERED if remembered else importance)
        if fact:
            facts.append(fact)
    return facts


def _outlives(before: Kind | None, kind: Kind, clause: str, language: Language) -> bool:
    """Whether a Chinese clause about the person names what may be forgotten or changed by itself."""
    return (
        language is CHINESE
        and before is kind is Kind.PERSON
        and bool(
            _LASTING_SLOTS & {name for name, pattern in language.slots if pattern.search(language.render(kind, clause))}
        )
    )


_LASTING_SLOTS = {"user name", "user place", "user employer"}


def _unsure(sentence: Sentence, language: Language) -> list[Fact]:
    """A statement beside a correction: it counts when it replaces something known."""
    assert language.weigh
    assert language.kind_of
    masked = sentence.masked.rstrip("?？ ")
    if not _may_state(sentence, language) or (
        language.weigh(masked) < TENTATIVE and not language.change.search(masked)
    ):
        return []
    kept = [bound for bound in clauses(masked, language.clause_end) if not _is_task(language, masked, *bound)]
    if not kept:
        return []
    span = (kept[0][0], kept[-1][1])
    fact = _fact(sentence, span, language, language.kind_of(masked[span[0] : span[1]]), PREFERRED)
    return [replace(fact, tentative=True)] if fact else []


_OTHER_TOPIC = lazy(r"(?:the|this|that|these|those|leave|result|first|then|next|it)\b", re.IGNORECASE)
_PRONOUN = lazy(r"(?:it|they|that|those|these|this)(?:'s|'re)?\b(?! said| being)", re.IGNORECASE)
_REPEAL = lazy(r"(?:scrap|drop|forget|scratch|ditch|ignore|disregard) (?:the|what|that|my)\b", re.IGNORECASE)
_POLITE = lazy(
    r"(?:(?:and|but|so|ok|oh|also|hey|please),? )*(?:can|could|would|will|may|might) (?:you|i|we)"
    r"(?: please| kindly| mind| ask you to| all)*,? ?",
    re.IGNORECASE,
)
_IMPORTANCE = {Kind.RULE: CORRECTED, Kind.PREFERENCE: PREFERRED}
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


_MODAL = lazy(r"[\w-]+ (?:[\w-]+ ){0,2}(?:should|must|may|is|are|goes?|gets?|lives?|needs?|has to|have to)\b")


def _is_task(language: Language, masked: str, at: int, end: int) -> bool:
    """Whether a clause asks for something now, or asks at all."""
    assert language.weigh
    if language.question.match(masked, at, end):
        return True
    if _MODAL.match(masked, at, end):
        return False
    return bool(language.request.match(masked, at, end)) and language.weigh(masked[at:end]) < ASIDE
