"""maintain: work that the daemon does by itself, now."""

from enum import StrEnum
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Json, app


class Task(StrEnum):
    INDEX = "index"


@app.command(rich_help_panel=MORE)
def maintain(
    task: Annotated[Task, typer.Argument(metavar="TASK", help="index: build the search index again.")],
    json: Json = False,
) -> None:
    """Do a task of upkeep now.

    The index is removed and built again from the journal and the memory; search answers meanwhile, a little slower.

    Example: [cyan]memoryd maintain index[/]
    """
    done = asking.ask("maintenance.run", {"task": task.value})
    screen.as_json(done) if json else screen.say("the index is being built again; `memoryd status` is ok when it is")
