"""A kill at each call that changes the disk, in the whole life of a daemon: from an empty home to its stop."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.faults_oracle import Oracle, Verdict, at_rest, settle
from support.faults_profile import FULL, dice, pick
from support.faults_publish import Ledger, projects
from support.faults_system import System, system
from support.faults_table import Judge
from support.installation import EndedAtItsStart, Installation, installed, reading, rows

from memoryd.errors import NoDaemon, ShuttingDown

EVENTS = 4  #: a turn with something to learn, and one more
KILLED = -9
PARTS = pick(quick=1, full=8)  #: of the calls, so that several processes can share them
KILLS = 3  #: in the quick profile, of each part


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_at_any_call_that_changes_the_disk_loses_nothing(part: int, tmp_path: Path, judge: Judge) -> None:
    random, under, hits = dice(f"kill everywhere {part}"), system(tmp_path), Counter[str]()
    calls = _calls(tmp_path, under)
    every = range(1 + part, calls + 1, PARTS)
    numbers = every if FULL else sorted(random.sample(every, KILLS))
    for number in numbers:
        with _home(tmp_path) as installation:
            ledger = Ledger("s", cwd=projects(installation.home, 1)[0])
            under.forget()
            under.set(kill_at=number)
            if _ends_well(installation, under, ledger):
                continue  # this life had fewer calls
            told = f"killed at call {number} of {calls}, {under.last}"
            assert installation.wait() == KILLED, f"{told}\n{installation.tail()}"
            hits[_kind(under.last)] += 1
            assert _seen(installation, ledger) == [], told
            judge("kill at a call that changes the disk", 1, _after(installation, ledger, told))
    print(f"part {part}: {sum(hits.values())} kills at {len(numbers)} of {calls} calls: {dict(hits.most_common())}")
    assert sum(hits.values()) >= 0.9 * len(numbers)


def _calls(folder: Path, under: System) -> int:
    """How many there are in a life that nobody ends."""
    with _home(folder) as installation:
        assert _ends_well(installation, under, Ledger("s", cwd=projects(installation.home, 1)[0])), installation.tail()
    return under.get("calls")


@contextmanager
def _home(folder: Path) -> Iterator[Installation]:
    with installed(folder / "h", CONSOLIDATION__INTERVAL_TURNS="1") as installation:
        yield installation
    shutil.rmtree(installation.home)


def _ends_well(installation: Installation, under: System, ledger: Ledger) -> bool:
    """The life: start, two turns and what is learned from each, stop. False when it was cut off."""
    try:
        installation.start(under=under.under)
        with installation.client() as client:
            for number in range(EVENTS):
                ledger.send(client, ledger.next())
                if number % 2:
                    installation.idle()
    except (EndedAtItsStart, NoDaemon, ShuttingDown):
        return False
    return installation.stop() == 0


def _seen(installation: Installation, ledger: Ledger) -> list[str]:
    """What the dead daemon left, where it had come as far as having tables."""
    if not ledger.acknowledged() and (_hot(installation) or not installation.database.exists()):
        return []
    with reading(installation.database) as connection:
        if not rows(connection, "select 1 from sqlite_master where name = 'events'"):
            return []
        return Oracle().look(connection, [ledger])


def _hot(installation: Installation) -> bool:
    """Not in WAL mode yet: what was begun must be rolled back before anybody can read, and that is the next start's."""
    return installation.database.with_name("state.db-journal").exists()


def _after(installation: Installation, ledger: Ledger, told: str) -> Verdict:
    """The next start, the same events again, and more until a turn is whole."""
    installation.start()
    with installation.client() as client:
        for one in ledger.sent:
            if one.seq is None:
                ledger.send(client, one)
        while len(ledger.sent) < EVENTS or len(ledger.sent) % 2:
            ledger.send(client, ledger.next())
    settle(installation)
    verdict = at_rest(installation, [ledger])
    assert verdict.problems == [], told
    return verdict


def _kind(last: str) -> str:
    """The call and what its file is, e.g. `pwrite state.db-wal`."""
    call, _, path = last.partition(" ")
    name = Path(path).name
    return f"{call} {name}" if name.startswith(("state.db", "logs.db", "lock")) else f"{call} {Path(path).suffix}"
