"""SIGKILL, again and again, at chosen moments, under publishers that never stop."""

import sqlite3
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from support.faults_oracle import Oracle, at_rest, intents, running, settle, spent_attempts
from support.faults_profile import dice, pick
from support.faults_publish import Crowd, Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, session_members, until

KILLS = pick(quick=8, full=200)
LEAST = pick(quick=1, full=40)  #: kills with each thing in progress
SESSIONS, PROJECTS = 8, 3
PACE_SECONDS = 0.1  #: some 70 events a second in all: runs keep up, so that each round sees several of them
READY_SECONDS = 20  #: of any start, beside other work too; how quick one is, is measured by `make bench`
MOMENTS = ("random", "run", "publish", "apply")


class Killer:
    """Chooses moments; what was hit is counted afterwards, by what the database and the publishers say."""

    def __init__(self, installation: Installation, crowd: Crowd, random: Random) -> None:
        self.installation, self.crowd, self.random = installation, crowd, random
        self.hits: Counter[str] = Counter()
        self.oracle = Oracle()

    def round(self, moment: str) -> None:
        cut_before = self.crowd.cut_off
        with reading(self.installation.database) as connection:
            self._some_progress(connection, moment)
            self._await(moment, connection)
            pid = self.installation.pid
            self.installation.kill()
            self.crowd.down()
            self.hits["publish in flight"] += self.crowd.cut_off > cut_before
            self.hits["run in progress"] += bool(running(connection))
            self.hits["apply in progress"] += bool(intents(connection))
            assert self.oracle.look(connection, self.crowd.ledgers) == []
        until(lambda: not session_members(pid), what=lambda: "a child is left")

    def _some_progress(self, connection: sqlite3.Connection, moment: str) -> None:
        """Acknowledgements, so that no two rounds are alike, and runs: a job killed three times in a row is skipped."""
        self.crowd.progress(self.random.randrange(1, 40))
        if moment in ("random", "publish"):
            until(lambda: not spent_attempts(connection), seconds=60, what=self.installation.tail)

    def _await(self, moment: str, connection: sqlite3.Connection) -> None:
        looks: dict[str, Callable[[], object]] = {
            "random": lambda: True,
            "publish": lambda: any(one.in_flight for one in self.crowd.publishers),
            "run": lambda: running(connection),
            "apply": lambda: intents(connection),
        }
        look = looks[moment]
        # Without a pause between the looks: the moments are short.
        until(lambda: any(look() for _ in range(200)), seconds=60, what=self.installation.tail)
        if moment == "random":
            pause(self.random.uniform(0, 0.2))
        elif self.random.random() < 0.5:
            pause(self.random.uniform(0, 0.004))


@pytest.mark.timeout(3600)
def test_nothing_acknowledged_is_lost_and_no_file_is_mixed_over_many_kills(tmp_path: Path, judge: Judge) -> None:
    random = dice("kill loop")
    roots = projects(tmp_path, PROJECTS)
    with installed(tmp_path / "h", CONSOLIDATION__INTERVAL_TURNS="1") as installation:
        ledgers = [Ledger(f"s{n}", cwd=roots[n % PROJECTS]) for n in range(SESSIONS)]
        crowd = Crowd(installation, ledgers, pace_seconds=PACE_SECONDS)
        killer = Killer(installation, crowd, random)
        crowd.start()
        seconds = []
        for number in range(KILLS):
            seconds.append(installation.start())
            crowd.up()
            killer.round(MOMENTS[number % len(MOMENTS)])
        seconds.append(installation.start())
        crowd.up()
        crowd.end()
        settle(installation)
        print(
            f"{KILLS} kills: {dict(killer.hits)}; {crowd.acknowledged} events, {crowd.cut_off} cut off;"
            f" ready after {statistics.median(seconds):.2f} s (median), {max(seconds):.2f} s (max)"
        )
        judge("kill at a chosen moment", KILLS, at_rest(installation, ledgers, killer.oracle))
        assert max(seconds) < READY_SECONDS
        assert min(killer.hits[what] for what in ("publish in flight", "run in progress", "apply in progress")) >= LEAST
