"""What an installation writes: a plan that can be shown, then its carrying out, file by file."""

import contextlib
import difflib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memoryd import fsio
from memoryd.errors import CannotWrite, Conflict
from memoryd.ipc.redaction import redact

Kind = Literal["settings", "script", "skill", "plugin", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file as it is and as it shall be; None: no file."""

    kind: Kind
    path: Path
    before: bytes | None
    after: bytes | None
    mode: int = 0o600  #: of a new file; an old one keeps its own

    def diff(self) -> str:
        """Unified, secrets masked; empty for what memoryd alone writes."""
        if self.kind != "settings":
            return ""
        old, new = ((side or b"").decode().splitlines(keepends=True) for side in (self.before, self.after))
        rows = difflib.unified_diff(old, new, str(self.path), str(self.path), n=2)
        return redact("".join(row if row.endswith("\n") else f"{row}\n" for row in rows))

    def says(self) -> str:
        verb = "write" if self.before is None else "remove" if self.after is None else "change"
        return f"{verb} {self.path} ({self.kind})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be written, in this order; no change: everything is so already."""

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()  #: that were made by us; they go when nothing is left in them

    @property
    def visible(self) -> tuple[Change, ...]:
        """The changes that a person is asked about."""
        return tuple(change for change in self.changes if change.kind != "record")


def change(kind: Kind, path: Path, after: bytes | None, *, mode: int = 0o600) -> Change:
    return Change(kind=kind, path=path, before=read(path), after=after, mode=mode)


def read(path: Path) -> bytes | None:
    """A file's content; None: there is none. A FIFO's writer is not waited for, and no device is taken for a file.

    :raises CannotWrite: something stands there that cannot be read
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CannotWrite(f"cannot read {path}: {error.strerror}; correct what stands there or its mode") from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise CannotWrite(f"{path} is no regular file; put one there, or nothing")
        return fsio.read_all(fd)
    finally:
        os.close(fd)


def carry_out(plan: Plan) -> None:
    """Write the plan, file by file, each whole and durable. Links stay links, old files keep their mode.

    :raises Conflict: a file changed since the plan was made; it and the ones after it are as they were
    :raises CannotWrite: the disk refuses
    """
    for one in plan.changes:
        if read(one.path) != one.before:
            raise Conflict(f"{one.path} was changed meanwhile; run the command again")
        _write(one)
    for folder in sorted(plan.folders, reverse=True):
        _drop_empty(folder)


def _drop_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):  # something lies there, it is gone, or it became a link: it is not ours now
        folder.rmdir()


def _write(one: Change) -> None:
    path = Path(os.path.realpath(one.path))
    if one.after is None:
        with fsio.folder(path.parent) as folder:
            fsio.unlink(folder, path.name)
            fsio.sync_dir(folder)
        return _drop_folder(one)
    mode = path.stat().st_mode & 0o7777 if one.before is not None and one.kind != "script" else one.mode
    fsio.make_dirs(path.parent)
    return fsio.write_durable(path, one.after, mode=mode)


def _drop_folder(one: Change) -> None:
    """The folder of a skill or a plugin goes with it, unless something else lies there."""
    if one.kind in ("skill", "plugin") and not os.listdir(one.path.parent):
        one.path.parent.rmdir()
