"""scopes: whose memory there is, and sharing one between copies of a repository."""

from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Cwd, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.ipc.methods.scopes import ScopeAdopted, ScopeInfo

scopes_app = typer.Typer(
    help="Whose memory there is, and sharing one between copies of a repository. Without a command: list them.",
    invoke_without_command=True,
)
app.add_typer(scopes_app, name="scopes", rich_help_panel=MORE)

_MARKS = {"commit": "the same first commit", "origin": "the same origin", "clone": "cloned from one another"}


@scopes_app.callback()
def scopes(context: typer.Context, cwd: Cwd = None, json: Json = False) -> None:
    """List the memories that there are."""
    if context.invoked_subcommand is not None:
        return None
    found = asking.ask("scope.list", {"cwd": asking.absolute(cwd)})
    if json:
        return screen.as_json(found)
    screen.show(screen.table(_COLUMNS, map(_row, found.items)))
    for item in found.items:
        if item.like_here:
            screen.say(f"this may be {item.path} ({_MARKS[item.like_here]}): `memoryd scopes adopt {item.key}`")
    return None


_COLUMNS = (
    Column(title="", style="cyan"),
    Column(title="memory of", fold=True),
    Column(title="key", fold=True),
    Column(title="sessions", right=True),
    Column(title="last used", columns=screen.NARROW),
)


def _row(item: ScopeInfo) -> tuple[str, ...]:
    names = {"user": "you, in all projects", "explicit": item.memory_dir, "project": item.path}
    gone = "" if item.exists or item.kind == "user" else " (gone)"
    shared = f", shared with {', '.join(item.shared_with)}" if item.shared_with else ""
    return (
        "here" if item.here else "", f"{names[item.kind]}{gone}{shared}", item.key or "-", str(item.sessions),
        ago(item.last_at, utc_now()) if item.last_at else "-",
    )  # fmt: skip


@scopes_app.command()
def adopt(
    name: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="The project, by its key or its path; by default the one it is a copy of."),
    ] = None,
    cwd: Cwd = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which one it would be, and change nothing.")] = False,
    json: Json = False,
) -> None:
    """Let this project share the memory of another one: it was moved or cloned, and is the same.

    From now on both read and write one memory. No file is copied or changed; `memoryd scopes release` takes it back.

    Example: [cyan]memoryd scopes adopt --dry-run[/]
    """
    named = asking.real_if_path(name)
    done = asking.ask("scope.adopt", {"cwd": asking.absolute(cwd), "name": named, "dry_run": dry_run})
    if json:
        return screen.as_json(done)
    why = _MARKS[done.mark] if done.mark else "because you named it; nothing else says that the two are one"
    screen.say(f"{done.path} {'would share' if dry_run else 'now shares'} the memory of {done.key}: {why}")
    screen.say(f"memory: {done.memory_dir}")
    return screen.say(_kept(done))


@scopes_app.command()
def release(cwd: Cwd = None, json: Json = False) -> None:
    """Give this project a memory of its own again.

    What was learned while the memory was shared stays in the shared one.

    Example: [cyan]memoryd scopes release[/]
    """
    done = asking.ask("scope.release", {"cwd": asking.absolute(cwd)})
    if json:
        return screen.as_json(done)
    return screen.say(f"{done.path} has its own memory again: {done.memory_dir}")


def _kept(done: ScopeAdopted) -> str:
    word = "would stay" if done.dry_run else "stays"
    return f"what it had learned by itself {word} in {done.before}; sessions that began before go on there"
