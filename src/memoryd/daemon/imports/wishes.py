"""Imported memories -> proposals. Pure. What is imported takes the place of nothing, and floods nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.daemon.imports.found import Memory
from memoryd.ipc.events import Tier
from memoryd.ipc.sanitise import sanitise
from memoryd.memory import entries
from memoryd.memory.draft import MAX_DATED_FACTS
from memoryd.memory.model import EntryType, MemoryView
from memoryd.memory.proposal_rules import MAX_LINE_CHARS
from memoryd.memory.proposals import Lines, Proposal, Save
from memoryd.memory.quality import duplicate_of
from memoryd.memory.text import cut, fold
from memoryd.memory.wording import is_imperative, is_loaded

MAX_WAITING = 100  #: of one project in one import, for the review inbox; the newest
MAX_NAME_CHARS, MAX_DESCRIPTION_CHARS = 60, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A memory whose evidence is in the journal."""

    memory: Memory
    seq: int
    text: str  #: cleaned: what would be remembered of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    proposals: tuple[Proposal, ...]
    duplicates: int
    left: int  #: more than there is room for: search finds them among what was said, no memory is made of them


def wishes(told: Sequence[Told], view: MemoryView) -> Wishes:
    """What one project's memories ask for, the newest first where there is no room for all."""
    fresh = [one for one in told if not is_there(one.text, view)]
    newest = sorted(fresh, key=lambda one: one.memory.at, reverse=True)
    mine = [one for one in newest if one.memory.tier is Tier.USER]
    plain = [one for one in newest if one.memory.tier is not Tier.USER and _is_plain(one)]
    others = [one for one in newest if one.memory.tier is not Tier.USER and not _is_plain(one)]
    room = max(0, MAX_DATED_FACTS - sum(entry.active and entry.dated for _, entry in view.entries))
    chosen = {one.seq for one in (*mine, *plain[:room], *others[:MAX_WAITING])}
    taken = {entry.slug.casefold() for _, entry in view.entries}
    return Wishes(
        proposals=tuple(_proposal(one, view, taken) for one in fresh if one.seq in chosen),
        duplicates=len(told) - len(fresh), left=len(fresh) - len(chosen),
    )  # fmt: skip


def is_there(text: str, view: MemoryView) -> bool:
    """Whether memory says this, or nearly this, already."""
    if any(fold(line.text) == fold(text) for line in view.core):
        return True
    return duplicate_of(text, (entry for _, entry in view.entries)) is not None


def _is_plain(one: Told) -> bool:
    """Whether it may become a dated fact: the gates decide, this only keeps room for those that they let in."""
    kind = one.memory.kind or EntryType.PROJECT
    return (
        kind in (EntryType.PROJECT, EntryType.REFERENCE) and len(one.text) <= MAX_LINE_CHARS and not is_loaded(one.text)
    )


def _proposal(one: Told, view: MemoryView, taken: set[str]) -> Proposal:
    memory, text, cites = one.memory, one.text, (one.seq,)
    is_line = len(text) <= MAX_LINE_CHARS and "\n" not in text
    if is_line and (memory.tier is Tier.USER or (memory.kind is None and is_loaded(text))):
        return Lines(file="constraints.md" if is_imperative(text) else "preferences.md", add=(text,), cites=cites)
    name = sanitise(memory.name)
    name = text if not name or (is_loaded(name.replace("-", " ")) and not is_loaded(text)) else name
    return Save(
        slug=_free_slug(name, taken), name=cut(name, MAX_NAME_CHARS), content=text,
        description=cut(sanitise(memory.description), MAX_DESCRIPTION_CHARS), type=memory.kind or EntryType.PROJECT,
        tags=tuple(map(sanitise, memory.tags)), cites=cites,
    )  # fmt: skip


def _free_slug(name: str, taken: set[str]) -> str:
    """A slug that no entry has; it is taken from now on."""
    first = entries.make_slug(name)
    slug, number = first, 2
    while slug.casefold() in taken:
        slug, number = f"{first[: entries.MAX_SLUG_CHARS - 4].rstrip('-')}-{number}", number + 1
    taken.add(slug.casefold())
    return slug
