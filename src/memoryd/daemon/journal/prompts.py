"""Prompt history: what the user asked, in any session, newest first. A view of the journal, redacted as it is there."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.copies import COPIED
from memoryd.daemon.journal.evidence import said
from memoryd.daemon.journal.store import Store
from memoryd.ipc.events import Tier

MAX_LINE_CHARS = 10_000  #: of one prompt; a longer one is cut
MAX_PAGE_CHARS = 1_000_000  #: a page ends after the prompt that reaches it
LOOKED_AT = 50_000  #: events that one page looks at; a page of rare prompts may hold few of them and go on

MIGRATION = """
    -- whether a turn came with its prompt
    create index events_prompts on events (session, turn_id) where kind = 'user_prompt';
"""
SAID = """
    -- what a user may have said, by the time of saying: what is imported was said before it came
    create index events_said on events (at) where kind in ('user_prompt', 'turn', 'message');
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One thing that the user said. Its place is the time of saying, among those of one time its `seq`."""

    seq: int
    host: str
    session_id: str
    at: datetime
    text: str
    truncated: bool


class Place(NamedTuple):
    """Where a page ends. Prompts that are said later change no page after it."""

    at: str  #: RFC 3339 with milliseconds, as the journal writes it
    seq: int


_NOW = Place("9999", 0)  #: after every prompt
_START = Place("", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which prompts. `before`: only those that stand before that place."""

    prefix: str = ""
    host: str | None = None
    session_id: str | None = None
    directory: Path | None = None
    before: Place | None = None
    limit: int = 50

    @property
    def one_session(self) -> bool:
        return self.host is not None and self.session_id is not None


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """Blocking."""

    journal: Store

    def page(self, wanted: Wanted) -> tuple[list[Prompt], Place | None]:
        """Return prompts, newest first, and what the next page comes before; None: there is no more."""
        return self.journal.read(lambda connection: _page(connection, wanted))


def _page(connection: sqlite3.Connection, wanted: Wanted) -> tuple[list[Prompt], Place | None]:
    before = wanted.before or _NOW
    floor = _START if wanted.one_session else _floor(connection, before)
    found: list[Prompt] = []
    chars = 0
    for prompt in _prompts(connection, wanted, floor, before):
        if len(found) == wanted.limit or chars >= MAX_PAGE_CHARS:
            return found, Place(rfc3339(found[-1].at), found[-1].seq)
        found.append(prompt)
        chars += len(prompt.text)
    return found, floor if floor != _START else None


def _floor(connection: sqlite3.Connection, before: Place) -> Place:
    """The first of the events that one page looks at."""
    row = connection.execute(
        f"select at, seq from events where {_MAY_BE} and (at, seq) < (?, ?) order by at desc, seq desc"
        " limit 1 offset ?", (*before, LOOKED_AT - 1),
    ).fetchone()  # fmt: skip
    return Place(*row) if row else _START


def _prompts(connection: sqlite3.Connection, wanted: Wanted, floor: Place, before: Place) -> Iterator[Prompt]:
    """A user's message counts where its turn came without a prompt: hooks and transcripts tell the same words."""
    rows = connection.execute(
        "select seq, host, session_id, kind, at, data from events join sessions s on s.id = +session"
        f" where {_MAY_BE} and {_SPOKEN} and (at, seq) < (?1, ?2) and (at, seq) >= (?6, ?7)"
        " and (kind = 'user_prompt' or (kind = 'turn' or json_extract(data, '$.role') = 'user')"
        " and not exists (select 1 from events p where p.session = events.session and p.turn_id is events.turn_id"
        " and p.kind = 'user_prompt'))"
        f" and {_ONE if wanted.one_session else _ANY} and {'true' if wanted.session_id else f'not {COPIED}'}"
        " and (?5 is null or dir = ?5) order by at desc, seq desc",
        (*before, wanted.host, wanted.session_id, wanted.directory and str(wanted.directory), *floor),
    )
    for row in rows:
        role, tier, text = said(row["kind"], json.loads(row["data"]))
        if role == "user" and tier is Tier.USER and text.strip() and text.startswith(wanted.prefix):
            yield _prompt(row, text)


_MAY_BE = "kind in ('user_prompt', 'turn', 'message')"  #: as `events_said` has it
_SPOKEN = "events.id not glob 'import/*'"  #: what stands in a file of rules was written, to no session
_ONE = "session = (select id from sessions where host = ?3 and session_id = ?4)"
_ANY = "(?3 is null or host = ?3) and (?4 is null or session_id = ?4)"


def _prompt(row: Any, text: str) -> Prompt:
    short = len(text) > MAX_LINE_CHARS
    return Prompt(
        seq=row["seq"], host=row["host"], session_id=row["session_id"], at=parse_rfc3339(row["at"]),
        text=f"{text[: MAX_LINE_CHARS - 1]}…" if short else text, truncated=short,
    )  # fmt: skip
