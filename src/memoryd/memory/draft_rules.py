"""The rules for a whole draft: where it writes, that its files parse, what it may lose."""

import re
from collections.abc import Callable, Mapping

from memoryd.ipc.redaction import redact
from memoryd.memory import daily, entries, frontmatter, lines
from memoryd.memory.changes import Draft, decode
from memoryd.memory.model import CORE_FILES, SESSION_DIR, FileKey
from memoryd.memory.path_rules import broken_rule
from memoryd.memory.proposal_rules import Objection
from memoryd.memory.text import bare, bigrams, fold, jaccard

LOST_LINES = 3  #: active lines that a run may lose in any case
LOST_SHARE = 0.25  #: of all active lines, when that is more
_SESSION_PATH = re.compile(rf"{SESSION_DIR}/\d{{4}}-\d\d-\d\d-[a-z0-9-]{{1,64}}\.md\Z")


def paths_stay_inside(draft: Draft, _: Mapping[FileKey, bytes]) -> Objection:
    for key in draft.changes:
        inside = (
            key.path in CORE_FILES
            or entries.slug_of(key.path)
            or daily.day_of(key.path)
            or _SESSION_PATH.match(key.path)
        )
        if not inside or broken_rule(key.path):
            return "path-refused", f"{key.path[:80]!r} is no file that a run may write"
    return None


def frontmatter_still_parses(draft: Draft, base: Mapping[FileKey, bytes]) -> Objection:
    moved = {move.new: move.old for move in draft.archived}
    for key, (_, new) in draft.changes.items():
        before = base.get(moved.get(key, key), b"")
        if new is None or entries.slug_of(key.path) is None or frontmatter.read(decode(before)).malformed:
            continue
        document = frontmatter.read(decode(new))
        if document.malformed or not document.meta:
            return "malformed", f"the frontmatter of {key.path} would not parse"
    return None


def no_new_secret(draft: Draft, base: Mapping[FileKey, bytes]) -> Objection:
    """Scan the lines that no file had before: what a person keeps in a file is theirs."""
    known = {row for text in base.values() for row in decode(text).split("\n")}
    for key, (_, new) in draft.changes.items():
        fresh = "\n".join(row for row in decode(new or b"").split("\n") if row not in known)
        if redact(fresh) != fresh:
            return "scan-rejected", f"{key.path} would hold what looks like a secret"
    return None


def active_lines_are_kept(draft: Draft, base: Mapping[FileKey, bytes]) -> Objection:
    """Refuse a draft that loses many active lines: gone, not archived, not replaced by a proposal, not reworded."""
    before, kept = active_lines(base), active_lines(after(draft, base))
    said = {fold(row) for row in kept} | {fold(bare(r)) for m in draft.archived for r in _rows(draft, m.new)}
    given_up = {fold(line) for _, line in draft.replaced}
    gone = [row for row in before if fold(row) not in said and fold(row) not in given_up]
    pairs = [bigrams(row) for row in kept] if gone else []
    lost = [row for row in gone if all(jaccard(bigrams(row), pair) < lines.SAME_FACT for pair in pairs)]
    return _too_many(len(lost), len(before), "active lines")


def entries_are_kept(draft: Draft, base: Mapping[FileKey, bytes]) -> Objection:
    """Refuse a draft that retires many entries without a successor: archiving is no way to empty a memory."""
    active = [k for k, text in base.items() if entries.slug_of(k.path) and entries.parse("", decode(text)).active]
    retired = sum(move.successor is None and not move.for_room for move in draft.archived)
    return _too_many(retired, len(active), "active entries")


DRAFT_RULES: tuple[Callable[[Draft, Mapping[FileKey, bytes]], Objection], ...] = (
    paths_stay_inside,
    frontmatter_still_parses,
    no_new_secret,
    active_lines_are_kept,
    entries_are_kept,
)
RUN_ONLY = (active_lines_are_kept, entries_are_kept)


def active_lines(files: Mapping[FileKey, bytes]) -> list[str]:
    """Return the lines that recall could hand out: items of core files, body lines of active entries, bare."""
    rows: list[str] = []
    for key, content in files.items():
        if key.path in CORE_FILES:
            rows += lines.texts(decode(content))
        elif entries.slug_of(key.path):
            entry = entries.parse("", decode(content))
            rows += [bare(row) for row in entry.body.split("\n") if bare(row)] if entry.active else []
    return rows


def after(draft: Draft, base: Mapping[FileKey, bytes]) -> dict[FileKey, bytes]:
    """Return the files as they are once the draft is applied."""
    merged = {**base, **{key: new or b"" for key, (_, new) in draft.changes.items()}}
    return {
        key: content for key, content in merged.items() if key not in draft.changes or draft.changes[key][1] is not None
    }


def _rows(draft: Draft, key: FileKey) -> list[str]:
    return decode((draft.changes.get(key, (None, None))[1]) or b"").split("\n")


def _too_many(lost: int, of: int, what: str) -> Objection:
    allowed = max(LOST_LINES, int(of * LOST_SHARE))
    if lost <= allowed:
        return None
    return "too-much-lost", f"it would lose {lost} of {of} {what}; a run may lose {allowed}"
