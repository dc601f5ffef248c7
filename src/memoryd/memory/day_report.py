"""The generated report of a day, above its notes: what was done, how it went, what memory learned. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date

from memoryd.ipc.redaction import redact
from memoryd.memory import daily, entries, generated
from memoryd.memory.changes import Cited, decode, encode
from memoryd.memory.matured import Written
from memoryd.memory.maturing import Kind
from memoryd.memory.model import ENTRY_DIR, INSTINCT_DIR, PROCEDURE_DIR, FileKey, Root
from memoryd.memory.scan import threats
from memoryd.memory.text import cut

MAX_TASKS, TASK_CHARS = 12, 120


def write(
    base: Mapping[FileKey, bytes], *, root: Root, day: date, counts: Mapping[str, int],
    tasks: Sequence[tuple[str, bool, Sequence[int]]],
) -> Written:  # fmt: skip
    """Return the daily notes with their report; the notes keep their bytes.

    :param counts: `sessions, turns, failed_turns, tool_calls, memories` of the day
    :param tasks: what was asked, whether it went well, the events that it rests on
    """
    written, key = Written(), FileKey(root, daily.path_of(day))
    rows = [(_counted(counts), ()), *_learned(base, root, day)]
    for task, ok, cites in tasks[-MAX_TASKS:]:
        row = f"“{cut(task, TASK_CHARS)}” {'worked' if ok else 'did not go well'}"
        if redact(row) == row and not threats(row):
            rows.append((row, tuple(cites)))
    old = base.get(key)
    text = decode(old or b"") or daily.edit(key.path, "", add=(), remove=())
    new = encode(generated.put(text, "\n".join(["## Report", *(f"- {row}" for row, _ in rows)])))
    if new != old:
        written.changes[key] = (old, new)
        written.citations += [Cited(key=key, line=row, seqs=seqs) for row, seqs in rows if seqs]
    return written


def _counted(counts: Mapping[str, int]) -> str:
    failed = f" ({counts['failed_turns']} failed)" if counts["failed_turns"] else ""
    return (
        f"{counts['sessions']} sessions, {counts['turns']} turns{failed}, {counts['tool_calls']} tool calls,"
        f" {counts['memories']} memories written"
    )


def _learned(base: Mapping[FileKey, bytes], root: Root, day: date) -> list[tuple[str, tuple[int, ...]]]:
    """How many patterns, lessons, procedures and instincts first came up that day."""
    found = [
        entries.parse("", decode(content))
        for key, content in base.items()
        if key.root is root and key.path.startswith((f"{ENTRY_DIR}/", f"{PROCEDURE_DIR}/", f"{INSTINCT_DIR}/"))
    ]
    new = [one for one in found if one.created_at and one.created_at.astimezone().date() == day]
    counts = {kind: sum(kind in one.tags for one in new) for kind in Kind}
    told = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count)
    return [(f"learned: {told}", ())] if told else []
