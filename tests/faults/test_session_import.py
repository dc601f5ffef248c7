"""An import that is killed has happened whole or not at all, and can be repeated."""

import contextlib
import json
import threading
from pathlib import Path

from support.faults_profile import dice, pick
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows

from memoryd.clock import mono
from memoryd.errors import MemorydError

EVENTS = 1500
ROUNDS = pick(quick=2, full=60)


def document(folder: Path) -> Path:
    events = [
        {"id": f"e{n}", "kind": "user_prompt", "at": "2026-11-30T08:00:00Z", "data": {"text": f"words {n} " * 40}}
        for n in range(EVENTS)
    ]
    session = {"host": "generic", "session_id": "s", "cwd": str(folder), "started_at": "2026-11-30T08:00:00Z"}
    file = folder / "session.json"
    file.write_text(json.dumps({"format": "memoryd-session", "v": 1, "session": session, "events": events}))
    return file


def take(one: Installation, file: Path) -> None:
    with contextlib.suppress(MemorydError, OSError):
        one.call("session.import", {"file": str(file)})


def held(one: Installation) -> tuple[int, int, int, int]:
    """Events, the seq counter, sessions, turns counted (a prompt closes the one before)."""
    with reading(one.database) as connection:
        return (
            rows(connection, "select count(*) from events")[0][0],
            rows(connection, "select value from counters where name = 'seq'")[0][0],
            rows(connection, "select count(*) from sessions")[0][0],
            rows(connection, "select coalesce(sum(turn_count), 0) from sessions")[0][0],
        )


def test_a_killed_import_is_there_whole_or_not_at_all(tmp_path: Path, judge: Judge) -> None:
    random, file = dice("session import"), document(tmp_path)
    whole, nothing = (EVENTS, EVENTS, 1, EVENTS - 1), (0, 0, 0, 0)
    with installed(tmp_path / "timed") as one:
        one.start()
        began = mono()
        one.call("session.import", {"file": str(file)})
        length = mono() - began
        assert held(one) == whole
    seen = {whole: 0, nothing: 0}
    for number in range(ROUNDS):
        with installed(tmp_path / f"h{number}") as one:
            one.start()
            importing = threading.Thread(target=take, args=(one, file))
            importing.start()
            pause(random.uniform(0, 1.3 * length))
            one.kill()
            importing.join(30)
            one.start()
            found = held(one)
            assert found in seen
            seen[found] += 1
            one.call("session.import", {"file": str(file)})
            assert held(one) == whole
    judge("kill during the import of a session", ROUNDS)
    print(f"{ROUNDS} kills: {seen[nothing]} before the commit, {seen[whole]} after it")
