"""purge: what would go is shown first, then asked about."""

from typing import Annotated, Any

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Json, Yes, app
from memoryd.daemon.cli.times import since
from memoryd.ipc.methods.memory import MemoryPurged

PURGE_SECONDS = 600.0  #: the database is written anew
SHOWN_LINES = 40


@app.command(rich_help_panel=PAST)
def purge(
    session: Annotated[
        str | None, typer.Option("--session", metavar="S", help="A session and its sub-agents, from `sessions list`.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="WHO", help="user, host, repository, tool, web, or a host such as claude-code."
        ),
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="T", help="A date (2026-11-30) or a duration ago (90d).")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that was recorded, and the memory made of it.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Forget for good: what was said, the lines of memory that rest on it, and all their versions.

    It cannot be undone, and no transcript, session or archive brings what was said back. An archive made before still
    brings entries, goals and notes that rest on nothing said, but nothing after --all. What memoryd cannot reach is
    listed.

    Example: [cyan]memoryd purge --session 3f2a91c0 --dry-run[/]
    """
    wanted: dict[str, Any] = {
        "session": session, "source": source, "all": everything,
        "before": since(before, utc_now()).isoformat() if before else None,
    }  # fmt: skip
    if dry_run or not yes:
        found = asking.ask("memory.purge", {**wanted, "dry_run": True}, timeout=PURGE_SECONDS)
        if dry_run and json:
            return screen.as_json(found)
        _show(found)
        if dry_run:
            return _nothing(found)
        asking.confirm("Remove this for good?", yes)
    done = asking.ask("memory.purge", wanted, timeout=PURGE_SECONDS)
    screen.as_json(done) if json else _tell(done)
    return _nothing(done)


def _show(found: MemoryPurged) -> None:
    for line in found.lines[:SHOWN_LINES]:
        screen.say(f"- {line.file}: {line.line}")
    if len(found.lines) > SHOWN_LINES:
        screen.say(f"- and {len(found.lines) - SHOWN_LINES} more lines of memory")
    screen.say(f"would go: {_numbers(found)}")
    _unreached(found)


def _tell(done: MemoryPurged) -> None:
    screen.say(f"purged: {_numbers(done)}" + (f" (run {done.run[:8]})" if done.run else ""))
    _unreached(done)


def _numbers(found: MemoryPurged) -> str:
    counts = {
        "events": found.events, "sessions": len(found.sessions), "lines of memory": found.line_count,
        "whole files": found.files_removed, "versions": found.versions,
        "goals": found.goals, "notes": found.notes, "payloads set aside": found.quarantined + found.spooled,
    }  # fmt: skip
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"


def _unreached(found: MemoryPurged) -> None:
    if found.events:
        screen.say("not reached, look there yourself:")
        for place in found.unreached:
            screen.say(f"  {place.what}" + (f": {place.where}" if place.where else ""))


def _nothing(found: MemoryPurged) -> None:
    if _numbers(found) == "nothing":
        raise typer.Exit(1)
