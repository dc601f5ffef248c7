"""Calls to the system that do half of what was asked, are interrupted or take long; a clock that jumps; a freeze."""

import signal
import socket
from pathlib import Path

import pytest
from support.faults_oracle import at_rest, settle
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_system import System, system
from support.faults_table import Judge
from support.installation import Installation, pause

from memoryd.clock import mono

EVENTS = pick(quick=40, full=600)  #: of each publisher
LIVES = pick(quick=1, full=20)
JUMPS = pick(quick=3, full=100)
FREEZES = pick(quick=2, full=50)
SLOW_MS, LAG_MS = 150, 50
PINGS = pick(quick=150, full=2_000)


@pytest.fixture
def under(tmp_path: Path) -> System:
    return system(tmp_path)


def ledgers_of(installation: Installation, count: int) -> list[Ledger]:
    roots = projects(installation.home, 2)
    return [Ledger(f"s{n}", cwd=roots[n % 2]) for n in range(count)]


@pytest.mark.timeout(1800)
def test_writes_that_are_cut_short_and_calls_that_are_interrupted_cost_nothing(
    installation: Installation, under: System, judge: Judge
) -> None:
    under.set(short_permil=200, again_permil=50, seed=dice("short writes").randrange(2**31))
    ledgers = ledgers_of(installation, 4)
    crowd = Crowd(installation, ledgers, pace_seconds=0.01)
    crowd.start()
    for _ in range(LIVES):
        installation.start(under=under.under)
        crowd.up()
        crowd.progress(EVENTS)
        installation.kill()
        crowd.down()
    installation.start(under=under.under)
    crowd.up()
    crowd.end()
    installation.idle()
    assert installation.stop() == 0, installation.tail()
    installation.start()
    settle(installation)
    shortened, interrupted = under.get("shortened"), under.get("interrupted")
    judge("write cut short, call interrupted", shortened + interrupted, at_rest(installation, ledgers))
    assert min(shortened, interrupted) > EVENTS


@pytest.mark.timeout(1800)
def test_a_slow_disk_holds_up_nobody_who_does_not_wait_for_it(
    installation: Installation, under: System, judge: Judge
) -> None:
    """Each sync takes 150 ms: an answer that needs none may not be later by a third of that (or twice as late)."""
    ledgers = ledgers_of(installation, 4)
    crowd = Crowd(installation, ledgers)
    installation.start(under=under.under)
    crowd.up()
    crowd.start()
    quick = _pings(installation)
    under.set(sync_delay_us=SLOW_MS * 1000)
    slow = _pings(installation)
    under.set(sync_delay_us=0)
    crowd.end()
    settle(installation)
    print(f"p99 of {PINGS} answers: {quick:.1f} ms, with syncs of {SLOW_MS} ms: {slow:.1f} ms")
    judge("slow sync", under.get("delayed"), at_rest(installation, ledgers))
    assert under.get("delayed") > 3
    assert slow < max(2 * quick, quick + LAG_MS)


def _pings(installation: Installation) -> float:
    """Milliseconds, the 99th of 100, of an answer that the event loop gives by itself."""
    taken = []
    with socket.socket(socket.AF_UNIX) as one, one.makefile("rb") as answers:
        one.settimeout(60)
        one.connect(str(installation.places.socket))
        for _ in range(PINGS):
            began = mono()
            one.sendall(b'{"jsonrpc":"2.0","id":1,"method":"no.such","params":{}}\n')
            assert b"unknown-method" in answers.readline()
            taken.append((mono() - began) * 1000)
            pause(0.005)
    return sorted(taken)[len(taken) * 99 // 100]


@pytest.mark.timeout(1800)
def test_a_clock_that_jumps_both_ways_loses_repeats_and_stops_nothing(
    installation: Installation, under: System, judge: Judge
) -> None:
    random, ledgers = dice("clock"), ledgers_of(installation, 4)
    crowd = Crowd(installation, ledgers, pace_seconds=0.02)
    installation.start(under=under.under)
    crowd.up()
    crowd.start()
    for number in range(JUMPS):
        under.set(clock_shift_s=random.choice((-1, 1)) * random.choice((1, 60, 3_600, 86_400 * 40)))
        crowd.progress(random.randrange(10, 30))
        if number % 3 == 2:
            installation.kill()
            crowd.down()
            installation.start(under=under.under)
            crowd.up()
    under.set(clock_shift_s=0)
    crowd.end()
    settle(installation)
    judge("clock that jumps", JUMPS, at_rest(installation, ledgers))


@pytest.mark.timeout(1800)
def test_a_daemon_that_is_frozen_at_any_moment_goes_on_where_it_was(installation: Installation, judge: Judge) -> None:
    random, ledgers = dice("freeze"), ledgers_of(installation, 4)
    crowd = Crowd(installation, ledgers, pace_seconds=0.01)
    installation.start()
    crowd.up()
    crowd.start()
    for _ in range(FREEZES):
        crowd.progress(random.randrange(1, 30))
        installation.signal(signal.SIGSTOP)
        pause(random.uniform(0, 0.5))
        installation.signal(signal.SIGCONT)
    crowd.end()
    settle(installation)
    judge("freeze (SIGSTOP, SIGCONT)", FREEZES, at_rest(installation, ledgers))
