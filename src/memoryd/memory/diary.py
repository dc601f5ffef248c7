"""DREAMS.md: what dreaming found, day by day, for people. Generated; never told to a session, never evidence. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from memoryd.memory import generated
from memoryd.memory.changes import Cited, decode, encode
from memoryd.memory.matured import Written
from memoryd.memory.model import FileKey, Root
from memoryd.memory.text import bare, cut

FILE = "DREAMS.md"
MAX_DAYS = 30  #: newest kept
MAX_ROWS, ROW_CHARS = 20, 240  #: of a day
_DAY = re.compile(r"^## (?=\d{4}-\d\d-\d\d$)", re.MULTILINE)


def write(
    base: Mapping[FileKey, bytes], *, root: Root, day: date, rows: Sequence[tuple[str, Sequence[int]]],
    themes: Sequence[str] = (),
) -> Written:  # fmt: skip
    """Return the diary with the section of a day, in the place of one that it had; the other days keep their words.

    :param rows: a line each, with the events that it rests on
    """
    written, key = Written(), FileKey(root, FILE)
    old = base.get(key)
    shown = [(cut(row, ROW_CHARS), tuple(seqs)) for row, seqs in rows[:MAX_ROWS]]
    section = [str(day), "", *(f"- {row}" for row, _ in shown), *([f"- themes: {', '.join(themes)}"] if themes else [])]
    kept = {text[:10]: text.strip() for text in _DAY.split(generated.of(decode(old or b"")))[1:]}
    kept[str(day)] = "\n".join(section)
    days = [f"## {kept[name]}" for name in sorted(kept, reverse=True)[:MAX_DAYS]]
    new = encode(generated.put(decode(old or b"") or "# Dreams\n", "\n\n".join(days)))
    if new != old:
        written.changes[key] = (old, new)
        written.citations += [Cited(key=key, line=bare(row), seqs=seqs) for row, seqs in shown if seqs]
    return written
