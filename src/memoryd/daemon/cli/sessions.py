"""sessions list, sessions show."""

from collections.abc import Iterator
from typing import Annotated, get_args

import typer
from rich.text import Text

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Cursor, Json, Limit, OnlyCwd, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago, local
from memoryd.errors import NotFound, UsageError
from memoryd.ipc.methods.sessions import SessionDetail, SessionInfo, SessionKind

KINDS: tuple[str, ...] = get_args(SessionKind)

sessions_app = typer.Typer(help="The conversations that were recorded.", no_args_is_help=True)
app.add_typer(sessions_app, name="sessions", rich_help_panel=PAST)


@sessions_app.command(name="list")
def sessions_list(
    cwd: OnlyCwd = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="K", help=f"Only this kind: {', '.join(KINDS)}.")
    ] = None,
    thread: Annotated[
        str | None,
        typer.Option(
            "--thread", metavar="[HOST/]ID", help="Only what a resume, fork or clear joins with this session."
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """List the sessions, the latest first.

    Example: [cyan]memoryd sessions list --cwd . --kind interactive[/]
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of session; write one of {', '.join(KINDS)}")
    joined = "/".join(resolve(thread)) if thread else None
    found = asking.ask(
        "session.list",
        {"cwd": asking.given(cwd), "kind": kind, "thread": joined, "limit": limit, "cursor": cursor},
    )
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("no session yet; `memoryd doctor` checks whether the hooks are in")
    screen.show(screen.table(_COLUMNS, map(_row, found.items)))
    return screen.more(found.next_cursor)


_COLUMNS = (
    Column(title="session", style="cyan", fold=True),
    Column(title="kind", columns=100),
    Column(title="turns", right=True),
    Column(title="tools", right=True, columns=80),
    Column(title="last"),
    Column(title="consolidated", columns=screen.NARROW),
    Column(title="directory", fold=True, columns=80),
)


def _row(session: SessionInfo) -> tuple[str, ...]:
    name = f"{session.host}/{session.session_id}"
    last = ago(session.last_at, utc_now()) + (" (ended)" if session.ended else "")
    counts = (str(session.turn_count), str(session.tool_calls))
    return (name, session.kind, *counts, last, _consolidated(session), session.cwd or "-")


def _consolidated(session: SessionInfo) -> str:
    return "all" if session.watermark >= session.last_seq else f"to {session.watermark} of {session.last_seq}"


@sessions_app.command(name="show")
def sessions_show(
    session: Annotated[
        str, typer.Argument(metavar="[HOST/]ID", help="As `sessions list` shows it, or a beginning that no other has.")
    ],
    json: Json = False,
) -> None:
    """Show one session: counters, its thread, the sub-agents it started, and the files it touched.

    Example: [cyan]memoryd sessions show claude-code/0b7c[/]
    """
    host, ident = resolve(session)
    found = asking.ask("session.get", {"host": host, "session_id": ident})
    if json:
        return screen.as_json(found)
    for name, value in [*_facts(found), *_agents(host, ident)]:
        screen.console().print(Text(f"{name:<13}", style="bold") + Text(screen.harmless(value)))
    rows = ((touch.action, touch.path, ago(touch.at, utc_now())) for touch in found.files)
    columns = (Column(title="file"), Column(title="path", fold=True), Column(title="when"))
    return screen.show(screen.table(columns, rows)) if found.files else None


def resolve(name: str) -> tuple[str, str]:
    """Host and full id of a session named by a unique beginning."""
    keys = list(_keys())
    exact = [key for key in keys if name in ("/".join(key), key[1])]
    near = exact or [key for key in keys if "/".join(key).startswith(name) or key[1].startswith(name)]
    if not near:
        raise NotFound(f"no session {name!r}; `memoryd sessions list` shows them")
    if len(near) > 1:
        raise UsageError(f"{len(near)} sessions begin with {name!r}; give more of the id")
    return near[0]


def _keys() -> Iterator[tuple[str, str]]:
    """Host and id of every session, page by page."""
    cursor: str | None = None
    while True:
        page = asking.ask("session.list", {"limit": 1000, "cursor": cursor})
        yield from ((item.host, item.session_id) for item in page.items)
        cursor = page.next_cursor
        if cursor is None:
            return


def _facts(found: SessionDetail) -> list[tuple[str, str]]:
    facts = [
        ("session", f"{found.host}/{found.session_id}"),
        ("kind", found.kind),
        ("directory", found.cwd or "-"),
        ("memory", found.memory_dir or "-"),
        ("started", local(found.started_at)),
        ("last event", ago(found.last_at, utc_now()) + (", ended" if found.ended else "")),
        ("counted", f"{found.turn_count} turns, {found.tool_calls} tool calls, {found.event_count} events"),
        ("consolidated", _consolidated(found)),
        ("transcript", found.transcript),
    ]
    if found.parent:
        facts.append(("parent", f"{found.parent.host}/{found.parent.session_id}"))
    if len(found.thread) > 1:
        facts.append(("thread", " -> ".join(joined.session_id for joined in found.thread)))
    return facts


def _agents(host: str, ident: str) -> Iterator[tuple[str, str]]:
    """The sub-agents below a session, those of sub-agents indented."""
    found = asking.ask("session.descendants", {"host": host, "session_id": ident, "limit": 1000})
    for agent in found.items:
        state = "runs" if agent.open else "done"
        said = f": {agent.report}" if agent.report else ""
        name = f"{agent.session_id} ({agent.agent_type or 'agent'}, {state})"
        yield "sub-agent", f"{'  ' * (agent.depth - 1)}{name}{said}"
