"""Daily notes: `daily/<date>.md`, what agents and people note under its Notes heading. A report may stand above it."""

import re
from datetime import date

from memoryd.memory import lines
from memoryd.memory.model import DAILY_DIR

AGENT = "agent: "  #: before what an agent noted by its own tool, after the time
HEADINGS = ("## Notes", "## 笔记")
_PATH = re.compile(rf"{DAILY_DIR}/(\d{{4}}-\d\d-\d\d)\.md\Z")
_HEADING = re.compile(r"^#{1,2}[ \t]", re.MULTILINE)


def path_of(day: date) -> str:
    return f"{DAILY_DIR}/{day.isoformat()}.md"


def day_of(path: str) -> date | None:
    """The day of a file of daily notes, None for any other file."""
    found = _PATH.match(path)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def notes(text: str) -> tuple[str, ...]:
    """The notes of a file, oldest first, one line each."""
    return lines.texts(_parts(text)[1])


def edit(path: str, text: str, *, add: tuple[str, ...], remove: tuple[str, ...]) -> str:
    """Return the file with notes added and taken out; the rest keeps its bytes. A new file is given its headings."""
    day = day_of(path)
    head, section, tail = _parts(text or f"# {day}\n\n{HEADINGS[0]}\n")
    for old in remove:
        item = lines.find(section, old)
        section = lines.remove(section, item) if item else section
    for new in add:
        section = lines.add(section, new)
    return head + section + tail


def _parts(text: str) -> tuple[str, str, str]:
    """What stands before the notes, their section with its heading, and what follows."""
    rows = lines.split_lines(text)
    starts = [n for n, row in enumerate(rows) if row.strip() in HEADINGS]
    if not starts:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return text + gap, f"{HEADINGS[0]}\n", ""
    start = starts[-1]
    ends = (n for n in range(start + 1, len(rows)) if _HEADING.match(rows[n]))
    end = next(ends, len(rows))
    return "".join(rows[:start]), "".join(rows[start:end]), "".join(rows[end:])
