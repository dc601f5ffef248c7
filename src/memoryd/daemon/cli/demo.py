"""demo: the recorded session, replayed into a temporary daemon."""

import sys

from memoryd.daemon.cli.root import MORE, app


@app.command(rich_help_panel=MORE)
def demo() -> None:
    """Replay a recorded session and show what is remembered.

    It goes through the real hook into a temporary daemon. Nothing of yours is read or written, no model is called.

    Example: [cyan]memoryd demo[/]
    """
    from memoryd.daemon.demo import replay

    sys.exit(replay.main())
