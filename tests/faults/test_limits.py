"""Limits of the system that a daemon runs into: no inode, a largest file size, no descriptor; then they are lifted."""

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from support.faults_mounts import ext4
from support.faults_oracle import at_rest, await_attempts, settle
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, pause, until

ROUNDS = pick(quick=1, full=20)
INODES = 512
EXIT_IO_ERROR = 74

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of a running process are set by prlimit")


def crowd_of(installation: Installation) -> Crowd:
    roots = projects(installation.home, 2)
    return Crowd(installation, [Ledger(f"s{n}", cwd=roots[n % 2]) for n in range(4)], pace_seconds=0.02)


def finished(crowd: Crowd, judge: Judge, kind: str) -> None:
    """Every event is taken now; what was logged while the limit held is what it must lead to."""
    crowd.progress(10)
    crowd.end()
    crowd.installation.idle()
    crowd.installation.forget_log()
    settle(crowd.installation)
    judge(kind, ROUNDS, at_rest(crowd.installation, crowd.ledgers))


@pytest.mark.root
@pytest.mark.timeout(900)
def test_a_disk_without_inodes_takes_events_or_refuses_and_memory_is_written_when_there_are(
    tmp_path: Path, judge: Judge
) -> None:
    with (
        ext4(tmp_path, megabytes=64, inodes=INODES) as disk,
        installed(tmp_path / "h", data_home=disk.point / "d", CONSOLIDATION__INTERVAL_TURNS="1") as installation,
    ):
        crowd = crowd_of(installation)
        installation.start()
        crowd.up()
        crowd.start()
        for _ in range(ROUNDS):
            crowd.progress(10)
            fillers = _take_inodes(disk.point)
            crowd.progress(20)
            assert installation.call("daemon.health").pid == installation.pid
            for one in fillers:
                one.unlink()
        assert set(crowd.refused) <= {"journal-full"}
        finished(crowd, judge, "no inode")


@pytest.mark.timeout(900)
def test_a_largest_file_size_ends_the_daemon_unacknowledged_and_writes_resume(
    installation: Installation, judge: Judge
) -> None:
    random, crowd = dice("file size"), crowd_of(installation)
    crowd.start()
    for _ in range(ROUNDS):
        installation.start()
        crowd.up()
        crowd.progress(random.randrange(5, 40))
        await_attempts(installation)
        files = [installation.database, installation.database.with_name("state.db-wal")]
        largest = max(file.stat().st_size for file in files) + random.randrange(100_000)
        resource.prlimit(installation.pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
        assert installation.wait() == EXIT_IO_ERROR, installation.tail()
        crowd.down()
        assert "journal.failed" in installation.tail()
    installation.start()
    crowd.up()
    finished(crowd, judge, "largest file size")


@pytest.mark.timeout(900)
def test_a_daemon_without_descriptors_goes_on_when_it_has_some(installation: Installation, judge: Judge) -> None:
    crowd = crowd_of(installation)
    installation.start()
    crowd.up()
    crowd.start()
    for _ in range(ROUNDS):
        crowd.progress(10)
        before = resource.prlimit(installation.pid, resource.RLIMIT_NOFILE)
        held = len(os.listdir(f"/proc/{installation.pid}/fd"))
        resource.prlimit(installation.pid, resource.RLIMIT_NOFILE, (held + 1, before[1]))
        pause(0.5)
        assert installation.process is not None
        assert installation.process.poll() is None, installation.tail()
        resource.prlimit(installation.pid, resource.RLIMIT_NOFILE, before)
        until(lambda: _answers(installation), what=installation.tail)
    finished(crowd, judge, "no descriptor")


def _answers(installation: Installation) -> bool:
    with suppress(Exception):
        return bool(installation.call("daemon.health").pid)
    return False


def _take_inodes(point: Path) -> list[Path]:
    taken: list[Path] = []
    with suppress(OSError):
        while True:
            one = point / f"filler-{len(taken)}"
            one.touch()
            taken.append(one)
    return taken
