"""start, stop, restart, status with real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli

from memoryd.daemon.cli import process
from memoryd.daemon.lock import DataLock, holder
from memoryd.ipc import places as placing

Shell = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def places(home: Path) -> Iterator[placing.Places]:
    found = placing.find()
    yield found
    process.stop(found)


def test_start_status_stop(cli: Cli, places: placing.Places) -> None:
    assert cli("status").status == 3
    assert "started" in cli("start").out
    pid = holder(places.data)
    again = cli("start")
    assert (again.status, holder(places.data)) == (0, pid)
    assert "runs already" in again.out
    status = cli("status")
    assert status.status == 0
    assert status.out.startswith("ok: ready | ")
    assert status.out.count("\n") == 1
    assert f'"pid":{pid}' in cli("status", "--json").out
    assert cli("stop").status == 0
    assert holder(places.data) is None
    stopped = cli("stop")
    assert (stopped.status, stopped.out) == (0, "memoryd is not running\n")


def test_the_daemon_has_a_session_and_a_private_log_of_its_own(cli: Cli, places: placing.Places) -> None:
    cli("start")
    pid = holder(places.data)
    assert pid is not None
    assert os.getsid(pid) == pid
    assert (places.data / "daemon.log").stat().st_mode & 0o777 == 0o600
    assert b"PYTHONDONTWRITEBYTECODE" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_many_starts_at_once_give_one_daemon(shell: Shell, places: placing.Places) -> None:
    starts = [shell("start") for _ in range(8)]
    said = [start.communicate(timeout=100) for start in starts]
    assert [start.returncode for start in starts] == [0] * len(starts), said
    assert len({out.rpartition(" ")[2] for out, _ in said}) == 1
    assert sum("started" in out for out, _ in said) == 1


def test_a_daemon_that_does_not_come_up_shows_its_log(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "folder").mkdir()
    monkeypatch.setenv("MEMORYD_SOCKET", str(home / "folder"))
    ran = cli("start")
    assert ran.status == 69
    assert "its log" in ran.err
    assert "must be a directory of yours" in ran.err


def test_a_daemon_that_does_not_answer_is_ended_by_a_signal(places: placing.Places) -> None:
    script = "import signal, sys; from memoryd.daemon.lock import DataLock; from pathlib import Path\n"
    script += "lock = DataLock.take(Path(sys.argv[1])); print('held', flush=True); signal.pause()"
    silent = subprocess.Popen(
        [sys.executable, "-c", script, str(places.data)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert silent.stdout is not None
    assert silent.stdout.readline() == "held\n"
    assert process.stop(places) == silent.pid
    assert silent.wait(10) == -signal.SIGTERM
    silent.stdout.close()


def test_a_lock_without_a_listener_is_no_running_daemon(cli: Cli, places: placing.Places) -> None:
    lock = DataLock.take(places.data)
    ran = cli("status")
    assert ran.status == 3
    assert "does not listen" in ran.err
    lock.release()


def test_restart_gives_a_new_process(cli: Cli, places: placing.Places) -> None:
    cli("start")
    old = holder(places.data)
    assert cli("restart").status == 0
    assert holder(places.data) not in (None, old)
