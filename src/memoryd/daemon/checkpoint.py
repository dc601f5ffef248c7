"""The checkpoint of a compaction: what the session was about, handed back once when the host has forgotten it."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from memoryd.daemon.journal.evidence import said
from memoryd.daemon.journal.journal import Journal

MAX_BYTES = 2048
_GOAL_CHARS, _ASK_CHARS, _ANSWER_CHARS = 300, 200, 300
_RECENT_ASKS, _FILES = 4, 12

_LABELS = {
    "en": ("First request", "Latest requests", "Files changed", "Last answer of the assistant"),
    "zh": ("最初的请求", "最近的请求", "改动的文件", "助手最后的回答"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a session's events tell about where it stands."""

    asks: tuple[str, ...]
    files: tuple[str, ...]
    answer: str


def read(journal: Journal, host: str, session_id: str) -> Progress:
    """Gather a session's progress from its events. Blocking."""
    return journal.read(lambda connection: _progress(connection, host, session_id))


def render(progress: Progress, language: str) -> str | None:
    """Return the checkpoint, at most 2 KiB of facts; None when the session has asked nothing yet."""
    if not progress.asks:
        return None
    goal, recent, files, answer = _LABELS.get(language, _LABELS["en"])
    rows = [f"{goal}: {_short(progress.asks[0], _GOAL_CHARS)}"]
    if len(progress.asks) > 1:
        rows += [f"{recent}:", *(f"- {_short(ask, _ASK_CHARS)}" for ask in progress.asks[1:][-_RECENT_ASKS:])]
    if progress.files:
        rows.append(f"{files}: {', '.join(progress.files[-_FILES:])}")
    if progress.answer:
        rows.append(f"{answer}: {_short(progress.answer, _ANSWER_CHARS)}")
    text = "\n".join(rows)
    return text.encode()[:MAX_BYTES].decode(errors="ignore")


def _progress(connection: sqlite3.Connection, host: str, session_id: str) -> Progress:
    rows = connection.execute(
        "select kind, data, turn_id from events join sessions on sessions.id = session"
        " where host = ? and session_id = ? and kind in ('user_prompt', 'message', 'turn', 'tool_use') order by seq",
        (host, session_id),
    )
    asks: dict[str, None] = {}
    files: dict[str, None] = {}
    answer = ""
    for kind, text, _ in rows:
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


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
