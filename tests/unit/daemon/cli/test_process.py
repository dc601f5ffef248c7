"""start, stop, restart, status with real processes."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli

from memoryd.daemon.cli import process
from memoryd.daemon.lock import DataLock, holder
from memoryd.errors import NoDaemon
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


def test_many_restarts_at_once_are_one(cli: Cli, shell: Shell, places: placing.Places) -> None:
    cli("start")
    old = holder(places.data)
    restarts = [shell("restart") for _ in range(3)]
    said = [restart.communicate(timeout=100) for restart in restarts]
    assert [restart.returncode for restart in restarts] == [0] * len(restarts), said
    assert len({out for out, _ in said}) == 1
    assert str(old) not in said[0][0]


def test_a_version_that_cannot_start_leaves_the_one_that_runs(cli: Cli, places: placing.Places) -> None:
    cli("start")
    old = holder(places.data)
    with closing(sqlite3.connect(places.data / "state.db", isolation_level=None)) as connection:
        found = connection.execute("pragma user_version").fetchone()[0]
        connection.execute("pragma user_version = 99")
        ran = cli("restart")
        connection.execute(f"pragma user_version = {found}")
    assert ran.status == 69
    assert f"the new memoryd ended with status 71, the one before, pid {old}, goes on" in ran.err
    assert process.health(places).pid == old


def test_whether_this_version_could_start_is_found_out_beside_the_one_that_runs(places: placing.Places) -> None:
    places.data.mkdir(parents=True)
    (places.data / "state.db").write_bytes(b"no database" * 1000)
    with pytest.raises(NoDaemon, match="could not start, so the one that runs goes on: the journal is damaged"):
        process.check()
    (places.data / "state.db").unlink()
    process.check()


def test_a_socket_that_cannot_be_listened_at_leaves_the_one_that_runs(
    cli: Cli, places: placing.Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("start")
    old = holder(places.data)
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORYD_SOCKET", str(tmp_path / "file/s"))
    ran = cli("restart")
    assert ran.status == 73, ran.err
    assert process.health(places).pid == old


_HELD = """
import signal, sys
from memoryd.daemon.lock import DataLock
from pathlib import Path
lock = DataLock.take(Path(sys.argv[1]))
print('held', flush=True)
while True: signal.pause()
"""


@pytest.mark.parametrize(
    ("before", "halt", "ended_by"),
    [
        ("", None, signal.SIGTERM),
        ("", signal.SIGSTOP, signal.SIGTERM),
        ("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)", None, signal.SIGKILL),
    ],
    ids=["silent", "stopped", "stuck"],
)
def test_a_daemon_that_does_not_answer_is_ended_and_replaced(
    before: str, halt: signal.Signals | None, ended_by: signal.Signals, cli: Cli, places: placing.Places,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(process, "STOP_SECONDS", 1.0)
    command = [sys.executable, "-c", before + _HELD, str(places.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as silent:
        assert silent.stdout is not None
        assert silent.stdout.readline() == "held\n"
        if halt:
            silent.send_signal(halt)
        assert cli("restart").status == 0
        assert silent.wait(10) == -ended_by
