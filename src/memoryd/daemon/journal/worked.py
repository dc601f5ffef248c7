"""The signals that memory matures from: each turn as a piece of work, read from its events and kept as one row.

All of it is derived. A row goes when an event of its turn goes: what was purged is no signal any more. Recalled text is
none either: it is not in the journal.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import pairwise
from typing import Any

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.spawns import IS_CHILD
from memoryd.daemon.journal.store import Row, Store
from memoryd.memory.corrected import Correction, corrections
from memoryd.memory.spans import own_words
from memoryd.memory.text import cut
from memoryd.memory.told import procedures
from memoryd.memory.work import Failure, Work, failure_of, followed, once, step_of

MIGRATION = """
    -- a turn as a piece of work (worked.py); `to_seq`: the newest event that it rests on
    create table work (
        seq integer primary key references events (seq) on delete cascade, session integer not null,
        to_seq integer not null, at text not null, outcome text not null, detail text not null
    );
    create index work_by_session on work (session, seq);
    create index work_by_time on work (at);
    create trigger work_without_its_events after delete on events begin
        delete from work where session = old.session and seq <= old.seq and to_seq >= old.seq;
    end;
    alter table sessions add column work_seq integer not null default 0;  -- the newest event that was looked at
    -- a procedure was handed to a session
    create table procedure_hits (root text not null, path text not null, session integer not null, at text not null);
    create index procedure_hits_by_file on procedure_hits (root, path);
"""

VERSION = 3  #: of how work is read from events; after another one all is looked at again
EVENTS = 2_000  #: of a session that one pass reads
TASK_CHARS, MAX_CITES, MAX_WORK = 120, 24, 2_000
PROMPT_CHARS = 8_000  #: of a prompt are read: what is asked stands in its beginning
_KINDS = "('user_prompt', 'turn', 'tool_use', 'message')"


def renew(journal: Store) -> None:
    """Let everything be looked at again, if work was read in another way before. Blocking."""
    known = journal.rows("select value from meta where name = 'work_version'")
    if [row["value"] for row in known] != [str(VERSION)]:
        journal.write(_start_again)


def _start_again(connection: sqlite3.Connection) -> None:
    connection.execute("update sessions set work_seq = 0")
    connection.execute("insert or replace into meta values ('work_version', ?)", (str(VERSION),))


def behind(journal: Store) -> list[int]:
    """The sessions with events that were not looked at, by number; sub-agents' are their parents' work. Blocking."""
    return [row["id"] for row in journal.rows(
        "select id from sessions where not headless and exists (select 1 from events where"
        f" events.session = sessions.id and seq > work_seq and kind in {_KINDS}) and not {IS_CHILD}"
    )]  # fmt: skip


def advance(journal: Store, session: int) -> str | None:
    """Look at what is new of a session; returns its directory when a piece of work is another now. Blocking.

    The two newest turns are read once more: a transcript tells of a turn's tools after its end.
    """
    head, rows = journal.read(lambda connection: _new(connection, session))
    if not rows:
        return None
    made = list(_pieces(rows, by_hook=head["begins"] == _BY_HOOK))
    return journal.write(lambda connection: _put(connection, head, rows[-1]["seq"], made))


def of(journal: Store, directory: str, since: datetime) -> list[Work]:
    """The work of a directory, the oldest first, at most MAX_WORK pieces. Blocking."""
    rows = journal.rows(
        f"{_WORK} where dir = ? and at >= ? order by at desc limit ?", directory, rfc3339(since), MAX_WORK
    )
    return [_work(row) for row in reversed(rows)]


def of_projects(journal: Store, since: datetime) -> list[Work]:
    """The work of every project, the oldest first, at most MAX_WORK pieces. Blocking."""
    rows = journal.rows(
        f"{_WORK} where dir in (select path from dirs where kind = 'project') and at >= ? order by at desc limit ?",
        rfc3339(since), MAX_WORK,
    )  # fmt: skip
    return [_work(row) for row in reversed(rows)]


def everywhere(journal: Store, since: datetime) -> list[Work]:
    """The work of every directory, the oldest first, at most MAX_WORK pieces. Blocking."""
    rows = journal.rows(f"{_WORK} where at >= ? order by at desc limit ?", rfc3339(since), MAX_WORK)
    return [_work(row) for row in reversed(rows)]


def lately(journal: Store, host: str, session_id: str) -> tuple[str, ...]:
    """The steps of a session's two newest pieces of work. Blocking."""
    rows = journal.rows(f"{_WORK} where host = ? and session_id = ? order by at desc limit 2", host, session_id)
    return tuple(step for row in rows for step in _work(row).steps)


def hit(journal: Store, host: str, session_id: str, files: Sequence[tuple[str, str]], at: datetime) -> None:
    """Count procedures, by root and path, that were handed to a session. Blocking."""
    journal.write(lambda connection: connection.executemany(
        "insert into procedure_hits select ?, ?, id, ? from sessions where host = ? and session_id = ?",
        [(*file, rfc3339(at), host, session_id) for file in files],
    ) and None)  # fmt: skip


def hits(journal: Store, root: str) -> dict[str, tuple[int, int]]:
    """Of each procedure of a root: how often it was handed out, how often the work with it failed. Blocking."""
    rows = journal.rows(
        "select path, count(*) as hits, coalesce(sum((select outcome from work where work.session = hit.session"
        " and work.at <= hit.at order by work.at desc limit 1) = 'failed'), 0) as failed"
        " from procedure_hits as hit where root = ? group by path", root,
    )  # fmt: skip
    return {row["path"]: (row["hits"], row["failed"]) for row in rows}


#: the events that begin a turn: prompts; in a session that no hook told of, the user's messages
_BY_HOOK = "kind = 'user_prompt'"
_BY_MESSAGE = "kind = 'message' and data ->> 'role' = 'user' and coalesce(data ->> 'tier', 'user') = 'user'"
_WORK = "select work.*, host, session_id, dir from work join sessions on sessions.id = work.session"


def _new(connection: sqlite3.Connection, session: int) -> tuple[Row, list[Row]]:
    head = dict(connection.execute("select id, dir, work_seq from sessions where id = ?", (session,)).fetchone())
    told = connection.execute("select 1 from events where session = ? and kind = 'user_prompt' limit 1", (session,))
    head["begins"] = _BY_HOOK if told.fetchone() else _BY_MESSAGE
    start = connection.execute(
        f"select seq from events where session = ? and seq <= ? and {head['begins']} order by seq desc"
        " limit 1 offset 1", (session, head["work_seq"]),
    ).fetchone()  # fmt: skip
    rows = _page(connection, session, start[0] if start else 0)
    if rows and rows[-1]["seq"] <= head["work_seq"]:  # two turns that fill a page: go on behind them
        rows = _page(connection, session, head["work_seq"] + 1)
    return head, [{**row, "data": json.loads(row["data"])} for row in rows]


def _page(connection: sqlite3.Connection, session: int, start: int) -> list[Row]:
    rows = connection.execute(
        f"select seq, kind, at, data from events where session = ? and seq >= ? and kind in {_KINDS}"
        " order by seq limit ?", (session, start, EVENTS),
    )  # fmt: skip
    return [dict(row) for row in rows]


def _put(connection: sqlite3.Connection, head: Row, to_seq: int, made: Sequence[Row]) -> str | None:
    """Write what changed; nothing of an event that was removed meanwhile."""
    connection.execute("update sessions set work_seq = max(work_seq, ?) where id = ?", (to_seq, head["id"]))
    changed = 0
    for one in made:
        changed += connection.execute(
            "insert into work (seq, session, to_seq, at, outcome, detail)"
            " select ?1, ?2, ?3, ?4, ?5, ?6 where exists (select 1 from events where seq = ?1)"
            " on conflict (seq) do update set to_seq = ?3, outcome = ?5, detail = ?6"
            " where detail != ?6 or outcome != ?5",
            (one["seq"], head["id"], one["to_seq"], one["at"], one["outcome"], one["detail"]),
        ).rowcount
    return head["dir"] if changed else None


def _pieces(rows: Sequence[Row], *, by_hook: bool) -> Iterator[Row]:
    """The turns that have ended, each as a row of `work`."""
    results = {
        call["seq"]: after for call, after in pairwise(rows)
        if call["kind"] == "tool_use" and after["kind"] == "message" and after["data"].get("role") == "tool"
    }  # fmt: skip
    turns: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: (row["at"], row["seq"])):
        if row["kind"] == "user_prompt" if by_hook else _is_prompt(row):
            turns.append([row])
        elif turns:
            turns[-1].append(row)
    return filter(None, (_piece(turn, results) for turn in turns))


def _is_prompt(row: Row) -> bool:
    data = row["data"]
    return row["kind"] == "message" and data.get("role") == "user" and data.get("tier") in (None, "user")


def _piece(turn: Sequence[Row], results: Mapping[int, Row]) -> Row | None:
    prompt, end = turn[0], next((row for row in reversed(turn) if row["kind"] == "turn"), None)
    if end is None:
        return None
    calls = [row for row in turn if row["kind"] == "tool_use"]
    failed = [row for row in calls if row["data"].get("ok") is False]
    shown = [results[row["seq"]] for row in failed if row["seq"] in results]
    cites = sorted(row["seq"] for row in (prompt, end, *shown, *calls))[:MAX_CITES]
    own = own_words(prompt["data"]["text"][:PROMPT_CHARS])
    detail = {
        "task": _task(own), "cites": cites,
        "calls": max(len(calls), end["data"].get("tool_calls") or 0), "seconds": _seconds(prompt, end),
        "steps": once(_step(row) for row in calls if row["data"].get("ok") is not False),
        "failures": [asdict(failure) for row in failed if (failure := _failure(row, results.get(row["seq"])))],
        "told": procedures(own),
        "then": followed([_step(row) for row in calls if row["data"].get("ok") is not False]),
        "corrected": [asdict(one) for one in corrections(own)],
    }  # fmt: skip
    return {
        "seq": prompt["seq"], "at": prompt["at"], "to_seq": max(row["seq"] for row in turn),
        "outcome": _outcome(end, calls), "detail": json.dumps(detail, ensure_ascii=False),
    }  # fmt: skip


def _outcome(end: Row, calls: Sequence[Row]) -> str:
    """As the host tells it; a turn whose last call failed has failed."""
    status = str(end["data"].get("status", "ok"))
    return "failed" if status == "ok" and calls and calls[-1]["data"].get("ok") is False else status


def _seconds(prompt: Row, end: Row) -> float:
    took = (parse_rfc3339(end["at"]) - parse_rfc3339(prompt["at"])).total_seconds()
    told = end["data"].get("duration_ms")
    return round(told / 1000 if told is not None else max(0.0, took), 1)


def _step(call: Row) -> str:
    data: Mapping[str, Any] = call["data"]
    return step_of(str(data.get("name", "")), str(data.get("summary", "")), data.get("files") or ())


def _failure(call: Row, result: Row | None) -> Failure | None:
    return failure_of(_step(call), result["data"]["text"] if result else "")


def _task(own: str) -> str:
    return cut(" ".join(next((row for row in own.splitlines() if row.strip()), "").split()), TASK_CHARS)


def _work(row: Row) -> Work:
    detail = json.loads(row["detail"])
    return Work(
        seq=row["seq"], cites=tuple(detail["cites"]), session=f"{row['host']}/{row['session_id']}",
        at=parse_rfc3339(row["at"]), task=detail["task"], ok=row["outcome"] == "ok", calls=detail["calls"],
        seconds=detail["seconds"], steps=tuple(detail["steps"]),
        failures=tuple(Failure(**one) for one in detail["failures"]),
        told=tuple((name, tuple(steps)) for name, steps in detail["told"]),
        then=tuple((edit, run) for edit, run in detail.get("then", ())),
        corrected=tuple(Correction(**one) for one in detail.get("corrected", ())),
        interrupted=row["outcome"] == "interrupted", place=row["dir"],
    )  # fmt: skip
