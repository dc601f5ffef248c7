"""search: memories, or what was said before."""

from enum import StrEnum
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.memory import Scopes, place
from memoryd.daemon.cli.root import MEMORY, Cursor, Cwd, Json, Limit, MemoryDir, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.errors import UsageError
from memoryd.ipc.methods.memory import MemoryItem
from memoryd.ipc.methods.sessions import SessionHit

MODEL_SECONDS = 150.0  #: for a model's answer, and the one before it


class Match(StrEnum):
    WORDS = "words"
    ANY = "any"
    PHRASE = "phrase"
    LITERAL = "literal"
    PREFIX = "prefix"


class GroupBy(StrEnum):
    NONE = "none"
    SESSION = "session"
    THREAD = "thread"


@app.command(rich_help_panel=MEMORY)
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, in any language.")],
    match: Annotated[
        Match,
        typer.Option(
            "--match",
            help="words: all of them; any: one; phrase: in order; literal: these characters; prefix: as beginnings.",
        ),
    ] = Match.WORDS,
    sessions: Annotated[bool, typer.Option("--sessions", help="Search past conversations of this project.")] = False,
    group_by: Annotated[
        GroupBy, typer.Option("--group-by", help="With --sessions: the best text of each session or thread.")
    ] = GroupBy.NONE,
    summarise: Annotated[
        bool, typer.Option("--summarise", help="With --sessions: what the hits tell together, by the configured model.")
    ] = False,
    rerank: Annotated[bool, typer.Option("--rerank", help="Memories in the order of the configured model.")] = False,
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    scope: Scopes = None,
    limit: Limit = 10,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """Search the memories of this project and your own, or with --sessions its past conversations.

    Exit status 1 when nothing is found.

    Example: [cyan]memoryd search 部署 --match any[/]
    """
    if (summarise and not sessions) or (rerank and sessions):
        raise UsageError("--summarise is for --sessions, --rerank for memories; give the one that fits")
    if sessions:
        return search_sessions(
            query, cwd=asking.absolute(cwd), group_by=group_by, limit=limit, cursor=cursor, json=json,
            summarise=summarise,
        )  # fmt: skip
    found = asking.ask(
        "memory.search",
        {
            "query": query, "match": match.value, **asking.where(cwd, memory_dir), "limit": limit,
            "cursor": cursor, "scopes": tuple(scope or ()), "rerank": rerank,
        },
        timeout=MODEL_SECONDS if rerank else asking.CALL_SECONDS,
    )  # fmt: skip
    if json:
        screen.as_json(found)
    elif found.items:
        rows = ((f"{item.score or 0:.2f}", place(item), _one_line(item)) for item in found.items)
        screen.show(screen.table(_HIT_COLUMNS, rows))
        screen.more(found.next_cursor)
        _tell(found.unanswered, "ordered by their words")
    else:
        screen.warn(f"nothing matches {query!r}; --match any is wider")
    if not found.items:
        raise typer.Exit(1)
    return None


def search_sessions(
    query: str, *, cwd: str, group_by: GroupBy, limit: int, cursor: str | None, json: bool, summarise: bool = False
) -> None:
    """What was said before, the best first."""
    found = asking.ask(
        "session.search",
        {
            "query": query, "cwd": cwd, "group_by": group_by.value, "limit": limit, "cursor": cursor,
            "summarise": summarise,
        },
        timeout=MODEL_SECONDS if summarise else asking.CALL_SECONDS,
    )  # fmt: skip
    if json:
        screen.as_json(found)
    elif found.items:
        for sentence in found.summary:
            screen.say(f"{sentence.text} ({', '.join(str(n + 1) for n in sentence.hits)})")
        screen.show(screen.table(_TURN_COLUMNS, map(_turn_row, found.items)))
        _tell(found.unanswered, "not summed up")
        screen.more(found.next_cursor)
    else:
        screen.warn(f"nobody spoke of {query!r} here")
    if not found.items:
        raise typer.Exit(1)


def _tell(why: str, instead: str) -> None:
    """Why a model gave no answer; the hits are there all the same."""
    if why:
        screen.warn(f"{instead}: {why}")


_TURN_COLUMNS = (
    Column(title="session", style="cyan", fold=True),
    Column(title="who", columns=screen.NARROW),
    Column(title="when", columns=screen.NARROW),
    Column(title="text", fold=True),
)


def _turn_row(hit: SessionHit) -> tuple[str, ...]:
    more = f" (+{hit.hits - 1})" if hit.hits > 1 else ""
    return (hit.session + more, hit.role, ago(hit.at, utc_now()), " ".join(hit.snippet.split()))


_HIT_COLUMNS = (
    Column(title="score", right=True, columns=screen.NARROW),
    Column(title="where", style="cyan", fold=True),
    Column(title="text", fold=True),
)


def _one_line(item: MemoryItem) -> str:
    return " ".join((item.text or item.description or item.name).split())
