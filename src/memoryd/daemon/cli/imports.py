"""import: what is there already, taken in; counted first, and asked about where it would cost."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Json, Yes, app
from memoryd.ipc.methods.imports import ImportProgress

PLAN_SECONDS = 600.0  #: to look at every file of a large folder on a slow disk
SHOWN_FILES = 20


@app.command(name="import", rich_help_panel=PAST)
def import_(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders to look through.")],
    host: Annotated[
        str | None, typer.Option("--host", metavar="H", help="Only what comes from it: claude-code, claude-mem, ...")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what is there, and change nothing.")] = False,
    mine: Annotated[
        bool, typer.Option("--mine", help="What your own rule files (~/.claude/CLAUDE.md, ...) say is your word.")
    ] = False,
    no_consolidate: Annotated[
        bool, typer.Option("--no-consolidate", help="Only to search in: no memory is made of the conversations.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Take in the conversations that your agents have kept, and the memories of other tools.

    Transcripts become sessions as if they had been recorded; twice adds nothing, what was cut off goes on. Memories of
    other tools become dated facts or wait in [cyan]memoryd review list[/]: nobody has said that they are true.

    Example: [cyan]memoryd import ~/.claude/projects --dry-run[/]
    """
    wanted = {
        "paths": [asking.absolute(path) for path in paths], "host": host, "mine": mine,
        "consolidate": not no_consolidate,
    }  # fmt: skip
    if dry_run:
        return _tell(_carried_out({**wanted, "dry_run": True}, "looking", quiet=json), json=json)
    if not (yes or no_consolidate) and asking.ask("agent.get").kind != "rules":
        _agreed(_carried_out({**wanted, "dry_run": True}, "looking", quiet=json))
    return _tell(_carried_out(wanted, "importing", quiet=json), json=json)


def _carried_out(wanted: Mapping[str, Any], what: str, *, quiet: bool) -> ImportProgress:
    """Begin, and go on until it is finished, with a bar where somebody looks."""
    shown = screen.console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("KB"), TimeRemainingColumn())
    with Progress(*columns, console=shown, transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)
        for done in _answers(wanted):
            bar.update(task, total=max(1, done.bytes // 1000), completed=min(done.bytes, done.bytes_done) // 1000)
    return done


def _answers(wanted: Mapping[str, Any]) -> Iterator[ImportProgress]:
    done: ImportProgress = asking.ask("import.run", wanted, timeout=PLAN_SECONDS)
    yield done
    while not done.finished:
        done = asking.ask("import.run", {"id": done.id}, timeout=PLAN_SECONDS)
        yield done


def _agreed(found: ImportProgress) -> None:
    """Ask where it would cost."""
    if found.cost is not None and found.cost.runs:
        _tell(found, json=False)
        asking.confirm("Import, and let the memory agent read it?", yes=False)


def _tell(done: ImportProgress, *, json: bool) -> None:
    if json:
        screen.as_json(done)
    else:
        screen.say(f"{'found' if done.dry_run else 'imported'}: {_numbers(done)}")
        _cost(done)
        for passed in done.passed_over[:SHOWN_FILES]:
            screen.warn(f"passed over: {passed.path}: {passed.why}")
        if done.passed_over_count > SHOWN_FILES:
            screen.warn(f"passed over: {done.passed_over_count - SHOWN_FILES} more")
    if not (done.added or done.kept or done.waiting or (done.dry_run and done.files)):
        raise typer.Exit(1)


def _numbers(done: ImportProgress) -> str:
    counts = {
        "sessions": done.sessions, "messages": done.messages, "turns": done.turns,
        "sessions of folders that are gone (found, not learned from)": done.gone, "memories": done.memories,
        "of them kept": done.kept, "waiting for review": done.waiting, "there already": done.duplicates,
        "refused": done.refused, "without room": done.left, "of projects that are not known here": done.unplaced,
        "events known already": done.known, "purged here before": done.removed, "off the record": done.off_record,
        "files unchanged since an earlier import": done.files_unchanged,
    }  # fmt: skip
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"


def _cost(done: ImportProgress) -> None:
    cost = done.cost
    if cost is None or not cost.runs:
        return
    if not cost.calls:
        screen.say(f"cost: nothing; {cost.runs} runs of the rules")
        return
    days = f", at least {cost.days} days within [budget]" if cost.days > 1 else ""
    screen.say(f"cost: {cost.runs} to {cost.calls} calls of {cost.agent}, about {cost.tokens} tokens{days}")
