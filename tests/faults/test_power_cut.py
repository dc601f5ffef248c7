"""The power goes, on an ext4 of its own, while publishers publish and runs write.

What no sync has brought to the disk is gone: the file system is shut down without its log, as by a cut. The three
ways in which ext4 keeps data and names in order leave different things behind.
"""

import shutil
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from support.faults_mounts import Ext4, ext4
from support.faults_oracle import Oracle, at_rest, intents, running, settle, spent_attempts, whole_files
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows, until

CUTS = pick(quick=2, full=300)  #: in each of
MODES = ("ordered", "journal", "writeback")
#: the journal that cannot be written, us, the mapped index of the WAL that cannot be written (data=journal)
ENDS = (74, -signal.SIGKILL, -signal.SIGBUS)


@pytest.mark.root
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", MODES)
def test_what_was_acknowledged_or_committed_survives_a_power_cut(tmp_path: Path, mode: str, judge: Judge) -> None:
    random = dice(f"power cut {mode}")
    roots, hits, oracle = projects(tmp_path, 3), Counter[str](), Oracle()
    ledgers = [Ledger(f"s{n}", cwd=roots[n % 3]) for n in range(6)]
    with (
        ext4(tmp_path, megabytes=128, options=f"data={mode}") as disk,
        installed(tmp_path / "h", data_home=disk.point / "d", CONSOLIDATION__INTERVAL_TURNS="1") as installation,
    ):
        crowd = Crowd(installation, ledgers, pace_seconds=0.05)
        crowd.start()
        for number in range(CUTS):
            installation.start()
            crowd.up()
            crowd.progress(random.randrange(1, 80))
            if number % 2:
                _await_finished_jobs(installation)
            if random.random() < 0.5:
                _await_apply(installation)
            pause(random.uniform(0, 0.02))
            seen = _applied(installation)
            _cut(disk, installation)
            crowd.down()
            with _copied(installation, tmp_path / "copy") as connection:
                hits["run in progress"] += bool(running(connection))
                hits["apply in progress"] += bool(intents(connection))
                oracle.applied |= seen
                problems = oracle.look(connection, ledgers)
                problems += whole_files(connection, _memories(installation.places.data))
                assert problems == []
            installation.forget_log()
        installation.start()
        crowd.up()
        crowd.end()
        settle(installation)
        print(f"{CUTS} power cuts, {mode}: {dict(hits)}; {crowd.acknowledged} events")
        judge(f"power cut, ext4 data={mode}", CUTS, at_rest(installation, ledgers, oracle))


def _await_finished_jobs(installation: Installation) -> None:
    """A job that is cut off three times in a row is skipped."""
    with reading(installation.database) as connection:
        until(lambda: not spent_attempts(connection), seconds=60, what=installation.tail)


def _await_apply(installation: Installation) -> None:
    with reading(installation.database) as connection:
        until(lambda: any(intents(connection) for _ in range(200)), what=installation.tail)


def _applied(installation: Installation) -> set[str]:
    """Runs that the daemon itself calls applied: whoever was told so may rely on it."""
    return {run.run for run in installation.call("memory.log", {"writes": True, "limit": 500}).items}


def _cut(disk: Ext4, installation: Installation) -> None:
    disk.cut_power()
    assert installation.process is not None
    if installation.process.poll() is None:
        installation.kill()
    assert installation.process.returncode in ENDS, installation.tail()
    disk.unmount()
    disk.mount()


class _copied:
    """The database as the cut left it, read from a copy: reading recovers, and that is the next start's to do."""

    def __init__(self, installation: Installation, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file in installation.places.data.glob("state.db*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, folder / file.name)
        self._connection = sqlite3.connect(folder / "state.db", isolation_level=None)

    def __enter__(self) -> sqlite3.Connection:
        assert rows(self._connection, "pragma integrity_check") == [("ok",)]
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _memories(data: Path) -> list[Path]:
    return [path for path in (data / "user" / "memory", *data.glob("projects/*/memory")) if path.is_dir()]
