"""list, show, save, forget, recall: memory as the daemon gives and takes it."""

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MEMORY, Cursor, Cwd, Json, Limit, MemoryDir, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.errors import BadEvent, UsageError
from memoryd.ipc.methods.memory import MemoryItem, MemoryItems, MemorySaved
from memoryd.memory.model import EntryType, Root

NEAR_LIMIT = 0.9  #: share of a type's room from which `save` says so


_NOTHING = "no memory fits this prompt; `memoryd search --match any` finds by one word in common"
Scopes = Annotated[list[Root] | None, typer.Option("--scope", help="Only this scope; may be repeated.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A core file (preferences.md) or an entry, from `list`.")]
Shown = Annotated[str, typer.Argument(metavar="NAME", help="A core file, an entry from `list`, or an id like note:3.")]


@app.command(rich_help_panel=MEMORY)
def recall(
    query: Annotated[
        str | None,
        typer.Option(
            "--query",
            metavar="Q",
            help="What this prompt would bring up; without it, what a session is told at its start.",
        ),
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", min=1, max=100_000, metavar="N", help="At most this many tokens.")
    ] = None,
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    scope: Scopes = None,
    json: Json = False,
) -> None:
    """Print exactly what an agent would be given here.

    A prompt brings up what holds two of its words, one of them in the name, or all of them: one word in common is too
    little to interrupt with. `memoryd search --match any` finds by one.

    Example: [cyan]memoryd recall --query "how do we deploy?"[/]
    """
    method = "recall.prefetch" if query is not None else "recall.snapshot"
    found = asking.ask(
        method,
        {**asking.where(cwd, memory_dir), "query": query, "budget_tokens": budget, "scopes": tuple(scope or ())},
    )
    if json:
        screen.as_json(found)
    elif found.text:
        screen.raw(found.text)
        if found.left_out:
            screen.warn(f"{found.left_out} memories had no room; --budget gives more")
    elif found.left_out:
        screen.warn(f"nothing fits: {found.left_out} memories had no room; give a larger --budget")
    else:
        screen.warn(_NOTHING if query else "an agent would be given nothing here")


@app.command(name="list", rich_help_panel=MEMORY)
def list_memories(
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    scope: Scopes = None,
    limit: Limit = 200,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """List the core files and entries that hold here.

    Example: [cyan]memoryd list --scope user[/]
    """
    found = asking.ask(
        "memory.list",
        {
            **asking.where(cwd, memory_dir),
            "scopes": tuple(scope or ()),
            "limit": limit,
            "cursor": cursor,
            "check": True,
        },
    )
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("no memory yet; it comes with the first turns, or with `memoryd save`")
    screen.show(screen.table(_ITEM_COLUMNS, map(_row, found.items)))
    used = (f"{kind} {total.used}/{total.limit}" for kind, total in found.totals.items())
    screen.say(f"characters of entries: {', '.join(used)}")
    if found.waiting:
        screen.warn(f"{found.waiting} wait for review; `memoryd review list` shows them")
    return screen.more(found.next_cursor)


_ITEM_COLUMNS = (
    Column(title="where", style="cyan", fold=True),
    Column(title="type", columns=80),
    Column(title="description", fold=True),
    Column(title="flags", fold=True, columns=100),
    Column(title="changed", columns=100),
)


def _row(item: MemoryItem) -> tuple[str, ...]:
    about = " ".join((item.description or item.name).split())
    changed = ago(item.updated_at, utc_now()) if item.updated_at else "-"
    until = f" ({item.tier}, until {item.expires_at:%Y-%m-%d})" if item.expires_at else ""
    return (place(item) + until, item.type or "core", about, ", ".join(item.flags) or "-", changed)


def place(item: MemoryItem) -> str:
    name = item.path.removeprefix("knowledge/").removesuffix(".md") if item.type else item.path
    return f"{item.scope}/{name}" + (f" {item.replaced or '(historical)'}" if item.status == "historical" else "")


@app.command(rich_help_panel=MEMORY)
def show(
    name: Shown,
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    scope: Scopes = None,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """Print one memory whole; on a terminal with its line numbers, for `why NAME:LINE`.

    Also what a descriptor stands for, by its id: `note:3`, `event:120`, `checkpoint:7`, a page at a time.

    Example: [cyan]memoryd show preferences.md[/]
    """
    found = read(name, asking.where(cwd, memory_dir), scopes=scope, cursor=cursor)
    item = found.items[0]
    text = item.text or ""
    screen.as_json(found) if json else screen.numbered(text) if sys.stdout.isatty() else screen.raw(text)
    if item.stale and not json:
        screen.warn(f"note: {item.name} is {_STALE[item.stale]}")
    if not json:
        screen.more(found.next_cursor)


_STALE = {"gone": "gone; this is what it held", "changed": "another one by now; this is what it held"}


def read(
    name: str, where: Mapping[str, str], *, scopes: list[Root] | None = None, cursor: str | None = None
) -> MemoryItems:
    """One memory by name. :raises NotFound: no such memory"""
    name, named = split(name)
    wanted = {"name": name, **where, "scopes": named or tuple(scopes or ()), "cursor": cursor}
    found: MemoryItems = asking.ask("memory.read", wanted)
    return found


def split(name: str) -> tuple[str, tuple[Root, ...]]:
    """A name as `list` prints it, `user/NAME`, and the scope that it names."""
    head, slash, rest = name.partition("/")
    return (rest, (Root(head),)) if slash and head in tuple(Root) else (name, ())


@app.command(rich_help_panel=MEMORY)
def save(
    content: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to remember; without it stdin is read.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="N", help="A short title; by default the first line.")] = "",
    description: Annotated[str, typer.Option("--description", metavar="D", help="One line for the index.")] = "",
    kind: Annotated[
        EntryType, typer.Option("--type", help="About you, how to work, this project, or a pointer.")
    ] = EntryType.PROJECT,
    scope: Annotated[
        Root | None, typer.Option("--scope", help="Where to; by default it follows from the type.")
    ] = None,
    slug: Annotated[
        str | None, typer.Option("--slug", help="The entry to write; by default made from the name.")
    ] = None,
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> None:
    """Remember something.

    Secrets in it are replaced, hidden text is taken out, and each type has a limit.

    Example: [cyan]memoryd save "We deploy with make ship, never by hand." --type project[/]
    """
    text = (content if content is not None else _stdin()).strip()
    if not text:
        raise BadEvent("there is nothing to save; give the text, or pipe it in")
    title = name or text.splitlines()[0].lstrip("# ")[:80]
    saved = asking.ask(
        "memory.save",
        {
            "name": title, "description": description or None, "type": kind.value, "content": text,
            "scope": scope.value if scope else None, "slug": slug, **asking.where(cwd, memory_dir),
        },
    )  # fmt: skip
    screen.as_json(saved) if json else tell_saved(saved, kind.value)


def _stdin() -> str:
    if sys.stdin.isatty():
        raise UsageError("there is nothing to save; give the text, or pipe it in")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def tell_saved(saved: MemorySaved, kind: str) -> None:
    screen.say(f"{saved.status}: {saved.slug}" + (f" (run {saved.run[:8]})" if saved.run else ""))
    screen.notes(saved.warnings)
    if saved.duplicate_of:
        screen.warn(f"note: it says nearly the same as {saved.duplicate_of}; `memoryd show {saved.duplicate_of}`")
    total = saved.totals.get(kind)
    if total and total.used >= NEAR_LIMIT * total.limit:
        screen.warn(f"note: entries of type {kind} hold {total.used} of {total.limit} characters")


@app.command(rich_help_panel=MEMORY)
def forget(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An entry from `list`, a procedure, an instinct, or words of a line.")
    ],
    every: Annotated[bool, typer.Option("--every", help="Every line of the core files that holds the words.")] = False,
    cwd: Cwd = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> None:
    """Forget an entry, a procedure, an instinct, or the line of a core file that holds these words.

    What was said before does not bring it back; saying it again may.

    Example: [cyan]memoryd forget old-deploy-host[/]
    """
    name, scopes = split(name)
    found = asking.ask(
        "memory.forget", {"name": name, "scopes": scopes, "every": every, **asking.where(cwd, memory_dir)}
    )
    if json:
        return screen.as_json(found)
    for item in found.items:
        screen.say(f"forgotten: {item.scope}/{item.path}: {item.name}")
    return screen.say(
        f"`memoryd undo {(found.run or '')[:8]}` brings it back; an old version stays in the directory and the history"
    )
