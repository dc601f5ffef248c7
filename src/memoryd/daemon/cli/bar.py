"""statusline, as `--help` shows it; `cli.app` runs it without typer."""

import typer

from memoryd.daemon.cli.root import MORE, app
from memoryd.daemon.cli.statusline import print_line


@app.command(rich_help_panel=MORE)
def statusline() -> None:
    """Print one line for your host's status bar: state, turns, memories. Reads the host's JSON from stdin, if any.

    Example: put [cyan]"statusLine": {"type": "command", "command": "memoryd statusline"}[/] into Claude Code's settings.
    """
    raise typer.Exit(print_line())
