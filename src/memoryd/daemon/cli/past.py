"""log, diff, undo, why: each run, what it changed, taking it back, and where a line came from."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Cursor, Cwd, Json, Limit, MemoryDir, OnlyCwd, OnlyDir, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago, since
from memoryd.errors import Conflict, NotFound, UsageError
from memoryd.ipc.methods.memory import RunInfo, WhyItem

Run = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="A run's id or its beginning, or a v<N>, from `memoryd log`; by default the newest here."
    ),
]


@app.command(rich_help_panel=PAST)
def log(
    since_when: Annotated[
        str | None, typer.Option("--since", metavar="T", help="A duration (2h, 1d) or a date (2026-11-30).")
    ] = None,
    writes: Annotated[bool, typer.Option("--writes", help="Only what changed a file.")] = False,
    cwd: OnlyCwd = None,
    memory_dir: OnlyDir = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """List the runs, newest first.

    Consolidations, and each change by hand: whatever memoryd wrote is a run. With --writes also what an agent or an
    editor wrote into the files by itself.

    Example: [cyan]memoryd log --since 1d --writes[/]
    """
    now = utc_now()
    found = asking.ask(
        "memory.log",
        {
            "since": since(since_when, now).isoformat() if since_when else None, "writes": writes, "limit": limit,
            "cursor": cursor, "cwd": asking.given(cwd), "memory_dir": asking.given(memory_dir),
        },
    )  # fmt: skip
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("no run yet; `memoryd consolidate` starts one")
    screen.show(screen.table(_RUN_COLUMNS, (_run(run, now) for run in found.items)))
    return screen.more(found.next_cursor)


MAX_REASONS = 3  #: of what a run was refused, in a list
_RUN_COLUMNS = (
    Column(title="run", style="cyan"),
    Column(title="when"),
    Column(title="project", columns=80),
    Column(title="by", columns=screen.NARROW),
    Column(title="outcome"),
    Column(title="ms", right=True, columns=screen.NARROW),
    Column(title="what", fold=True, columns=screen.NARROW),
)


def _run(run: RunInfo, now: datetime) -> tuple[str, ...]:
    refused = f"{len(run.refused)} refused ({_reasons(run)})" if run.refused else ""
    flags = f"flagged: {', '.join(run.flags)}" if run.flags else ""
    what = "; ".join(part for part in (", ".join(run.files), run.reason, flags, refused) if part)
    by = f"{run.author} {run.agent}".strip()
    return (run.run[:8], ago(run.at, now), _about(run), by, run.outcome, str(run.duration_ms), what or "-")


def _reasons(run: RunInfo) -> str:
    shown = "; ".join(one.reason for one in run.refused[:MAX_REASONS])
    more = len(run.refused) - MAX_REASONS
    return f"{shown}; and {more} more (`--json`)" if more > 0 else shown


def _about(run: RunInfo) -> str:
    """The folders of its projects; what is the user's alone has none."""
    if "*" in run.projects:
        return "all"
    return ", ".join(Path(project).name for project in run.projects) or "-"


@app.command(rich_help_panel=PAST)
def diff(run: Run = None, cwd: Cwd = None, json: Json = False) -> None:
    """Show what a run changed.

    Example: [cyan]memoryd diff 3f2a91c0[/]
    """
    found = asking.ask("memory.diff", {"run": run, **_here(run, cwd)})
    if json:
        return screen.as_json(found)
    screen.say(f"run {found.run}")
    return screen.diff("\n".join(item.diff.rstrip("\n") for item in found.items))


@app.command(rich_help_panel=PAST)
def undo(run: Run = None, cwd: Cwd = None, json: Json = False) -> None:
    """Take a run back, or what a host or an editor wrote (`v<N>` of `log --writes`).

    What was changed since stays, and what was said before does not bring it again.

    Example: [cyan]memoryd undo[/]
    """
    found = asking.ask("memory.undo", {"run": run, **_here(run, cwd)})
    if json:
        screen.as_json(found)
    else:
        screen.say(f"undone: {', '.join(found.files) or 'nothing, it is so already'}")
        for conflict in found.conflicts:
            screen.warn(f"left as it is: {conflict}")
    if found.conflicts:
        raise typer.Exit(Conflict.exit_status)
    if not found.files:
        raise typer.Exit(1)


def _here(run: str | None, cwd: Path | None) -> dict[str, str]:
    """The newest run is the newest of this project and the user's memory."""
    return {} if run else {"cwd": asking.absolute(cwd)}


@app.command(rich_help_panel=PAST)
def why(
    name: Annotated[
        str, typer.Argument(metavar="NAME[:LINE]", help="A memory file or an entry, and a line of it; or words.")
    ],
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> None:
    """Show where a memory came from: the turns, with the words that were said, or who wrote it.

    Takes any file of the memory, also one that was forgotten; words find the lines that hold them, now or once.

    `memoryd show NAME` numbers the lines.

    Example: [cyan]memoryd why preferences.md:7[/]
    """
    name, line = _named(name)
    found = asking.ask("memory.why", {"name": name, "line": line, **asking.where(cwd, memory_dir)})
    if json:
        return screen.as_json(found)
    if not found.items:
        raise NotFound(f"no line of {name} says anything")
    now = utc_now()
    return screen.show(screen.table(_WHY_COLUMNS, (_reason(item, now) for item in found.items)))


_WHY_COLUMNS = (
    Column(title="memory", fold=True, ratio=2),
    Column(title="was said", fold=True, ratio=3),
    Column(title="by", columns=screen.NARROW),
    Column(title="session#seq, or file", columns=100, fold=True),
    Column(title="when", columns=screen.NARROW),
)


def _reason(item: WhyItem, now: datetime) -> tuple[str, ...]:
    said = " ".join(part for part in (item.quote, f"({item.note})" if item.note else "") if part)
    turn = item.source or (f"{item.session}#{item.seq}" if item.seq else "-")
    return (item.line, said, item.tier or item.author, turn, ago(item.at, now) if item.at else "-")


def _named(text: str) -> tuple[str, int | None]:
    name, colon, line = text.rpartition(":")
    if not colon or " " in text.strip():  # words of a line
        return text, None
    if not line.isdigit() or int(line) < 1:
        raise UsageError(f"{line!r} is no line number; write NAME or NAME:LINE, e.g. preferences.md:3")
    return name, int(line)
