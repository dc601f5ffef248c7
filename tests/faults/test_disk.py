"""A disk that is full, and one that fails a sync."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.faults_mounts import ext4, fill, tmpfs
from support.faults_oracle import Oracle, at_rest, settle
from support.faults_profile import FULL, dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows, until

from memoryd.errors import JournalFull, NoDaemon
from memoryd.ipc.client import Client

EXIT_IO_ERROR = 74
NOT_STARTED = {70, 73, 75}  #: internal, cannot-write, journal-full: a sentence, and nothing listened
FILLINGS = pick(quick=1, full=20)
FAILING_SYNCS = pick(quick=1, full=25)


@pytest.fixture(params=["tmpfs", "ext4"] if FULL else ["ext4"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A file system that can be filled, and has the room that doctor wants when it is not."""
    if request.param == "tmpfs":
        with tmpfs(tmp_path, megabytes=64) as point:
            yield point
    else:
        with ext4(tmp_path, megabytes=64) as disk:
            yield disk.point


@pytest.mark.root
@pytest.mark.timeout(600)
def test_a_full_disk_refuses_loses_nothing_and_all_goes_on_when_there_is_room(
    small: Path, tmp_path: Path, judge: Judge
) -> None:
    random, oracle = dice("full disk"), Oracle()
    roots = projects(tmp_path, 2)
    ledgers = [Ledger(f"s{n}", cwd=roots[n % 2]) for n in range(4)]
    with installed(tmp_path / "h", data_home=small / "d", CONSOLIDATION__INTERVAL_TURNS="1") as installation:
        installation.start()
        crowd = Crowd(installation, ledgers, pace_seconds=0.01)
        crowd.up()
        crowd.start()
        for _ in range(FILLINGS):
            crowd.progress(40)
            fill(small / "filler", leave_bytes=random.randrange(0, 200_000))
            _some_are_refused(crowd)
            assert set(crowd.refused) == {"journal-full"}
            assert installation.call("daemon.health").pid == installation.pid
            pause(random.uniform(0, 0.5))
            (small / "filler").unlink()
        crowd.progress(20)
        crowd.end()
        settle(installation)
        print(f"{FILLINGS} fillings: {crowd.acknowledged} events, {len(crowd.refused)} answers journal-full")
        installation.forget_log()
        judge("full disk", FILLINGS, at_rest(installation, ledgers, oracle))


@pytest.mark.root
def test_a_start_on_a_full_disk_says_so_and_the_next_one_has_everything(
    small: Path, tmp_path: Path, judge: Judge
) -> None:
    ledger = Ledger("s", cwd=projects(tmp_path, 1)[0])
    with installed(tmp_path / "h", data_home=small / "d", CONSOLIDATION__INTERVAL_TURNS="1") as installation:
        installation.start()
        with installation.client() as client:
            for _ in range(40):
                ledger.send(client, ledger.next())
        installation.kill()
        fill(small / "filler")
        process = installation.spawn()
        until(lambda: process.poll() is not None or (installation.places.socket.exists() and _answers(installation)))
        if process.poll() is None:
            with installation.client() as client, pytest.raises(JournalFull):
                _go_on(ledger, client)
            installation.kill()
        else:
            assert process.returncode in NOT_STARTED, installation.tail()
            assert "Traceback" not in installation.tail()
        (small / "filler").unlink()
        installation.start()
        with installation.client() as client:
            _again(ledger, client)
            if len(ledger.sent) % 2:
                ledger.send(client, ledger.next())
        settle(installation)
        installation.forget_log()
        judge("full disk", 1, at_rest(installation, [ledger]))


#: the second may be that of the directory of a new WAL, whose error SQLite passes over
WAL_SYNCS = (1, *range(3, 12))


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace injects the error, and it is not installed")
@pytest.mark.skipif(sys.platform != "linux", reason="strace is of Linux")
@pytest.mark.timeout(600)
def test_a_failed_sync_ends_the_daemon_unacknowledged_and_the_event_is_taken_once(tmp_path: Path, judge: Judge) -> None:
    random = dice("failed sync")
    ledger = Ledger("s", cwd=projects(tmp_path, 1)[0])
    with installed(tmp_path / "h") as installation:
        installation.start()
        with installation.client() as client:
            ledger.send(client, ledger.next())
        assert installation.stop() == 0
        for _ in range(FAILING_SYNCS):
            _until_the_sync_fails(installation, ledger, when=random.choice(WAL_SYNCS))
        installation.start()
        with installation.client() as client:
            _again(ledger, client)
            if len(ledger.sent) % 2:
                ledger.send(client, ledger.next())
        installation.call("consolidation.run", {"cwd": ledger.cwd, "wait": True})
        settle(installation)
        judge("failed sync", FAILING_SYNCS, at_rest(installation, [ledger]))


def _until_the_sync_fails(installation: Installation, ledger: Ledger, *, when: int) -> None:
    """The `when`-th fdatasync of each thread fails; the writer's ends the daemon."""
    process = installation.spawn(under=_failing(when))
    until(lambda: process.poll() is not None or (installation.places.socket.exists() and _answers(installation)))
    if process.poll() is None:
        with installation.client() as client, pytest.raises(NoDaemon):
            _go_on(ledger, client)
        assert process.wait(30) == EXIT_IO_ERROR, installation.tail()
        assert "journal.failed" in installation.tail()
    assert process.returncode in NOT_STARTED | {EXIT_IO_ERROR}, installation.tail()
    assert "Traceback" not in installation.tail()
    with reading(installation.database) as connection:
        ((count,),) = rows(connection, "select count(*) from events")
    assert len(ledger.acknowledged()) <= count <= len(ledger.sent)


def _again(ledger: Ledger, client: Client) -> None:
    for one in ledger.sent:
        if one.seq is None:
            ledger.send(client, one)


def _go_on(ledger: Ledger, client: Client) -> None:
    """Many more events, until an error ends it."""
    _again(ledger, client)
    for _ in range(100):
        ledger.send(client, ledger.next())


def _failing(when: int) -> list[str]:
    return ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=fdatasync",
            "-e", f"inject=fdatasync:error=EIO:when={when}"]  # fmt: skip


def _some_are_refused(crowd: Crowd) -> None:
    before = len(crowd.refused)
    until(lambda: len(crowd.refused) > before + 4, seconds=60, what=crowd.installation.tail)


def _answers(installation: Installation) -> bool:
    try:
        return bool(installation.call("daemon.health").pid)
    except NoDaemon:
        return False
