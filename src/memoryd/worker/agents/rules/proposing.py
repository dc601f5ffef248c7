"""What the desk holds at the end of a run -> proposals, each with its own citation."""

from memoryd.memory.model import EntryType
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Supersede
from memoryd.memory.quality import MAX_DESCRIPTION_CHARS
from memoryd.memory.text import cut
from memoryd.worker.agents.rules.describing import describe
from memoryd.worker.agents.rules.held import MAX_NAME_CHARS, Held
from memoryd.worker.agents.rules.patterns import Kind

_TYPE_OF = {Kind.DECISION: EntryType.PROJECT, Kind.PROJECT: EntryType.PROJECT, Kind.POINTER: EntryType.REFERENCE}

_KIND_OF = {EntryType.REFERENCE: Kind.POINTER}


def learned(held: Held) -> list[Proposal]:
    """Return the proposals for a fact of this run: it takes the place of one that it replaces, the others go."""
    same = next((old for old in held.replaces if old.file == held.file), None)
    made = _line(held, same) if held.file else _entry(held, same)
    return made + [removal(old, held.cites) for old in held.replaces if old is not same]


def removal(held: Held, cites: tuple[int, ...]) -> Proposal:
    if held.file:
        return Lines(file=held.file, remove=(held.text,), cites=cites, root=held.root)
    return Archive(slug=held.slug, cites=cites, root=held.root, reason="the user took it back or replaced it")


def _line(held: Held, same: Held | None) -> list[Proposal]:
    if same:
        return [Lines(file=held.file, replace=((same.text, held.text),), cites=held.cites, root=same.root)]
    return [Lines(file=held.file, add=(held.text,), cites=held.cites, root=held.root)]


def _entry(held: Held, same: Held | None) -> list[Proposal]:
    if held.fact:
        said = held.fact.kind if held.fact.kind in _TYPE_OF else Kind.PROJECT
        importance, reason = held.fact.importance, held.fact.reason
    elif held.entry:
        said, importance, reason = _KIND_OF.get(held.entry.type, Kind.PROJECT), held.entry.importance, ""
    else:
        return []
    fields = {
        "slug": held.slug,
        "name": cut(held.text, MAX_NAME_CHARS),
        "description": cut(describe(f"{held.text} {reason}", said), MAX_DESCRIPTION_CHARS),
        "type": held.entry.type if held.entry and not held.fact else _TYPE_OF[said],
        "content": f"{held.text}\n\n**Why:** {reason}" if reason else held.text,
        "importance": importance,
        "cites": held.cites,
    }
    return [Supersede(**fields, old=same.slug, root=same.root) if same else Save(**fields)]
