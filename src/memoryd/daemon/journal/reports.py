"""What happened, by the local date: sessions, turns, tool calls, what memory it left. Reads only; blocking."""

import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Row, Store

TOP = 8  #: tools and files that are told
_DAY = "date({}, 'localtime')"
_SESSIONS = "(select id from sessions where (?1 is null or dir = ?1) and last_at >= ?2)"


def start_of(day: date) -> str:
    """The local midnight at which a day begins, as the journal writes times."""
    return rfc3339(datetime(day.year, day.month, day.day).astimezone())


def days(journal: Store, directory: str | None, first: date, last: date) -> list[Row]:
    """A row a day, also for one on which nothing happened; `directory` None: of all."""
    span = (directory, start_of(first), start_of(last + timedelta(days=1)))
    rows = {(first + timedelta(days=n)).isoformat(): dict(_NOTHING) for n in range((last - first).days + 1)}
    for sql in (_EVENTS, _WORK, _RUNS):
        for row in journal.rows(sql, *span):
            rows.get(row["day"], {}).update(row)
    return [{**row, "day": day} for day, row in rows.items()]


def top(journal: Store, directory: str | None, first: date, last: date) -> dict[str, list[tuple[str, int]]]:
    """The tools and the changed files that came most, with how often."""
    span = (directory, start_of(first), start_of(last + timedelta(days=1)))
    return {name: [(row["name"], row["n"]) for row in journal.rows(sql, *span)]
            for name, sql in (("tools", _TOOLS), ("files", _FILES))}  # fmt: skip


def tasks(journal: Store, directory: str, day: date) -> Sequence[tuple[str, bool, list[int]]]:
    """What was asked on a day, whether it went well, and the events that it rests on."""
    rows = journal.rows(
        "select outcome, detail from work where session in"
        f" (select id from sessions where dir = ?) and {_DAY.format('at')} = ? order by at",
        directory, day.isoformat(),
    )  # fmt: skip
    found = [(json.loads(row["detail"]), row["outcome"]) for row in rows]
    return [(detail["task"], outcome == "ok", detail["cites"]) for detail, outcome in found if detail["task"]]


def active(journal: Store, day: date) -> list[str]:
    """The directories in which something was said on a day."""
    return [row["dir"] for row in journal.rows(
        "select distinct dir from sessions where last_at >= ? and started_at < ? order by dir",
        start_of(day), start_of(day + timedelta(days=1)),
    )]  # fmt: skip


_NOTHING = {
    "sessions": 0, "prompts": 0, "turns": 0, "failed_turns": 0, "tool_calls": 0, "worked": 0, "failed": 0, "seconds": 0,
    "runs": 0, "memories": 0,
}  # fmt: skip
_EVENTS = (
    f"select {_DAY.format('at')} as day, count(distinct session) as sessions, sum(kind = 'user_prompt') as prompts,"
    " sum(kind = 'turn') as turns, sum(kind = 'turn' and json_extract(data, '$.status') = 'failed') as failed_turns,"
    f" sum(kind = 'tool_use') as tool_calls from events where session in {_SESSIONS} and at >= ?2 and at < ?3"
    " and kind in ('user_prompt', 'turn', 'tool_use', 'message') group by day"
)
_WORK = (
    f"select {_DAY.format('at')} as day, sum(outcome = 'ok') as worked, sum(outcome = 'failed') as failed,"
    " round(sum(json_extract(detail, '$.seconds'))) as seconds"
    f" from work where session in {_SESSIONS} and at >= ?2 and at < ?3 group by day"
)
_RUNS = (
    f"select {_DAY.format('started_at')} as day, count(*) as runs, coalesce(sum(memories), 0) as memories from runs"
    " where outcome = 'applied' and (?1 is null or dir = ?1) and started_at >= ?2 and started_at < ?3 group by day"
)
_TOOLS = (
    f"select json_extract(data, '$.name') as name, count(*) as n from events where session in {_SESSIONS}"
    f" and at >= ?2 and at < ?3 and kind = 'tool_use' group by name order by n desc, name limit {TOP}"
)
_FILES = (
    "select json_extract(file.value, '$.path') as name, count(*) as n from events, json_each(data, '$.files') as file"
    f" where session in {_SESSIONS} and at >= ?2 and at < ?3 and kind = 'tool_use'"
    f" and coalesce(json_extract(file.value, '$.action'), 'read') != 'read'"
    f" group by name order by n desc, name limit {TOP}"
)
