"""Notes that are kept in the journal: priority, working and plan. Daily ones stand in files of memory. Blocking.

They are told to sessions and never learnt from: no run reads this table.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import LimitExceeded, NotFound
from memoryd.ipc.events import Event, SessionEnd
from memoryd.memory.blocks import PlanStep
from memoryd.memory.ports import Author

MIGRATION = """
    create table notes (
        id integer primary key, dir text not null, kind text not null,  -- priority, working, plan
        text text not null, steps text not null default '[]',           -- of a plan: [{"text", "done"}]
        author text not null,                        -- person, host
        host text, session_id text,                  -- the session that it is told to alone; null: to every one here
        with_session integer not null default 0,     -- it expires when that session ends
        file text, digest text,                      -- where its text came from, and that file's SHA-256 then
        created_at text not null, updated_at text not null, expires_at text
    );
    create index notes_by_dir on notes (dir, kind);
    create index notes_by_expiry on notes (expires_at) where expires_at is not null;
"""


class NoteKind(StrEnum):
    """How long a kept note is told."""

    PRIORITY = "priority"  #: until it is removed
    WORKING = "working"  #: until it expires
    PLAN = "plan"  #: until its last step is done


MOST = {NoteKind.PRIORITY: 20, NoteKind.WORKING: 50, NoteKind.PLAN: 10}  #: of one directory


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNote:
    id: int
    dir: Path
    kind: NoteKind
    text: str
    author: Author
    created_at: datetime
    steps: tuple[PlanStep, ...] = ()
    host: str | None = None
    session_id: str | None = None
    file: str | None = None
    digest: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNote:
    """What `add` is given."""

    dir: Path
    kind: NoteKind
    text: str
    author: Author
    steps: tuple[str, ...] = ()
    host: str | None = None
    session_id: str | None = None
    with_session: bool = False
    file: str | None = None
    digest: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeptNotes:
    journal: Store

    def add(self, new: NewNote) -> KeptNote:
        """Keep a note. :raises LimitExceeded: the directory holds too many of the kind"""
        now = rfc3339(self.journal.clock())
        return self.journal.write(lambda connection: _add(connection, new, now))

    def get(self, note_id: int) -> KeptNote:
        """:raises NotFound: no such note, or it has expired"""
        now = rfc3339(self.journal.clock())
        return self.journal.read(lambda connection: _get(connection, note_id, now))

    def of(self, directories: Iterable[Path], kinds: Sequence[str] = tuple(NoteKind)) -> list[KeptNote]:
        """The notes of these directories that have not expired, the newest first within a directory."""
        now = rfc3339(self.journal.clock())
        return [
            _note(row)
            for directory in directories
            for row in self.journal.rows(
                f"select * from notes where dir = ? and {_CURRENT} and kind in (select value from json_each(?))"
                " order by id desc",
                str(directory), now, json.dumps(list(kinds)),
            )
        ]  # fmt: skip

    def told_to(self, directories: Iterable[Path], host: str | None, sessions: Sequence[str]) -> list[KeptNote]:
        """Those that a session is told: of its directories, and not of another session alone.

        :param sessions: the session, and those that it goes on from
        """
        return [
            note for note in self.of(directories)
            if note.session_id is None or (note.session_id in sessions and note.host in (None, host))
        ]  # fmt: skip

    def tick(self, note_id: int, step: int, *, done: bool) -> KeptNote:
        """Mark a step of a plan, from 1. :raises NotFound: no such plan or step"""
        now = rfc3339(self.journal.clock())
        return self.journal.write(lambda connection: _tick(connection, note_id, step, done, now))

    def remove(self, note_id: int) -> KeptNote:
        """:raises NotFound: no such note"""
        now = rfc3339(self.journal.clock())

        def write(connection: sqlite3.Connection) -> KeptNote:
            found = _get(connection, note_id, now)
            connection.execute("delete from notes where id = ?", (note_id,))
            return found

        return self.journal.write(write)

    def anything_expired(self, now: datetime) -> bool:
        return bool(self.journal.rows(f"select 1 from notes where not {_CURRENT} limit 1", rfc3339(now)))

    def expire(self, now: datetime) -> int:
        """Remove what has expired; returns how many."""
        return self.journal.execute(f"delete from notes where not {_CURRENT}", rfc3339(now))


_CURRENT = "(expires_at is null or expires_at > ?)"
_NO_NOTE = "no note:{}; `memoryd note list` shows what there is"


def session_ended(connection: sqlite3.Connection, event: Event, at: str) -> None:
    """Working notes of a session end with it. Inside the transaction that appends its end."""
    if isinstance(event, SessionEnd):
        connection.execute(
            "update notes set expires_at = min(coalesce(expires_at, ?1), ?1)"
            " where with_session and session_id = ?2 and coalesce(host, ?3) = ?3",
            (at, event.session_id, event.host),
        )


def _add(connection: sqlite3.Connection, new: NewNote, now: str) -> KeptNote:
    held = connection.execute(
        f"select count(*) from notes where dir = ? and kind = ? and {_CURRENT}", (str(new.dir), new.kind, now)
    ).fetchone()[0]
    if held >= MOST[new.kind]:
        raise LimitExceeded(f"{held} {new.kind} notes are kept here; remove some: `memoryd note remove note:ID`")
    steps = json.dumps([{"text": text, "done": False} for text in new.steps], ensure_ascii=False)
    number = _number(connection)
    connection.execute(
        "insert into notes (id, dir, kind, text, steps, author, host, session_id, with_session, file, digest,"
        " created_at, updated_at, expires_at) values (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            number, str(new.dir), new.kind, new.text, steps, new.author, new.host, new.session_id, new.with_session,
            new.file, new.digest, now, now, rfc3339(new.expires_at) if new.expires_at else None,
        ),
    )  # fmt: skip
    return _get(connection, number, now)


def _number(connection: sqlite3.Connection) -> int:
    """A number that no note ever had: what was told of a removed one must not lead to another."""
    connection.execute("insert or ignore into counters (name, value) values ('note', 0)")
    row = connection.execute(
        "update counters set value = 1 + max(value, (select coalesce(max(id), 0) from notes)) where name = 'note'"
        " returning value"
    ).fetchone()
    return int(row[0])


def _tick(connection: sqlite3.Connection, note_id: int, step: int, done: bool, now: str) -> KeptNote:
    found = _get(connection, note_id, now)
    if step > len(found.steps):
        raise NotFound(f"note:{note_id} has {len(found.steps)} steps; `memoryd note list` numbers them")
    connection.execute(
        "update notes set steps = json_set(steps, ?, json(?)), updated_at = ? where id = ?",
        (f"$[{step - 1}].done", json.dumps(done), now, note_id),
    )
    return _get(connection, note_id, now)


def _get(connection: sqlite3.Connection, note_id: int, now: str) -> KeptNote:
    cursor = connection.execute(f"select * from notes where id = ? and {_CURRENT}", (note_id, now))
    row = cursor.fetchone()
    if row is None:
        raise NotFound(_NO_NOTE.format(note_id))
    names = [column[0] for column in cursor.description]
    return _note(dict(zip(names, row, strict=True)))


def _note(row: Row) -> KeptNote:
    return KeptNote(
        id=row["id"], dir=Path(row["dir"]), kind=NoteKind(row["kind"]), text=row["text"],
        author=Author(row["author"]), created_at=parse_rfc3339(row["created_at"]),
        steps=tuple(PlanStep(**step) for step in json.loads(row["steps"])),
        host=row["host"], session_id=row["session_id"], file=row["file"], digest=row["digest"],
        expires_at=parse_rfc3339(row["expires_at"]) if row["expires_at"] else None,
    )  # fmt: skip
