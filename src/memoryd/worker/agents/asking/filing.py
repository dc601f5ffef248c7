"""Items of an answer -> proposals: routed as the rules do, short ids turned back, unfounded ones left out. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryd.memory.entries import make_slug
from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposal_rules import MAX_LINE_CHARS
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Supersede
from memoryd.memory.text import bare, cut, fold, is_chinese
from memoryd.memory.wording import unsaid_words
from memoryd.worker.agents.asking.answer import Item
from memoryd.worker.agents.asking.manifest import Held, plain_id
from memoryd.worker.agents.brief import Brief, Done
from memoryd.worker.agents.rules import summaries
from memoryd.worker.agents.rules.languages import CHINESE, ENGLISH
from memoryd.worker.projection import Utterance

LONG_RULE_CHARS = 240  #: a longer one is an entry of type feedback, not a line that every session is told
REPLACING, STATED = 0.8, 0.5  #: importance of a correction, of anything else that was worth an item

_FILES = {
    "user": "user.md", "preference": "preferences.md", "rule": "constraints.md", "identity": "identity.md",
}  # fmt: skip
_ENTRIES = {"project": EntryType.PROJECT, "reference": EntryType.REFERENCE, "rule": EntryType.FEEDBACK}


@dataclass(slots=True, kw_only=True)
class Filing:
    """The proposals of one run, and what came to nothing, by reason."""

    brief: Brief
    said: Mapping[str, Utterance]
    held: dict[str, Held] = field(default_factory=dict)
    proposals: list[Proposal] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _known: set[str] = field(init=False)
    _slugs: set[str] = field(init=False)

    def __post_init__(self) -> None:
        active = [entry for _, entry in self.brief.entries if entry.active]
        bodies = [text for entry in active for text in (entry.body, entry.body.partition("\n")[0])]
        texts = [line.text for line in self.brief.core] + bodies
        self._known = {fold(text) for text in texts}
        self._slugs = {entry.slug.casefold() for _, entry in self.brief.entries}

    def take(self, items: Iterable[Item]) -> None:
        """File each item by itself."""
        for item in items:
            reason = self._file(item)
            if reason:
                self.dropped[reason] += 1

    def done(self) -> Done:
        """What the run ends with: the facts, and what happened in each session as the rules tell it."""
        told = summaries(self.brief.projection)
        return Done.of((*self.proposals, *told.proposals), told.notes, self.brief.projection)

    def _file(self, item: Item) -> str:
        """File one item; returns why not, '' when it was."""
        cited = [self.said[key] for key in dict.fromkeys(item.cites) if key in self.said]
        text = cut(bare(item.text), MAX_LINE_CHARS)
        if not cited:
            return "uncited"
        if item.kind == "forget":
            return self._forget(item, cited)
        if not text:
            return "empty"
        if fold(text) in self._known:
            return "known"
        self._known.add(fold(text))
        self.proposals += self._placed(item, text, cited, self._replaced(item))
        return ""

    def _replaced(self, item: Item) -> Held | None:
        """What gives way: to the first item that says so; another one is added beside it."""
        return self.held.pop(plain_id(item.replaces), None)

    def _forget(self, item: Item, cited: Sequence[Utterance]) -> str:
        old = self._replaced(item)
        if old is None:
            return "nothing to forget"
        self.proposals.append(_removal(old, _seqs(cited)))
        return ""

    def _placed(self, item: Item, text: str, cited: Sequence[Utterance], old: Held | None) -> list[Proposal]:
        own = "\n".join(utterance.text for utterance in cited)
        file = _FILES.get(item.kind)
        if file is None or (item.kind == "rule" and len(text) > LONG_RULE_CHARS):
            return self._entry(item, text, own, _seqs(cited), old)
        return _line(file, _with_reason(text, item.why, own), own, _seqs(cited), old)

    def _entry(self, item: Item, text: str, own: str, cites: tuple[int, ...], old: Held | None) -> list[Proposal]:
        name = cut(item.name or text, 80)
        fields = {
            "slug": self._free_slug(name), "name": name, "description": cut(text, 300), "type": _ENTRIES[item.kind],
            "content": _content(item, text, own), "importance": REPLACING if old else STATED, "cites": cites,
        }  # fmt: skip
        if old and old.entry:
            return [Supersede(**fields, old=old.entry.slug, root=old.key.root)]
        return [Save(**fields), *([_removal(old, cites)] if old else [])]

    def _free_slug(self, name: str) -> str:
        slug = base = make_slug(name)
        n = 2
        while slug.casefold() in self._slugs:
            slug, n = f"{base[:60]}-{n}", n + 1
        self._slugs.add(slug.casefold())
        return slug


def _line(file: str, text: str, own: str, cites: tuple[int, ...], old: Held | None) -> list[Proposal]:
    if old and old.key.path == file:
        return [Lines(file=file, replace=((old.text, text),), cites=cites, root=old.key.root)]
    widely = file == "constraints.md" and any(language.everywhere.search(own) for language in (ENGLISH, CHINESE))
    added = Lines(file=file, add=(text,), cites=cites, root=Root.USER if widely else None)
    return [added, *([_removal(old, cites)] if old else [])]


def _removal(old: Held, cites: tuple[int, ...]) -> Proposal:
    if old.entry:
        return Archive(
            slug=old.entry.slug, cites=cites, root=old.key.root, reason="the user took it back or changed it"
        )
    return Lines(file=old.key.path, remove=(old.text,), cites=cites, root=old.key.root)


def _with_reason(text: str, why: str, own: str) -> str:
    """A line with its reason, where the user gave one and the line does not hold it yet."""
    why = cut(bare(why), MAX_LINE_CHARS)
    if not _is_said(why, own) or not unsaid_words(why, text):
        return text
    joined = f"{text.rstrip('。.')}，因为{why}" if is_chinese(text) else f"{text.rstrip('.')} because {why}"
    return joined if len(joined) <= MAX_LINE_CHARS else text


def _content(item: Item, text: str, own: str) -> str:
    rows = [text]
    if _is_said(item.why, own):
        rows.append(f"**Why:** {cut(item.why, MAX_LINE_CHARS)}")
    if _is_said(item.how_to_apply, own):
        rows.append(f"**How to apply:** {cut(item.how_to_apply, MAX_LINE_CHARS)}")
    return "\n\n".join(rows)


def _is_said(text: str, own: str) -> bool:
    """Whether a reason is the user's: one that a model adds of its own would cost the fact its acceptance."""
    return bool(text.strip()) and not unsaid_words(text, own)


def _seqs(cited: Sequence[Utterance]) -> tuple[int, ...]:
    return tuple(sorted({utterance.seq for utterance in cited}))
