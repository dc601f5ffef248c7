"""report: what was done, by the day, with small charts."""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Json, app, named
from memoryd.daemon.cli.screen import Column
from memoryd.ipc.methods.report import DayReport, Often

MIN_BAR, MAX_BAR = 6, 24  #: characters of the longest bar
WIDE = 80  #: columns of a terminal that shows everything
WEEK = 7  #: days


@app.command(rich_help_panel=PAST)
def report(
    week: Annotated[bool, typer.Option("--week", help="The last 7 days.")] = False,
    days: Annotated[int, typer.Option("--days", min=1, max=400, metavar="N", help="The last N days, with today.")] = 1,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIR", parser=named, help="Only of this project; by default of all.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what was done: sessions, turns, how they ended, and what memory it left.

    Of all projects, or of the one that --cwd names. `daily/<date>.md` of a project holds its report of a day.

    Example: [cyan]memoryd report --week[/]
    """
    asked = {"days": max(days, WEEK) if week else days, "cwd": asking.absolute(cwd) if cwd else None}
    found = asking.ask("report.get", asked)
    if json:
        return screen.as_json(found)
    screen.say(_summary(found.days))
    if len(found.days) > 1:
        screen.show(screen.table(_DAYS, map(list, _rows(found.days))))
    for title, often in (("tools", found.tools), ("files changed", found.files)):
        if often:
            screen.say("")
            screen.show(
                screen.table((Column(title=title), Column(title=""), Column(title="", right=True)), _often(often))
            )
    return None


_DAYS = (
    Column(title="day"),
    Column(title="turns"),
    Column(title="", right=True),
    Column(title="failed", right=True),
    Column(title="sessions", right=True, columns=WIDE),
    Column(title="calls", right=True, columns=WIDE),
    Column(title="time", right=True, columns=WIDE),
    Column(title="memories", right=True),
)


def _summary(days: Sequence[DayReport]) -> str:
    turns, calls = sum(day.turns for day in days), sum(day.tool_calls for day in days)
    span = "today" if len(days) == 1 else f"last {len(days)} days"
    if not turns:
        return f"{span}: nothing was done"
    sessions, failed = sum(day.sessions for day in days), sum(day.failed for day in days)
    bad = f" ({failed} ended on a failure)" if failed else ""
    wrote = sum(day.memories for day in days)
    return f"{span}: {sessions} sessions, {turns} turns{bad}, {calls} tool calls; {wrote} memories written"


def _bar() -> int:
    """How long the longest bar may be beside the other columns."""
    width = screen.console().width
    return min(MAX_BAR, max(MIN_BAR, width - (64 if width >= WIDE else 36)))


def _rows(days: Sequence[DayReport]) -> Sequence[Sequence[str]]:
    bars = screen.bars([day.turns for day in days], _bar())
    return [
        (
            f"{one.day:%a %m-%d}", bar, _count(one.turns), _count(one.failed), _count(one.sessions),
            _count(one.tool_calls), _time(one.seconds), _count(one.memories),
        )
        for one, bar in zip(days, bars, strict=True)
    ]  # fmt: skip


def _often(often: Sequence[Often]) -> Sequence[Sequence[str]]:
    bars = screen.bars([one.count for one in often], _bar())
    return [(_short(one.name), bar, str(one.count)) for one, bar in zip(often, bars, strict=True)]


def _short(name: str) -> str:
    """A path by its last parts."""
    parts = PurePath(name).parts
    return name if len(parts) < 4 else f"…/{'/'.join(parts[-3:])}"


def _count(number: int) -> str:
    return str(number) if number else ""


def _time(seconds: int) -> str:
    minutes = round(seconds / 60)
    return "" if not minutes else f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
