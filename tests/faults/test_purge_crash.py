"""A daemon that is killed at any moment of a purge: all is as before, or all is gone, and it can be run again."""

import threading
from functools import partial
from pathlib import Path

import pytest
from support import faults_oracle as oracle
from support.faults_profile import dice, pick
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows, until

from memoryd.errors import MemorydError

ROUNDS = pick(quick=2, full=60)
WORDS = ("xylophone", "glockenspiel", "harpsichord")


@pytest.mark.timeout(900)
def test_a_kill_during_a_purge_leaves_all_or_nothing(tmp_path: Path, judge: Judge) -> None:
    chance = dice("purge_crash")
    committed = 0
    for number in range(ROUNDS):
        with installed(tmp_path / f"home{number}", CONSOLIDATION__INTERVAL_TURNS="1") as one:
            one.start()
            _talk(one)
            asked = threading.Thread(target=_purge, args=(one,))
            asked.start()
            pause(chance.uniform(0.0, chance.choice((0.06, 0.06, 1.1))))
            one.kill()
            asked.join(20)
            with reading(one.database) as connection:
                events = rows(connection, "select count(*) from events")[0][0]
                assert not oracle.whole_files(connection, one.places.data.glob("**/memory"))
            one.start()
            if events == 0:
                committed += 1
                until(partial(_finished, one), what=one.tail)
            else:
                assert events == 6
                _purge(one)
            assert _holding(one.places.data) == []
            assert one.stop() == 0
            with reading(one.database) as connection:
                assert not oracle.directories(connection)
            assert _holding(one.places.data) == []
            assert not one.complaints()
    judge("kill during a purge", ROUNDS)
    print(f"{ROUNDS} kills, {committed} after the commit")


def _talk(one: Installation) -> None:
    for number, word in enumerate(WORDS):
        for kind, data in (("user_prompt", {"text": f"I prefer the {word}."}), ("turn", {})):
            event = {"id": f"{kind}{number}", "kind": kind, "host": "generic", "session_id": "s",
                     "turn_id": str(number), "at": "2026-11-30T08:00:00Z", "data": data}  # fmt: skip
            one.call("event.publish", {"event": event})
    one.idle()
    assert _holding(one.places.data)


def _purge(one: Installation) -> None:
    try:
        one.call("memory.purge", {"session": "s"})
    except (MemorydError, OSError):
        return  # killed


def _finished(one: Installation) -> bool:
    with reading(one.database) as connection:
        return not rows(connection, "select 1 from purges where unfinished")


def _holding(data: Path) -> list[str]:
    files = [path for path in data.rglob("*") if path.is_file()]
    return [f"{word} in {path}" for path in files for word in WORDS if word.encode() in path.read_bytes()]
