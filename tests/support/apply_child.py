"""A process that applies, or recovers, and is killed at a chosen call to the file system.

Started once; each line on stdin (JSON: `case`, `portable`, `task`, `place`, `die_at`) is done in a forked child, and
answered with a line: `done` or `killed`. Every call that changes the disk is counted; the one with the number `die_at`
does not happen (a write happens half), and the child gets SIGKILL.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoryd import fsio
from memoryd.errors import Conflict
from memoryd.memory.apply import Committed, Raced, apply
from memoryd.memory.aside import digest
from memoryd.memory.ports import FileChange
from memoryd.memory.recovery import recover, settle
from support.versions import MemoryVersions, intent_of

RUN = "run-1"
OLD = {"user.md": b"old\n" * 50, "knowledge/db.md": b"postgres\n", "knowledge/gone.md": b"stale\n", "z.md": b"z\n"}
NEW = {"user.md": b"new\n" * 50, "knowledge/db.md": b"sqlite\n", "daily/2026-11-30.md": b"made\n", "z.md": b"zz\n"}
ORDER = ("user.md", "daily/2026-11-30.md", "knowledge/gone.md", "knowledge/db.md", "z.md")
PERSON = b"person\n"
_COUNTED = ("mkdir", "rename", "link", "unlink", "fsync", "fdatasync", "replace")


def changes(root: Path) -> list[FileChange]:
    return [FileChange(root=root, path=path, base=OLD.get(path), new=NEW.get(path)) for path in ORDER]


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _child(**json.loads(line))
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            print("killed", flush=True)
        else:
            print("done" if status == 0 else "failed", flush=True)


def _child(*, case: str, portable: bool, task: str, place: str, die_at: int) -> None:
    fsio._portable = portable
    try:
        if task == "apply":
            _apply(case, Path(place), die_at)
        else:
            _recover(Path(place), die_at)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _apply(case: str, place: Path, die_at: int) -> None:
    """`case`: clean; raced (a person saves db.md just before it is exchanged); refused (the commit fails);
    edited (after the commit an editor writes to user.md, which it opened before).
    """
    root = place / "memory"
    editor = (root / "user.md").open("ab", buffering=0)

    def begin() -> None:
        (place / "writing").write_text(RUN)
        os.replace(place / "writing", place / "intent")

    def commit() -> None:
        if case == "refused":
            raise Conflict("the token is not this run's")
        os.replace(place / "intent", place / "committed")
        if case == "edited":
            editor.write(PERSON)
            (place / "saved").touch()

    if case == "raced":
        _save_before_replace(root / "knowledge/db.md", place / "saved")
    _die_at(die_at)
    try:
        outcome: object = apply(changes(root), run_id=RUN, begin=begin, commit=commit)
    except Conflict as error:
        outcome = error
    if not isinstance(outcome, Committed):
        assert case == ("raced" if isinstance(outcome, Raced) else "refused")
        os.unlink(place / "intent")


def _recover(place: Path, die_at: int) -> None:
    """What a start does; dropping the intent is a step as well."""
    _die_at(die_at)
    root = place / "memory"
    blobs = {digest(content): content for content in OLD.values()}
    if (place / "intent").exists():
        recover(intent_of(RUN, changes(root)), blobs.get)
        os.unlink(place / "intent")
    settle(root, MemoryVersions())


def _save_before_replace(path: Path, saved: Path) -> None:
    really = fsio.replace

    def replace(dir_fd: int, staged: str, name: str, spare: str) -> None:
        if name == path.name and not saved.exists():
            path.write_bytes(PERSON)
            saved.touch()
        really(dir_fd, staged, name, spare)

    fsio.replace = replace


def _die_at(number: int) -> None:
    left = [number]

    def counted(really: Callable[..., Any], *, half: bool = False) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if left[0] == 0:
                if half:
                    really(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return really(*args, **named)

        return call

    for name in _COUNTED:
        setattr(os, name, counted(getattr(os, name)))
    os.write = counted(os.write, half=True)
    fsio._rename_flagged = counted(fsio._rename_flagged)


if __name__ == "__main__":
    main()
