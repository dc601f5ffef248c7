"""The hook under `env -i` when nobody answers: it exits 0 in time; what it was told arrives later, once, in order."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.faults_oracle import texts
from support.faults_profile import FULL
from support.faults_table import Judge
from support.installation import Installation, installed, reading, rows, until

from memoryd.clock import mono
from memoryd.errors import Busy, NoDaemon
from memoryd.ipc import hook, hookscript

CONTEXT_DEADLINE_SECONDS = 1.0  #: of a prompt; the hook's own
SLACK_SECONDS = 3.0  #: for starting an interpreter on a busy machine
HOST = "claude-code"


class Hooks:
    """The generated script, run as `<python> -IS` with no environment at all."""

    def __init__(self, installation: Installation, folder: Path) -> None:
        self.installation = installation
        self.script = folder / "memoryd-hook"
        hookscript.write(self.script, hookscript.generate(installation.places, Path(sys.executable)))

    def prompt(self, text: str, *, session: str = "s1") -> float:
        """One UserPromptSubmit; returns the seconds it took."""
        payload = {
            "session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": str(self.installation.home),
            "transcript_path": "/none", "prompt_id": f"{session}-{text}", "prompt": text,
        }  # fmt: skip
        command = [os.path.realpath(sys.executable), "-IS", str(self.script), HOST, "UserPromptSubmit"]
        began = mono()
        done = subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, env={}, timeout=60)
        seconds = mono() - began
        assert (done.returncode, done.stderr) == (0, b"")
        return seconds

    def spooled(self) -> int:
        spool = self.installation.places.spool
        return len([name for name in os.listdir(spool) if name[0].isdigit()]) if spool.exists() else 0

    def later(self) -> None:
        """Let the mark of a missed deadline be older than it counts."""
        mark = self.installation.places.spool / ".slow"
        if mark.exists():
            os.utime(mark, ns=(0, mark.stat().st_mtime_ns - 11 * 10**9))

    def arrived(self, session: str = "s1") -> list[str]:
        with reading(self.installation.database) as connection:
            return texts(connection, session)


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[Hooks]:
    with installed(tmp_path / "h") as installation:
        yield Hooks(installation, tmp_path)


def test_without_a_daemon_events_wait_and_arrive_once_in_order_at_its_start(hooks: Hooks, judge: Judge) -> None:
    seconds = [hooks.prompt(f"prompt {n}") for n in range(5)]
    assert hooks.spooled() == 5
    assert max(seconds) < CONTEXT_DEADLINE_SECONDS + SLACK_SECONDS
    hooks.installation.start()
    until(lambda: hooks.spooled() == 0, what=hooks.installation.tail)
    assert hooks.arrived() == [f"prompt {n}" for n in range(5)]
    hooks.installation.kill()
    hooks.prompt("prompt 5")
    hooks.installation.start()
    until(lambda: hooks.spooled() == 0, what=hooks.installation.tail)
    hooks.prompt("prompt 6")
    assert hooks.arrived() == [f"prompt {n}" for n in range(7)]
    judge("hook without a daemon", 6)
    assert hooks.installation.complaints() == []


def test_a_frozen_daemon_costs_one_deadline_and_the_next_live_event_comes_behind(hooks: Hooks, judge: Judge) -> None:
    hooks.installation.start()
    hooks.prompt("prompt 0")
    hooks.installation.signal(signal.SIGSTOP)
    seconds = [hooks.prompt(f"prompt {n}") for n in range(1, 11)]
    assert hooks.spooled() == 10
    assert sum(seconds) < 3 * CONTEXT_DEADLINE_SECONDS, seconds
    hooks.installation.signal(signal.SIGCONT)
    hooks.later()
    hooks.prompt("prompt 11")
    # On a machine so busy that it misses its deadline too, the sweep of the minute brings it.
    until(lambda: len(hooks.arrived()) == 12 and hooks.spooled() == 0, seconds=90, what=hooks.installation.tail)
    assert hooks.arrived() == [f"prompt {n}" for n in range(12)]
    judge("hook and a frozen daemon", 10)
    assert _ids_are_unique(hooks)
    assert hooks.installation.complaints() == []


def test_a_full_backlog_costs_no_more_and_loses_nothing(hooks: Hooks, judge: Judge) -> None:
    hooks.installation.start()
    hooks.installation.signal(signal.SIGSTOP)
    waiting = _fill_backlog(hooks.installation.places.socket)
    try:
        seconds = [hooks.prompt(f"prompt {n}") for n in range(3)]
    finally:
        for one in waiting:
            one.close()
    print(f"{len(waiting)} connections filled the backlog")
    assert hooks.spooled() == 3
    assert sum(seconds) < 3 * (CONTEXT_DEADLINE_SECONDS + SLACK_SECONDS)
    hooks.installation.signal(signal.SIGCONT)
    hooks.later()
    until(lambda: _answers(hooks), what=hooks.installation.tail)
    hooks.prompt("prompt 3")
    until(lambda: len(hooks.arrived()) == 4 and hooks.spooled() == 0, what=hooks.installation.tail)
    assert hooks.arrived() == [f"prompt {n}" for n in range(4)]
    judge("hook and a full backlog", 3)
    assert hooks.installation.complaints() == []


@pytest.mark.parametrize("limit", ["bytes", "files"] if FULL else ["bytes"])
def test_a_full_spool_drops_the_event_and_says_so(hooks: Hooks, limit: str, judge: Judge) -> None:
    spool = hooks.installation.places.spool
    spool.mkdir(parents=True, mode=0o700)
    if limit == "bytes":
        (spool / "filler").touch()
        os.truncate(spool / "filler", hook.MAX_SPOOL_BYTES)
    else:
        for number in range(hook.MAX_SPOOL_FILES):
            (spool / f"filler-{number}").touch()
    hooks.prompt("dropped")
    assert hooks.spooled() == 0
    for filler in spool.glob("filler*"):
        filler.unlink()
    hooks.prompt("kept")
    assert hooks.spooled() == 1
    hooks.installation.start()
    until(lambda: hooks.arrived() == ["kept"], what=hooks.installation.tail)
    health = hooks.installation.call("daemon.health")
    judge("hook and a full spool", 1)
    assert (health.state, "spool was full" in health.reason) == ("degraded", True)


def test_hooks_that_meet_a_start_arrive_once_each_in_the_order_of_their_session(hooks: Hooks, judge: Judge) -> None:
    rounds, expected = (10 if FULL else 2), []
    for number in range(rounds):
        for part in range(3):
            hooks.prompt(f"down {number}-{part}")
        hooks.installation.spawn()
        for part in range(3):
            hooks.prompt(f"start {number}-{part}")
        expected += [f"{when} {number}-{part}" for when in ("down", "start") for part in range(3)]
        until(lambda: hooks.installation.places.socket.exists() and _answers(hooks), what=hooks.installation.tail)
        hooks.later()
        hooks.prompt(f"live {number}")
        expected.append(f"live {number}")
        until(lambda: hooks.spooled() == 0, what=hooks.installation.tail)
        hooks.installation.kill()
    judge("hook and a start", rounds)
    assert hooks.arrived() == expected
    assert _ids_are_unique(hooks)


def _answers(hooks: Hooks) -> bool:
    try:
        hooks.installation.call("daemon.health")
    except (Busy, NoDaemon):
        return False
    return True


def _ids_are_unique(hooks: Hooks) -> bool:
    with reading(hooks.installation.database) as connection:
        ((events, prompts),) = rows(
            connection, "select count(*), count(distinct json_extract(data, '$.text')) from events"
        )
    return bool(events == prompts)


def _fill_backlog(path: Path) -> list[socket.socket]:
    """Connect until nobody else can."""
    waiting: list[socket.socket] = []
    while True:
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.setblocking(False)
        try:
            one.connect(str(path))
        except BlockingIOError:
            one.close()
            return waiting
        waiting.append(one)
