"""What a session was about lately: the newest prompts and tools, without a look at all of it."""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.evidence import said
from memoryd.daemon.journal.spawns import IS_CHILD
from memoryd.daemon.journal.store import Store
from memoryd.ipc.events import Tier

PROMPTS, TOOLS = 4, 20  #: newest ones
EVENTS = 400  #: newest ones that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Lately:
    directory: Path  #: of its memory
    prompts: tuple[str, ...]  #: the newest last, each once
    tools: tuple[str, ...]  #: names, each once


def read(journal: Store, host: str, session_id: str, *, prompts: int = PROMPTS) -> Lately | None:
    """Look at a session that a person talks with; None for any other, and for one that has ended. Blocking."""
    return journal.read(lambda connection: _lately(connection, host, session_id, prompts))


def turns_since_written(journal: Store, host: str, session_id: str) -> int:
    """How many turns of a session have ended since it last wrote memory. Blocking."""
    rows = journal.rows(
        "select count(distinct coalesce(turn_id, events.id)) as turns from events"
        " join sessions as here on here.id = session where host = ? and session_id = ? and kind = 'turn'"
        " and seq > coalesce((select max(seq) from events where session = here.id and kind = 'memory_written'), 0)",
        host, session_id,
    )  # fmt: skip
    return int(rows[0]["turns"])


def _lately(connection: sqlite3.Connection, host: str, session_id: str, most: int) -> Lately | None:
    session = connection.execute(
        "select id, dir from sessions where host = ? and session_id = ? and ended_at is null and not headless"
        f" and not {IS_CHILD}", (host, session_id),
    ).fetchone()  # fmt: skip
    if session is None:
        return None
    rows = connection.execute(
        "select kind, data from events where session = ? and kind in ('user_prompt', 'message', 'turn', 'tool_use')"
        " order by seq desc limit ?", (session["id"], EVENTS),
    ).fetchall()  # fmt: skip
    found = [(kind, json.loads(data)) for kind, data in rows]
    texts = (said(kind, data) for kind, data in found if kind != "tool_use")
    prompts = dict.fromkeys(t for role, tier, t in texts if role == "user" and tier is Tier.USER and t.strip())
    tools = dict.fromkeys(str(data.get("name", "")) for kind, data in found if kind == "tool_use")
    return Lately(
        directory=Path(session["dir"]), prompts=tuple(reversed([*prompts][:most])), tools=tuple(tools)[:TOOLS]
    )
