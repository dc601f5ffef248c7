"""logs: what the daemon logged. Read from the log store itself, so that it tells most when no daemon answers."""

import json as json_lines
import sys
import time
from dataclasses import replace
from typing import Annotated

import typer

from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Json, Limit, app
from memoryd.daemon.cli.times import since
from memoryd.daemon.logstore import LEVELS, PAGE_ROWS, LogLine, LogStore, Query
from memoryd.errors import NotFound, UsageError

FOLLOW_SECONDS = 0.5


@app.command(rich_help_panel=PAST)
def logs(
    since_when: Annotated[
        str | None, typer.Option("--since", metavar="T", help="A duration (2h, 1d) or a date (2026-11-30).")
    ] = None,
    level: Annotated[str, typer.Option("--level", metavar="L", help=f"At least this: {', '.join(LEVELS)}.")] = "debug",
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only about this session.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes, until Ctrl-C.")] = False,
    limit: Limit = 100,
    json: Json = False,
) -> None:
    """Show the newest log events, the oldest first.

    Ids, sizes and codes; docs/operations.md says what each event means. Works without a daemon.

    Example: [cyan]memoryd logs --since 1h --level warning[/]
    """
    if level not in LEVELS:
        raise UsageError(f"{level!r} is no level; write one of {', '.join(LEVELS)}")
    store = LogStore(asking.places_anyway().data / "logs.db")
    start = since(since_when, utc_now()) if since_when else None
    query = Query(since=start, level=LEVELS[level], session=session, limit=limit)
    found = _read(store, query, patient=follow)
    _print(found, json)
    if follow:
        _follow(store, replace(query, since=None, limit=PAGE_ROWS), found[-1].id if found else 0, json)


def _follow(store: LogStore, query: Query, last: int, json: bool) -> None:
    while True:
        time.sleep(FOLLOW_SECONDS)
        if lines := _read(store, replace(query, after=last), patient=True):
            _print(lines, json)
            last = lines[-1].id
        elif (newest := _read(store, Query(limit=1), patient=True)) and newest[0].id < last:
            last = 0  # the store was replaced by a new one


def _read(store: LogStore, query: Query, *, patient: bool) -> list[LogLine]:
    """A follower waits for a store that is not there, or is being replaced."""
    try:
        return store.read(query)
    except NotFound:
        if patient:
            return []
        raise


def _print(lines: list[LogLine], json: bool) -> None:
    for line in lines:
        screen.exact(_as_json(line)) if json else screen.raw(_as_text(line))
    sys.stdout.flush()


def _as_json(line: LogLine) -> str:
    known = {"at": rfc3339(line.at), "level": _name(line), "logger": line.logger, "event": line.event}
    about = {"session": line.session} if line.session else {}
    return json_lines.dumps({**known, **about, **line.fields}, ensure_ascii=False)


def _as_text(line: LogLine) -> str:
    about = {"session": line.session} if line.session else {}
    fields = " ".join(f"{name}={value}" for name, value in {**about, **line.fields}.items())
    return f"{line.at.astimezone():%Y-%m-%d %H:%M:%S}  {_name(line):<8} {line.event:<20} {fields}".rstrip()


def _name(line: LogLine) -> str:
    return next((name for name, number in LEVELS.items() if number >= line.level), "critical")
