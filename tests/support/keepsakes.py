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


def opencode(path: Path, said: Sequence[tuple[str, str]], *, cwd: str) -> Path:
    """opencode's database: a session with a turn for each (prompt, answer) and a tool call, one of a sub-agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    start = 1_772_000_000_000
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "create table session (id text primary key, parent_id text, directory text, time_created integer);"
            "create table message (id text primary key, session_id text, time_created integer, data text);"
            "create table part (id text primary key, message_id text, session_id text, data text);"
        )
        connection.execute("insert into session values ('ses_1', null, ?, ?)", (cwd, start))
        connection.execute("insert into session values ('ses_2', 'ses_1', ?, ?)", (cwd, start))
        connection.execute("insert into message values ('msg_sub', 'ses_2', ?, '{\"role\": \"user\"}')", (start,))
        connection.execute("insert into part values ('prt_sub', 'msg_sub', 'ses_2', ?)", (_part("text", text="look"),))
        for n, (prompt, answer) in enumerate(said):
            at, user, other = start + n * 60_000, f"msg_{n}a", f"msg_{n}b"
            answering = {"role": "assistant", "parentID": user}
            for message, moment, head in ((user, at, {"role": "user"}), (other, at + 5, answering)):
                connection.execute(
                    "insert into message values (?, 'ses_1', ?, ?)", (message, moment, json.dumps(head))
                )  # fmt: skip
            state = {"status": "completed", "input": {"filePath": "/x.py"}, "output": "3 lines"}
            for name, message, part in (
                ("1", user, _part("text", text=prompt)), ("2", user, _part("text", text="made by it", synthetic=True)),
                ("3", other, _part("tool", tool="read", callID="c", state=state)),
                ("4", other, _part("reasoning", text="hm")), ("5", other, _part("text", text=answer)),
            ):  # fmt: skip
                connection.execute("insert into part values (?, ?, 'ses_1', ?)", (f"prt_{n}{name}", message, part))
    return path


def _part(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})
