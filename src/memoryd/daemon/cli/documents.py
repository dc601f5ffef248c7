"""sessions export, sessions import, sessions copy: a session as one JSON document."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import Force, Json
from memoryd.daemon.cli.sessions import resolve, sessions_app
from memoryd.ipc.methods.sessions import SessionImported

Session = Annotated[
    str, typer.Argument(metavar="[HOST/]ID", help="As `sessions list` shows it, or a beginning that no other has.")
]


@sessions_app.command(name="export")
def sessions_export(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Where to; - writes to stdout.")] = "-",
    force: Force = False,
) -> None:
    """Write a session as one JSON document.

    Everything that was recorded of it, as it was recorded.

    Example: [cyan]memoryd sessions export claude-code/0b7c session.json[/]
    """
    host, ident = resolve(session)
    params = {"host": host, "session_id": ident}
    if file != "-":
        path = asking.real(Path(file))
        done = asking.ask("session.export", {**params, "file": path, "force": force})
        return screen.say(f"wrote {done.events} events of {host}/{ident} to {path}")
    with tempfile.TemporaryDirectory() as folder:
        path = asking.real(Path(folder, "document"))
        asking.ask("session.export", {**params, "file": path})
        return screen.exact(Path(path).read_text("utf-8"))


@sessions_app.command(name="import")
def sessions_import(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A document of `sessions export`; - reads stdin.")],
    json: Json = False,
) -> None:
    """Take in a session that was exported, here or elsewhere.

    All of it or nothing; what is known already adds nothing. What was said off the record stays out.

    Example: [cyan]memoryd sessions import session.json[/]
    """
    if file != "-":
        return _tell(asking.ask("session.import", {"file": asking.real(Path(file))}), json)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document")
        path.write_bytes(sys.stdin.buffer.read())
        return _tell(asking.ask("session.import", {"file": asking.real(path)}), json)


def _tell(found: SessionImported, json: bool) -> None:
    if json:
        return screen.as_json(found)
    counts = {"known already": found.known, "removed here before": found.removed, "off the record": found.off_record}
    rest = "".join(f", {count} {why}" for why, count in counts.items() if count)
    return screen.say(f"{found.host}/{found.session_id}: {found.added} events added{rest}")


@sessions_app.command(name="copy")
def sessions_copy(
    session: Session,
    new: Annotated[
        str | None, typer.Option("--as", metavar="ID", help="The id of the copy; by default a fresh one.")
    ] = None,
    json: Json = False,
) -> None:
    """Copy a session under a new id.

    The copy goes on from the original and is consolidated only from where it does.

    Example: [cyan]memoryd sessions copy claude-code/0b7c --as experiment[/]
    """
    host, ident = resolve(session)
    found = asking.ask("session.copy", {"host": host, "session_id": ident, "new_session_id": new})
    if json:
        return screen.as_json(found)
    return screen.say(f"{found.host}/{found.session_id}: a copy of {found.events} events")
