"""history: what you asked, in any session."""

import json as json_lines
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Cursor, Json, Limit, OnlyCwd, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.sessions import resolve
from memoryd.daemon.cli.times import ago
from memoryd.errors import UsageError
from memoryd.ipc.methods.sessions import HistoryPage, PromptLine


@app.command(rich_help_panel=PAST)
def history(
    prefix: Annotated[str, typer.Option("--prefix", metavar="P", help="Only prompts that begin with this.")] = "",
    host: Annotated[str | None, typer.Option("--host", metavar="H", help="Only this host.")] = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session", metavar="[HOST/]ID", help="Only this session: its id, or a beginning that no other has."
        ),
    ] = None,
    cwd: OnlyCwd = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One line of session_id, ts and text a prompt.")] = False,
    json: Json = False,
) -> None:
    """List your prompts, the newest first.

    From every session, as they were recorded: secrets replaced, private spans left out.

    Example: [cyan]memoryd history --prefix "fix the" --jsonl[/]
    """
    if json and jsonl:
        raise UsageError("--json prints one result, --jsonl a line a prompt; give one of them")
    chosen = resolve(session) if session else (host, None)
    params = {"prefix": prefix, "host": chosen[0], "session_id": chosen[1], "cwd": asking.given(cwd)}
    found = _gather(params, limit, cursor)
    if json:
        return screen.as_json(found)
    if jsonl:
        for line in found.items:
            screen.exact(_jsonl(line))
        return screen.more(found.next_cursor)
    if not found.items:
        return screen.say("no such prompt; `memoryd sessions list` shows what was recorded")
    screen.show(screen.table(_COLUMNS, map(_row, found.items)))
    return screen.more(found.next_cursor)


def _gather(params: dict[str, str | None], limit: int, cursor: str | None) -> HistoryPage:
    """Pages until there are `limit` prompts: a page of rare ones may hold few."""
    items: list[PromptLine] = []
    for page in _pages(params, limit, cursor):
        items += page.items
        cursor = page.next_cursor
        if len(items) >= limit:
            break
    return HistoryPage(items=tuple(items), next_cursor=cursor)


def _pages(params: dict[str, str | None], limit: int, cursor: str | None) -> Iterator[HistoryPage]:
    while True:
        page = asking.ask("history.list", {**params, "limit": limit, "cursor": cursor})
        yield page
        limit -= len(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return


def _jsonl(line: PromptLine) -> str:
    return json_lines.dumps({"session_id": line.session_id, "ts": line.ts, "text": line.text}, ensure_ascii=False)


_COLUMNS = (
    Column(title="when"),
    Column(title="prompt", fold=True, ratio=1),
    Column(title="session", style="cyan", columns=100),
)


def _row(line: PromptLine) -> tuple[str, ...]:
    at = datetime.fromtimestamp(line.ts, UTC)
    return (ago(at, utc_now()), line.text, f"{line.host}/{line.session_id[:8]}")
