"""The reverse of a run on the bytes of now: what it added goes, what it took comes back, later edits stay. Pure."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memoryd.memory import frontmatter, lines
from memoryd.memory.changes import decode, encode, readable
from memoryd.memory.model import INDEX_FILE, FileKey, Root
from memoryd.memory.text import bare


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a run did to a file; None: no file."""

    key: FileKey
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """Files as they shall be, the facts that the run had added, and the files that cannot be taken back."""

    changes: Mapping[FileKey, tuple[bytes | None, bytes | None]]
    facts: tuple[tuple[Root, str], ...]
    conflicts: tuple[str, ...]


def reverse(past: Sequence[Past], base: Mapping[FileKey, bytes]) -> Reversal:
    """Take a run back. MEMORY.md is left out: it follows from the entries.

    A file that cannot come back leaves the version that the run made of it where it is.

    :param base: every file as it is now
    """
    changes: dict[FileKey, tuple[bytes | None, bytes | None]] = {}
    facts: list[tuple[Root, str]] = []
    conflicts: list[str] = []
    past = [one for one in past if one.key.path != INDEX_FILE]
    stuck = set().union(*(_rows_of(one.before) for one in past if _clashes(one, base.get(one.key))))
    for one in past:
        facts += [(one.key.root, fact) for fact in sorted(_facts(one.after) - _facts(one.before))]
        now = base.get(one.key)
        if why := _left(one, now, stuck):
            conflicts.append(f"{one.key.root}/{one.key.path}: {why}")
            continue
        if (wanted := _wanted(one, now)) != now:
            changes[one.key] = (now, wanted)
        if _was_reworded(one, now):
            conflicts.append(f"{one.key.root}/{one.key.path}: what the run wrote was changed since; that stays")
    return Reversal(changes=changes, facts=tuple(facts), conflicts=tuple(conflicts))


def _left(past: Past, now: bytes | None, stuck: set[str]) -> str:
    """Why a file is left as it is, '' when it can be taken back. `stuck`: rows that other files cannot take back."""
    if _clashes(past, now):
        return "changed since; left as it is"
    if past.before is None and stuck & _rows_of(now):
        return "holds what cannot be put back; left as it is"
    return ""


def _clashes(past: Past, now: bytes | None) -> bool:
    """A file that the run or a later one took away as a whole, and that is neither as the run left it nor as it was."""
    return now not in (past.before, past.after) and None in (past.after, now)


def _was_reworded(past: Past, now: bytes | None) -> bool:
    """Whether of what a run wrote something is gone, and something else stands that it did not leave."""
    gone = _facts(past.after) - _facts(past.before) - _facts(now)
    return bool(gone) and bool(_facts(now) - _facts(past.after) - _facts(past.before))


def _wanted(past: Past, now: bytes | None) -> bytes | None:
    if now == past.after or now is None or past.after is None:
        return past.before
    if past.before is None:
        return _without(decode(past.after), decode(now))
    return encode(merge(decode(past.before), decode(past.after), decode(now)))


def _without(after: str, now: str) -> bytes | None:
    """A file that the run made, with what was written into it since; None when that is nothing."""
    head, rows = frontmatter.split(now)[0], _merge_rows("", frontmatter.split(after)[1], frontmatter.split(now)[1])
    return encode(head + rows) if rows.strip() else None


def _rows_of(content: bytes | None) -> set[str]:
    """The lines of a file's body, as they stand."""
    body = frontmatter.split(decode(content or b""))[1]
    return {row.strip() for row in body.splitlines() if row.strip()}


def _facts(content: bytes | None) -> set[str]:
    """The facts of a file: its list items and the lines of an entry's body."""
    body = frontmatter.split(readable(content or b""))[1]
    return {bare(row) for row in [*body.splitlines(), *lines.texts(body)] if bare(row) and not row.startswith("#")}


def merge(before: str, after: str, now: str) -> str:
    """Apply the change `after` -> `before` to `now`: every line that is not the run's stays, in its order.

    In the frontmatter a key goes back to what it was if nobody has changed it since.
    """
    body = _merge_rows(*(frontmatter.split(text)[1] for text in (before, after, now)))
    old, new, meta = (frontmatter.read(text).meta for text in (before, after, now))
    back = {key: old.get(key) for key in {**old, **new} if old.get(key) != new.get(key) == meta.get(key)}
    text = frontmatter.split(now)[0] + body
    return frontmatter.splice(text, back) if back else text


def _merge_rows(before: str, after: str, now: str) -> str:
    old, new, rows = (lines.split_lines(text) for text in (before, after, now))
    stands = _alignment(_keys(new), _keys(rows))
    later = {key for n, key in enumerate(_keys(rows)) if key.strip() and n not in stands.values()}
    gone: set[int] = set()
    back: dict[int, list[str]] = {}
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, _keys(new), _keys(old), autojunk=False).get_opcodes():
        if tag != "equal":
            gone |= {stands[i] for i in range(i1, i2) if i in stands}
            wanted = [row for row in old[j1:j2] if _key(row) not in later]  # a person brought it back by hand
            back.setdefault(_place(stands, i1, i2), []).extend(wanted)
    return "".join(_rows(rows, gone, back, lines.newline_of(now)))


def _alignment(new: Sequence[str], rows: Sequence[str]) -> dict[int, int]:
    """Where each line that the run left stands now; one that was moved by hand is found by its text."""
    blocks = SequenceMatcher(None, new, rows, autojunk=False).get_matching_blocks()
    found = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    taken = set(found.values())
    free: defaultdict[str, deque[int]] = defaultdict(deque)
    for n, key in enumerate(rows):
        if n not in taken and key.strip():
            free[key].append(n)
    moved = {i: free[key].popleft() for i, key in enumerate(new) if i not in found and free[key]}
    return found | moved


def _place(stands: Mapping[int, int], start: int, end: int) -> int:
    """Where lines come back: where the ones that replaced them stand, else after the nearest line before."""
    here = next((stands[i] for i in range(start, end) if i in stands), None)
    if here is not None:
        return here
    return next((stands[i] + 1 for i in range(start - 1, -1, -1) if i in stands), 0)


def _rows(rows: Sequence[str], gone: set[int], back: Mapping[int, Sequence[str]], newline: str) -> Iterator[str]:
    kept = []
    for n, row in enumerate([*rows, ""]):
        kept += [_key(old) + newline for old in back.get(n, ())]
        kept += [row] if row and n not in gone else []
    yield from (row if row.endswith("\n") else row + newline for row in kept[:-1])
    yield from kept[-1:]


def _keys(rows: Sequence[str]) -> list[str]:
    return [_key(row) for row in rows]


def _key(row: str) -> str:
    return row.rstrip("\r\n")
