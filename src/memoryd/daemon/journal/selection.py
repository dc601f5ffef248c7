"""What a purge is about: the events that fit, and the lines of memory that rest on them. Reads only."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memoryd.clock import rfc3339
from memoryd.daemon.journal.evidence import parts_of
from memoryd.daemon.journal.spawns import FAMILY
from memoryd.ipc.events import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The events that fit every criterion given; without any: everything."""

    sessions: tuple[tuple[str, str], ...] = ()  #: (host, session_id)
    host: str | None = None
    tier: Tier | None = None
    before: datetime | None = None

    @property
    def everything(self) -> bool:
        return not (self.sessions or self.host or self.tier or self.before)

    def may_hold(self, at: datetime | None, text: str) -> bool:
        """Whether a payload that nobody understood may belong to it: all but what certainly does not."""
        if self.before is not None and at is not None and at >= self.before:
            return False
        if self.host is not None and self.host not in text:
            return False
        return not self.sessions or any(session in text for _, session in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a selection holds now."""

    seqs: frozenset[int] = frozenset()  #: of events that are there, and of those that retention removed
    events: int = 0  #: that are there
    sessions: tuple[str, ...] = ()  #: `host/session_id`
    sources: frozenset[str] = frozenset()  #: `host/session_id#seq`
    transcripts: tuple[str, ...] = ()  #: the hosts' own files
    gone: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)  #: (root, path) -> digests of lines
    followers: tuple[str, ...] = ()  #: sessions that go on from these, or that these are copies of; they stay
    untold: bool = False  #: by tier: some of what retention removed cannot be told
    quarantined: int = 0
    snapshots: int = 0
    goals: int = 0
    notes: int = 0


def find(connection: sqlite3.Connection, selection: Selection) -> Found:
    """What a purge would take: events, and the lines of memory that cite one of them."""
    rows = events_of(connection, selection)
    retired = retired_of(connection, selection)
    session_of = {row["seq"]: f"{row['host']}/{row['session_id']}" for row in rows} | retired
    seqs = frozenset(session_of)
    cited = connection.execute(
        "select root, path, line from citations where seq in (select value from json_each(?))", (as_json(seqs),)
    )
    gone: dict[tuple[str, str], set[str]] = {}
    for root, path, line in cited:
        gone.setdefault((root, path), set()).add(line)
    sessions = {f"{row['host']}/{row['session_id']}": row["transcript_path"] for row in rows}
    named = {f"{host}/{session}": None for host, session in selection.sessions}
    taken = sorted({*named, *sessions, *retired.values()})
    return Found(
        seqs=seqs, events=len(rows), sessions=tuple(taken),
        followers=_followers(connection, seqs, set(named) or set(taken), taken),
        sources=frozenset(f"{session}#{seq}" for seq, session in session_of.items()),
        transcripts=tuple(sorted({path for path in sessions.values() if path})),
        gone={key: frozenset(lines) for key, lines in gone.items()},
        untold=selection.tier is not None and _untold(connection),
        quarantined=len(quarantined_of(connection, selection)), goals=len(set_in(connection, "goals", selection)),
        notes=len(set_in(connection, "notes", selection)),
        snapshots=int(connection.execute("select count(*) from snapshots").fetchone()[0]),
    )  # fmt: skip


def _followers(
    connection: sqlite3.Connection, seqs: frozenset[int], named: set[str], taken: Sequence[str]
) -> tuple[str, ...]:
    """What goes on from the sessions that are taken and keeps something of its own, and what they are copies of."""
    going_on = connection.execute(
        "select id, host || '/' || session_id from sessions where host || '/' || parent_session_id"
        " in (select value from json_each(?))", (as_json(taken),),
    ).fetchall()  # fmt: skip
    kept = {name for session, name in going_on if not _wholly(connection, session, seqs)}
    copied = connection.execute(
        "select distinct host || '/' || session_id from copies join sessions on sessions.id = session"
        " where seq in (select value from json_each(?))",
        (as_json(seqs),),
    )
    return tuple(sorted({*kept, *(row[0] for row in copied)} - named))


def _wholly(connection: sqlite3.Connection, session: int, seqs: frozenset[int]) -> bool:
    held = [row[0] for row in connection.execute("select seq from events where session = ?", (session,))]
    return bool(held) and seqs.issuperset(held)


def named(connection: sqlite3.Connection, name: str) -> tuple[tuple[str, str], ...]:
    """The sessions of that name, `host/session_id` or the id alone, each with the sub-agents that it started.

    However deep: they hold parts of the same conversation.
    """
    found = connection.execute(
        "select host, session_id from sessions where session_id = ?1 or host || '/' || session_id = ?1", (name,)
    ).fetchall()
    return tuple(
        dict.fromkeys((host, row[0]) for host, session in found for row in connection.execute(_FAMILY, (host, session)))
    )


_FAMILY = f"{FAMILY} select session_id from family"


_NAMED = "host || '/' || session_id in (select value from json_each(?3))"


def events_of(connection: sqlite3.Connection, selection: Selection) -> list[sqlite3.Row]:
    """The events that fit; with those of a session their copies in other sessions."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    before = rfc3339(selection.before) if selection.before else None
    rows = cursor.execute(
        "select seq, events.id, session, host, session_id, transcript_path, kind, data from events"
        " join sessions on sessions.id = session where (?1 is null or at < ?1) and (?2 is null or host = ?2)"
        f" and (?3 = '[]' or {_NAMED} or seq in (select copies.seq from copies join sessions on sessions.id = session"
        f" where {_NAMED}))",
        (before, selection.host, as_json(f"{host}/{session}" for host, session in selection.sessions)),
    ).fetchall()
    if selection.tier is None:
        return rows
    return [
        row for row in rows if any(t is selection.tier for _, t, _ in parts_of(row["kind"], json.loads(row["data"])))
    ]


def retired_of(connection: sqlite3.Connection, selection: Selection) -> dict[int, str]:
    """The events that fit and that retention removed, each with its `host/session_id`; copies go with their session."""
    before = rfc3339(selection.before) if selection.before else None
    rows = connection.execute(
        "select seq, host || '/' || session_id from retired join sessions on sessions.id = session"
        f" where (?1 is null or at < ?1) and (?2 is null or host = ?2) and (?3 = '[]' or {_NAMED}"
        f" or first in (select id from sessions where {_NAMED}))"
        " and (?4 is null or instr(' ' || tiers || ' ', ' ' || ?4 || ' '))",
        (before, selection.host, as_json(f"{host}/{session}" for host, session in selection.sessions), selection.tier),
    )
    return dict(rows.fetchall())


def _untold(connection: sqlite3.Connection) -> bool:
    """Whether a line rests on an event that retention removed before it kept who said it."""
    sql = "select 1 from retired join citations using (seq) where tiers is null limit 1"
    return connection.execute(sql).fetchone() is not None


def quarantined_of(connection: sqlite3.Connection, selection: Selection) -> list[str]:
    rows = connection.execute("select id, at, host, raw, error from quarantine").fetchall()
    return [row[0] for row in rows if selection.may_hold(datetime.fromisoformat(row[1]), f"{row[2]} {row[3]} {row[4]}")]


def set_in(connection: sqlite3.Connection, table: Literal["goals", "notes"], selection: Selection) -> list[int]:
    """Goals or notes that were set in a session, or in the time, that is selected; a host or a tier alone sets none."""
    if selection.tier is not None or selection.host is not None:
        return []
    before = rfc3339(selection.before) if selection.before else None
    rows = connection.execute(
        f"select id from {table} where (?1 is null or created_at < ?1) and (?2 = '[]'"
        " or host || '/' || session_id in (select value from json_each(?2)))",
        (before, as_json(f"{host}/{session}" for host, session in selection.sessions)),
    )
    return [row[0] for row in rows]


def as_json(values: Iterable[object]) -> str:
    return json.dumps(list(values))
