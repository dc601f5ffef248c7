"""Transcripts and memories of other tools, made by hand in the shape that those tools write."""

import json
import re
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


def hermes(path: Path, said: Sequence[tuple[str, str]], *, cwd: str) -> Path:
    """Hermes' database: a session of turns with a tool each, compacted in place and gone on with in a second one.

    Besides, what nobody said to it: what was taken back, a sub-agent, a schedule, a group, a review of its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    at = 1_772_000_000.0
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "pragma journal_mode = wal; create table state_meta (key text primary key, value text);"
            "create table sessions (id text primary key, source text, parent_session_id text, started_at real,"
            " end_reason text, cwd text, chat_type text, model_config text);"
            "create table messages (id integer primary key autoincrement, session_id text, role text, content text,"
            " tool_call_id text, tool_calls text, tool_name text, timestamp real, observed integer default 0,"
            " active integer default 1, compacted integer default 0);"
        )
        for row in (
            ("one", "cli", None, "compression", cwd, None, None), ("two", "cli", "one", None, cwd, "dm", "{}"),
            ("sub", "cli", "one", None, cwd, None, '{"_delegate_from": "one"}'),
            ("cron", "cron", None, None, cwd, None, None), ("group", "telegram", None, None, None, "group", None),
        ):  # fmt: skip
            connection.execute(
                "insert into sessions (id, source, parent_session_id, end_reason, cwd, chat_type, model_config,"
                " started_at) values (?,?,?,?,?,?,?,?)", (*row, at + 9_000 * (row[0] == "two")),
            )  # fmt: skip

        def say(session: str, role: str, content: str | None, moment: float, **more: object) -> None:
            names, marks = ", ".join(more), ", ?" * len(more)
            connection.execute(
                f"insert into messages (session_id, role, content, timestamp{', ' + names if more else ''})"
                f" values (?, ?, ?, ?{marks})", (session, role, content, moment, *more.values()),
            )  # fmt: skip

        call = {"id": "c", "function": {"name": "read_file", "arguments": '{"path": "x.py"}'}}
        for n, (prompt, answer) in enumerate(said):
            then, old = at + 60 * n, {"active": 0, "compacted": 1} if n == 0 else {}
            parts = prompt if n else "\0json:" + json.dumps([{"type": "text", "text": prompt}, {"type": "image_url"}])
            say("one", "user", parts, then, **old)
            say("one", "assistant", None, then + 1, tool_calls=json.dumps([call]), **old)
            say("one", "tool", "3 lines", then + 2, tool_call_id="c", tool_name="read_file", **old)
            say("one", "assistant", answer, then + 3, **old)
            if n == 0:  # it is compacted: a summary, a copy in the same moment, one that kept its time
                say("one", "user", "[CONTEXT COMPACTION] made by it", then + 9)
                say("one", "assistant", answer, then + 9)
                say("one", "assistant", answer, then + 3)
        say("one", "user", "taken back", at + 500, active=0)
        say("two", "user", "[CONTEXT SUMMARY]: made by it", at + 9_000)
        say("two", "assistant", said[-1][1], at + 60 * (len(said) - 1) + 3)
        say("two", "user", "Review the conversation above and save what you learnt", at + 9_100)
        say("two", "user", "overheard", at + 9_200, observed=1)
        for session in ("sub", "cron", "group"):
            say(session, "user", f"said in {session}", at)
    return path


def cursor(home: Path, said: Sequence[tuple[str, str]], *, cwd: str) -> Path:
    """Cursor's transcript: lines without ids and times, a tool whose result is not told, one of a sub-agent beside."""
    folder = home / ".cursor" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", cwd.lstrip("/")) / "agent-transcripts" / "c1"
    (folder / "subagents").mkdir(parents=True)
    tool = {"type": "tool_use", "name": "Shell", "input": {"command": "make"}}
    rows = [
        {"role": role, "message": {"content": content}}
        for prompt, answer in said
        for role, content in (
            ("user", [{"type": "text", "text": f"<timestamp>now</timestamp>\n<user_query>\n{prompt}\n</user_query>"}]),
            ("assistant", [{"type": "text", "text": answer}, tool]),
        )
    ]
    path = folder / "c1.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, {"type": "turn_ended"}]))
    (folder / "subagents" / "c2.jsonl").write_text(f"{json.dumps(rows[0])}\n")
    return path


def _part(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})
