"""The application that every command registers with, and the options they share."""

from pathlib import Path
from typing import Annotated

import typer

from memoryd import __version__

RUN, CONNECT, MEMORY, PAST, WORK, MORE = (
    "The daemon",
    "Connect your agents",
    "Memory",
    "What happened, and taking it back",
    "Recording and consolidation",
    "More",
)

INTRO = """Memory for coding agents, kept on your machine.

Your agent's hooks tell memoryd what was said. When a few turns have gathered, it files what is worth keeping as
Markdown you can read and edit, and hands it back when the next session starts."""

EPILOG = """[bold]First steps[/]

[cyan]memoryd demo[/] shows the whole in a minute

[cyan]memoryd install claude-code[/] connects Claude Code

[cyan]memoryd service install[/] keeps the daemon running

[cyan]memoryd doctor[/] says what is missing

[bold]Words[/] core file: identity, user, preferences or constraints, short and told to every session; entry: one longer
memory with a name; run: one change of memory, by memoryd or by you; host: your coding agent; session: one conversation

[bold]Exit status[/] 0 done, 1 not found or nothing to do, 2 usage, 3 not running, 65 bad input, 69 no daemon, 70 a bug,
71 restart needed, 73 cannot write, 75 try later, 76 conflict, 77 refused, 78 configuration"""


def unwrapped(text: str) -> str:
    """Paragraphs on one line each: the terminal wraps them, not the source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


app = typer.Typer(
    name="memoryd",
    help=unwrapped(INTRO),
    epilog=unwrapped(EPILOG),
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def named(text: str) -> Path:
    """A path that a person gave; '' is none, and would be the current directory."""
    if not text:
        raise typer.BadParameter("it is empty; name a directory.")
    return Path(text)


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Cwd = Annotated[
    Path | None,
    typer.Option("--cwd", metavar="DIR", parser=named, help="The project directory; by default the current one."),
]
MemoryDir = Annotated[
    Path | None,
    typer.Option(
        "--memory-dir",
        metavar="DIR",
        parser=named,
        help="A memory directory that events named, instead of the project's.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
OnlyCwd = Annotated[Path | None, typer.Option("--cwd", metavar="DIR", parser=named, help="Only this project.")]
OnlyDir = Annotated[
    Path | None, typer.Option("--memory-dir", metavar="DIR", parser=named, help="Only this memory directory.")
]
Cursor = Annotated[
    str | None, typer.Option("--cursor", help="Go on where the page before ended: what it said to give here.")
]
Limit = Annotated[int, typer.Option("--limit", min=1, max=1000, metavar="N", help="At most this many.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memoryd {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
