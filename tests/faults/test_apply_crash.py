"""An apply that is killed at each of its calls to the file system, and a recovery that is killed at each of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.apply_child import NEW, OLD, PERSON
from support.faults_profile import pick
from support.faults_table import Judge
from support.versions import MemoryVersions

from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.recovery import settle

TESTS = Path(__file__).parent.parent
STRIDE = pick(quick=60, full=1)


class Child:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def run(self, **task: object) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    process = subprocess.Popen(
        [sys.executable, "-m", "support.apply_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    with process:
        yield Child(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait(10) == 0


def _fresh(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    directory = MemoryDirectory(place / "memory")
    directory.create()
    (directory.path / "daily").rmdir()
    for path, content in OLD.items():
        (directory.path / path).write_bytes(content)


def _on_disk(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def _expected(place: Path) -> dict[str, bytes]:
    saved = (place / "saved").exists()
    if (place / "committed").exists():
        return {**NEW, "user.md": OLD["user.md"] + PERSON} if saved else NEW
    return {**OLD, "knowledge/db.md": PERSON} if saved else OLD


@pytest.mark.timeout(600)
@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@pytest.mark.parametrize("case", ["clean", "raced", "refused", "edited"])
def test_a_kill_at_any_step_leaves_the_old_or_the_new_version(
    child: Child, tmp_path: Path, case: str, portable: bool, judge: Judge
) -> None:
    place, seen = tmp_path / "place", set[str]()
    ended, die_at, kills = "killed", 0, 0
    while ended == "killed":
        _fresh(place)
        ended = child.run(case=case, portable=portable, task="apply", place=str(place), die_at=die_at)
        if (state := repr(sorted(_on_disk(place).items()))) not in seen:
            kills += _recover_through_kills(
                child, place, portable=portable, first=len(seen) % STRIDE, after=f"apply killed at call {die_at}"
            )
        seen.add(state)
        die_at += 1
    assert ended == "done"
    assert (place / "committed").exists() == (case in {"clean", "edited"})
    judge("kill at a call of an apply, or of its recovery", die_at - 1 + kills)
    print(f"{case}: apply killed {die_at - 1} times, {len(seen)} states, recovery killed {kills} times")


def _recover_through_kills(child: Child, place: Path, *, portable: bool, first: int, after: str) -> int:
    """Kill the recovery at each of its calls in turn, each time from the same state, and let the next one finish.

    The quick profile takes every eighth call, another one for each state.
    """
    left = place.with_name("left")
    shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(place, left)
    for kills, die_at in enumerate(range(first, 1_000, STRIDE)):
        shutil.rmtree(place)
        shutil.copytree(left, place)
        ended = child.run(case="", portable=portable, task="recover", place=str(place), die_at=die_at)
        told = f"{after}, recovery {ended} at call {die_at}"
        assert child.run(case="", portable=portable, task="recover", place=str(place), die_at=-1) == "done", told
        # A third start: an edit that went on top leaves what it replaced aside until then.
        settle(place / "memory", MemoryVersions())
        assert _on_disk(place / "memory") == _expected(place), told
        if ended == "done":
            return kills
    raise AssertionError(after)
