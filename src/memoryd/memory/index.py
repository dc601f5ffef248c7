"""MEMORY.md: a generated list of the entries between two marker comments, in a file that belongs to the person."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import quote, unquote

from memoryd.memory.changes import encode
from memoryd.memory.entries import path_of
from memoryd.memory.lines import newline_of, split_lines
from memoryd.memory.model import Entry
from memoryd.memory.text import cut

START, END = "<!-- memoryd:index -->", "<!-- /memoryd:index -->"
MAX_LINES = 200  #: of the whole file, what the person wrote included
MAX_BYTES = 25_000
_MAX_NAME, _MAX_DESCRIPTION = 120, 200
_OURS = re.compile(r"- \[.*\]\(knowledge/.*\) — .*\(type: \w+\)\s*\Z|- … \d+ more .*\s*\Z|\s*\Z")
_LISTED = re.compile(r"- \[.*\]\((knowledge/[^)]+)\) — ")
_NO_TIME = datetime.min.replace(tzinfo=UTC)


def render(entries: Sequence[Entry], existing: str) -> str:
    """Return MEMORY.md with the active entries, the newest first, listed between the markers; dated facts are not.

    Text outside the markers keeps its bytes; a file without markers gets them at its end. The file stays within 200
    lines and 25 000 bytes unless the person's own text is larger; the last line tells how many entries it left out.
    """
    before, after = _around(existing)
    newline = newline_of(existing)
    rows = [entry_line(entry) for entry in _newest_first(entries)]
    fixed = [before + START, END + after]
    spare_lines = MAX_LINES - sum(len(re.findall("\n", text)) for text in fixed) - 2
    spare_bytes = MAX_BYTES - sum(len(encode(text)) for text in fixed) - len(newline)
    listed = _fit(rows, spare_lines, spare_bytes, len(newline))
    return newline.join([before + START, *listed, END + after])


def entry_line(entry: Entry) -> str:
    """Return the line of an entry: `- [name](knowledge/slug.md) — description (type: t)`."""
    name = cut(entry.name, _MAX_NAME).replace("[", "(").replace("]", ")").replace("<!--", "")
    about = entry.description if entry.description != entry.name else ""
    description = cut(about, _MAX_DESCRIPTION).replace("<!--", "")
    target = "".join(c if c.isalnum() or c in "/-_." else quote(c, errors="replace") for c in path_of(entry.slug))
    return f"- [{name}]({target}) — {description + ' ' if description else ''}(type: {entry.type})"


def listed(row: str) -> str | None:
    """Return the path of the entry that a line of the index lists, None for any other line."""
    found = _LISTED.match(row)
    return unquote(found[1]) if found else None


def outside(text: str) -> str:
    """Return what the person wrote: the text without the generated part."""
    before, after = _around(text)
    return before + after if START in text else text


def _around(text: str) -> tuple[str, str]:
    """Return what stands before and after the generated part."""
    before, marker, rest = text.partition(START)
    if not marker:
        gap = "" if not text or text.endswith("\n\n") else newline_of(text) * (1 if text.endswith("\n") else 2)
        return text + gap, newline_of(text)
    _, closed, after = rest.partition(END)
    return before, after if closed else _after_generated(rest)


def _after_generated(rest: str) -> str:
    """The closing marker was deleted: our own lines end where the person's begin."""
    rows = split_lines(rest)
    at = next((n for n, row in enumerate(rows) if not _OURS.match(row)), len(rows))
    kept = "".join(rows[at:])
    return "\n" + kept


def _newest_first(entries: Sequence[Entry]) -> list[Entry]:
    active = [entry for entry in entries if entry.active and not entry.dated]
    return sorted(active, key=lambda e: (e.updated_at or e.created_at or _NO_TIME, e.slug), reverse=True)


def _fit(rows: list[str], spare_lines: int, spare_bytes: int, newline_bytes: int) -> list[str]:
    sizes = [len(encode(row)) + newline_bytes for row in rows]
    if len(rows) <= spare_lines and sum(sizes) <= spare_bytes:
        return rows
    note_bytes = len(encode(_left_out(len(rows)))) + newline_bytes
    kept = used = 0
    while kept < min(len(rows), spare_lines - 1) and used + sizes[kept] + note_bytes <= spare_bytes:
        used, kept = used + sizes[kept], kept + 1
    return [*rows[:kept], _left_out(len(rows) - kept)]


def _left_out(count: int) -> str:
    return f"- … {count} more not listed here: `memoryd list`"
