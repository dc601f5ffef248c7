"""note: short lines of a day."""

from datetime import date, datetime
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cwd, Json, app
from memoryd.errors import UsageError

note_app = typer.Typer(
    help="Daily notes, told to each new session today and tomorrow. Without a command: list today's.",
    invoke_without_command=True,
)
app.add_typer(note_app, name="note", rich_help_panel=MEMORY)

Day = Annotated[str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="By default today.")]


@note_app.callback()
def note(context: typer.Context) -> None:
    """List today's notes."""
    if context.invoked_subcommand is None:
        list_notes(day=None, cwd=None, json=False)


@note_app.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One line.")], cwd: Cwd = None, json: Json = False
) -> None:
    """Note a line under today's date.

    Example: [cyan]memoryd note add "staging is down until Monday"[/]
    """
    added = asking.ask("note.add", {"cwd": asking.absolute(cwd), "text": text})
    if json:
        return screen.as_json(added)
    screen.say(f"noted: {added.date} {added.index} {added.text}")
    return screen.notes(added.warnings)


@note_app.command(name="list")
def list_notes(day: Day = None, cwd: Cwd = None, json: Json = False) -> None:
    """List the notes of a day.

    Example: [cyan]memoryd note list --date 2026-11-30[/]
    """
    found = asking.ask("note.list", {"cwd": asking.absolute(cwd), "date": _day(day) if day else None})
    if json:
        screen.as_json(found)
    elif not found.items:
        screen.say("no notes; `memoryd note add TEXT` makes one")
    else:
        for item in found.items:
            screen.say(f"{item.index:>3}  {item.text}")


@note_app.command()
def remove(
    day: Annotated[str, typer.Argument(metavar="YYYY-MM-DD", help="The day.")],
    index: Annotated[int, typer.Argument(metavar="INDEX", min=1, help="The number that `note list` shows.")],
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Take a note out; `undo` brings it back.

    Example: [cyan]memoryd note remove 2026-11-30 2[/]
    """
    gone = asking.ask("note.remove", {"cwd": asking.absolute(cwd), "date": _day(day), "index": index})
    screen.as_json(gone) if json else screen.say(f"removed: {gone.text}")


def _day(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError as error:
        raise UsageError(f"{text!r} is no date; write it as 2026-11-30") from error
