"""Recall: memory as text for a host, within its budget (DESIGN.md 5.4). Pure: reads a catalogue, never a file.

What is handed out is quoted data. It is redacted, and tags that a host could take for its own are taken out of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memoryd.memory import instincts, labels, procedures
from memoryd.memory.blocks import Ask, Block, Goal, Insert, Piece, Section, arranged
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.fence import CLOSE as CLOSE
from memoryd.memory.fence import OPEN as OPEN
from memoryd.memory.fence import PREFETCH_CLOSE, PREFETCH_OPEN
from memoryd.memory.fence import clean as clean
from memoryd.memory.labels import Labels
from memoryd.memory.model import Root
from memoryd.memory.page import Page, closing_names, tell_once
from memoryd.memory.ranking import LINE_WEIGHT, WEIGHTS, Weights, composite, is_relevant, telling_words
from memoryd.memory.recall_blocks import (
    BLOCKS,
    entry_id,
    entry_piece,
    instinct_piece,
    is_current,
    provider_piece,
    row_piece,
    steps_piece,
)
from memoryd.memory.text import tokens
from memoryd.memory.words import content_words

BUDGET_TOKENS = 2_500
MAX_CHARS = 9_500  #: for hosts that cut at 10 000
PREFETCH_TOKENS = 600
PREFETCH_LIMIT = 5
PROVIDER_TOKENS = 300  #: of an external memory provider, beside the budget of memory
QUERY_CHARS = 4_000  #: of a prompt; what it speaks of stands in its beginning, the rest is material


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What is injected, and what is not."""

    text: str  #: '' when there is nothing to say
    items: tuple[str, ...]  #: ids of the memories in the text; an id changes with the content
    left_out: int  #: memories that did not fit
    generation: int


def snapshot(
    catalogue: Catalogue,
    *,
    now: datetime,
    where: Mapping[Root, str],
    today: date | None = None,
    budget_tokens: int = BUDGET_TOKENS,
    max_chars: int = MAX_CHARS,
    checkpoint: str | None = None,
    query_context: str = "",
    paths: Sequence[str] = (),
    goals: Sequence[Goal] = (),
    language: str = "en",
    shown: frozenset[str] = frozenset(),
    blocks: Sequence[Block] = BLOCKS,
) -> Recalled:
    """Return the memory for the start of a session.

    :param where: the memory directories, named to the agent
    :param today: by the person's calendar
    :param query_context: what the session is about, if known; ranks the entries, as `paths` does: where it works
    :param shown: ids that the host still has in its context (resume, fork): only what changed comes back, or nothing
    :param blocks: those that are on; one that breaks is left out, and the rest reads as if it were not there
    """
    asked = Ask(
        catalogue=catalogue, now=now, today=today or now.date(), where=where, labels=labels.of(language),
        query=content_words(query_context), paths=tuple(paths), checkpoint=checkpoint, goals=tuple(goals),
        resumed=bool(shown),
    )  # fmt: skip
    return write(asked, arranged(blocks), budget_tokens=budget_tokens, max_chars=max_chars, shown=shown)


def write(
    asked: Ask, blocks: Sequence[Block], *, budget_tokens: int, max_chars: int, shown: frozenset[str] = frozenset()
) -> Recalled:
    """Write a snapshot.

    :param blocks: in the order in which they are given room
    """
    made = [(block, _sections(block, asked)) for block in blocks if block.insert is not Insert.CLOSING]
    something = any(piece.id for _, sections in made for section in sections for piece in section.pieces)
    page = Page(
        budget_tokens=budget_tokens, max_chars=max_chars, shown=shown, words=asked.labels,
        closing=closing_names(blocks), empty=asked.catalogue.empty and not something,
    )  # fmt: skip
    for block, sections in made:
        page.fill(block, sections)
    text, items, left_out = page.close()
    return Recalled(text=text, items=items, left_out=left_out, generation=asked.catalogue.generation)


def _sections(block: Block, asked: Ask) -> Sequence[Section]:
    """The sections of a block; none when it breaks, or when it is for new sessions only."""
    if block.insert is Insert.START and asked.resumed:
        return ()
    try:
        return list(block.sections(asked))
    except Exception as error:
        tell_once(block.name, type(error).__name__)
        return ()


def prefetch(
    catalogue: Catalogue,
    query: str,
    *,
    now: datetime,
    already_shown: frozenset[str] = frozenset(),
    chosen: Sequence[str] = (),
    goals: Sequence[str] = (),
    steps: Sequence[str] = (),
    budget_tokens: int = PREFETCH_TOKENS,
    max_chars: int = MAX_CHARS,
    language: str = "en",
    limit: int = PREFETCH_LIMIT,
    weights: Weights = WEIGHTS,
    provider: Sequence[str] = (),
) -> Recalled:
    """Return the memories that one prompt speaks of, '' when none truly does; nothing is better than noise.

    First come the procedures that it, or an open goal, asks for, with their steps; then the instincts whose moment it
    is.

    :param steps: what the session did lately
    :param chosen: ids of entries that follow them as far as there is room; those that are gone, or changed, do not
    :param provider: rows of an external memory provider; they stand last and take no room from memory
    """
    if not (catalogue.papers or catalogue.lines or provider):
        return Recalled(text="", items=(), left_out=0, generation=catalogue.generation)
    query = query[:QUERY_CHARS]
    words, asked = labels.of(language), content_words(query)
    telling = telling_words(catalogue, query)
    scored = [
        (composite(asked, known, now, weights), entry_piece(known, words, now))
        for known in catalogue.entries
        if is_current(known, now) and is_relevant(asked, telling, known)
    ]
    scored += [
        (LINE_WEIGHT * len(telling & line.words) / max(1, len(asked)), row_piece(line.key, f"- {line.text}"))
        for line in catalogue.lines
        if is_relevant(asked, telling, line)
    ]
    found = [piece for _, piece in sorted(scored, key=lambda pair: (-pair[0], pair[1].id))]
    asked_for = map(steps_piece, procedures.matched(catalogue.procedures, query, goals, now))
    due = [instinct_piece(one, words) for one in instincts.matched(catalogue.instincts, query, steps, now)]
    fresh = [piece for piece in (*asked_for, *due, *found) if piece.id not in already_shown]
    taken = {piece.id for piece in fresh} | already_shown
    fresh += [piece for piece in _chosen(catalogue, chosen, words, now) if piece.id not in taken]
    lines, used = _filled([PREFETCH_OPEN, words.recalled, PREFETCH_CLOSE], fresh[:limit], budget_tokens, max_chars)
    left_out = len(fresh) - len(used)
    told = [piece for row in provider if (piece := provider_piece(row, words)).id not in already_shown]
    lines, more = _filled(lines, told, tokens("\n".join(lines)) + PROVIDER_TOKENS, max_chars)
    used += more
    return Recalled(
        text="\n".join(lines) if used else "", items=tuple(used), left_out=left_out, generation=catalogue.generation
    )


def _filled(
    lines: list[str], pieces: Sequence[Piece], budget_tokens: int, max_chars: int
) -> tuple[list[str], list[str]]:
    """The lines with the pieces for which there is room before the last one, and the ids of these pieces."""
    used: list[str] = []
    for piece in pieces:
        longer = [*lines[:-1], piece.render(), lines[-1]]
        if tokens("\n".join(longer)) <= budget_tokens and len("\n".join(longer)) <= max_chars:
            lines, used = longer, [*used, piece.id]
    return lines, used


def _chosen(catalogue: Catalogue, chosen: Sequence[str], words: Labels, now: datetime) -> list[Piece]:
    """The entries of these ids that are current, in the order of the ids."""
    if not chosen:
        return []
    held = {entry_id(known): known for known in catalogue.entries if is_current(known, now)}
    return [entry_piece(held[id], words, now) for id in dict.fromkeys(chosen) if id in held]
