"""Transcripts and memories of other tools, made by hand in the shape that those tools write."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

SESSION = "7b1d2f3a-0c4e-4d5f-8a6b-9c0d1e2f3a4b"


def claude(
    home: Path, said: Sequence[tuple[str, str]], *, cwd: str, session: str = SESSION, day: int = 1, **fields: Any
) -> Path:
    """A transcript of Claude Code with one turn for each (prompt, answer); it was written long ago."""
    rows: list[dict[str, Any]] = [{"type": "mode", "mode": "normal", "sessionId": session}]
    for n, (prompt, answer) in enumerate(said):
        at, turn = f"2026-03-{day:02}T09:{n % 60:02}:00.000Z", f"{session}-p{n}"
        common = {"cwd": cwd, "sessionId": session, "isSidechain": False, "timestamp": at, **fields}
        asks = {"role": "user", "content": prompt}
        rows += [
            {"type": "user", "uuid": f"{session}-u{n}", "promptId": turn, "message": asks, **common},
            {"type": "assistant", "uuid": f"{session}-a{n}", "message": answered(answer), **common},
        ]
    path = home / ".claude" / "projects" / "-w" / f"{session}.jsonl"
    return written(path, "".join(json.dumps(row) + "\n" for row in rows))


def answered(text: str) -> dict[str, Any]:
    return {"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]}


def written(path: Path, text: str, *, at: float = 1_772_000_000) -> Path:
    """A file that nobody touched since."""
    import os

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, (at, at))
    return path


def claude_mem(path: Path, project: str, facts: Sequence[str]) -> Path:
    """A database of claude-mem: an observation for each fact, one of another project, a summary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "create table sdk_sessions (id integer primary key, memory_session_id text);"
            "create table observations (id integer primary key, memory_session_id text, project text, text text,"
            " type text, title text, subtitle text, facts text, narrative text, created_at_epoch integer);"
            "create table session_summaries (id integer primary key, project text, request text, learned text,"
            " created_at_epoch integer);"
        )
        for n, fact in enumerate(facts):
            connection.execute(
                "insert into observations (project, type, title, facts, narrative, created_at_epoch)"
                " values (?, 'discovery', ?, ?, ?, ?)",
                (project, fact, json.dumps(["It was seen twice"]), "Told at length.", 1_772_000_000_000 + n),
            )
        connection.execute(
            "insert into observations (project, title, facts, created_at_epoch) values ('nowhere', 'Other', '[]', 1)"
        )
        connection.execute(
            "insert into session_summaries (project, request, learned, created_at_epoch) values (?, ?, ?, ?)",
            (project, "why is it slow", "The proxy buffers each answer", 1_772_000_100_000),
        )
    return path
