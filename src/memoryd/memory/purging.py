"""Memory files without the lines that a purge takes out. Pure."""

from collections.abc import Callable, Collection

from memoryd.memory import entries, frontmatter, index, lines
from memoryd.memory.model import CORE_FILES
from memoryd.memory.text import bare, cut

MAX_NAME_CHARS = 80

Gone = Callable[[str], bool]  #: whether a line, by its text, rests on what is purged


def without(path: str, text: str, gone: Gone, sources: Collection[str]) -> str | None:
    """A core file, an entry or a session's summary without the lines that are gone.

    An entry that loses lines loses its description and takes its name from what is left, for both told of them.

    :param sources: `host/session#seq` of what is purged
    :return: None when nothing that anybody said is left; the same text when no line is gone
    """
    head, body = frontmatter.split(text)
    kept = _without_rows(body, gone)
    if kept == body:
        return text
    rows = said(kept)
    if path in CORE_FILES:
        return head + kept
    if not rows:
        return None
    return frontmatter.splice(head + kept, _head(text, rows, sources)) if entries.slug_of(path) else head + kept


def without_entries(text: str, paths: Collection[str]) -> str:
    """MEMORY.md without the lines of these entries."""
    rows = ((row, index.listed(row)) for row in lines.split_lines(text))
    return "".join(row for row, path in rows if path is None or path not in paths)


def body_of(text: str) -> str:
    return frontmatter.split(text)[1]


def said(body: str) -> list[str]:
    """The rows of a body that are no headings, comments or blank lines, bare."""
    return [bare(row) for row in body.splitlines() if bare(row) and not row.startswith(("#", "<!--"))]


def _without_rows(body: str, gone: Gone) -> str:
    for item in reversed(lines.items(body)):
        body = lines.remove(body, item) if gone(item.text) else body
    return "".join(row for row in lines.split_lines(body) if not (bare(row) and gone(row)))


def _head(text: str, rows: list[str], sources: Collection[str]) -> dict[str, object]:
    left = [source for source in entries.parse("", text).sources if source not in sources]
    return {"name": cut(rows[0], MAX_NAME_CHARS), "description": None, "sources": left or None}
