"""review: what waits for a person's word, and that word."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cursor, Json, Limit, OnlyCwd, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.ipc.methods.review import ReviewDecided, ReviewItem

review_app = typer.Typer(invoke_without_command=True)
app.add_typer(review_app, name="review", rich_help_panel=MEMORY)


class Keep(StrEnum):
    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


Ident = Annotated[str, typer.Argument(metavar="ID", help="As `review list` shows it.")]


@review_app.callback()
def review(context: typer.Context, cwd: OnlyCwd = None) -> None:
    """What waits for your word before it becomes memory.

    Without a command, on a terminal, a screen: one key accepts, edits, rejects or takes back (needs the extra
    `review`). Elsewhere the list.

    Example: [cyan]memoryd review[/]
    """
    if context.invoked_subcommand:
        return None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return review_list(cwd=cwd)
    try:
        from memoryd.daemon.cli.inbox import InboxScreen
    except ImportError:
        screen.warn("note: `pip install 'memoryd[review]'` makes this a screen with keys; here is the list")
        return review_list(cwd=cwd)
    asking.ask("daemon.health")  # a daemon that is not there is told before the terminal is taken over
    InboxScreen(asking.places_anyway().socket, asking.given(cwd)).run()
    return None


@review_app.command(name="list")
def review_list(cwd: OnlyCwd = None, limit: Limit = 50, cursor: Cursor = None, json: Json = False) -> None:
    """List what waits: facts and changes that no user said, and memories that contradict each other.

    After those: candidates of dreaming, what was written to memory files without memoryd, and what was refused as a
    whole. They are there to be seen; accept or reject takes them off the list.

    Example: [cyan]memoryd review list[/]
    """
    found = asking.ask("review.list", {"cwd": asking.given(cwd), "limit": limit, "cursor": cursor})
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("nothing waits for review")
    screen.show(screen.table(_COLUMNS, map(_row, found.items)))
    return screen.more(found.next_cursor)


_COLUMNS = (
    Column(title="id", style="cyan"),
    Column(title="what", fold=True, ratio=3),
    Column(title="rests on", fold=True, ratio=2, columns=80),
    Column(title="why it waits", fold=True, ratio=2, columns=100),
    Column(title="when", columns=screen.NARROW),
)


def _row(item: ReviewItem) -> tuple[str, ...]:
    what = f"{item.kind}, {item.scope}\n{item.text}"
    return (item.id, what, "\n".join(item.quotes) or "-", item.reason, ago(item.at, utc_now()))


@review_app.command()
def accept(
    ident: Ident,
    text: Annotated[
        str | None, typer.Option("--text", metavar="T", help="Write these words instead of the proposed ones.")
    ] = None,
    keep: Annotated[
        Keep | None, typer.Option("--keep", help="Of a contradiction: what stays. Without it the first, the newer one.")
    ] = None,
    json: Json = False,
) -> None:
    """Let it into memory, as your own change; of two memories that contradict each other, say which one stays.

    Names, limits and scans hold as for `save`; `memoryd undo` takes it back.

    Example: [cyan]memoryd review accept 3[/]
    """
    asked = {"id": ident, "decision": "accept", "text": text, "keep": keep.value if keep else None}
    _tell(asking.ask("review.decide", asked), "accepted", json)


@review_app.command()
def reject(ident: Ident, json: Json = False) -> None:
    """Keep it out; the same comes back only if you say it yourself.

    Of a write outside memoryd: put back what stood there before. Of a contradiction: both may stand.

    Example: [cyan]memoryd review reject 3[/]
    """
    _tell(asking.ask("review.decide", {"id": ident, "decision": "reject"}), "rejected", json)


@review_app.command()
def undo(ident: Ident, json: Json = False) -> None:
    """Take a decision back: what it changed is undone, and it waits again.

    Example: [cyan]memoryd review undo 3[/]
    """
    _tell(asking.ask("review.decide", {"id": ident, "decision": "undo"}), "taken back; it waits again", json)


def _tell(done: ReviewDecided, word: str, json: bool) -> None:
    if json:
        return screen.as_json(done)
    run = f" (run {done.run[:8]}; {', '.join(done.files)})" if done.run else ""
    screen.say(f"{word}{run}")
    return screen.notes((*done.warnings, *done.conflicts))
