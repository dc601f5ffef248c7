"""Memory text that may be injected: redacted, and unable to close the fence it is quoted in or to pose as the host."""

import re

from memoryd.ipc.redaction import redact
from memoryd.patterns import lazy

OPEN, CLOSE = "<project-memory-context>", "</project-memory-context>"
PREFETCH_OPEN, PREFETCH_CLOSE = "<memory-context>", "</memory-context>"
_REMINDER = lazy(r"<\s*system-reminder\b[^>]{0,1000}>", re.IGNORECASE)
_REMINDED = lazy(r"<\s*/\s*system-reminder\s*>", re.IGNORECASE)
_TAG = lazy(r"<\s*/?\s*(?:system-reminder|project-memory-context|memory-context)\b[^>]*>?", re.IGNORECASE)
_CODE = lazy(r"[ \t]*(?:(`{3,})([^`\n]*)|(~{3,})(.*))\Z")


def clean(text: str) -> str:
    """Return memory text that may be injected: redacted, without tags that frame context for a host.

    Redacted before and after: what a tag had split may read as a secret once the tag is gone.
    """
    text = redact(text)
    while (plain := _TAG.sub("", _without_reminders(text))) != text:
        text = redact(plain)
    return text


def _without_reminders(text: str) -> str:
    """Cut out what stands between the host's own tags; one that is never closed ends the search, so time is linear."""
    kept, at = list[str](), 0
    while (opened := _REMINDER.search(text, at)) and (closed := _REMINDED.search(text, opened.end())):
        kept.append(text[at : opened.start()])
        at = closed.end()
    return "".join([*kept, text[at:]])


def quoted(text: str) -> str:
    """Return a text on one line in quotation marks that nothing inside can close: what no user said."""
    return f"“{re.sub('[“”]', chr(39), ' '.join(text.split()))}”"


def block_quoted(text: str) -> str:
    """Return a text line by line in a block quote that nothing inside can leave."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def closed(rows: list[str]) -> list[str]:
    """Return the rows without the marker of a code fence that is never closed; it would swallow what follows."""
    while (at := _left_open(rows)) is not None:
        rows = [*rows[:at], *rows[at + 1 :]]
    return rows


def _left_open(rows: list[str]) -> int | None:
    """The index of the row that opens a fence which no later row closes."""
    opened, mark = None, ""
    for index, row in enumerate(rows):
        found = _CODE.match(row)
        if found is None:
            continue
        run, info = (found[1], found[2]) if found[1] else (found[3], found[4])
        if opened is None:
            opened, mark = index, run
        elif run.startswith(mark) and not info.strip():
            opened = None
    return opened
