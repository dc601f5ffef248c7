"""The power goes, on an ext4 of its own, while publishers publish and runs write.

What no sync has brought to the disk is gone: the file system is shut down without its log, as by a cut. The three
ways in which ext4 keeps data and names in order leave different things behind.

Nobody hears anything after the power has gone; here programs go on for some milliseconds, in which ext4 even calls
syncs done that it did not do. So what was told after the cut has begun counts as never told.
"""

import shutil
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from support.faults_mounts import Ext4, ext4
from support.faults_oracle import Oracle, at_rest, await_attempts, intents, running, settle, whole_files
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows, session_members, until

CUTS = pick(quick=1, full=300)  #: in each of
MODES = ("ordered", "journal", "writeback")
SESSIONS = 6  #: each with a project of its own, so that a run is in progress at most cuts
#: the journal that cannot be written, us, the mapped index of the WAL that cannot be written (data=journal)
ENDS = (74, -signal.SIGKILL, -signal.SIGBUS)


@pytest.mark.root
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", MODES)
def test_what_was_acknowledged_or_committed_survives_a_power_cut(tmp_path: Path, mode: str, judge: Judge) -> None:
    random = dice(f"power cut {mode}")
    hits, oracle = Counter[str](), Oracle()
    ledgers = [Ledger(f"s{n}", cwd=root) for n, root in enumerate(projects(tmp_path, SESSIONS))]
    with (
        ext4(tmp_path, megabytes=128, options=f"data={mode}") as disk,
        installed(tmp_path / "h", data_home=disk.point / "d", CONSOLIDATION__INTERVAL_TURNS="1") as installation,
    ):
        crowd = Crowd(installation, ledgers, pace_seconds=0.05)
        crowd.start()
        for number in range(CUTS):
            installation.start()
            crowd.up()
            crowd.progress(random.randrange(1, 40))
            await_attempts(installation)
            applied = _applied(installation)
            if number % 2 == 0:
                _await_apply(installation)
            pause(random.uniform(0, 0.01))
            told = crowd.told()
            _cut(disk, installation)
            crowd.down()
            crowd.forget_all_but(told)
            with _copied(installation, tmp_path / "copy") as connection:
                hits["run in progress"] += bool(running(connection))
                hits["apply in progress"] += bool(intents(connection))
                oracle.applied |= applied
                problems = oracle.look(connection, ledgers)
                problems += whole_files(connection, _memories(installation.places.data))
                problems += _of_nobody(connection)
                assert problems == []
            installation.forget_log()
        installation.start()
        crowd.up()
        crowd.end()
        settle(installation)
        print(f"{CUTS} power cuts, {mode}: {dict(hits)}; {crowd.acknowledged} events")
        judge(f"power cut, ext4 data={mode}", CUTS, at_rest(installation, ledgers, oracle))


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
    until(lambda: not session_members(installation.pid), what=lambda: "a child is left")
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


def _of_nobody(connection: sqlite3.Connection) -> list[str]:
    """Nobody edits here: what is taken for a person's is memoryd's own."""
    found = rows(connection, "select id, root, path, author from versions where author in ('host', 'outside')")
    return [f"version {id} of {root}/{path} is said to be of {author}" for id, root, path, author in found]


def _memories(data: Path) -> list[Path]:
    return [path for path in (data / "user" / "memory", *data.glob("projects/*/memory")) if path.is_dir()]
