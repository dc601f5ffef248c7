"""Steps 9 to 11 of a run: bring files from their base to new bytes, all or none, and never over a person's save.

The caller holds the directory locks, calls from a thread, and whatever the outcome calls `recovery.settle` for the
run some 10 s later. docs/durability.md tells what a crash leaves after each step.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from memoryd import fsio
from memoryd.clock import Clock, utc_now
from memoryd.errors import MemorydError, PathRefused, RestartNeeded
from memoryd.memory.aside import fresh, run_tag, short_hash
from memoryd.memory.path_rules import check_path
from memoryd.memory.ports import Author, FileChange, Version
from memoryd.memory.slot import Foreign, Seen, Slot, open_parent, peek


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """Every change is on disk and in the record, durably."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raced:
    """Someone else changed a file first: nothing of the run is left, their saves stand."""

    found: tuple[Version, ...]  #: what they saved, oldest first, author outside: to be recorded before the next try


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    change: FileChange
    slot: Slot


def apply(
    changes: Sequence[FileChange],
    *,
    run_id: str,
    begin: Callable[[], None],
    commit: Callable[[], None],
    clock: Clock = utc_now,
) -> Committed | Raced:
    """Apply changes that were computed on the bytes of now.

    :param changes: at most one for each file, `base` other than `new`
    :param begin: writes the intent, durably, before any file is touched
    :param commit: the commit point; when it raises, every file is put back and the error goes on
    :return: Raced, or any error but RestartNeeded: the files are back and the intent may be dropped
    :raises PathRefused: a path breaks a rule, or a link or no regular file stands there
    :raises CannotWrite: the disk is full, read-only or failing
    :raises RestartNeeded: files could not be put back; the intent must stay for the recovery at the next start
    """
    for change in changes:
        check_path(change.path)
    with ExitStack() as folders:
        steps = _open(changes, run_id, folders)
        # 9. the intent: from here on a restart can put back whatever follows
        begin()
        try:
            # 10. stage all, see that all bases still stand, change places one by one, sync the names
            raced = _stage(steps) or _verify(steps) or _install(steps)
            if raced:
                return _give_up(steps, raced, clock)
            _sync(steps)
            # 11. the commit point
            commit()
        except BaseException as error:
            _put_back(steps, error)
            raise
    return Committed()


_Found = list[tuple[FileChange, Seen]]


def _open(changes: Sequence[FileChange], run_id: str, folders: ExitStack) -> list[_Step]:
    fds: dict[tuple[Path, str], int] = {}
    steps = []
    for change in changes:
        folder, _, name = change.path.rpartition("/")
        if (change.root, folder) not in fds:
            fd = fds[change.root, folder] = open_parent(change.root, change.path, make=change.new is not None)
            folders.callback(os.close, fd)
        dir_fd = fds[change.root, folder]
        base, new = short_hash(change.base), short_hash(change.new)
        aside = fresh(dir_fd, name, run_tag(run_id), base=base, new=new)
        slot = Slot(dir_fd=dir_fd, name=name, aside=str(aside), spare=aside.spare)
        steps.append(_Step(change=change, slot=slot))
    return steps


def _stage(steps: Sequence[_Step]) -> _Found:
    for step in steps:
        if step.change.new is not None:
            fsio.stage(step.slot.dir_fd, step.slot.aside, step.change.new)
    return []


def _verify(steps: Sequence[_Step]) -> _Found:
    seen = [(step.change, peek(step.slot.dir_fd, step.slot.name)) for step in steps]
    for change, content in seen:
        if isinstance(content, Foreign):
            raise PathRefused(f"cannot write {change.root / change.path}: a link or no regular file stands there")
    return [(change, content) for change, content in seen if content != change.base]


def _install(steps: Sequence[_Step]) -> _Found:
    """Change places until one is raced; that one is put back by itself, the earlier ones are undone here."""
    done: list[_Step] = []
    for step in steps:
        if outs := step.slot.install(put=step.change.new, want=step.change.base):
            return [*((step.change, out) for out in outs), *_undo(done)]
        done.append(step)
    return []


def _undo(done: Sequence[_Step]) -> _Found:
    return [
        (step.change, out)
        for step in reversed(done)
        for out in step.slot.install(put=step.change.base, want=step.change.new)
    ]


def _give_up(steps: Sequence[_Step], found: _Found, clock: Clock) -> Raced:
    _discard(steps)
    _sync(steps)
    now = clock()
    return Raced(
        found=tuple(
            Version(root=change.root, path=change.path, content=out, author=Author.OUTSIDE, run_id=None, at=now)
            for change, out in found
            if not isinstance(out, Foreign)
        )
    )


def _put_back(steps: Sequence[_Step], error: BaseException) -> None:
    """Undo what is installed; saves that stand in the way stay, and the next observation finds them."""
    try:
        _undo([step for step in steps if step.slot.installed])
        _discard(steps)
        _sync(steps)
    except (MemorydError, OSError) as second:
        raise RestartNeeded(
            f"cannot put back the files of a run ({second}) that failed ({error}); restart memoryd, it does so then"
        ) from error


def _discard(steps: Sequence[_Step]) -> None:
    """Remove what was staged and never stood at its name; the rest is settled later."""
    for step in steps:
        if not step.slot.held:
            fsio.unlink(step.slot.dir_fd, step.slot.aside)


def _sync(steps: Sequence[_Step]) -> None:
    for dir_fd in {step.slot.dir_fd for step in steps}:
        fsio.sync_dir(dir_fd)
