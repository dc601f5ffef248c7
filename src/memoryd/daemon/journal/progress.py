"""What a session's events tell about where it stands: requests, files changed, the last answer."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from memoryd.daemon.journal.evidence import said
from memoryd.daemon.journal.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a session's events tell about where it stands."""

    asks: tuple[str, ...]
    files: tuple[str, ...]
    answer: str


def read(journal: Store, host: str, session_id: str) -> Progress:
    """Gather a session's progress from its events. Blocking."""
    return journal.read(lambda connection: _progress(connection, host, session_id))


def _progress(connection: sqlite3.Connection, host: str, session_id: str) -> Progress:
    rows = connection.execute(
        "select kind, data from events join sessions on sessions.id = session"
        " where host = ? and session_id = ? and kind in ('user_prompt', 'message', 'turn', 'tool_use') order by seq",
        (host, session_id),
    )
    asks: dict[str, None] = {}
    files: dict[str, None] = {}
    answer = ""
    for kind, text in rows:
        data = json.loads(text)
        role, _, words = said(kind, data)
        if role == "user" and words.strip():
            asks.pop(words, None)
            asks[words] = None
        elif kind == "turn" and words:
            answer = words
        elif kind == "tool_use":
            files.update(dict.fromkeys(_changed(data.get("files", ()))))
    return Progress(asks=tuple(asks), files=tuple(files), answer=answer)


def _changed(touches: Iterable[dict[str, str]]) -> list[str]:
    return [touch["path"] for touch in touches if touch.get("action", "read") != "read"]
