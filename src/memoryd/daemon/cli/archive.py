"""export, import-archive, backup: everything out and in."""

from pathlib import Path
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import PAST, Force, Json, app
from memoryd.errors import UsageError
from memoryd.ipc.methods.archive import ArchiveWritten

ARCHIVE_SECONDS = 600.0

File = Annotated[Path, typer.Argument(metavar="FILE", help="The archive; .gz at its end compresses it.")]


@app.command(rich_help_panel=PAST)
def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The archive; .gz at its end compresses it.")
    ] = None,
    git: Annotated[
        Path | None,
        typer.Option("--git", metavar="DIR", help="The history as commits, in a new or continued repository."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write everything into one archive: memory, what was recorded, every version.

    `memoryd import-archive` takes it in, here or on another machine. Secrets stay redacted. With --git the versions
    become commits with their author and date instead.

    Example: [cyan]memoryd export ~/memory.tar.gz[/]
    """
    if (file is None) == (git is None):
        raise UsageError("name the archive to write, or a folder with --git")
    if git is None:
        wanted = {"file": asking.given(file), "force": force}
        return _tell(asking.ask("archive.export", wanted, timeout=ARCHIVE_SECONDS), json=json)
    done = asking.ask("archive.git", {"dir": asking.given(git)}, timeout=ARCHIVE_SECONDS)
    screen.as_json(done) if json else screen.say(f"{done.commits} commits written to {done.dir}")
    if not done.commits:
        raise typer.Exit(1)
    return None


@app.command(rich_help_panel=PAST)
def backup(file: File, force: Force = False, json: Json = False) -> None:
    """Write the data directory, consistent, into one archive while the daemon runs.

    To restore it: `memoryd stop`, move the data directory away, unpack the archive in its place with tar, check it with
    `sha256sum -c SHA256SUMS`, `memoryd start`.

    Example: [cyan]memoryd backup ~/memoryd-backup.tar[/]
    """
    wanted = {"file": asking.absolute(file), "force": force}
    _tell(asking.ask("archive.backup", wanted, timeout=ARCHIVE_SECONDS), json=json)


@app.command(name="import-archive", rich_help_panel=PAST)
def import_archive(file: File, json: Json = False) -> None:
    """Take in what `memoryd export` wrote, into an empty or a used memory.

    It is verified first, and nothing is changed when a checksum is wrong. What is known already adds nothing, what was
    said and purged here stays away with the lines that rest on it, and where files differ yours stay.

    Example: [cyan]memoryd import-archive ~/memory.tar.gz[/]
    """
    done = asking.ask("archive.import", {"file": asking.absolute(file)}, timeout=ARCHIVE_SECONDS)
    if json:
        screen.as_json(done)
    else:
        screen.say(
            f"imported: {done.events} events of {done.sessions} new sessions, {done.versions} versions,"
            f" {len(done.files)} files changed; {done.duplicates} events were known or purged"
        )
        for path in done.left:
            screen.warn(f"differs and stays as it is here: {path}")
    if done.run is None:
        raise typer.Exit(1)


def _tell(done: ArchiveWritten, *, json: bool) -> None:
    size = f"{done.size / 1e6:.1f} MB" if done.size >= 100_000 else f"{done.size} bytes"
    screen.as_json(done) if json else screen.say(f"{done.file}: {size}, {done.members} files, sha256 {done.sha256}")
