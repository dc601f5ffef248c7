"""goals: what you work towards here."""

from enum import StrEnum
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cursor, Cwd, Json, Limit, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.ipc.methods.goals import GoalInfo

goals_app = typer.Typer(
    help="Goals, told to each new session until they are done. Without a command: list them.",
    invoke_without_command=True,
)
app.add_typer(goals_app, name="goals", rich_help_panel=MEMORY)

GoalId = Annotated[int, typer.Argument(metavar="ID", min=1, help="Its number, from `goals`.")]


class Status(StrEnum):
    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"
    ALL = "all"


@goals_app.callback()
def goals(
    context: typer.Context,
    status: Annotated[Status, typer.Option("--status", help="Which to list.")] = Status.OPEN,
    cwd: Cwd = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """List the goals of this project."""
    if context.invoked_subcommand is not None:
        return None
    wanted = None if status is Status.ALL else status.value
    found = asking.ask(
        "goal.list", {"cwd": asking.absolute(cwd), "status": wanted, "limit": limit, "cursor": cursor}
    )  # fmt: skip
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("no goals; `memoryd goals add TEXT` sets one")
    rows = (
        (str(goal.id), goal.status, goal.text, goal.session_id or "-", ago(goal.updated_at, utc_now()))
        for goal in found.items
    )
    screen.show(screen.table(_COLUMNS, rows))
    return screen.more(found.next_cursor)


_COLUMNS = (
    Column(title="id", right=True, style="cyan"),
    Column(title="status"),
    Column(title="goal", fold=True),
    Column(title="session", columns=100),
    Column(title="changed", columns=screen.NARROW),
)


@goals_app.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What shall be reached, in one line.")],
    session: Annotated[str | None, typer.Option("--session", metavar="S", help="The session it came up in.")] = None,
    host: Annotated[str | None, typer.Option("--host", metavar="H", help="That session's host.")] = None,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Set a goal; each new session here is told of it.

    Example: [cyan]memoryd goals add "ship the beta by Friday"[/]
    """
    _tell(
        asking.ask("goal.add", {"cwd": asking.absolute(cwd), "text": text, "session_id": session, "host": host}), json
    )


@goals_app.command()
def done(goal: GoalId, json: Json = False) -> None:
    """Mark a goal as reached.

    Example: [cyan]memoryd goals done 3[/]
    """
    _tell(asking.ask("goal.update", {"id": goal, "status": "done"}), json)


@goals_app.command()
def drop(goal: GoalId, json: Json = False) -> None:
    """Give a goal up.

    Example: [cyan]memoryd goals drop 3[/]
    """
    _tell(asking.ask("goal.update", {"id": goal, "status": "dropped"}), json)


@goals_app.command()
def reopen(goal: GoalId, json: Json = False) -> None:
    """Open a goal again.

    Example: [cyan]memoryd goals reopen 3[/]
    """
    _tell(asking.ask("goal.update", {"id": goal, "status": "open"}), json)


def _tell(goal: GoalInfo, json: bool) -> None:
    if json:
        return screen.as_json(goal)
    screen.say(f"{goal.status}: {goal.id} {goal.text}")
    return screen.notes(goal.warnings)
