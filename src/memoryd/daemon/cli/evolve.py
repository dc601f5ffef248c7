"""evolve: instincts, and what they make together, put before you."""

from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cwd, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.ipc.methods.instincts import EvolvedInfo, InstinctInfo

_INSTINCTS = (
    Column(title="when", fold=True),
    Column(title="then", fold=True, ratio=2),
    Column(title="sure", right=True),
    Column(title="from", columns=screen.NARROW),
    Column(title="last", columns=screen.NARROW),
    Column(title="slug", columns=120, style="cyan"),
)
_PROPOSALS = (
    Column(title="proposal", fold=True, ratio=2),
    Column(title="sure", right=True),
    Column(title="turns", right=True),
    Column(title="review"),
)
_STATUS = {"new": "waits for you", "open": "waits for you", "": "not proposed yet"}


@app.command(rich_help_panel=MEMORY)
def evolve(
    only_list: Annotated[bool, typer.Option("--list", help="Only show the instincts; propose nothing.")] = False,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Show the instincts that your corrections and your work left, and propose what they make together.

    Those that belong together become one entry; it waits for your word in `memoryd review` and is no memory before.
    The files are below `instincts/`: edit or `memoryd forget` them, and they are yours.

    Example: [cyan]memoryd evolve[/]
    """
    found = asking.ask("instinct.evolve", {"cwd": asking.absolute(cwd), "dry": only_list})
    if json:
        return screen.as_json(found)
    if not found.instincts:
        return screen.say("no instincts yet; they come of corrections that you repeat, and of steps in the same order")
    screen.show(screen.table(_INSTINCTS, map(_row, found.instincts)))
    if not found.proposals:
        return screen.say("nothing is sure enough to be proposed")
    screen.say("")
    screen.show(screen.table(_PROPOSALS, map(_proposed, found.proposals)))
    return screen.say("`memoryd review list` shows what waits; accept, reject or reword it there")


def _row(one: InstinctInfo) -> tuple[str, ...]:
    sure = "yours" if one.confidence is None else f"{one.confidence:.2f}"
    source = "your words" if one.source == "correction" else "your work"
    last = ago(one.updated_at, utc_now()) if one.updated_at else "-"
    return "\n".join(one.when), one.then, sure, source, last, one.slug


def _proposed(one: EvolvedInfo) -> tuple[str, ...]:
    return one.text, f"{one.confidence:.2f}", str(one.turns), _STATUS.get(one.status, one.status)
