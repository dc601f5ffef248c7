"""maintain: work that the daemon does by itself, now."""

from enum import StrEnum
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Json, app

TASK_SECONDS = 600.0


class Task(StrEnum):
    INDEX = "index"
    REFLECT = "reflect"
    MERGE = "merge"
    DAILY = "daily"
    FORGET = "forget"
    DREAM = "dream"


@app.command(rich_help_panel=MORE)
def maintain(
    task: Annotated[Task, typer.Argument(metavar="TASK", help="index, reflect, merge, daily, forget or dream.")],
    json: Json = False,
) -> None:
    """Do a task of upkeep now.

    index: the search index is removed and built again from the journal and the memory; search answers meanwhile, a
    little slower. The others are done once a day by themselves and change nothing when they are done again. reflect:
    patterns, lessons and procedures follow the work. merge: summaries of sessions that are older than 7 days go into
    `long-term/`. daily: the reports of yesterday and today. forget: what nobody wants is archived, contradictions go
    to `memoryd review`, names of things that are gone are flagged. dream: as `memoryd dream run`.

    Example: [cyan]memoryd maintain merge[/]
    """
    done = asking.ask("maintenance.run", {"task": task.value}, timeout=TASK_SECONDS)
    if json:
        return screen.as_json(done)
    if task is Task.INDEX:
        return screen.say("the index is being built again; `memoryd status` is ok when it is")
    if not done.runs:
        return screen.say(f"{task}: nothing to do")
    return screen.say(
        f"{task}: changed memory in {len(done.runs)} runs; `memoryd log` shows them, `memoryd undo` takes back"
    )
