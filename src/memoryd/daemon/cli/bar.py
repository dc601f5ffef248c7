"""statusline, as `--help` shows it; `cli.app` runs it without typer."""

import typer

from memoryd.daemon.cli.root import MORE, app
from memoryd.daemon.cli.statusline import print_line


@app.command(rich_help_panel=MORE)
def statusline() -> None:
    """Print one line for your host's status bar.

    State, turns and memories; reads the host's JSON from stdin, if any. For Claude Code put
    [cyan]"statusLine": {"type": "command", "command": "memoryd statusline"}[/] into its settings.

    Example: [cyan]memoryd statusline[/]
    """
    raise typer.Exit(print_line())
