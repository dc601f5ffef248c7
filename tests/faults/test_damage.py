"""Files that are torn, flipped or empty: a daemon says which, or goes on without; it never serves what is wrong."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from support.faults_oracle import at_rest, examined, settle
from support.faults_profile import dice, pick
from support.faults_publish import Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, installed, until

from memoryd.errors import MemorydError, NoDaemon

ROUNDS = pick(quick=1, full=25)
TURNS = pick(quick=3, full=8)

Hurt = Callable[[Path, Random], None]


def emptied(path: Path, random: Random) -> None:
    os.truncate(path, 0)


def torn(path: Path, random: Random) -> None:
    os.truncate(path, random.randrange(path.stat().st_size))


def flipped(path: Path, random: Random) -> None:
    with path.open("r+b") as file:
        for _ in range(20):
            file.seek(random.randrange(path.stat().st_size))
            file.write(random.randbytes(1))


def only_a_header(folder: Path) -> bytes:
    """A database in WAL mode whose tables all stood in a WAL that is gone."""
    path = folder / "empty.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
    return path.read_bytes()


HURTS: dict[str, Hurt] = {"emptied": emptied, "torn": torn, "flipped": flipped}


@pytest.fixture
def talked(tmp_path: Path) -> Iterator[tuple[Installation, Ledger]]:
    """A daemon that was killed after some turns."""
    with installed(tmp_path / "h", CONSOLIDATION__INTERVAL_TURNS="1") as one:
        ledger = Ledger("s", cwd=projects(one.home, 1)[0])
        one.start()
        more(one, ledger)
        one.idle()
        one.kill()
        yield one, ledger


def more(one: Installation, ledger: Ledger) -> None:
    with one.client() as client:
        for _ in range(2 * TURNS):
            ledger.send(client, ledger.next())


@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", HURTS)
def test_what_is_derived_is_made_again_and_nothing_else_is_touched(
    talked: tuple[Installation, Ledger], how: str, judge: Judge
) -> None:
    """The index and the logs."""
    (one, ledger), random, count = talked, dice(f"derived {how}"), 0
    one.start()
    one.call("memory.search", {"cwd": ledger.cwd, "query": "tool"})
    until(lambda: any((one.places.data / "index").rglob("*")), what=one.tail)
    one.kill()
    for _ in range(ROUNDS):
        for path in [*(one.places.data / "index").rglob("*"), one.places.data / "logs.db"]:
            if path.is_file() and path.stat().st_size:
                HURTS[how](path, random)
                count += 1
        one.start()
        more(one, ledger)
        one.idle()
        one.call("memory.search", {"cwd": ledger.cwd, "query": "tool"})
        one.kill()
    one.start()
    settle(one)
    judge(f"derived file {how}", count, at_rest(one, [ledger]))


@pytest.mark.timeout(900)
def test_what_a_crash_adds_to_the_wal_is_no_event(talked: tuple[Installation, Ledger], judge: Judge) -> None:
    (one, ledger), random = talked, dice("torn tail")
    for _ in range(ROUNDS):
        with one.database.with_name("state.db-wal").open("ab") as file:
            file.write(random.randbytes(random.randrange(1, 20_000)))
        one.start()
        more(one, ledger)
        one.kill()
    one.start()
    settle(one)
    judge("torn tail of the WAL", ROUNDS, at_rest(one, [ledger]))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", HURTS)
def test_a_damaged_journal_is_named_or_whole_and_never_a_traceback(
    talked: tuple[Installation, Ledger], how: str, judge: Judge
) -> None:
    """Either the daemon does not serve and says why, or doctor does, or the damage met nothing that was in use."""
    (one, ledger), random = talked, dice(f"journal {how}")
    one.start()
    assert one.stop() == 0
    whole = one.database.read_bytes()
    for _ in range(ROUNDS):
        one.database.write_bytes(whole)
        HURTS[how](one.database, random)
        one.forget_log()
        process = one.spawn()
        until(lambda process=process: process.poll() is not None or _answers(one), what=one.tail)  # type: ignore[misc]
        if process.poll() is None:
            told = [*examined(one), *_lost(one, ledger)]
            one.kill()
            print(f"{how}: served; {told}")
        else:
            assert process.returncode > 0
            assert "memoryd: " in one.tail()
        assert "Traceback" not in one.tail()
    judge(f"journal {how}", ROUNDS)


@pytest.mark.timeout(900)
def test_an_empty_journal_beside_memory_is_refused_and_never_a_new_one(
    talked: tuple[Installation, Ledger], judge: Judge
) -> None:
    (one, ledger), wal = talked, talked[0].database.with_name("state.db-wal")
    whole, log = one.database.read_bytes(), wal.read_bytes()
    left = {"nothing": (b"", b""), "its WAL": (b"", log), "its header": (only_a_header(one.home), b"")}
    for kept, (database, beside) in left.items():
        one.database.write_bytes(database)
        wal.write_bytes(beside)
        one.forget_log()
        assert one.spawn().wait(60) > 0
        assert "memory stands beside it" in one.tail(), kept
        assert "Traceback" not in one.tail()
        assert kept != "its WAL" or wal.read_bytes() == log
    # What was put aside by hand, or comes from a backup, is all there.
    one.database.write_bytes(whole)
    wal.write_bytes(log)
    one.forget_log()
    one.start()
    settle(one)
    judge("journal emptied beside memory", len(left), at_rest(one, [ledger]))


def _lost(one: Installation, ledger: Ledger) -> list[str]:
    """What the journal does not give back any more."""
    try:
        found = one.call("session.get", {"host": "generic", "session_id": ledger.session})
    except MemorydError as error:
        return [str(error)]
    return [] if found.turn_count == ledger.turns else [f"{found.turn_count} turns"]


def _answers(one: Installation) -> bool:
    """It serves, be it with the sentence that its journal fails."""
    try:
        return one.places.socket.exists() and bool(one.call("daemon.health").pid)
    except NoDaemon:
        return False
    except MemorydError as error:
        return "the journal" in str(error)
