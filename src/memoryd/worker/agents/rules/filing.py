"""Facts -> proposals: each in the right file, said once, the value that it replaces taken out.

The desk holds what is active now and what this run adds, so that a fact may also replace one of the same run.
"""

import re
from collections.abc import Iterable, Sequence

from memoryd.memory.entries import make_slug
from memoryd.memory.model import MemoryView, Root
from memoryd.memory.proposals import Proposal
from memoryd.memory.text import fold
from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules import proposing
from memoryd.worker.agents.rules.attributes import attributes_of
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.facts import Fact, Forget
from memoryd.worker.agents.rules.held import Held, slots_of
from memoryd.worker.agents.rules.known_values import named_values
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.olds import asserts, values_in
from memoryd.worker.agents.rules.owners import elsewhere, new_scope, other_bearer, other_owner
from memoryd.worker.agents.rules.patterns import Kind
from memoryd.worker.agents.rules.topics import FRAME, Topic, about, slug_words
from memoryd.worker.agents.rules.wishes import PERSONAL, taken_out

ON_TOPIC = 0.3  #: share of a line's words from which on one shared word means the same topic
COVERED = 0.9  #: share of a fact's words that a line of an instruction file must hold to have said it already

_FILE_OF = {
    Kind.AGENT: "identity.md",
    Kind.PERSON: "user.md",
    Kind.PREFERENCE: "preferences.md",
    Kind.RULE: "constraints.md",
}
_IMPERSONAL = {"", "preferences.md", "constraints.md"}
_NAMES = {"user name", "agent name"}
_DENIED = lazy(r"\b(?:not|never|don't|instead of|rather than|from|avoid|no longer)\b|不|别|禁止")
#: a person of themselves, or with the subject left out: "moved last week, living in Leeds now"
_SPEAKER = lazy(
    r"\b(?:i|i['’]m|i['’]ve|im|me|my|mine|myself)\b|^(?:just |recently |now |new )*"
    r"(?:moved|relocated|living|based|working|joined|left|quit|started|switched|changed|promoted|got|bought|job|title|role)\b",
    re.IGNORECASE,
)
_OF_A_THING = lazy(r"(?:the|our) (?!user\b)", re.IGNORECASE)
#: stands beside what is known, or holds for a while
_BESIDE = lazy(
    r"\b(?:just for (?:this|today|now)|for this (?:task|one)|temporarily|for the moment)\b|也[用喝吃]|暂时|临时",
    re.IGNORECASE,
)
_BAN = lazy(r"(?:(?:we|the user) )?(?:never|don['’]?t|do not|must not|no)\b|不要|不能|不得|不许|禁止|别", re.IGNORECASE)
_ALLOWS = lazy(
    r"\b(?:allow\w*|may|can|lifted|ok(?:ay)?|fine|permitted|no longer|any ?more)\b|可以|允许|解除|取消|不再",
    re.IGNORECASE,
)
_NAMES_ONE = lazy(r"[A-Z]|\d")
_AT_FIRM = lazy(r"\bat [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*")


class Desk:
    """The memory while a run files its facts."""

    def __init__(self, view: MemoryView, instructions: str = "") -> None:
        lines = (Held.of_line(line) for line in view.core)
        entries = (Held.of_entry(root, entry) for root, entry in view.entries if entry.active)
        self._held = [*lines, *entries]
        self._slugs = {entry.slug.casefold() for _, entry in view.entries}
        self._instructions = [words for row in instructions.split("\n") if (words := content_words(row))]
        self._gone: list[tuple[Held, tuple[int, ...]]] = []
        self.learned: list[Held] = []  #: of this run, oldest first; a forgotten one is gone again

    def file(self, fact: Fact, seq: int, newest: Sequence[str] = ()) -> bool:
        """Place a fact, unless memory or the project's instructions say it already; return whether it replaced one.

        `newest`: the texts of the turn before, which a correction that names nothing takes back.
        """
        if self._in_instructions(fact) or self._said(fact):
            return False
        stale = self._stale(fact, newest)
        if not stale and fact.corrects:
            stale = self._with_texts(newest)[-1:]
        if stale or not fact.tentative:
            self._place(fact, seq, stale)
        return bool(stale)

    def forget(self, wishes: Sequence[Forget], seq: int, newest: Iterable[str], spared: Iterable[str]) -> None:
        """Take out what the wishes of a prompt name, or a part of a line; when they name nothing, the newest facts.

        `newest`: the texts of the turn before. `spared`: clauses that say what may stay.
        """
        for held, rest in taken_out(wishes, self._held, self._with_texts(newest), spared):
            if rest:
                self._cut(held, rest, seq)
            else:
                self._drop(held)
                self._gone.extend((old, (seq,)) for old in held.before_run())

    def forgotten(self, fact: Fact, wishes: Iterable[Forget]) -> bool:
        """Whether the same prompt wishes to forget what the fact is about."""
        return any(wish.what and about(wish)(fact.text) for wish in wishes)

    def proposals(self) -> list[Proposal]:
        """Return what changes, one proposal for each fact, each with its own citation."""
        made = [proposal for held in self.learned for proposal in proposing.learned(held)]
        return made + [proposing.removal(held, cites) for held, cites in self._gone]

    # what is known

    def _in_instructions(self, fact: Fact) -> bool:
        words = content_words(fact.text) - {"user"}
        return bool(words) and any(len(words & row) >= COVERED * len(words) for row in self._instructions)

    def _said(self, fact: Fact) -> bool:
        """Whether memory says it already: in the same words, or in more."""
        matched = simplified(fact.text)
        folded, words = fold(matched), content_words(matched)
        covered = bool(words) and not fact.changes
        positive = not _DENIED.search(folded)
        return any(
            held.folded == folded or (covered and words <= (held.affirmed if positive else held.words))
            for held in self._held
        )

    def _with_texts(self, texts: Iterable[str]) -> list[Held]:
        wanted = {fold(simplified(text)) for text in texts}
        return [held for held in self._held if held.folded in wanted]

    # what is replaced

    def _stale(self, fact: Fact, newest: Iterable[str]) -> list[Held]:
        """Return what the fact replaces: the same attribute, a value it names as old, or the closest on its topic."""
        if (fact.adds or _BESIDE.search(fact.said)) and not fact.old_values:
            return []
        found = list(dict.fromkeys(held for place in fact.old_values for held in self._asserting(place, fact)))
        slots = slots_of(fact.text, fact.language)
        if not found:
            found = [held for held in self._held if _same_attribute(held, fact, slots)]
        if not found and fact.may_change:
            found = self._closest(fact, frozenset(newest))
        if not found and fact.changes and not fact.old_values:
            found = self._just_said(fact, slots, newest)
        return found

    def _asserting(self, place: str, fact: Fact) -> list[Held]:
        """Return what holds the value that is named as old, in as many of its words as anything does."""
        for value in values_in(place):
            if found := [held for held in self._held if _ends(held, value, fact)]:
                return found
        return []

    def _just_said(self, fact: Fact, slots: frozenset[str], newest: Iterable[str]) -> list[Held]:
        """Return the one fact of the turn before that may be meant by one that names no attribute."""
        found = [held for held in self._with_texts(newest) if _comparable(held, fact)]
        if len(found) != 1 or slots:
            return []
        return found

    def _closest(self, fact: Fact, newest: frozenset[str]) -> list[Held]:
        """Return the line that shares most topic words, the newest of equals; none when no line is near.

        Less is asked of a fact that surely changes something, and of a line of the turn before.
        """
        topic, best = Topic(fact), (0, list[Held]())
        for held in self._held:
            shared, words = topic.shared(held)
            if shared < best[0] or not shared or _beside(held, fact) or _stays_forbidden(held, fact):
                continue
            if other_owner(held.text, fact.text) or new_scope(held.text, fact.said):
                continue
            if (_OF_A_THING.match(fact.text) or _attributes(fact) & attributes_of(held.text)) and other_bearer(
                held.text, fact.text
            ):
                continue
            just_said, on_topic = held.text in newest, shared >= ON_TOPIC * words
            if _comparable(held, fact):
                near = (shared >= 2 or just_said or on_topic) if fact.changes else shared >= 2 and just_said
            else:
                near = fact.changes and shared >= 2 and just_said and len(newest) == 1
            best = (shared, [held]) if near else best
        return best[1]

    def _place(self, fact: Fact, seq: int, stale: list[Held]) -> None:
        new = Held(file=_file_of(fact, stale), text=_with_kept_part(fact, stale), fact=fact, cites=(seq,))
        new.root = Root.USER if fact.everywhere and new.file == "constraints.md" else None
        if not new.file:
            new.slug = self._free_slug(new.text, stale)
        for old in stale:
            self._drop(old)
            new.replaces.extend(old.before_run())
        self._held.append(new)
        self.learned.append(new)

    def _cut(self, held: Held, rest: str, seq: int) -> None:
        """Let the rest of a line stand in its place."""
        left = held.cut(rest, seq)
        if not left.file:
            left.slug = self._free_slug(rest, [held])
        at = self._held.index(held)
        self._drop(held)
        self._held.insert(at, left)
        self.learned.append(left)

    def _drop(self, held: Held) -> None:
        self._held.remove(held)
        if held in self.learned:
            self.learned.remove(held)

    def _free_slug(self, text: str, stale: list[Held]) -> str:
        slug = base = make_slug(" ".join(slug_words(text)))
        n = 2
        while slug.casefold() in self._slugs and slug not in {held.slug for held in stale}:
            slug, n = f"{base[:60]}-{n}", n + 1
        self._slugs.add(slug.casefold())
        return slug


def _file_of(fact: Fact, stale: list[Held]) -> str:
    """What replaces a line stands where it stood, unless it says who somebody is.

    One that shares no word with it stays too: a line is only taken out of another file on a prompt that speaks of it.
    """
    file = _FILE_OF.get(fact.kind, "")
    if not stale:
        return file
    keeps = fact.tentative or file not in PERSONAL or not _speaks_of_user(fact)
    return stale[0].file if keeps or not stale[0].words & content_words(simplified(fact.said)) else file


def _same_attribute(held: Held, fact: Fact, slots: frozenset[str]) -> bool:
    """Whether a fact gives the held attribute a new value: one of these `slots` has one value at a time."""
    shared = slots & held.slots(fact.language)
    named = _attributes(fact) & attributes_of(held.text)
    if not (shared or named) or other_bearer(held.text, fact.text) or new_scope(held.text, fact.said):
        return False
    if not named and other_owner(held.text, fact.text):
        return False
    if _stays_forbidden(held, fact) or _of_another_value(held, fact, named):
        return False
    if named and (fact.may_change or fact.changes or fact.news) and not _beside(held, fact):
        return True
    file = _FILE_OF.get(fact.kind)
    if held.file in PERSONAL and held.file != file and not _speaks_of_user(fact):
        return False
    if any(slot.startswith(("user", "agent")) for slot in shared):
        at_home = held.file in PERSONAL and (held.file == file or file not in PERSONAL)
        return at_home and (fact.may_change or fact.changes or (held.file == file and bool(shared & _NAMES)))
    english = fact.language is ENGLISH is language_of(held.text)
    if english and held.file in ("", "constraints.md") and not _on_topic(held, "", fact):
        return False  # another thing of the same kind
    if any(map(_NAMES_ONE.search, fact.old_values)):
        return False  # it says what it replaces, and this is another
    return fact.may_change or (held.file == "preferences.md" and "answer language" in shared)


def _of_another_value(held: Held, fact: Fact, attributes: frozenset[str]) -> bool:
    """Whether a fact names both values of a change, and the held one is a third: "from CockroachDB to DuckDB"."""
    said, known = (_values(text, attributes) for text in (fact.said, held.text))
    return len(said) > 1 and bool(known) and bool(fact.old_values) and not said & known


def _values(text: str, attributes: frozenset[str]) -> set[str]:
    return {value for attribute, value in named_values(simplified(text)) if attribute in attributes}


def _stays_forbidden(held: Held, fact: Fact) -> bool:
    """Whether a fact about the same thing leaves a ban as it is: it neither orders nor allows anything."""
    return bool(_BAN.match(held.text)) and fact.kind is not Kind.RULE and not _ALLOWS.search(fact.said)


def _attributes(fact: Fact) -> frozenset[str]:
    return attributes_of(fact.text) | attributes_of(fact.said)


def _speaks_of_user(fact: Fact) -> bool:
    """Whether a fact of another kind is about the person all the same; Chinese leaves the subject out too often."""
    return fact.language.code == "zh" or bool(_SPEAKER.search(fact.said))


def _comparable(held: Held, fact: Fact) -> bool:
    """Whether a fact may take the place of another by its topic alone; facts of one prompt stand side by side."""
    family = {_FILE_OF[fact.kind]} if fact.kind in (Kind.AGENT, Kind.PERSON) else _IMPERSONAL
    return held.file in family and not _beside(held, fact)


def _beside(held: Held, fact: Fact) -> bool:
    return held.fact is not None and held.fact.beside == fact.beside


def _ends(held: Held, old: str, fact: Fact) -> bool:
    """Whether a fact takes a value out that is held, which it names as old."""
    if held.file == "identity.md" or _beside(held, fact) or not asserts(held, old):
        return False
    return not elsewhere(held.text, re.sub(rf"{re.escape(old)}(?: for\b)?", " ", fact.said))


def _on_topic(held: Held, old: str, fact: Fact) -> bool:
    """Whether two facts share a word beside the value."""
    return bool((held.words & content_words(simplified(fact.said))) - content_words(simplified(old)) - FRAME)


def _with_kept_part(fact: Fact, stale: list[Held]) -> str:
    """A new job title says nothing about the employer: keep it."""
    if fact.kind is Kind.PERSON and not _AT_FIRM.search(fact.text):
        firm = next((m for held in stale if (m := _AT_FIRM.search(held.text))), None)
        if firm and "user role" in slots_of(fact.text, fact.language):
            return f"{fact.text} {firm[0]}"
    return fact.text
