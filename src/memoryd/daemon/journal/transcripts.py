"""Where the reader of each session's transcript stands. An offset only saves work: ids make reading again harmless."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal import unread
from memoryd.daemon.journal.journal import Appended, Arrival, Binding, Journal, append_one, data_json
from memoryd.daemon.journal.store import Row
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import TranscriptState

LATE_MINUTES = 10  #: after its last event a session's transcript is still looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A session's transcript and how far it was read."""

    host: str
    session_id: str
    cwd: str | None
    binding: Binding
    path: str
    dev: int | None
    ino: int | None
    offset: int
    state: TranscriptState
    ended: bool
    unread: bool = False  #: a sub-agent's that was not read to its end yet


@dataclass(frozen=True, slots=True)
class Positions:
    """Reads and commits of the transcript reader. Blocking calls from a worker thread."""

    journal: Journal

    def of(self, host: str, session_id: str) -> Position | None:
        """A session's; of a sub-agent that is no session yet, the start of the transcript that its end told of."""
        found = self._select("host = ? and session_id = ?", host, session_id)
        if not found:
            rows = self.journal.rows(f"{unread.POSITIONS} where u.host = ? and u.session_id = ?", host, session_id)
            found = [_position(row) for row in rows]
        return found[0] if found else None

    def of_agents(self) -> list[Position]:
        """Of the sub-agents whose transcripts were not read to their ends."""
        return [_position(row) for row in self.journal.rows(unread.POSITIONS)]

    def done(self, position: Position) -> None:
        """A transcript was read as far as it goes, or cannot be read."""
        if position.unread:
            self.journal.write(lambda connection: unread.forget(connection, position.host, position.session_id))

    def of_this_memory(self, position: Position, events: Sequence[Event]) -> list[Event]:
        """The events without those of a sub-agent whose id another memory's session has: they are not that one's."""
        others = {event.session_id for event in events} - {position.session_id}
        bound = {one: self.journal.binding_of(position.host, one) for one in others}
        foreign = {one for one, binding in bound.items() if binding and binding.dir != position.binding.dir}
        return [event for event in events if event.session_id not in foreign]

    def of_directory(self, directory: Path) -> list[Position]:
        """The sessions of a job: those with events that are not consolidated yet."""
        return self._select("dir = ? and user_seq > watermark", str(directory))

    def behind(self) -> list[Position]:
        """Sessions whose last event is newer than their last read."""
        return self._select("transcript_read_at is null or last_at >= transcript_read_at")

    def late(self) -> list[Position]:
        """Sessions heard a while ago whose hosts may have written on behind the last hook, or only then."""
        return self._select(
            "(transcript_state = 'missing' or ended_at is not null) and last_at >= ?",
            rfc3339(self.journal.clock() - timedelta(minutes=LATE_MINUTES)),
        )

    def newest(self, *, limit: int = 20, days: int = 7) -> list[Row]:
        """Sessions whose hosts named a transcript, the one that was heard last first."""
        return self.journal.rows(
            "select host, session_id, transcript_path, turn_count, headless from sessions"
            " where transcript_path is not null and last_at >= ? order by last_at desc limit ?",
            rfc3339(self.journal.clock() - timedelta(days=days)), limit,
        )  # fmt: skip

    def commit(self, position: Position, arrivals: list[Arrival]) -> list[Appended]:
        """Append messages and the new position in one transaction."""
        rows = [(arrival, data_json(arrival.event)) for arrival in arrivals]
        now = rfc3339(self.journal.clock())

        def write(connection: sqlite3.Connection) -> list[Appended]:
            done = [append_one(connection, a, data, self.journal.triggers, now) for a, data in rows]
            connection.execute(
                "update sessions set transcript_state = 'ok', transcript_path = coalesce(transcript_path, ?),"
                " transcript_dev = ?, transcript_ino = ?, transcript_offset = ?, transcript_turn = ?,"
                " transcript_ordinal = ?, transcript_read_at = ?"
                " where host = ? and session_id = ?",
                (
                    position.path,
                    position.dev,
                    position.ino,
                    position.offset,
                    position.state.turn_id,
                    position.state.ordinal,
                    now,
                    position.host,
                    position.session_id,
                ),
            )
            return done

        return self.journal.write(write)

    def mark(self, position: Position, state: str) -> None:
        """Note that the transcript is `missing` or `refused`; the hook's text is used."""
        self.journal.execute(
            "update sessions set transcript_state = ?, transcript_read_at = ? where host = ? and session_id = ?",
            state, rfc3339(self.journal.clock()), position.host, position.session_id,
        )  # fmt: skip
        self.done(position)

    def _select(self, where: str, *parameters: object) -> list[Position]:
        rows = self.journal.rows(
            f"select sessions.*, kind, project, {unread.IS_UNREAD} as unread from sessions"
            f" join dirs on dirs.path = dir where transcript_path is not null and {where}", *parameters,
        )  # fmt: skip
        return [_position(row) for row in rows]


def _position(row: Row) -> Position:
    return Position(
        host=row["host"], session_id=row["session_id"], cwd=row["cwd"], path=row["transcript_path"],
        binding=Binding(dir=Path(row["dir"]), kind=row["kind"], project=row["project"]),
        dev=row["transcript_dev"], ino=row["transcript_ino"], offset=row["transcript_offset"],
        state=TranscriptState(turn_id=row["transcript_turn"], ordinal=row["transcript_ordinal"]),
        ended=row["ended_at"] is not None, unread=bool(row["unread"]),
    )  # fmt: skip
