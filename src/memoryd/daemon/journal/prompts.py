"""Prompt history: what the user asked, in any session, newest first. A view of the journal, redacted as it is there."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import parse_rfc3339
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One thing that the user said. `seq` is its place: prompts that come later change no page before it."""

    seq: int
    host: str
    session_id: str
    at: datetime
    text: str
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which prompts. `before`: only those with a smaller seq."""

    prefix: str = ""
    host: str | None = None
    session_id: str | None = None
    directory: Path | None = None
    before: int | None = None
    limit: int = 50

    @property
    def one_session(self) -> bool:
        return self.host is not None and self.session_id is not None


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """Blocking."""

    journal: Store

    def page(self, wanted: Wanted) -> tuple[list[Prompt], int | None]:
        """Return prompts, newest first, and what the next page comes before; None: there is no more."""
        return self.journal.read(lambda connection: _page(connection, wanted))


def _page(connection: sqlite3.Connection, wanted: Wanted) -> tuple[list[Prompt], int | None]:
    newest: int = connection.execute("select value from counters where name = 'seq'").fetchone()[0]
    before = newest + 1 if wanted.before is None else min(wanted.before, newest + 1)
    floor = 0 if wanted.one_session else max(0, before - LOOKED_AT)
    found: list[Prompt] = []
    chars = 0
    for prompt in _prompts(connection, wanted, floor, before):
        if len(found) == wanted.limit or chars >= MAX_PAGE_CHARS:
            return found, found[-1].seq
        found.append(prompt)
        chars += len(prompt.text)
    return found, floor if floor > 1 else None


def _prompts(connection: sqlite3.Connection, wanted: Wanted, floor: int, before: int) -> Iterator[Prompt]:
    """A user's message counts where its turn came without a prompt: hooks and transcripts tell the same words."""
    rows = connection.execute(
        "select seq, host, session_id, e.kind, e.at, data from events e join sessions s on s.id = +session"
        " where seq < ?1 and seq >= ?2 and (e.kind = 'user_prompt' or (e.kind = 'turn' or e.kind = 'message'"
        " and json_extract(data, '$.role') = 'user') and not exists (select 1 from events p"
        " where p.session = e.session and p.turn_id is e.turn_id and p.kind = 'user_prompt'))"
        f" and {_ONE if wanted.one_session else _ANY} and {'true' if wanted.session_id else _NO_COPY}"
        " and (?5 is null or dir = ?5) order by seq desc",
        (before, floor, wanted.host, wanted.session_id, wanted.directory and str(wanted.directory)),
    )
    for row in rows:
        role, tier, text = said(row["kind"], json.loads(row["data"]))
        if role == "user" and tier is Tier.USER and text.strip() and text.startswith(wanted.prefix):
            yield _prompt(row, text)


#: of a copied session only what was said since; all of it when it is asked for by its name
_NO_COPY = "not exists (select 1 from copies join events o on o.seq = source where copies.seq = e.seq)"
_ONE = "session = (select id from sessions where host = ?3 and session_id = ?4)"
_ANY = "(?3 is null or host = ?3) and (?4 is null or session_id = ?4)"


def _prompt(row: Any, text: str) -> Prompt:
    short = len(text) > MAX_LINE_CHARS
    return Prompt(
        seq=row["seq"], host=row["host"], session_id=row["session_id"], at=parse_rfc3339(row["at"]),
        text=f"{text[: MAX_LINE_CHARS - 1]}…" if short else text, truncated=short,
    )  # fmt: skip
