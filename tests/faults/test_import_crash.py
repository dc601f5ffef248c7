"""An import that is killed goes on when it is asked for again, and ends as one that was not."""

import contextlib
import json
import threading
import uuid
from functools import partial
from pathlib import Path
from typing import Any

from support.faults_profile import dice, pick
from support.faults_table import Judge
from support.installation import Installation, installed, reading, rows, until
from support.keepsakes import claude, written

from memoryd.errors import MemorydError

ROUNDS = pick(quick=1, full=20)
SESSIONS, TURNS, MEMORIES = 12, 20, 12


def kept(folder: Path) -> Path:
    """Transcripts, and an export of another tool."""
    (folder / "shop").mkdir(parents=True)
    for n in range(SESSIONS):
        said = [(f"look at part {n} of step {k}", f"then it is part {n} " * 40) for k in range(TURNS)]
        claude(folder, said, cwd=str(folder / "shop"), session=str(uuid.UUID(int=n + 1)), day=n % 28 + 1)
    memories = [
        {"id": str(n), "memory": f"The gadget {uuid.UUID(int=n**9)} stands in room {n}"} for n in range(MEMORIES)
    ]
    written(folder / "memories.json", json.dumps(memories))
    return folder


def bring(one: Installation, folder: Path) -> Any:
    with one.client() as client:
        done = client.call("import.run", {"paths": [str(folder)]}, timeout=30)
        while not done.finished:
            done = client.call("import.run", {"id": done.id}, timeout=30)
        return done


def held(one: Installation) -> dict[str, Any]:
    """What an import leaves, whenever it was made."""
    with reading(one.database) as connection:
        memory = sorted(path.name for path in one.places.user_memory.glob("knowledge/*.md"))
        return {
            "events": sorted(row[0] for row in rows(connection, "select id from events")),
            "turns": rows(connection, "select session_id, turn_count from sessions order by session_id"),
            "read": rows(
                connection, "select count(*) from sessions where user_seq > watermark and host = 'claude-code'"
            ),
            "memory": memory,
        }


def test_a_killed_import_goes_on_and_ends_as_one_that_was_not(tmp_path: Path, judge: Judge) -> None:
    random, folder = dice("import"), kept(tmp_path / "kept")
    with installed(tmp_path / "whole") as one:
        one.start()
        bring(one, folder)
        one.idle()
        whole = held(one)
    assert len(whole["events"]) == SESSIONS * TURNS * 3 + MEMORIES
    for number in range(ROUNDS):
        with installed(tmp_path / f"h{number}") as one:
            one.start()
            importing = threading.Thread(target=_quietly, args=(one, folder))
            importing.start()
            some = random.randrange(1, len(whole["events"]) // 2)
            until(partial(_has, one, some), seconds=30)
            one.kill()
            importing.join(30)
            assert some <= count(one) < len(whole["events"])
            one.start()
            bring(one, folder)
            one.idle()
            assert held(one) == whole
            assert bring(one, folder).added == 0
    judge("kill during an import", ROUNDS)


def _has(one: Installation, some: int) -> bool:
    return count(one) >= some


def count(one: Installation) -> int:
    with reading(one.database) as connection:
        return int(rows(connection, "select count(*) from events")[0][0])


def _quietly(one: Installation, folder: Path) -> None:
    with contextlib.suppress(MemorydError, OSError):
        bring(one, folder)
