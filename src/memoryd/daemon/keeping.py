"""Notes that are kept beside memory: what a new one becomes, how recall tells them. Blocking."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.daemon import descriptors
from memoryd.daemon.config import Notes as Settings
from memoryd.daemon.journal.notes import KeptNote, KeptNotes, NewNote, NoteKind
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.daemon.journal.store import Store
from memoryd.errors import NotFound
from memoryd.memory.blocks import Note
from memoryd.memory.labels import Labels
from memoryd.memory.ports import Author

INLINE_CHARS = 400  #: a longer note, or one out of a file, is told by its descriptor
AGENT_PLAN_DAYS = 7  #: a plan of an agent that nobody finished is told that long


def dated(new: NewNote, settings: Settings, now: datetime) -> NewNote:
    """Return a note with the end that its kind gives it, when it names none itself."""
    if new.expires_at is not None:
        return new
    if new.kind is NoteKind.WORKING:
        ends = now + timedelta(hours=settings.working_hours)
        return replace(new, expires_at=ends, with_session=settings.until_session_end and new.session_id is not None)
    if new.kind is NoteKind.PLAN and new.author is Author.HOST:
        return replace(new, expires_at=now + timedelta(days=AGENT_PLAN_DAYS))
    return new


def told(
    journal: Store, directories: Sequence[Path], session: tuple[str, str] | None, words: Labels
) -> tuple[Note, ...]:
    """What recall tells of the notes of these directories to a session, None to a new one."""
    host, session_id = session or (None, None)
    known = KeptNotes(journal).told_to(directories, host, _thread(journal, host, session_id))
    return tuple(_note(note, words) for note in known)


def _thread(journal: Store, host: str | None, session_id: str | None) -> Sequence[str]:
    if host is None or session_id is None:
        return ()
    try:
        return RecordedSessions(journal).thread(host, session_id)
    except NotFound:
        return (session_id,)


def _note(note: KeptNote, words: Labels) -> Note:
    described = is_described(note)
    return Note(
        id=note.id, kind=note.kind.value, text=descriptor(note, words) if described else note.text,
        by_agent=note.author is Author.HOST, described=described,
        steps=note.steps,
    )  # fmt: skip


def is_described(note: KeptNote) -> bool:
    return len(note.text) > INLINE_CHARS or note.file is not None


def descriptor(note: KeptNote, words: Labels) -> str:
    """The line that stands for a note, with what became of its file."""
    name = Path(note.file).name if note.file else next(filter(None, map(str.strip, note.text.split("\n"))), "")
    line = descriptors.line(name, str(note.kind), len(note.text.encode()), f"{descriptors.NOTE}:{note.id}")
    stale = state(note)
    return f"{line} ({words.resumption.stale[stale]})" if stale else line


def state(note: KeptNote) -> descriptors.State:
    """What became of the file that a note came from."""
    return descriptors.state_of(Path(note.file), note.digest or "") if note.file else ""
