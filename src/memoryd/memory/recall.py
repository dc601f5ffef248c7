"""Recall: memory as text for a host, within its budget (DESIGN.md 5.4). Pure: reads a catalogue, never a file.

What is handed out is quoted data. It is redacted, and tags that a host could take for its own are taken out of it.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from memoryd.ipc.redaction import redact
from memoryd.memory import labels
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.labels import Labels
from memoryd.memory.model import Entry, EntryType, FileKey, Root
from memoryd.memory.ranking import LINE_WEIGHT, composite, is_relevant, ranked, telling_words
from memoryd.memory.text import bare, content_words, cut, tokens

BUDGET_TOKENS = 2_500
MAX_CHARS = 9_500  #: for hosts that cut at 10 000
PREFETCH_TOKENS = 600
CORE_SHARE = 0.6
BEST_EACH, FURTHER, SESSIONS = 3, 5, 5
PREVIEW_LINES, PREVIEW_CHARS = 3, 240
SESSION_CHARS = 400
PREFETCH_LIMIT = 5
QUERY_CHARS = 4_000  #: of a prompt; what it speaks of stands in its beginning, the rest is material
_MISSES = 3  #: memories in a row of a block that do not fit: the rest is not tried
STALE_DAYS = 1  #: from this age on an entry tells its age

OPEN, CLOSE = "<project-memory-context>", "</project-memory-context>"
PREFETCH_OPEN, PREFETCH_CLOSE = "<memory-context>", "</memory-context>"
_REMINDER = re.compile(r"<\s*system-reminder\b[^>]*>.*?<\s*/\s*system-reminder\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<\s*/?\s*(?:system-reminder|project-memory-context|memory-context)\b[^>]*>?", re.IGNORECASE)
_CORE_ORDER = ("constraints.md", "preferences.md", "user.md", "identity.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What is injected, and what is not."""

    text: str  #: '' when there is nothing to say
    items: tuple[str, ...]  #: ids of the memories in the text; an id changes with the content
    left_out: int  #: memories that did not fit
    generation: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """One memory; it is rendered only when there may be room for it."""

    id: str
    render: Callable[[], str]


def snapshot(
    catalogue: Catalogue,
    *,
    now: datetime,
    where: Mapping[Root, str],
    budget_tokens: int = BUDGET_TOKENS,
    max_chars: int = MAX_CHARS,
    checkpoint: str | None = None,
    query_context: str = "",
    language: str = "en",
    shown: frozenset[str] = frozenset(),
) -> Recalled:
    """Return the memory for the start of a session.

    :param where: the memory directories, named to the agent
    :param query_context: what the session is about, if known; ranks the entries
    :param shown: ids that the host still has in its context (resume, fork): only what changed comes back, or nothing
    """
    words = labels.of(language)
    page = _Page(budget_tokens=budget_tokens, max_chars=max_chars, shown=shown, around=_around(words, catalogue))
    # 1. how to use it, or that it changed
    page.say(words.changed if shown else words.advert.format(_places(where)))
    # 2. the checkpoint of a compaction
    if checkpoint:
        page.block(words.checkpoint, [_Piece(_id("checkpoint", checkpoint), partial(clean, checkpoint))])
    # 3. core files, together at most 60 %
    with_share = page.share(CORE_SHARE)
    for name in _CORE_ORDER:
        with_share.block(words.core[name], _core_pieces(catalogue, name))
    # 4. the person's own MEMORY.md text
    page.block(words.own_notes, [p for key, text in catalogue.notes.items() for p in _row_pieces(key, text)])
    # 5. entries: about the user, best of the project, further ones
    about, work, further = _chosen(catalogue, content_words(query_context), now)
    for heading, known in ((words.about_user, about), (words.work, work), (words.further, further)):
        page.block(heading, [_entry_piece(k, words, now) for k in known])
    noted = _noted(catalogue, content_words(query_context), now)
    page.block(words.noted, [_entry_piece(k, words, now) for k in noted[:FURTHER]])
    page.leave_out(_unchosen(catalogue, now, about, work, further, noted[:FURTHER]))
    # 6. the newest sessions
    sessions = catalogue.sessions[:SESSIONS]
    page.block(words.sessions, [_session_piece(s.key, s.date, s.text) for s in sessions])
    # 7. the note to check, under its own heading, and what was left out
    return page.close(words, empty=catalogue.empty, generation=catalogue.generation)


def prefetch(
    catalogue: Catalogue,
    query: str,
    *,
    now: datetime,
    already_shown: frozenset[str] = frozenset(),
    budget_tokens: int = PREFETCH_TOKENS,
    max_chars: int = MAX_CHARS,
    language: str = "en",
    limit: int = PREFETCH_LIMIT,
) -> Recalled:
    """Return the memories that one prompt speaks of, '' when none truly does; nothing is better than noise."""
    if not (catalogue.entries or catalogue.lines):
        return Recalled(text="", items=(), left_out=0, generation=catalogue.generation)
    query = query[:QUERY_CHARS]
    words, asked = labels.of(language), content_words(query)
    telling = telling_words(catalogue, query)
    scored = [
        (composite(asked, known, now), _entry_piece(known, words, now))
        for known in catalogue.entries
        if _is_current(known, now) and is_relevant(asked, telling, known)
    ]
    scored += [
        (LINE_WEIGHT * len(telling & line.words) / max(1, len(asked)), _row_piece(line.key, f"- {line.text}"))
        for line in catalogue.lines
        if is_relevant(asked, telling, line)
    ]
    fresh = [
        piece for _, piece in sorted(scored, key=lambda pair: (-pair[0], pair[1].id)) if piece.id not in already_shown
    ]
    lines = [PREFETCH_OPEN, words.recalled, PREFETCH_CLOSE]
    used: list[str] = []
    for piece in fresh[:limit]:
        longer = [*lines[:-1], piece.render(), PREFETCH_CLOSE]
        if tokens("\n".join(longer)) <= budget_tokens and len("\n".join(longer)) <= max_chars:
            lines, used = longer, [*used, piece.id]
    return Recalled(
        text="\n".join(lines) if used else "",
        items=tuple(used),
        left_out=len(fresh) - len(used),
        generation=catalogue.generation,
    )


def clean(text: str) -> str:
    """Return memory text that may be injected: redacted, without tags that frame context for a host."""
    text = redact(text)
    while (plain := _TAG.sub("", _REMINDER.sub("", text))) != text:
        text = plain
    return text


class _Page:
    """A text that grows block by block and never over its budget."""

    def __init__(self, *, budget_tokens: int, max_chars: int, shown: frozenset[str], around: str) -> None:
        self._budget, self._max_chars = budget_tokens, max_chars
        self._tokens = budget_tokens - tokens(around)  #: still free
        self._chars = max_chars - len(around)
        self._shown = shown
        self._rows: list[str] = []
        self._items: list[str] = []
        self._left_out = 0

    def say(self, text: str) -> None:
        """Add a text that is no memory, when it fits."""
        if self._fits(text, self._tokens):
            self._add(text)

    def share(self, share: float) -> "_Share":
        return _Share(self, int(self._tokens * share))

    def block(self, heading: str, pieces: Sequence[_Piece], *, limit: int | None = None) -> int:
        """Add what fits of the pieces under their heading; return the tokens that they took."""
        free = self._tokens
        floor = 0 if limit is None else max(0, free - limit)
        lead, misses = f"\n{heading}\n", 0
        wanted = [piece for piece in pieces if piece.id not in self._shown]
        for piece in wanted:
            text = "" if misses >= _MISSES else lead + piece.render()
            if text and self._fits(text, self._tokens - floor):
                self._add(text)
                self._items.append(piece.id)
                lead = ""
            else:
                misses += 1
        self._left_out += misses
        return free - self._tokens

    def leave_out(self, count: int) -> None:
        self._left_out += 0 if self._shown else count

    def close(self, words: Labels, *, empty: bool, generation: int) -> Recalled:
        if self._shown and not self._items:
            return Recalled(text="", items=(), left_out=0, generation=generation)
        last = [words.empty] if empty and not self._items else ["", words.verify]
        left_out = ["", words.left_out.format(self._left_out)] if self._left_out else []
        text = "\n".join([OPEN, *self._rows, *last, *left_out, CLOSE])
        if tokens(text) > self._budget or len(text) > self._max_chars:
            return Recalled(text="", items=(), left_out=self._left_out, generation=generation)
        return Recalled(text=text, items=tuple(self._items), left_out=self._left_out, generation=generation)

    def _fits(self, text: str, allowance: int) -> bool:
        return tokens(text) + 1 <= allowance and len(text) + 1 <= self._chars

    def _add(self, text: str) -> None:
        self._rows.append(text)
        self._tokens -= tokens(text) + 1
        self._chars -= len(text) + 1


class _Share:
    """A part of a page's budget that several blocks use up together."""

    def __init__(self, page: _Page, budget: int) -> None:
        self._page = page
        self._left = budget

    def block(self, heading: str, pieces: Sequence[_Piece]) -> None:
        self._left -= self._page.block(heading, pieces, limit=self._left)


def _around(words: Labels, catalogue: Catalogue) -> str:
    """The text that a page always needs besides its blocks."""
    note = words.empty if catalogue.empty else words.verify
    return "\n".join([OPEN, "", note, "", words.left_out.format(100_000), CLOSE, ""])


def _places(where: Mapping[Root, str]) -> str:
    return " · ".join(f"`{path}`" for _, path in sorted(where.items(), reverse=True))


def _core_pieces(catalogue: Catalogue, name: str) -> list[_Piece]:
    shown = [(key, text) for key, text in catalogue.core.items() if key.path == name]
    return [piece for key, text in shown for piece in _row_pieces(key, text)]


def _row_pieces(key: FileKey, text: str) -> list[_Piece]:
    return [_row_piece(key, row) for row in text.split("\n")]


def _row_piece(key: FileKey, row: str) -> _Piece:
    return _Piece(_id(key, bare(row)), partial(clean, row))


def _entry_piece(known: Known, words: Labels, now: datetime) -> _Piece:
    entry = known.entry
    content = f"{entry.name}\n{entry.description}\n{entry.body}"
    return _Piece(_id(known.key, content), partial(_entry_text, entry, words, now))


def _entry_text(entry: Entry, words: Labels, now: datetime) -> str:
    """Format an entry: `[label] name (age): description` and the first 3 lines of its body; a dated fact as a quote."""
    if entry.dated:
        return _quoted(entry, words)
    moment = entry.updated_at or entry.created_at
    age = words.age(moment, now) if moment and labels.age_days(moment, now) >= STALE_DAYS else ""
    title = f"{words.title(entry)}{f' ({age})' if age else ''}{f': {entry.description}' if entry.description else ''}"
    body = [row for row in entry.body.split("\n") if row.strip()]
    rows = [f"  {cut(row, PREVIEW_CHARS)}" for row in body[:PREVIEW_LINES]]
    return clean("\n".join([title, *rows, *(["  …"] if len(body) > PREVIEW_LINES else [])]))


def _quoted(entry: Entry, words: Labels) -> str:
    """Format what no user said on one line, in quotation marks that nothing inside can close."""
    said = cut(" / ".join(bare(row) for row in entry.body.split("\n") if bare(row)), PREVIEW_CHARS)
    said = re.sub('[“”"]', "'", said)
    noted, until = (f"{at:%Y-%m-%d}" if at else "?" for at in (entry.created_at, entry.expires_at))
    return clean(words.dated.format(entry.tier, noted, until, said))


def _is_current(known: Known, now: datetime) -> bool:
    return known.entry.active and not known.entry.expired(now)


def _noted(catalogue: Catalogue, query: frozenset[str], now: datetime) -> list[Known]:
    return ranked([k for k in catalogue.entries if k.entry.dated and _is_current(k, now)], query, now)


def _session_piece(key: FileKey, date: str, text: str) -> _Piece:
    rows = [row for row in text.split("\n") if row.strip()]
    said = re.sub("[“”]", "'", cut(" / ".join(map(bare, rows)), SESSION_CHARS))
    return _Piece(_id(key, text), partial(clean, f"> {date}: “{said}”"))


def _chosen(catalogue: Catalogue, query: frozenset[str], now: datetime) -> tuple[list[Known], list[Known], list[Known]]:
    """Return feedback and user entries; the best of project and of reference; further ones."""
    order = ranked([k for k in catalogue.entries if _is_current(k, now) and not k.entry.dated], query, now)
    about = [known for known in order if known.entry.type in (EntryType.USER, EntryType.FEEDBACK)]
    work = [
        known
        for kind in (EntryType.PROJECT, EntryType.REFERENCE)
        for known in [k for k in order if k.entry.type is kind][:BEST_EACH]
    ]
    taken = {known.key for known in [*about, *work]}
    return about, work, [known for known in order if known.key not in taken][:FURTHER]


def _unchosen(catalogue: Catalogue, now: datetime, *chosen: Sequence[Known]) -> int:
    active = sum(_is_current(known, now) for known in catalogue.entries)
    return active - sum(map(len, chosen)) + max(0, len(catalogue.sessions) - SESSIONS)


def _id(key: FileKey | str, content: str) -> str:
    """Return an id of a memory that changes with its content."""
    name = key if isinstance(key, str) else f"{key.root}:{key.path}"
    return f"{name}#{hashlib.sha256(content.encode(errors='surrogatepass')).hexdigest()[:12]}"
