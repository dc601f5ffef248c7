"""profile: what is believed of you, and your word on it."""

from itertools import groupby
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cwd, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.errors import UsageError
from memoryd.ipc.methods.profile import BeliefInfo


@app.command(rich_help_panel=MEMORY)
def profile(
    forget: Annotated[str | None, typer.Option("--forget", metavar="ID", help="Take this one back.")] = None,
    correct: Annotated[
        tuple[str, str] | None,
        typer.Option("--set", metavar="ID TEXT", help="Put your words in the place of this one."),
    ] = None,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """Show what is believed of you, with what each line rests on and how sure it is.

    From what you said, from what your work shows again and again, and from what your turns count up to. What you take
    back or correct is your word: it is not learned again until you say it. `memoryd why` explains a line of a file.

    Example: [cyan]memoryd profile --set 3fa9c1 "I work in the evening"[/]
    """
    if forget is not None and correct is not None:
        raise UsageError("give --forget or --set, not both")
    where = {"cwd": asking.absolute(cwd)}
    if forget is not None or correct is not None:
        ident, text = correct or (forget, None)
        done = asking.ask("profile.correct", {**where, "id": ident, "text": text})
        if json:
            return screen.as_json(done)
        run = f" (run {done.run[:8]}; `memoryd undo {done.run[:8]}` takes it back)" if done.run else ""
        screen.say(f"{'corrected' if text else 'taken back'}: {done.was}{run}")
        return screen.notes(done.warnings)
    found = asking.ask("profile.get", where)
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("nothing is believed of you yet; it comes of what you say and do")
    for area, items in groupby(found.items, key=lambda one: one.area):
        screen.show(
            screen.table(
                (Column(title="id", style="cyan"), Column(title=area, fold=True, ratio=3), *_COLUMNS), map(_row, items)
            )
        )
        screen.say("")
    return screen.say("wrong? `memoryd profile --forget ID`, or --set ID TEXT with what holds")


_COLUMNS = (
    Column(title="sure", right=True),
    Column(title="rests on", columns=screen.NARROW, fold=True, ratio=2),
)


def _row(one: BeliefInfo) -> tuple[str, ...]:
    trigger = one.when if one.when and not one.text.startswith(one.when) else ""
    turns = f"{one.turns} {'turn' if one.turns == 1 else 'turns'}" if one.turns else "your own words"
    rests = turns if not one.place else f"{turns}; {one.place}"
    return one.id, f"{trigger} -> {one.text}" if trigger else one.text, f"{one.confidence:.2f}", rests
