"""Restarts while others publish: nobody meets a closed door, nothing is lost, a bad upgrade changes nothing."""

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from support.faults_oracle import at_rest, settle
from support.faults_profile import pick
from support.faults_publish import Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, pause

from memoryd.clock import mono

RESTARTS = pick(quick=2, full=20)
CLIENTS = 8


@pytest.fixture
def installation(installation: Installation) -> Iterator[Installation]:
    yield installation
    command(installation, "stop")


def command(one: Installation, *args: str) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, "-P", "-m", "memoryd", *args]
    return subprocess.run(argv, env=one.env, capture_output=True, text=True, timeout=100, check=False)


class Talker(threading.Thread):
    """Publishes turn after turn, and takes no error for an answer."""

    def __init__(self, one: Installation, ledger: Ledger, ending: threading.Event) -> None:
        super().__init__(daemon=True)
        self.ledger = ledger
        self.longest_seconds = 0.0
        self.failure: BaseException | None = None
        self._one, self._ending = one, ending

    def run(self) -> None:
        try:
            with self._one.client() as client:
                while len(self.ledger.sent) % 2 or not self._ending.is_set():
                    began = mono()
                    self.ledger.send(client, self.ledger.next())
                    self.longest_seconds = max(self.longest_seconds, mono() - began)
                    self._ending.wait(0.01)
        except BaseException as error:
            self.failure = error


@pytest.mark.timeout(600)
def test_who_publishes_through_restarts_notices_nothing_but_a_pause(installation: Installation, judge: Judge) -> None:
    ready_seconds, ending = installation.start(), threading.Event()
    roots = projects(installation.home, 2)
    talkers = [Talker(installation, Ledger(f"s{n}", cwd=roots[n % 2]), ending) for n in range(CLIENTS)]
    pids = {installation.pid}
    for talker in talkers:
        talker.start()
    for _ in range(RESTARTS):
        pause(0.2)
        done = command(installation, "restart")
        assert done.returncode == 0, done.stderr
        pids.add(installation.call("daemon.health").pid)
    ending.set()
    for talker in talkers:
        talker.join(60)
        assert talker.failure is None, talker.failure
    ledgers = [talker.ledger for talker in talkers]
    longest = max(talker.longest_seconds for talker in talkers)
    sent = sum(len(ledger.sent) for ledger in ledgers)
    print(
        f"{RESTARTS} restarts, {CLIENTS} clients, {sent} events; the longest wait {longest / ready_seconds:.2f} starts"
    )
    assert len(pids) == RESTARTS + 1
    assert installation.wait() == 0, installation.tail()
    installation.idle()
    assert command(installation, "stop").returncode == 0
    installation.start()
    settle(installation)
    judge("restart under publishers", RESTARTS, at_rest(installation, ledgers))
