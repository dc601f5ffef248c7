"""emit: publish one event by hand."""

import difflib
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

import typer

from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Cwd, app, named
from memoryd.errors import BadEvent, NotFound, UsageError
from memoryd.ipc.events import KINDS
from memoryd.ipc.hosts.record import parse


@app.command(rich_help_panel=MORE)
def emit(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(KINDS)}.")],
    session: Annotated[str, typer.Option("--session", metavar="S", help="The session it belongs to.")],
    host: Annotated[str, typer.Option("--host", metavar="H", help="The host that reports it.")] = "generic",
    cwd: Cwd = None,
    turn: Annotated[str | None, typer.Option("--turn", metavar="T", help="The turn it belongs to.")] = None,
    memory_dir: Annotated[
        Path | None,
        typer.Option("--memory-dir", metavar="DIR", parser=named, help="Bind the session to this memory directory."),
    ] = None,
    ident: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its id; the same id twice changes nothing.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="The event's data as a JSON object; - reads stdin.")
    ] = None,
) -> None:
    """Publish one event and print the daemon's reply as JSON.

    Example: [cyan]echo '{"text": "我喜欢简洁的代码风格。"}' | memoryd emit user_prompt --session s1 --json -[/]
    """
    event: dict[str, Any] = {
        "id": uuid.uuid4().hex if ident is None else ident, "kind": _known(kind), "host": host, "session_id": session,
        "cwd": asking.absolute(cwd), "at": rfc3339(utc_now()), "turn_id": turn, "memory_dir": asking.given(memory_dir),
        "data": _read(data) if data else {},
    }  # fmt: skip
    reply = asking.ask("event.publish", {"event": {k: v for k, v in event.items() if v is not None}})
    screen.as_json(reply)
    if reply.passed_over:
        screen.warn(f"not recorded: {_WHY[reply.passed_over]}")


_WHY = {
    "paused": "recording is paused here; `memoryd resume` goes on",
    "excluded": "it is turned off or excluded here; `memoryd config` shows [daemon] enabled and [privacy] exclude",
}


def _known(kind: str) -> str:
    name = kind.replace("-", "_")
    if name in KINDS:
        return name
    near = difflib.get_close_matches(name, KINDS, n=1)
    raise UsageError(f"unknown kind {kind!r}; " + (f"do you mean {near[0]}?" if near else f"one of {', '.join(KINDS)}"))


def _read(source: str) -> dict[str, Any]:
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).expanduser().read_bytes()
        found = parse(content)
    except OSError as error:
        raise NotFound(f"cannot read {source}: {error.strerror}") from error
    except ValueError as error:
        raise BadEvent(f"{source} is no JSON: {error}; give an object with the event's data") from error
    if not isinstance(found, dict):
        raise BadEvent(f'{source} holds no JSON object; give the event\'s data, e.g. {{"text": "hello"}}')
    return found
