"""edit: an entry on a copy that is saved through the gates, a core file in its place."""

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import typer

from memoryd.daemon import descriptors
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.memory import Name, read, tell_saved
from memoryd.daemon.cli.root import MEMORY, Cwd, app
from memoryd.errors import BadEvent, CannotWrite, ConfigError, LimitExceeded, MemorydError, RestartNeeded, UsageError
from memoryd.ipc.methods.memory import MemoryItem
from memoryd.ipc.redaction import redact
from memoryd.memory import entries, frontmatter

SHOWN_KEYS = ("name", "description", "type")


@app.command(rich_help_panel=MEMORY)
def edit(name: Name, cwd: Cwd = None) -> None:
    """Edit a memory with $VISUAL or $EDITOR.

    An entry is checked as by `save` when the editor ends. A core file is opened where it is: what you write in it
    always wins.

    Example: [cyan]EDITOR="code --wait" memoryd edit preferences.md[/]
    """
    here = asking.absolute(cwd)
    if descriptors.parse(name):
        raise UsageError(f"{name} is no memory; `memoryd note remove` and `memoryd note add` change a note")
    item = read(name, {"cwd": here}).items[0]
    slug = entries.slug_of(item.path)
    if slug is None:
        if item.file is None:
            raise RestartNeeded("the daemon is older than this command; `memoryd restart`, then edit again")
        path = Path(item.file)
        _open_editor(path)
        screen.say(f"{path}: memoryd takes your version as it is")
        if redact(text := path.read_text("utf-8", "replace")) != text:
            screen.warn("note: it holds what looks like a secret; it is kept as you wrote it, in the history too")
    else:
        _edit_entry(item, slug, here)


def _edit_entry(item: MemoryItem, slug: str, cwd: str) -> None:
    if item.truncated:
        raise LimitExceeded(f"{slug} is too long to edit here; open its file in your editor")
    document = frontmatter.read(item.text or "")
    before = entries.render({key: document.meta.get(key, "") for key in SHOWN_KEYS}, document.body)
    folder = Path(tempfile.mkdtemp(prefix="memoryd-"))
    copy = folder / f"{slug}.md"
    copy.write_text(before, "utf-8")
    try:
        _open_editor(copy)
        after = _text_of(copy)
        if after != before:
            _save(after, item, slug, cwd)
    except MemorydError as error:
        if copy.read_bytes() != before.encode():
            raise type(error)(f"{error}; your text is kept in {copy}") from error
        shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)  # with what the editor put beside it, e.g. a backup
    if after == before:
        screen.say(f"unchanged: {slug}")
        raise typer.Exit(1)


def _text_of(copy: Path) -> str:
    try:
        return copy.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadEvent("what the editor wrote is not UTF-8") from error


def _save(text: str, item: MemoryItem, slug: str, cwd: str) -> None:
    document = frontmatter.read(text)
    if document.malformed or not document.meta:
        raise BadEvent(f"the lines between --- that name {slug} are broken; correct them (key: value) and save again")
    kind = str(document.meta.get("type") or item.type)
    saved = asking.ask(
        "memory.save",
        {
            "name": str(document.meta.get("name") or slug), "description": str(document.meta.get("description") or ""),
            "type": kind, "content": document.body.strip(), "scope": item.scope, "slug": slug, "cwd": cwd,
        },
    )  # fmt: skip
    tell_saved(saved, kind)


def _open_editor(path: Path) -> None:
    """Wait until the editor ends.

    :raises UsageError: no editor is set
    :raises ConfigError: it cannot be run
    :raises CannotWrite: it failed; nothing was saved
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise UsageError("no editor is set; say which, e.g. `EDITOR=nano memoryd edit NAME`")
    try:
        status = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"cannot run the editor {command!r}: {error}; set VISUAL or EDITOR to one that exists"
        ) from error
    if status:
        raise CannotWrite(f"the editor ended with status {status}; nothing was saved")
