"""Other processes: started at the least cost, and what the kernel says about them (Linux: /proc)."""

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
HAS_PROC = Path("/proc/self/smaps_rollup").exists()


def run_seconds(argv: list[str], env: Mapping[str, str], stdin: Path) -> float:
    """Wall seconds of one child: posix_spawn, stdin from a file, output dropped, wait4.

    :raises RuntimeError: it did not end with 0
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.fspath(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    began = perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status, _ = os.wait4(pid, 0)
    took = perf_counter() - began
    if status:
        raise RuntimeError(f"{os.path.basename(argv[0])} ended with {os.waitstatus_to_exitcode(status)}")
    return took


def run_json(argv: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
    """What a program of this folder prints."""
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextlib.contextmanager
def standing(argv: Sequence[str], env: Mapping[str, str]) -> Iterator[int]:
    """The pid of a server that has said `ready`; ended whatever happens."""
    with subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            if server.stdout.readline() != b"ready\n":
                raise RuntimeError(f"{os.path.basename(argv[-2])} does not get ready")
            yield server.pid
        finally:
            server.kill()


@dataclass(frozen=True, slots=True)
class Cpu:
    """CPU seconds that a process has used: its first thread (an asyncio loop) and all others."""

    loop: float
    others: float

    def __sub__(self, before: "Cpu") -> "Cpu":
        return Cpu(self.loop - before.loop, self.others - before.others)

    def __add__(self, more: "Cpu") -> "Cpu":
        return Cpu(self.loop + more.loop, self.others + more.others)

    @property
    def total(self) -> float:
        return self.loop + self.others


def cpu(pid: int) -> Cpu:
    if not HAS_PROC:
        return Cpu(0.0, 0.0)
    loop = _seconds(Path(f"/proc/{pid}/task/{pid}/stat"))
    return Cpu(loop, _seconds(Path(f"/proc/{pid}/stat")) - loop)


def _seconds(stat: Path) -> float:
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes. `pss` shares each shared page among its processes, `private` leaves them out, `anonymous` mapped files."""

    rss: int
    pss: int
    private: int
    anonymous: int


def memory(pid: int) -> Memory:
    rows = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    kilobytes = {row[0]: int(row[1]) for row in rows}
    private = kilobytes["Private_Clean:"] + kilobytes["Private_Dirty:"]
    return Memory(
        rss=kilobytes["Rss:"] * 1024, pss=kilobytes["Pss:"] * 1024, private=private * 1024,
        anonymous=kilobytes["Anonymous:"] * 1024,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Context switches since the start, over the threads that live."""

    threads: int
    voluntary: int
    involuntary: int


def switches(pid: int) -> Switches:
    counts = list(_of_threads(pid))
    return Switches(
        threads=len(counts), voluntary=sum(v for v, _ in counts), involuntary=sum(i for _, i in counts)
    )  # fmt: skip


def wakes(pid: int) -> dict[str, int]:
    """Sleeps that ended, by thread that lives: counts of two moments can be compared although some have ended."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found[task.name] = _switches(task / "status")[0]
    return found


def _of_threads(pid: int) -> Iterator[tuple[int, int]]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            yield _switches(task / "status")


def _switches(status: Path) -> tuple[int, int]:
    found = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if "ctxt_switches" in line)
    return int(found["voluntary_ctxt_switches"]), int(found["nonvoluntary_ctxt_switches"])


def tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [one for child in (task / "children").read_text().split() for one in tree(int(child))]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What a process and all that descend from it hold and have used. Sizes in bytes."""

    processes: int
    rss: int
    pss: int
    anonymous: int
    cpu: float  #: seconds


def weighed(pid: int) -> Weight:
    found: list[tuple[Memory, Cpu]] = []
    for one in tree(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found.append((memory(one), cpu(one)))
    return Weight(
        processes=len(found), rss=sum(held.rss for held, _ in found), pss=sum(held.pss for held, _ in found),
        anonymous=sum(held.anonymous for held, _ in found), cpu=sum(used.total for _, used in found),
    )  # fmt: skip
