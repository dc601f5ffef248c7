import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memoryd.errors import BadEvent, FolderSilent, JournalFull
from memoryd.ipc.protocol import MAX_LINE_BYTES
from memoryd.ipc.spool import MAX_FAILURES, Spool


def name(n: int) -> str:
    return f"{1_796_000_000_000_000_000 + n}-7-{n:032x}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "spool"
    path.mkdir(mode=0o700)
    return path


def put(folder: Path, n: int, line: bytes | None = None) -> None:
    (folder / name(n)).write_bytes(b"line %d\n" % n if line is None else line)


def drain(spool: Spool, deliver: Callable[[bytes], Awaitable[None]]) -> int:
    return asyncio.run(asyncio.wait_for(spool.drain(deliver), 10))


class Taker:
    """Takes lines; fails for those it was told to refuse."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.refused: dict[bytes, Exception] = {}

    async def __call__(self, line: bytes) -> None:
        if line in self.refused:
            raise self.refused[line]
        self.lines.append(line)


def test_lines_are_handed_on_in_time_order_and_removed(folder: Path) -> None:
    for n in (3, 1, 2):
        put(folder, n)
    spool, taker = Spool(folder), Taker()
    assert (spool.count(), spool.bytes()) == (3, 21)
    assert drain(spool, taker) == 3
    assert taker.lines == [b"line 1\n", b"line 2\n", b"line 3\n"]
    assert spool.count() == 0


def test_a_spool_that_is_not_there_is_empty(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "none")
    assert (drain(spool, Taker()), spool.count(), spool.bytes(), spool.bad()) == (0, 0, 0, 0)


def test_a_file_that_fails_three_times_is_set_aside_and_holds_up_nobody(folder: Path) -> None:
    put(folder, 1)
    put(folder, 2)
    spool, taker = Spool(folder), Taker()
    taker.refused[b"line 1\n"] = BadEvent("no")
    for round_number in range(MAX_FAILURES):
        assert spool.count() == 2 - min(round_number, 1)
        drain(spool, taker)
    assert taker.lines == [b"line 2\n"]
    assert (spool.count(), spool.bad()) == (0, 1)
    assert (folder / "bad" / name(1)).read_bytes() == b"line 1\n"


def test_what_waits_for_its_folder_stays_however_often_and_holds_up_nobody(folder: Path) -> None:
    for n in (1, 2, 3):
        put(folder, n)
    spool, taker = Spool(folder), Taker()
    taker.refused[b"line 1\n"] = FolderSilent("the disk does not answer")
    for _ in range(MAX_FAILURES + 1):
        drain(spool, taker)
    assert (taker.lines, spool.count(), spool.bad()) == ([b"line 2\n", b"line 3\n"], 1, 0)
    taker.refused.clear()
    drain(spool, taker)
    assert (taker.lines[-1], spool.count()) == (b"line 1\n", 0)


def test_what_a_hook_left_unfinished_goes_after_an_hour(folder: Path) -> None:
    old, new = folder / f".tmp-{name(1)}", folder / f".tmp-{name(2)}"
    for path in (old, new):
        path.write_bytes(b"half a li")
    os.utime(old, (0, 0))
    assert drain(Spool(folder), Taker()) == 0
    assert (old.exists(), new.exists()) == (False, True)


def test_a_full_disk_ends_the_drain_and_costs_no_file(folder: Path) -> None:
    put(folder, 1)
    put(folder, 2)
    spool, taker = Spool(folder), Taker()
    taker.refused[b"line 1\n"] = JournalFull("disk full")
    for _ in range(MAX_FAILURES + 1):
        with pytest.raises(JournalFull):
            drain(spool, taker)
    assert (taker.lines, spool.count(), spool.bad()) == ([], 2, 0)
    taker.refused.clear()
    assert drain(spool, taker) == 2


def test_torn_and_overlong_files_are_set_aside(folder: Path) -> None:
    put(folder, 1, b"torn")
    put(folder, 2, b"")
    put(folder, 3, b"two\nlines\n")
    put(folder, 4, b"x" * MAX_LINE_BYTES + b"\n")
    put(folder, 5)
    spool, taker = Spool(folder), Taker()
    assert drain(spool, taker) == 1
    assert (taker.lines, spool.bad()) == ([b"line 5\n"], 4)


def test_links_pipes_and_folders_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret\n")
    (folder / name(1)).symlink_to(secret)
    os.mkfifo(folder / name(2))
    (folder / name(3)).mkdir()
    spool, taker = Spool(folder), Taker()
    assert drain(spool, taker) == 0
    assert (taker.lines, spool.count(), spool.bad()) == ([], 0, 3)
    assert secret.read_bytes() == b"secret\n"


def test_unfinished_files_and_marks_are_left_alone(folder: Path) -> None:
    others = [".slow", ".full", f".tmp-{name(1)}", "notes.txt", "1-2"]
    for other in others:
        (folder / other).write_bytes(b"x\n")
    spool, taker = Spool(folder), Taker()
    assert drain(spool, taker) == 0
    assert sorted(os.listdir(folder)) == sorted(others)
    assert spool.marked("slow")
    assert not spool.marked("other")


def test_a_file_that_appears_or_goes_during_the_drain_does_no_harm(folder: Path) -> None:
    put(folder, 1)
    put(folder, 2)
    spool = Spool(folder)
    lines = []

    async def take(line: bytes) -> None:
        lines.append(line)
        await asyncio.to_thread(put, folder, 9)
        await asyncio.to_thread((folder / name(2)).unlink, True)

    assert drain(spool, take) == 1
    assert (lines, spool.count(), spool.bad()) == ([b"line 1\n"], 1, 0)


def test_what_the_hook_leaves_is_what_the_daemon_reads(folder: Path) -> None:
    code = "import sys; from memoryd.ipc import hook; hook.run('generic', 'turn', '/nowhere', sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], input=b'{"kind":"turn"}', check=True)
    taker = Taker()
    assert drain(Spool(folder), taker) == 1
    assert b"hook.deliver" in taker.lines[0]
