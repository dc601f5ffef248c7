"""The blocks of a snapshot, in the order of DESIGN.md 5.4. A row each: name, place, priority, share, when."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial

from memoryd.memory import daily, instincts, kept_notes, labels, nearby
from memoryd.memory.blocks import Ask, Block, Goal, Insert, Piece, Section, item_id
from memoryd.memory.catalogue import DayNotes, Known, SessionSummary
from memoryd.memory.entries import slug_of
from memoryd.memory.fence import clean, closed, quoted
from memoryd.memory.labels import Labels
from memoryd.memory.model import Entry, EntryType, FileKey, Root
from memoryd.memory.procedures import matched as procedures_asked
from memoryd.memory.procedures import steps_of, told_unasked
from memoryd.memory.ranking import composite, ranked
from memoryd.memory.text import bare, cut

ADVERT = "advert"  #: the block that tells of the memory; the one that stays in mode `tools`
CORE_SHARE = 0.6
BEST_EACH, FURTHER, SESSIONS, PROCEDURES, GOALS, TEAM = 3, 5, 5, 3, 10, 8
PREVIEW_LINES, PREVIEW_CHARS = 3, 240
MAX_STEPS = 12  #: of a procedure
STEPS = "/steps"  #: ends the id of a procedure that is shown with its steps
SESSION_CHARS, NOTE_CHARS = 400, 240
STALE_DAYS = 1  #: from this age on an entry tells its age
NEAR_BOOST = 0.3  #: for an entry that names a place where the session works; a full match of words is worth 0.5
_CORE_ORDER = ("constraints.md", "preferences.md", "user.md", "identity.md")


def advert(ask: Ask) -> Iterator[Section]:
    """How to use the memory; in a resumed session, that it changed."""
    places = " · ".join(f"`{path}`" for _, path in sorted(ask.where.items(), reverse=True))
    text = ask.labels.changed if ask.resumed else ask.labels.advert.format(places=places, how=ask.labels.how).rstrip()
    yield Section(pieces=[Piece("", text.__str__)])


def checkpoint(ask: Ask) -> Iterator[Section]:
    if ask.checkpoint:
        piece = Piece(item_id("checkpoint", ask.checkpoint), partial(clean, ask.checkpoint))
        yield Section(heading=ask.labels.checkpoint, pieces=[piece])


def core(ask: Ask) -> Iterator[Section]:
    for name in _CORE_ORDER:
        shown = [(key, text) for key, text in ask.catalogue.core.items() if key.path == name]
        yield Section(heading=ask.labels.core[name], pieces=[p for key, text in shown for p in _row_pieces(key, text)])


def own_notes(ask: Ask) -> Iterator[Section]:
    """What the person wrote into MEMORY.md."""
    pieces = [p for key, text in ask.catalogue.notes.items() for p in _row_pieces(key, text)]
    yield Section(heading=ask.labels.own_notes, pieces=pieces)


def entries(ask: Ask) -> Iterator[Section]:
    """Feedback and user entries; the best of project and of reference; further ones; dated facts, quoted."""
    about, work, further = _chosen(ask)
    noted = _by_standing([known for known in _current(ask) if known.entry.dated], ask)[:FURTHER]
    words = ask.labels
    parts = ((words.about_user, about), (words.work, work), (words.further, further), (words.noted, noted))
    for heading, known in parts:
        yield Section(heading=heading, pieces=[entry_piece(k, words, ask.now) for k in known])
    yield Section(unlisted=len(_current(ask)) - sum(len(known) for _, known in parts))


def procedures(ask: Ask) -> Iterator[Section]:
    """Those that are asked for with their steps, the best of the others by their names."""
    known = ask.catalogue.procedures
    asked = procedures_asked(known, ask.prompt, [goal.text for goal in ask.goals], ask.now)
    others = [one for one in known if one not in asked and told_unasked(one, ask.now)]
    best = ranked(others, ask.query, ask.now, ask.weights)[: PROCEDURES - len(asked)]
    pieces = [Piece(entry_id(one), partial(_procedure_text, one)) for one in best]
    yield Section(
        heading=ask.labels.procedures, pieces=[*map(steps_piece, asked), *pieces], unlisted=len(others) - len(best)
    )


def habits(ask: Ask) -> Iterator[Section]:
    """The instincts whose moment it is."""
    due = instincts.matched(ask.catalogue.instincts, ask.prompt, ask.steps, ask.now)
    yield Section(heading=ask.labels.instincts, pieces=[instinct_piece(one, ask.labels) for one in due])


def team(ask: Ask) -> Iterator[Section]:
    """What the repository says of itself and a person has looked at: the best, quoted."""
    known = [known for known in ask.catalogue.entries if known.key.root is Root.TEAM and is_current(known, ask.now)]
    best = _by_standing(known, ask)[:TEAM]
    pieces = [entry_piece(one, ask.labels, ask.now) for one in best]
    yield Section(heading=ask.labels.team, pieces=pieces, unlisted=len(known) - len(best))


def provider(ask: Ask) -> Iterator[Section]:
    """What an external memory provider tells every session."""
    yield Section(heading=ask.labels.provider, pieces=[provider_piece(row, ask.labels) for row in ask.provider])


def sessions(ask: Ask) -> Iterator[Section]:
    known = [one for one in ask.catalogue.sessions if not ask.talk or not one.key.path.endswith(ask.talk)]
    pieces = [_session_piece(session, ask.labels) for session in known[:SESSIONS]]
    yield Section(heading=ask.labels.sessions, pieces=pieces, unlisted=max(0, len(known) - SESSIONS))


def notes_of_days(ask: Ask) -> Iterator[Section]:
    """The notes of today and yesterday, the newest first."""
    days = {ask.today: ask.labels.today, ask.today - timedelta(days=1): ask.labels.yesterday}
    wanted = [(days[notes.day], notes) for notes in ask.catalogue.daily if notes.day in days]
    pieces = [piece for word, notes in wanted for piece in _note_pieces(word, notes)]
    yield Section(heading=ask.labels.daily, pieces=pieces)


def goals(ask: Ask) -> Iterator[Section]:
    pieces = [
        Piece(item_id(f"goal {goal.id}", goal.text), partial(_goal_text, goal, ask)) for goal in ask.goals[:GOALS]
    ]
    yield Section(heading=ask.labels.goals, pieces=pieces, unlisted=max(0, len(ask.goals) - GOALS))


BLOCKS = (
    Block(name=ADVERT, order=10, priority=10, sections=advert),
    Block(name="checkpoint", order=20, priority=20, sections=checkpoint),
    Block(name="notes", order=25, priority=25, share=0.35, sections=kept_notes.sections),
    Block(name="core", order=30, priority=30, share=CORE_SHARE, sections=core),
    Block(name="own_notes", order=40, priority=40, sections=own_notes),
    Block(name="entries", order=50, priority=50, sections=entries),
    Block(name="procedures", order=60, priority=60, share=0.3, sections=procedures),
    Block(name="instincts", order=62, priority=48, share=0.1, sections=habits),
    Block(name="team", order=65, priority=55, share=0.2, sections=team),
    Block(name="provider", order=67, priority=57, share=0.15, sections=provider),
    Block(name="sessions", order=70, priority=70, sections=sessions),
    Block(name="daily", order=80, priority=46, share=0.2, sections=notes_of_days),
    Block(name="goals", order=90, priority=44, share=0.2, sections=goals),  #: few lines: before longer texts take all
    Block(name="verify", order=100, priority=0, insert=Insert.CLOSING),
    Block(name="left_out", order=110, priority=0, insert=Insert.CLOSING),
)
BUILTIN = tuple(block.name for block in BLOCKS)


def row_piece(key: FileKey, row: str) -> Piece:
    return Piece(item_id(key, bare(row)), partial(clean, row))


def entry_piece(known: Known, words: Labels, now: datetime) -> Piece:
    return Piece(entry_id(known), partial(_entry_text, known, words, now))


def provider_piece(row: str, words: Labels) -> Piece:
    """A row of an external memory provider, which is quoted already, with its origin."""
    return Piece(item_id("provider", row), partial(clean, words.of_provider.format(row)))


def _row_pieces(key: FileKey, text: str) -> list[Piece]:
    return [row_piece(key, row) for row in text.split("\n")]


def entry_id(known: Known) -> str:
    """The id of an entry as it is now."""
    entry = known.entry
    return item_id(known.key, f"{entry.name}\n{entry.description}\n{entry.body}")


def _entry_text(known: Known, words: Labels, now: datetime) -> str:
    """Format an entry: `[label] name (age): description` and the first 3 lines of its body, each text once; a dated
    fact as a quote."""
    entry = known.entry
    if known.key.root is Root.TEAM:
        told = filter(None, [entry.name, _on_one_line(entry, but=entry.name)])
        return clean(words.of_team.format(_in_quotes(": ".join(told))))
    if entry.dated:
        return _quoted(entry, words)
    moment = entry.updated_at or entry.created_at
    age = words.age(moment, now) if moment and labels.age_days(moment, now) >= STALE_DAYS else ""
    about = entry.description if entry.description != entry.name else ""
    aside = "; ".join(filter(None, [age, words.gone.format(", ".join(known.gone)) if known.gone else ""]))
    title = f"{words.title(entry)}{f' ({aside})' if aside else ''}{f': {about}' if about else ''}"
    body = [row for row in entry.body.split("\n") if bare(row) and bare(row) not in (entry.name, entry.description)]
    rows = [f"  {cut(row, PREVIEW_CHARS)}" for row in body[:PREVIEW_LINES]]
    return clean("\n".join([title, *closed(rows), *(["  …"] if len(body) > PREVIEW_LINES else [])]))


def _quoted(entry: Entry, words: Labels) -> str:
    """Format what no user said on one line, in quotation marks that nothing inside can close."""
    noted, until = (f"{at:%Y-%m-%d}" if at else "?" for at in (entry.created_at, entry.expires_at))
    return clean(words.dated.format(entry.tier, noted, until, _in_quotes(_on_one_line(entry))))


def _on_one_line(entry: Entry, *, but: str = "") -> str:
    """The rows of its body but those that say nothing more: a heading is its name again."""
    return " / ".join(bare(row) for row in entry.body.split("\n") if bare(row) not in ("", but))


def _in_quotes(text: str) -> str:
    return re.sub('[“”"]', "'", cut(text, PREVIEW_CHARS))


def steps_piece(known: Known) -> Piece:
    """A procedure with its steps; it has an id of its own, for a session may have been shown its name alone."""
    return Piece(f"{entry_id(known)}{STEPS}", partial(_steps_text, known))


def instinct_piece(known: Known, words: Labels) -> Piece:
    return Piece(entry_id(known), partial(_instinct_text, known, words))


def handed_out(items: Sequence[str]) -> list[tuple[str, str]]:
    """Root and path of each procedure that was shown with its steps."""
    ids = (item.rpartition("#")[0].partition(":") for item in items if item.endswith(STEPS))
    return [(root, path) for root, _, path in ids]


def entries_in(items: Sequence[str]) -> list[tuple[str, str]]:
    """Root and path of each entry among the ids of what was shown, in their order, each once."""
    places = (item.rpartition("#")[0].partition(":") for item in items)
    return list(dict.fromkeys((root, path) for root, _, path in places if slug_of(path)))


def _steps_text(known: Known) -> str:
    rows = [f"  {n}. {_told_by(known, step)}" for n, step in enumerate(steps_of(known)[:MAX_STEPS], start=1)]
    return "\n".join([_procedure_text(known), *(clean(row) for row in closed(rows))])


def _procedure_text(known: Known) -> str:
    entry = known.entry
    about = f": {_told_by(known, entry.description)}" if entry.description else ""
    return clean(f"- {_told_by(known, entry.name)}{about} ({known.key.path})")


def _instinct_text(known: Known, words: Labels) -> str:
    """An instinct; a habit that no user told stands in quotation marks."""
    when, then = ", ".join(instincts.triggers_of(known)), cut(instincts.action_of(known), PREVIEW_CHARS)
    if known.entry.dated:
        return clean(words.habit.format(quoted(when), quoted(then), round(100 * (known.entry.confidence or 1.0))))
    return clean(words.correction.format(cut(when, PREVIEW_CHARS), then))


def _told_by(known: Known, text: str) -> str:
    """Words of a procedure: in quotation marks where no user said them; names of programs and tools are others'."""
    shown = cut(text, PREVIEW_CHARS)
    return quoted(shown) if known.entry.dated else shown


def _session_piece(session: SessionSummary, words: Labels) -> Piece:
    rows = [row for row in words.summarised(session.text).split("\n") if row.strip()]
    said = quoted(cut(" / ".join(map(bare, rows)), SESSION_CHARS))
    return Piece(item_id(session.key, session.text), partial(clean, f"> {session.date}: {said}"))


def _note_pieces(word: str, notes: DayNotes) -> list[Piece]:
    return [Piece(item_id(notes.key, row), partial(_note_text, word, row)) for row in reversed(notes.rows)]


def _note_text(word: str, row: str) -> str:
    """A note; what an agent noted stands in quotation marks that nothing inside can close."""
    head, agent, said = row.partition(daily.AGENT)
    if not agent or len(head) > len("00:00 "):
        return clean(f"- {word} {cut(row, NOTE_CHARS)}")
    return clean(f"> {word} {head}{agent}{quoted(cut(said, NOTE_CHARS))}")


def _goal_text(goal: Goal, ask: Ask) -> str:
    age = f" ({ask.labels.age(goal.since, ask.now)})" if labels.age_days(goal.since, ask.now) >= STALE_DAYS else ""
    return clean(f"- {goal.text}{age}")


def _chosen(ask: Ask) -> tuple[list[Known], list[Known], list[Known]]:
    order = _by_standing([known for known in _current(ask) if not known.entry.dated], ask)
    about = [known for known in order if known.entry.type in (EntryType.USER, EntryType.FEEDBACK)]
    work = [
        known
        for kind in (EntryType.PROJECT, EntryType.REFERENCE)
        for known in [k for k in order if k.entry.type is kind][:BEST_EACH]
    ]
    taken = {known.key for known in [*about, *work]}
    return about, work, [known for known in order if known.key not in taken][:FURTHER]


def is_current(known: Known, now: datetime) -> bool:
    return known.entry.active and not known.entry.expired(now)


def _current(ask: Ask) -> list[Known]:
    own = (known for known in ask.catalogue.entries if known.key.root is not Root.TEAM)
    return [known for known in own if is_current(known, ask.now)]


def _by_standing(known: Sequence[Known], ask: Ask) -> list[Known]:
    """The entries, the best first: by their words, age and importance, and whether they name where the work is."""
    here = nearby.parts_of(ask.paths)

    def standing(one: Known) -> float:
        near = 0.0 if here.isdisjoint(one.paths) else NEAR_BOOST
        return composite(ask.query, one, ask.now, ask.weights) + near

    return sorted(known, key=lambda one: (-standing(one), one.key))
