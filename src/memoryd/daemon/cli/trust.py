"""trust: look at a repository's team memory and let agents be told of it."""

from collections.abc import Iterable
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Cwd, Json, Yes, app
from memoryd.ipc.methods.team import MemoryTrusted, TeamFileInfo


@app.command(rich_help_panel=MORE)
def trust(
    cwd: Cwd = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust nothing of it any more.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is new and stop.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Look at this repository's team memory, .memoryd/memory/, and trust it as it is now.

    Agents are told of trusted files as quoted facts. What changes later waits until you have looked at it again; a file
    with signs of an attack is never shown. memoryd does not write to that folder.

    Example: [cyan]memoryd trust --dry-run[/]
    """
    here = asking.absolute(cwd)
    found: MemoryTrusted = asking.ask("memory.trust", {"cwd": here, "revoke": revoke})
    if revoke or dry_run:
        return _told(found, revoke) if not json else screen.as_json(found)
    if waiting := [item for item in found.items if item.state != "trusted"]:
        if not json:
            _show(waiting)
        asking.confirm(f"Trust {found.folder} as shown?", yes)
        seen = {item.path: item.digest for item in found.items if item.state != "gone"}
        found = asking.ask("memory.trust", {"cwd": here, "seen": seen})
    return screen.as_json(found) if json else screen.say(f"trusted: {_count(found.items)} of {found.folder}")


def _told(found: MemoryTrusted, revoke: bool) -> None:
    if revoke:
        return screen.say(f"no file is trusted any more ({found.revoked} {'was' if found.revoked == 1 else 'were'})")
    _show(found.items)
    return None


def _show(items: Iterable[TeamFileInfo]) -> None:
    for item in items:
        flags = f"; never shown to an agent: signs of {', '.join(item.flags)}" if item.flags else ""
        screen.say(f"{item.state}: {item.path}{flags}")
        if item.diff:
            screen.diff(item.diff)


def _count(items: tuple[TeamFileInfo, ...]) -> str:
    shown = sum(item.state == "trusted" and not item.flags for item in items)
    return f"{shown} {'file' if shown == 1 else 'files'}"
