"""An import of an archive that is killed has happened whole or not at all, and can be repeated."""

import contextlib
import threading
from pathlib import Path

import pytest
from support import faults_oracle as oracle
from support.faults_profile import dice, pick
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows

from memoryd.clock import mono
from memoryd.errors import MemorydError

SESSIONS, TURNS = 20, 15
EVENTS = SESSIONS * TURNS
ROUNDS = pick(quick=2, full=60)


@pytest.mark.timeout(900)
def test_a_killed_import_of_an_archive_is_there_whole_or_not_at_all(tmp_path: Path, judge: Judge) -> None:
    chance, file = dice("archive import"), tmp_path / "export.tar"
    with installed(tmp_path / "source") as one:
        one.start()
        _talk(one)
        one.call("archive.export", {"file": str(file)})
        memory = _memory(one)
        assert one.stop() == 0
    with installed(tmp_path / "timed") as one:
        one.start()
        began = mono()
        one.call("archive.import", {"file": str(file)})
        length = mono() - began
        assert one.stop() == 0
    seen = {EVENTS: 0, 0: 0}
    for number in range(ROUNDS):
        with installed(tmp_path / f"home{number}") as one:
            one.start()
            importing = threading.Thread(target=_take, args=(one, file))
            importing.start()
            pause(chance.uniform(0.3 * length, 1.2 * length))
            one.kill()
            importing.join(20)
            one.start()
            with reading(one.database) as connection:
                seen[rows(connection, "select count(*) from events")[0][0]] += 1
            _take(one, file)
            assert _memory(one) == memory
            one.idle()
            assert one.stop() == 0
            with reading(one.database) as connection:
                assert rows(connection, "select count(*) from events")[0][0] == EVENTS
                assert not [problem for problem in oracle.directories(connection) if "/." not in problem]
    judge("kill during the import of an archive", ROUNDS)
    print(f"{ROUNDS} kills: {seen[0]} before the commit, {seen[EVENTS]} after it")


def _talk(one: Installation) -> None:
    for session in range(SESSIONS):
        for number in range(TURNS):
            event = {"id": f"{session}-{number}", "kind": "user_prompt", "host": "generic", "session_id": f"s{session}",
                     "at": "2026-11-30T08:00:00Z", "data": {"text": f"words {number} " * 100}}  # fmt: skip
            one.call("event.publish", {"event": event})
        one.call("memory.save", {"name": f"fact {session}", "type": "user", "content": f"Lamp {session} hangs high."})


def _take(one: Installation, file: Path) -> None:
    with contextlib.suppress(MemorydError, OSError):
        one.call("archive.import", {"file": str(file)})


def _memory(one: Installation) -> dict[str, bytes]:
    root = one.places.user_memory
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md") if path.name[0] != "."}
