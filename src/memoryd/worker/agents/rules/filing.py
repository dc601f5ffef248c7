"""Facts -> proposals: each in the right file, said once, the value that it replaces taken out.

The desk holds what is active now and what this run adds, so that a fact may also replace one of the same run.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memoryd.memory.entries import make_slug
from memoryd.memory.model import CoreLine, Entry, EntryType, MemoryView, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Supersede
from memoryd.memory.text import content_words, cut, fold
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.facts import Fact, Forget
from memoryd.worker.agents.rules.patterns import Kind, Language, lazy

ON_TOPIC = 0.3  #: share of a line's words from which on one shared word means the same topic
COVERED = 0.9  #: share of a fact's words that a line of an instruction file must hold to have said it already

FILE_OF = {
    Kind.AGENT: "identity.md",
    Kind.PERSON: "user.md",
    Kind.PREFERENCE: "preferences.md",
    Kind.RULE: "constraints.md",
}
TYPE_OF = {Kind.DECISION: EntryType.PROJECT, Kind.PROJECT: EntryType.PROJECT, Kind.POINTER: EntryType.REFERENCE}
_STANDING = {"preferences.md", "constraints.md"}  #: a changed line stays where it stood
_PERSONAL = {"user.md", "identity.md"}


@dataclass(slots=True, kw_only=True, eq=False)
class Held:
    """One active fact: a line of a core file, or an entry."""

    file: str  #: a core file, or '' for an entry
    text: str
    slug: str = ""
    root: Root | None = None
    fact: Fact | None = None  #: of this run
    cites: tuple[int, ...] = ()
    replaces: list["Held"] = field(default_factory=list)  #: what stood in memory before this run
    folded: str = field(init=False)
    words: frozenset[str] = field(init=False)
    _slots: dict[str, frozenset[str]] = field(default_factory=dict)  #: by language; each is found once

    def __post_init__(self) -> None:
        matched = simplified(self.text)
        self.folded, self.words = fold(matched), content_words(matched)

    def slots(self, language: Language) -> frozenset[str]:
        """The single-valued attributes that the text is about."""
        if language.code not in self._slots:
            self._slots[language.code] = slots_of(self.text, language)
        return self._slots[language.code]


class Desk:
    """The memory while a run files its facts."""

    def __init__(self, view: MemoryView, instructions: str = "") -> None:
        self._held = [_of_line(line) for line in view.core] + [
            _of_entry(root, entry) for root, entry in view.entries if entry.active
        ]
        self._slugs = {entry.slug.casefold() for _, entry in view.entries}
        self._instructions = [words for row in instructions.split("\n") if (words := content_words(row))]
        self._gone: list[tuple[Held, tuple[int, ...]]] = []
        self.learned: list[Held] = []  #: of this run, oldest first; a forgotten one is gone again

    def file(self, fact: Fact, seq: int, newest: Iterable[str] = ()) -> None:
        """Place a fact, unless memory or the project's instructions say it already.

        `newest`: the texts of the turn before, which a correction that names nothing takes back.
        """
        if self._in_instructions(fact) or self._said(fact):
            return
        stale = self._stale(fact, frozenset(newest))
        if not stale and fact.corrects:
            stale = self._with_texts(newest)[-1:]
        if fact.tentative and (not stale or any(h.fact and h.fact.said == fact.said for h in self.learned)):
            return
        text = _with_kept_part(fact, stale)
        file = FILE_OF.get(fact.kind, "")
        if stale and stale[0].file and (fact.tentative or file not in _PERSONAL):
            file = stale[0].file  # what replaces a line stands where it stood
        if stale and stale[0].file in _STANDING and fact.kind not in (Kind.PERSON, Kind.AGENT):
            file = stale[0].file
        new = Held(file=file, text=text, fact=fact, cites=(seq,))
        new.root = Root.USER if fact.everywhere and new.file == "constraints.md" else None
        if not new.file:
            new.slug = self._free_slug(text, stale)
        for old in stale:
            self._drop(old)
            new.replaces.extend([old] if old.fact is None else old.replaces)
        self._held.append(new)
        self.learned.append(new)

    def forget(self, wish: Forget, seq: int, newest: Iterable[str]) -> None:
        """Take out the facts that a wish names, or else the newest ones, given as the texts of the turn before."""
        names = wish.what and (wish.language.code != "zh" or content_words(wish.what) - _FRAME - _FRAME_OF_WISHES)
        meant = self._named(wish) if names else self._with_texts(newest)
        for held in meant:
            self._drop(held)
            self._gone.extend((old, (seq,)) for old in ([held] if held.fact is None else held.replaces))

    def forgotten(self, fact: Fact, wishes: Iterable[Forget]) -> bool:
        """Whether the same prompt wishes to forget what the fact is about."""
        return any(wish.what and self._about(wish)(fact.text) for wish in wishes)

    def proposals(self) -> list[Proposal]:
        """Return what changes, one proposal for each fact, each with its own citation."""
        made: list[Proposal] = []
        for held in self.learned:
            made.extend(_core(held) if held.file else _entry(held))
        for held, cites in self._gone:
            made.append(_removal(held, cites))
        return made

    # what is known

    def _in_instructions(self, fact: Fact) -> bool:
        words = content_words(fact.text) - {"user"}
        return bool(words) and any(len(words & row) >= COVERED * len(words) for row in self._instructions)

    def _said(self, fact: Fact) -> bool:
        """Whether memory says it already: in the same words, or in more."""
        matched = simplified(fact.text)
        folded, words = fold(matched), content_words(matched)
        covered = bool(words) and not fact.changes
        return any(held.folded == folded or (covered and words <= held.words) for held in self._held)

    def _stale(self, fact: Fact, newest: frozenset[str]) -> list[Held]:
        """Return what the fact replaces: the same attribute, a value it names as old, or the closest on its topic."""
        if fact.adds and not fact.old_values:
            return []
        slots = slots_of(fact.text, fact.language)
        found = [held for held in self._held if self._same_attribute(held, fact, slots)]
        found += [h for h in self._held if h not in found and any(_asserts(h, old, fact) for old in fact.old_values)]
        if not found and fact.changes:
            found = self._closest(fact, newest)
        return found

    def _same_attribute(self, held: Held, fact: Fact, slots: frozenset[str]) -> bool:
        shared = slots & held.slots(fact.language)
        if not shared:
            return False
        personal = any(slot.startswith(("user", "agent")) for slot in shared)
        if personal:
            file = FILE_OF.get(fact.kind)
            at_home = held.file in _PERSONAL and (held.file == file or file not in _PERSONAL)
            return at_home and (fact.changes or (held.file == file and _is_name(shared)))
        return fact.changes or (held.file == "preferences.md" and "answer language" in shared)

    def _closest(self, fact: Fact, newest: frozenset[str]) -> list[Held]:
        """The line that shares most topic words, when the sentence says that something changed."""
        words = content_words(simplified(fact.said)) - _FRAME
        family = _family(fact.kind)
        heads = _heads(simplified(fact.said)) if fact.language.code == "zh" else frozenset[str]()
        scored = []
        for n, held in enumerate(self._held):
            topic = held.words - _FRAME
            shared = len(words & topic)
            if fact.language.code == "zh":  # a name among Chinese words is the topic, and so is what stands in front
                shared += any(word.isascii() and word.isalpha() and len(word) > 1 for word in words & topic)
                shared += bool(heads & topic)
            of_another = held.fact is None or held.fact.said != fact.said
            if (
                held.file in family
                and of_another
                and (shared >= 2 or (shared and (held.text in newest or shared >= ON_TOPIC * len(topic))))
            ):
                scored.append((shared, n, held))
        return [max(scored, key=lambda s: s[:2])[2]] if scored else []

    def _named(self, wish: Forget) -> list[Held]:
        for words, lines in wish.language.aliases:
            if words.match(wish.what):
                return [held for held in self._held if lines.search(simplified(held.text))][-1:]
        if wish.language.weigh:
            about = self._about(wish)
            return [held for held in self._held if about(held.text)]
        asked = content_words(wish.what) - _FRAME
        scored = [(len(asked & held.words), n, held) for n, held in enumerate(self._held)]
        best = max((s for s in scored if s[0]), key=lambda s: s[:2], default=None)
        return [best[2]] if best else []

    def _about(self, wish: Forget) -> Callable[[str], bool]:
        """Return whether a text, or a part of one, is about what a wish names."""
        lines = next((lines for words, lines in wish.language.aliases if words.match(wish.what)), None)
        asked = content_words(wish.what) - _FRAME - _FRAME_OF_WISHES
        if wish.language.code == "zh" and not lines:
            alone = {word for word in asked if len(word) == 1}
            return lambda text: bool(asked & content_words(simplified(text))) or any(w in text for w in alone)
        return lambda text: (
            bool(lines.search(text)) if lines else 2 * len(asked & content_words(text)) >= max(1, len(asked))
        )

    def _with_texts(self, texts: Iterable[str]) -> list[Held]:
        wanted = {fold(simplified(text)) for text in texts}
        return [held for held in self._held if held.folded in wanted]

    def _drop(self, held: Held) -> None:
        self._held.remove(held)
        if held in self.learned:
            self.learned.remove(held)

    def _free_slug(self, text: str, stale: list[Held]) -> str:
        slug = base = make_slug(" ".join(sorted_words(text)))
        n = 2
        while slug.casefold() in self._slugs and slug not in {held.slug for held in stale}:
            slug, n = f"{base[:60]}-{n}", n + 1
        self._slugs.add(slug.casefold())
        return slug


_FRAME = content_words(
    "user use always never now new instead only just every all file project team want need make keep like "
    "day week month last the user's files code 用户 以后 现在 我们 们用 一下 不要 使用 改用 喜欢 都是 的话 后都"
)
_FRAME_OF_WISHES = content_words(
    "thing bit part fact said told tell mention mentioned memory note notes ever wrote stuff earlier piece detail info "
    "rule preference previous record remember everything anything regarding related keep thing line entry back "
    "这条 那条 规矩 条规 名字 事情 关于 内容 记忆 从记 忆里 刚才 之前 把它 我说 说的 上回 回定 定的 请从 请把 号把 "
    "的事 那件 件事 那事 这事 这些 那些 留着 收回 撤回 作废 这句 那句 句收 句话 句不 个要 要求 求撤"
)
_WORDS = lazy(r"[\w.#+-]*\w")


_HEAD_CHARS = 8
_CLAUSE = lazy("[，,。；;：:！!？?]")


def _heads(matched: str) -> frozenset[str]:
    """The words that the clauses of a Chinese text begin with: its topics."""
    return frozenset().union(*(content_words(c[:_HEAD_CHARS]) for c in _CLAUSE.split(matched))) - _FRAME


def sorted_words(text: str) -> list[str]:
    """The first words of a text that carry meaning, in their order: what a slug is made of."""
    words = _WORDS.findall(text)
    kept = [word for word in words if content_words(word) - {"user"}]
    return (kept or words)[:7]


def _of_line(line: CoreLine) -> Held:
    return Held(file=line.key.path, text=line.text, root=line.key.root)


def _of_entry(root: Root, entry: Entry) -> Held:
    return Held(file="", text=entry.description or entry.name, slug=entry.slug, root=root)


def slots_of(text: str, language: Language) -> frozenset[str]:
    """Return the single-valued attributes that a text is about: the person's name, the answer language, ..."""
    matched = simplified(text)
    return frozenset(name for name, pattern in language.slots if pattern.search(matched))


def _is_name(slots: frozenset[str]) -> bool:
    return bool(slots & {"user name", "agent name"})


def _family(kind: Kind) -> frozenset[str]:
    if kind in (Kind.AGENT, Kind.PERSON):
        return frozenset({FILE_OF[kind]})
    return frozenset({"", "preferences.md", "constraints.md"})


_DENIED = lazy(r"\b(?:not|never|don't|instead of|rather than|from|avoid|no longer)\b|不|别|禁止")


def _asserts(held: Held, old: str, fact: Fact) -> bool:
    """Whether a fact holds the value that is named as old, and not as one to avoid."""
    if held.file == "identity.md" or (held.file == "user.md") != (fact.kind is Kind.PERSON):
        return False
    said = re.search(rf"(?<![a-z0-9_]){re.escape(fold(old))}(?![a-z0-9])", held.folded)
    return said is not None and not _DENIED.search(held.folded[: said.start()])


_AT_FIRM = lazy(r"\bat [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*")


def _with_kept_part(fact: Fact, stale: list[Held]) -> str:
    """A new job title says nothing about the employer: keep it."""
    if fact.kind is Kind.PERSON and not _AT_FIRM.search(fact.text):
        firm = next((m for held in stale if (m := _AT_FIRM.search(held.text))), None)
        if firm and "user role" in slots_of(fact.text, fact.language):
            return f"{fact.text} {firm[0]}"
    return fact.text


def _core(held: Held) -> list[Proposal]:
    same = [old for old in held.replaces if old.file == held.file]
    made: list[Proposal] = []
    if same:
        made.append(Lines(file=held.file, replace=((same[0].text, held.text),), cites=held.cites, root=same[0].root))
    else:
        made.append(Lines(file=held.file, add=(held.text,), cites=held.cites, root=held.root))
    rest = [old for old in held.replaces if old not in same[:1]]
    return made + [_removal(old, held.cites) for old in rest]


def _entry(held: Held) -> list[Proposal]:
    fact = held.fact
    if fact is None:
        return []
    entries = [old for old in held.replaces if not old.file]
    fields = {
        "slug": held.slug,
        "name": cut(held.text, 80),
        "description": cut(held.text, 300),
        "type": TYPE_OF[fact.kind],
        "content": f"{held.text}\n\n**Why:** {fact.reason}" if fact.reason else held.text,
        "importance": fact.importance,
        "cites": held.cites,
    }
    old = entries[0] if entries else None
    made: list[Proposal] = [Supersede(**fields, old=old.slug, root=old.root) if old else Save(**fields)]
    return made + [_removal(other, held.cites) for other in held.replaces if other is not old]


def _removal(held: Held, cites: tuple[int, ...]) -> Proposal:
    if held.file:
        return Lines(file=held.file, remove=(held.text,), cites=cites, root=held.root)
    return Archive(slug=held.slug, cites=cites, root=held.root, reason="the user took it back or replaced it")
