"""The processes below one: from /proc, or from `ps` where there is none."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memoryd.ipc import hook

MARK = hook.CHILD  #: in the environment of everything that an agent starts; its value is the run
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PS_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    pid: int
    parent: int
    rss_bytes: int
    ended: bool  #: it only waits to be reaped


def below(root: int) -> list[Process]:
    """All descendants of a process. One whose parent ended belongs to the nearest subreaper above."""
    known = list(_linux() if sys.platform == "linux" else _ps())
    found, parents = list[Process](), {root}
    while parents:
        step = [one for one in known if one.parent in parents]
        found += step
        parents = {one.pid for one in step}
    return found


def marked(run_id: str) -> Iterator[int]:
    """Pids of our own processes that carry the mark of a run; nothing where /proc is not there."""
    mark = f"{MARK}={run_id}".encode()
    for pid in _pids():
        try:
            if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                yield pid
        except OSError:  # gone, or another user's
            pass


def kill(pid: int) -> None:
    """Kill a process that may be gone already, or be none of ours any more."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if sys.platform == "linux" else []


def _linux() -> Iterator[Process]:
    for pid in _pids():
        try:
            # the name, which may hold anything, stands in parentheses
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        yield Process(pid=pid, parent=int(fields[1]), rss_bytes=int(fields[21]) * _PAGE, ended=fields[0] in "ZX")


def _ps() -> Iterator[Process]:
    told = subprocess.run(
        ["ps", "-axo", "pid=,ppid=,rss=,stat="], capture_output=True, text=True, timeout=_PS_SECONDS, check=True
    )
    for row in told.stdout.splitlines():
        pid, parent, kilobytes, state = row.split()[:4]
        yield Process(pid=int(pid), parent=int(parent), rss_bytes=int(kilobytes) * 1024, ended=state.startswith("Z"))
