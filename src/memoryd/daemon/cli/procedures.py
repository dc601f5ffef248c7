"""procedures: ways of working that came of work, or that you told; one of them as an Agent Skill."""

from pathlib import Path
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cwd, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.errors import CannotWrite, NotFound, UsageError
from memoryd.ipc.methods.procedures import ProcedureInfo
from memoryd.memory import frontmatter

MAX_SKILL_NAME, MAX_SKILL_DESCRIPTION = 64, 1_024

_COLUMNS = (
    Column(title="procedure", fold=True),
    Column(title="steps", right=True),
    Column(title="sure", right=True),
    Column(title="uses", right=True),
    Column(title="from", columns=screen.NARROW),
    Column(title="last", columns=screen.NARROW),
    Column(title="slug", columns=120, style="cyan"),
)


@app.command(rich_help_panel=MEMORY)
def procedures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show the steps of this one.")] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="DIR", help="Write it into a folder there, as an Agent Skill.")
    ] = None,
    cwd: Cwd = None,
    json: Json = False,
) -> None:
    """List the ways of working that are known here; with a name, show one.

    They come of work that succeeded, or of your own words ("when you release, do 1. ... 2. ..."), and a prompt that
    asks for one gets its steps. The files are below `procedures/`: edit or remove them, and they are yours.

    Example: [cyan]memoryd procedures "When you release" --export .claude/skills[/]
    """
    found = asking.ask("procedure.list", {"cwd": asking.absolute(cwd)})
    if name is None and export is not None:
        raise UsageError("name the procedure to export; `memoryd procedures` lists them")
    chosen = None if name is None else _named(name, found.items)
    if chosen is not None and export is not None:
        return screen.say(f"written: {_write_skill(chosen, export)}")
    if json:
        return screen.as_json(found if chosen is None else chosen)
    if chosen is not None:
        return screen.raw(_steps(chosen))
    if not found.items:
        return screen.say(
            "no procedures yet; they come of work that succeeds, or tell one: when you ..., do 1. ... 2. ..."
        )
    return screen.show(screen.table(_COLUMNS, map(_row, found.items)))


def _named(name: str, items: tuple[ProcedureInfo, ...]) -> ProcedureInfo:
    for one in items:
        if name in (one.slug, one.name):
            return one
    raise NotFound(f"no procedure {name!r}; `memoryd procedures` lists them")


def _row(one: ProcedureInfo) -> tuple[str, ...]:
    sure = "yours" if one.confidence is None else f"{one.confidence:.2f}"
    last = ago(one.updated_at, utc_now()) if one.updated_at else "-"
    return one.name, str(len(one.steps)), sure, str(one.uses), one.source, last, one.slug


def _steps(one: ProcedureInfo) -> str:
    rows = [f"{n}. {step}" for n, step in enumerate(one.steps, start=1)]
    about = [one.description] if one.description else []
    return "\n".join([one.name, *about, *rows, f"({one.scope}/{one.path})"])


def _write_skill(one: ProcedureInfo, folder: Path) -> Path:
    """Write `<folder>/<slug>/SKILL.md`; one that is there is a person's.

    :raises CannotWrite: it is there already, or cannot be written
    """
    target = folder / one.slug[:MAX_SKILL_NAME].strip("-") / "SKILL.md"
    text = frontmatter.dump({"name": target.parent.name, "description": _description(one)})
    rows = "\n".join(f"{n}. {step}" for n, step in enumerate(one.steps, start=1))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(f"{text}\n# {one.name}\n\n{rows}\n")
    except FileExistsError as error:
        raise CannotWrite(f"{target} is there already; remove it to write it again") from error
    except OSError as error:
        raise CannotWrite(f"cannot write {target}: {error.strerror}") from error
    return target


def _description(one: ProcedureInfo) -> str:
    """What it does and when to use it, as the format asks; angle brackets are not allowed in it."""
    about = f"{one.name}. Use it for: {one.description or one.name}"
    return about.replace("<", "(").replace(">", ")")[:MAX_SKILL_DESCRIPTION]
