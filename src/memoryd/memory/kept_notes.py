"""The block of notes that are kept beside memory. What an agent noted stands in quotation marks."""

from collections.abc import Iterator
from functools import partial

from memoryd.memory import daily
from memoryd.memory.blocks import Ask, Note, Piece, Section, item_id
from memoryd.memory.fence import clean, quoted


def sections(ask: Ask) -> Iterator[Section]:
    """Priority and working notes, and each plan that has an open step."""
    words = ask.labels
    for kind, heading in (("priority", words.priority), ("working", words.working)):
        notes = [note for note in ask.notes if note.kind == kind]
        yield Section(heading=heading, pieces=[_piece(note) for note in notes])
    if words.longer and any(note.described for note in ask.notes):
        yield Section(pieces=[Piece("", words.longer.__str__)])
    for plan in (note for note in ask.notes if note.kind == "plan" and not all(step.done for step in note.steps)):
        done = sum(step.done for step in plan.steps)
        heading = clean(words.plan.format(f"note:{plan.id}", _text(plan), done, len(plan.steps)))
        yield Section(heading=heading, pieces=list(_steps(plan)))


def _piece(note: Note) -> Piece:
    mark = ">" if note.by_agent else "-"
    return Piece(item_id(f"note {note.id}", note.text), partial(clean, f"{mark} {_text(note)}"))


def _text(note: Note) -> str:
    return daily.AGENT + _said(note, note.text) if note.by_agent else _said(note, note.text)


def _said(note: Note, text: str) -> str:
    """A text of a note on one line; an agent's in quotation marks that nothing inside can close."""
    return quoted(text) if note.by_agent else " ".join(text.split())


def _steps(plan: Note) -> Iterator[Piece]:
    """The open steps of a plan with their numbers."""
    for number, step in enumerate(plan.steps, start=1):
        if not step.done:
            text = f"{'>' if plan.by_agent else '-'} [ ] {number}. {_said(plan, step.text)}"
            yield Piece(item_id(f"note {plan.id} {number}", step.text), partial(clean, text))
