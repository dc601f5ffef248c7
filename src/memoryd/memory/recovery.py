"""After an apply: put back what a dead process left half done, and keep edits made to files that were moved aside.

At start: `recover` each open intent, record what it returns, drop the intents, then `settle` each root for all runs.
Both may be repeated after a crash at any point. The caller holds the directory locks and calls from a thread.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd import fsio
from memoryd.clock import Clock, utc_now
from memoryd.errors import InternalError
from memoryd.memory.aside import (
    NO_FILE,
    Aside,
    Kind,
    asides_of,
    digest,
    fresh,
    parse_all,
    remove_temporaries,
    run_tag,
    short_hash,
)
from memoryd.memory.directory import Folder, folders_of
from memoryd.memory.ports import Author, Version, Versions
from memoryd.memory.slot import Foreign, Seen, Slot, open_parent, peek


@dataclass(frozen=True, slots=True, kw_only=True)
class IntendedChange:
    """A FileChange as its hashes (sha256 hex); None: no file."""

    root: Path
    path: str
    base: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    run_id: str
    changes: tuple[IntendedChange, ...]


Blobs = Callable[[str], bytes | None]  #: the bytes of a sha256, None when unknown


# -- an intent without its commit --------------------------------------------------------------------------------


def recover(intent: Intent, content: Blobs, *, clock: Clock = utc_now) -> list[Version]:
    """Put the files of a run that did not commit back; durable on return.

    :param content: knows the base of every change
    :return: what people saved meanwhile: it stands, and is to be recorded
    :raises CannotWrite: a file cannot be put back; call again when the disk can be written
    """
    return [
        Version(root=change.root, path=change.path, content=found, author=Author.OUTSIDE, run_id=None, at=clock())
        for change in intent.changes
        for found in _roll_back(change, run_tag(intent.run_id), content)
        if not isinstance(found, Foreign)
    ]


def _roll_back(change: IntendedChange, run: str, content: Blobs) -> list[Seen]:
    try:
        dir_fd = open_parent(change.root, change.path, make=False)
    except FileNotFoundError:
        return [None] if change.base else []
    try:
        found = _roll_back_in(dir_fd, change, run, content)
        fsio.sync_dir(dir_fd)
        return found
    finally:
        os.close(dir_fd)


def _roll_back_in(dir_fd: int, change: IntendedChange, run: str, content: Blobs) -> list[Seen]:
    name = change.path.rpartition("/")[2]
    base, new = (hashed[:8] if hashed else NO_FILE for hashed in (change.base, change.new))
    asides = [aside for aside in asides_of(dir_fd, name, run) if (aside.base, aside.new) == (base, new)]
    # 1. no file, and it was the run that moved it away: the old one goes back
    moved = [aside for aside in asides if aside.kind is Kind.OLD or change.new is None]
    stands = _return(dir_fd, name, moved)
    # 2. the new content: the base goes back in its place
    if isinstance(stands, bytes) and digest(stands) == change.new:
        unused = fresh(dir_fd, name, run, base=base, new=new)
        slot = Slot(dir_fd=dir_fd, name=name, aside=str(unused), spare=unused.spare)
        return slot.install(put=_bring_base(slot, change, asides, content), want=stands)
    # 3. the base, or what a person saved: it stays
    hashed = digest(stands) if isinstance(stands, bytes) else None
    return [] if hashed == change.base and not isinstance(stands, Foreign) else [stands]


def _return(dir_fd: int, name: str, moved: Sequence[Aside]) -> Seen:
    """Move the first of `moved` back if the name is free; returns what stands there then."""
    stands = peek(dir_fd, name)
    if stands is None and moved:
        fsio.rename_noreplace(dir_fd, str(moved[0]), name)
        return peek(dir_fd, name)
    return stands


def _bring_base(slot: Slot, change: IntendedChange, asides: Sequence[Aside], content: Blobs) -> bytes | None:
    """Put the base at the slot's dot name: the file that came out, which takes no space, else the recorded bytes."""
    if change.base is None:
        return None
    for aside in asides:
        kept = peek(slot.dir_fd, str(aside))
        if isinstance(kept, bytes) and digest(kept) == change.base:
            fsio.rename(slot.dir_fd, str(aside), slot.aside)
            return kept
    blob = content(change.base)
    if blob is None:
        raise InternalError(f"cannot put back {change.root / change.path}: the bytes of {change.base} are not recorded")
    fsio.stage(slot.dir_fd, slot.aside, blob)
    return blob


# -- what was moved aside ----------------------------------------------------------------------------------------


def settle(root: Path, versions: Versions, *, run_id: str | None = None, clock: Clock = utc_now) -> list[Version]:
    """Remove the dot files of a run (None: of every run, at start), after keeping what someone wrote into them.

    An editor that had the file open saved into what was moved aside: such an edit is recorded and goes on top of
    what the run wrote. When a later save already stands there, the edit is recorded alone.

    :return: the edits, recorded; when there are any, call again 10 s later: what they replaced is aside now
    """
    edits: list[Version] = []
    for folder in folders_of(root):
        names = [entry.name for entry in folder.entries]
        asides = parse_all(names)
        mine = [aside for aside in asides if run_id is None or aside.run == run_tag(run_id)]
        # A file that was moved aside for a moment goes back first: an edit is put on top of it, not of nothing.
        for aside in sorted(mine, key=lambda aside: aside.kind is not Kind.OLD):
            if (edit := _edit_in(folder, aside)) is not None:
                edits.append(_version(root, folder, aside, edit, clock))
                versions.record(edits[-1:])
                _keep(folder.fd, aside, edit, _ours(aside, asides))
        if run_id is None:
            remove_temporaries(folder.fd, names)
        if mine:
            fsio.sync_dir(folder.fd)
    return edits


def _edit_in(folder: Folder, aside: Aside) -> bytes | None:
    """What someone wrote into a file that was moved aside; without that, the file is removed."""
    if aside.kind is Kind.OLD:
        _return(folder.fd, aside.name, [aside])
    content = peek(folder.fd, str(aside))
    if not isinstance(content, bytes):
        return None
    if short_hash(content) in aside.ours:
        fsio.unlink(folder.fd, str(aside))
        return None
    return content


def _keep(dir_fd: int, aside: Aside, edit: bytes, ours: set[str]) -> None:
    """Put an edit, recorded by now, on top of what is ours; under a later save it is removed."""
    stands = peek(dir_fd, aside.name)
    if isinstance(stands, Foreign) or short_hash(stands) not in ours:
        return fsio.unlink(dir_fd, str(aside))
    unused = fresh(dir_fd, aside.name, aside.run, base=short_hash(stands), new=short_hash(edit))
    slot = Slot(dir_fd=dir_fd, name=aside.name, aside=str(aside), spare=unused.spare)
    if not slot.install(put=edit, want=stands) and slot.held:
        # The dot name now tells what is in it: the next call removes it if nobody wrote to it meanwhile.
        fsio.rename(dir_fd, slot.aside, str(unused))
    return None


def _ours(aside: Aside, asides: Sequence[Aside]) -> set[str]:
    """Short hashes that stand there by memoryd's hand alone: of this change, and of runs that went on from it."""
    ours = set(aside.ours)
    for _ in asides:
        ours.update(other.new for other in asides if other.name == aside.name and other.base in ours)
    return ours


def _version(root: Path, folder: Folder, aside: Aside, edit: bytes, clock: Clock) -> Version:
    path = folder.path + aside.name
    return Version(root=root, path=path, content=edit, author=Author.OUTSIDE, run_id=None, at=clock())
