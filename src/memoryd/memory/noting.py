"""What becomes of text that no user said: divided from what was said, kept as a dated fact, taken out of summaries."""

from collections.abc import Iterator

from memoryd.ipc.events import Tier
from memoryd.memory import entries
from memoryd.memory.case import Case
from memoryd.memory.changes import decode
from memoryd.memory.desk import session_path
from memoryd.memory.model import Entry, EntryType, FileKey, Root
from memoryd.memory.proposal_rules import MAX_LINE_CHARS, is_said, needs_users_words
from memoryd.memory.proposals import Dated, Lines, Save, Summary, Supersede
from memoryd.memory.text import bare, cut, fold
from memoryd.memory.wording import SHARED_WORDS, is_loaded, loaded, rows, turned, unsaid_words
from memoryd.memory.words import content_words

MAX_NAME_CHARS = 60
KINDS = "decision project where to find 决定 项目 去处"  #: a title may name what kind of thing an entry is
LABEL_WORDS = 2  #: a name of so few words says nothing by itself


def divided(save: Save, case: Case) -> tuple[Save | None, Lines]:
    """Divide a save into the rows that the user said, None when there are none, and lines for the rest."""
    unsaid = {
        row for row in rows(save.content)
        if not is_said(save, row, case)
        or not all(case.ordered(save, one) for one in loaded(row))
    }  # fmt: skip
    kept = [row for row in save.content.split("\n") if row not in unsaid]
    said = save.model_copy(update={"content": "\n".join(kept)}) if unsaid and any(rows("\n".join(kept))) else None
    lost = tuple(cut(bare(row), MAX_LINE_CHARS) for row in save.content.split("\n") if row in unsaid)
    return said, Lines(file=entries.path_of(save.slug), add=lost, cites=save.cites, root=save.root)


def plainly_titled(save: Save, case: Case) -> Save:
    """Give a save whose title says what neither its content nor the user says the words of its content instead."""
    known = "\n".join((KINDS, save.content, *(case.own(span) for span in case.cited(save))))
    update: dict[str, object] = {}
    if len(content_words(save.name)) > LABEL_WORDS and _goes_beyond(save.name, known):
        update["name"] = cut(bare(next(rows(save.content), save.content)), MAX_NAME_CHARS)
    if _goes_beyond(save.description, known):
        update["description"] = ""
    return save.model_copy(update=update) if update else save


def _goes_beyond(title: str, known: str) -> bool:
    return bool(unsaid_words(title, known)) or turned(title, known)


def as_dated(save: Save, tier: Tier, case: Case) -> Dated | None:
    """Return the dated fact that a save may become, None when only a person can let it in.

    It is a plain fact of a project or a reference that some cited text holds; it orders nothing, does not speak for the
    user, is short, and takes the place of nothing that a user said.
    """
    plain = save.type in (EntryType.PROJECT, EntryType.REFERENCE) and not needs_users_words(save)
    rests = case.rests_on(save, save.content) >= SHARED_WORDS
    if isinstance(save, Supersede) or not plain or not rests or len(save.content) > MAX_LINE_CHARS:
        return None
    if any(entry.active and not entry.dated for entry in _entries_named(save.slug, case)):
        return None
    fields = save.model_dump(exclude={"kind", "tags"})
    return Dated.model_validate({**fields, "tier": tier, "importance": min(save.importance, 0.4)})


def without_orders_of_others(summary: Summary, case: Case) -> Summary | None:
    """Return a summary without rows that order or speak for the user in words that a tool, page or file gave.

    Rows that the session's summary had before are kept: they were judged then.
    """
    known = {fold(bare(row)) for root in Root for row in _rows_before(summary, root, case)}
    kept = [
        row for row in summary.content.split("\n")
        if fold(bare(row)) in known
        or not is_loaded(bare(row))
        or case.ordered(summary, bare(row))
        or not case.is_from_below(summary, row)
    ]  # fmt: skip
    content = "\n".join(kept)
    return summary.model_copy(update={"content": content}) if content.strip() else None


def _rows_before(summary: Summary, root: Root, case: Case) -> list[str]:
    path = session_path(summary.host, summary.session_id, summary.date)
    return decode(case.base.get(FileKey(root, path), b"")).split("\n")


def _entries_named(slug: str, case: Case) -> Iterator[Entry]:
    path = entries.path_of(slug).casefold()
    for key, text in case.base.items():
        if key.path.casefold() == path:
            yield entries.parse(slug, decode(text))
