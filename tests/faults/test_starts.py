"""Starts and stops of the real daemon: many at once, on what a dead one left, in the middle of a run, in a storm."""

import os
import signal
import socket
import sqlite3
import subprocess
from pathlib import Path

import pytest
from support.faults_oracle import Oracle, at_rest, running, settle
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, pause, reading, session_members, until

STARTS = pick(quick=12, full=50)
STOPS = pick(quick=2, full=30)  #: in the middle of a run
STORM = pick(quick=5, full=50)
BUSY, REFUSED = 75, 77


@pytest.mark.timeout(300)
def test_of_many_starts_at_once_one_wins_and_the_others_name_it(installation: Installation, judge: Judge) -> None:
    spawned = []
    for number in range(STARTS):
        process = installation.spawn(notice=f"notify-{number}", log=f"log-{number}")
        spawned.append((process, installation.home / f"log-{number}"))
    try:
        until(lambda: sum(p.poll() is None for p, _ in spawned) == 1, seconds=120)
        (winner,) = [process for process, _ in spawned if process.poll() is None]
        until(lambda: installation.places.socket.exists())
        health = installation.call("daemon.health")
        assert health.pid == winner.pid
        for process, log in spawned:
            if process is not winner:
                assert process.returncode == BUSY, log.read_text()
                assert f"pid {winner.pid} " in log.read_text()
        judge("starts at once", STARTS)
    finally:
        for process, _ in spawned:
            if process.poll() is None:
                process.kill()
            process.wait()


def test_a_stale_socket_and_a_foreign_pid_in_the_lock_file_block_nothing(
    installation: Installation, judge: Judge
) -> None:
    places = installation.places
    places.socket.parent.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(places.socket))
    places.data.mkdir(mode=0o700, parents=True)
    (places.data / "lock").write_text(f"{os.getpid()}\n")
    installation.start()
    assert installation.call("daemon.health").pid == installation.pid
    assert (places.data / "lock").read_text() == f"{installation.pid}\n"
    assert installation.stop() == 0
    assert not places.socket.exists()
    judge("stale socket and foreign pid", 1)


@pytest.mark.parametrize("kind", ["directory", "link", "file", "open directory"])
def test_what_stands_at_the_socket_and_is_none_stays_and_is_named(
    installation: Installation, kind: str, judge: Judge
) -> None:
    path = installation.places.socket
    path.parent.mkdir(mode=0o700, parents=True)
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(installation.home / "elsewhere")
    elif kind == "file":
        path.write_text("mine")
    else:
        path.parent.chmod(0o755)
    before = _standing(path)
    assert installation.spawn().wait(30) == REFUSED, installation.tail()
    assert str(path.parent) in installation.tail()
    assert "Traceback" not in installation.tail()
    assert _standing(path) == before
    judge("something else at the socket", 1)


@pytest.mark.timeout(600)
def test_a_stop_in_the_middle_of_a_run_loses_nothing_and_leaves_nobody(
    installation: Installation, judge: Judge
) -> None:
    random, oracle = dice("stops"), Oracle()
    roots = projects(installation.home, 2)
    ledgers = [Ledger(f"s{n}", cwd=roots[n % 2]) for n in range(4)]
    crowd, hits = Crowd(installation, ledgers, pace_seconds=0.02), 0
    crowd.start()
    for _ in range(STOPS):
        installation.start()
        crowd.up()
        crowd.progress(random.randrange(1, 20))
        with reading(installation.database) as connection:
            _await_run(connection, installation)
            pause(random.uniform(0, 0.02))
            installation.signal(signal.SIGTERM)
            hits += bool(running(connection))
            assert installation.wait() == 0, installation.tail()
            crowd.down()
            assert oracle.look(connection, ledgers) == []
            assert running(connection) == []
        until(lambda: not session_members(installation.pid), what=lambda: "a child is left")
        assert not installation.places.socket.exists()
    installation.start()
    crowd.up()
    crowd.end()
    settle(installation)
    print(f"{STOPS} stops, {hits} in a run; {crowd.acknowledged} events")
    judge("stop during a run", STOPS, at_rest(installation, ledgers, oracle))
    assert hits


@pytest.mark.timeout(600)
def test_a_storm_of_restarts_at_any_moment_of_a_start_ends_with_a_daemon(
    installation: Installation, judge: Judge
) -> None:
    random = dice("storm")
    ledger = Ledger("s", cwd=projects(installation.home, 1)[0])
    for number in range(STORM):
        process = installation.spawn()
        pause(random.uniform(0, 1.2))
        process.send_signal(signal.SIGTERM if number % 2 else signal.SIGKILL)
        process.wait(30)
        assert process.returncode in (0, -signal.SIGTERM, -signal.SIGKILL), installation.tail()
    installation.start()
    with installation.client() as client:
        for _ in range(4):
            ledger.send(client, ledger.next())
    settle(installation)
    judge("kill or stop during a start", STORM, at_rest(installation, [ledger]))


def _await_run(connection: sqlite3.Connection, installation: Installation) -> None:
    until(lambda: any(running(connection) for _ in range(100)), what=installation.tail)


def _standing(path: Path) -> tuple[object, ...]:
    found = subprocess.run(["ls", "-ld", "--time-style=+", str(path.parent), str(path)], capture_output=True)
    return found.returncode, found.stdout
