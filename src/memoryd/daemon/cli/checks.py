"""doctor, the command; the checks are in `daemon.doctor`."""

import json as json_module
from dataclasses import asdict

import typer
from rich.text import Text

from memoryd.daemon.checks import Check, Mark
from memoryd.daemon.cli import screen
from memoryd.daemon.cli.root import CONNECT, Json, app
from memoryd.daemon.doctor import examine

_MARKS = {Mark.OK: ("✓", "green"), Mark.WRONG: ("✗", "red"), Mark.OFF: ("–", "yellow")}


@app.command(rich_help_panel=CONNECT)
def doctor(json: Json = False) -> None:
    """Check everything from the hook to the memory, and say how to mend what is broken.

    In the order in which an event passes. Exit status 0 when no link is broken,
    else 1.

    Example: [cyan]memoryd doctor[/]
    """
    found = []
    for check in examine():
        found.append(check)
        if not json:
            screen.console().print(_line(check))
    if json:
        print(json_module.dumps({"checks": [asdict(check) for check in found]}, ensure_ascii=False))
    if any(check.mark is Mark.WRONG for check in found):
        raise typer.Exit(1)


def _line(check: Check) -> Text:
    sign, colour = _MARKS[check.mark]
    line = Text(f"{sign} ", style=colour) + Text(screen.harmless(f"{check.link}: {check.found}"), style="")
    return line + Text(screen.harmless(f"\n  → {check.mend}"), style="bold") if check.mend else line
