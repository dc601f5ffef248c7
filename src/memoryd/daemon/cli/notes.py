"""note: short lines of a day, and notes that are kept until they are done with."""

from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cwd, Json, app
from memoryd.daemon.cli.times import ago, seconds
from memoryd.errors import BadEvent, UsageError
from memoryd.ipc.methods.notes import NoteInfo

note_app = typer.Typer(
    help="Notes: of a day, told today and tomorrow; priority, working and plan notes. Without a command: list them.",
    invoke_without_command=True,
)
app.add_typer(note_app, name="note", rich_help_panel=MEMORY)

_ID = "note:"


class Kind(StrEnum):
    DAILY = "daily"
    PRIORITY = "priority"
    WORKING = "working"
    PLAN = "plan"


Day = Annotated[str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="By default today.")]
KindOption = Annotated[Kind | None, typer.Option("--kind", help="Only this kind.")]
NoteId = Annotated[str, typer.Argument(metavar="ID", help="As `note` shows it, such as note:3.")]


@note_app.callback()
def note(context: typer.Context) -> None:
    """List today's notes and those that are kept."""
    if context.invoked_subcommand is None:
        list_notes()


@note_app.command()
def add(
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What to note; of a plan its title.")] = None,
    kind: Annotated[
        Kind,
        typer.Option(
            "--kind", help="daily: today and tomorrow; priority: until removed; working: a day; plan: with steps."
        ),
    ] = Kind.DAILY,
    step: Annotated[list[str] | None, typer.Option("--step", metavar="S", help="A step of a plan; repeated.")] = None,
    expires: Annotated[str | None, typer.Option("--expires", metavar="T", help="After 2h, 3d, ...")] = None,
    file: Annotated[Path | None, typer.Option("--file", metavar="F", help="Note what this file holds.")] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="S", help="Tell it to this session alone.")
    ] = None,
    host: Annotated[str | None, typer.Option("--host", metavar="H", help="That session's host.")] = None,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Note a line under today's date, or keep a note.

    Example: [cyan]memoryd note add "staging is down until Monday"[/]
    """
    added = asking.ask(
        "note.add",
        {
            "cwd": asking.absolute(cwd), "kind": kind.value, "steps": tuple(step or ()), "session_id": session,
            "host": host, "expires_seconds": seconds(expires) if expires else None, **_text(text, file),
        },
    )  # fmt: skip
    if json:
        return screen.as_json(added)
    screen.say(f"noted: {added.date} {added.index} {added.text}" if added.id is None else f"noted: {_row(added)}")
    return screen.notes(added.warnings)


def _text(text: str | None, file: Path | None) -> dict[str, Any]:
    """What is noted, and the file that it was read from."""
    if (text is None) == (file is None):
        raise UsageError("give a text to note, or --file and no text")
    if file is None:
        return {"text": text}
    try:
        return {"text": file.read_bytes().decode(), "file": asking.absolute(file)}
    except UnicodeDecodeError as error:
        raise BadEvent(f"{file} is no UTF-8 text; a note holds text") from error
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error


@note_app.command(name="list")
def list_notes(day: Day = None, kind: KindOption = None, cwd: Cwd = None, json: Json = False) -> None:
    """List the notes of a day, today's with all that are kept.

    Example: [cyan]memoryd note list --date 2026-11-30[/]
    """
    asked = {"cwd": asking.absolute(cwd), "date": _day(day) if day else None, "kind": kind.value if kind else None}
    found = asking.ask("note.list", asked)
    if json:
        screen.as_json(found)
    elif not found.items:
        screen.say("no notes; `memoryd note add TEXT` makes one")
    else:
        for item in found.items:
            screen.say(f"{item.index:>3}  {item.text}" if item.id is None else _row(item))


@note_app.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="DATE|ID", help="The day of a daily note, or note:3.")],
    index: Annotated[int | None, typer.Argument(metavar="INDEX", min=1, help="Its number, from `note list`.")] = None,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Take a note out; `undo` brings a daily one back.

    Example: [cyan]memoryd note remove 2026-11-30 2[/]
    """
    which = {"date": _day(name), "index": index} if index is not None else {"id": _id(name)}
    gone = asking.ask("note.remove", {"cwd": asking.absolute(cwd), **which})
    screen.as_json(gone) if json else screen.say(f"removed: {gone.text}")


@note_app.command()
def tick(
    note_id: NoteId,
    step: Annotated[int, typer.Argument(metavar="STEP", min=1, help="Its number in the plan.")],
    undo: Annotated[bool, typer.Option("--undo", help="It is open again.")] = False,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Mark a step of a plan as done.

    Example: [cyan]memoryd note tick note:3 2[/]
    """
    asked = {"cwd": asking.absolute(cwd), "id": _id(note_id), "step": step, "done": not undo}
    ticked = asking.ask("note.tick", asked)
    screen.as_json(ticked) if json else screen.say(_row(ticked))


def _row(note: NoteInfo) -> str:
    """A kept note with what is to know of it; the steps of a plan below it."""
    about = [
        f"session {note.session_id}" if note.session_id else "",
        f"expires {ago(note.expires_at, utc_now())}" if note.expires_at else "",
        f"{note.file}{f' ({note.stale})' if note.stale else ''}" if note.file else "",
    ]
    told = ", ".join(filter(None, about))
    head = f"{_ID}{note.id}  {note.kind}  {note.text}{f' ({told})' if told else ''}"
    steps = (f"  [{'x' if step.done else ' '}] {n}. {step.text}" for n, step in enumerate(note.steps, start=1))
    return "\n".join([head, *steps])


def _id(text: str) -> int:
    number = text.removeprefix(_ID)
    if not (number.isdecimal() and len(number) <= 18):
        raise UsageError(f"{text!r} names no note; write note:3 as `memoryd note` shows it, or a date and an index")
    return int(number)


def _day(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError as error:
        raise UsageError(f"{text!r} is no date; write it as 2026-11-30") from error
