import asyncio
import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support.events import arrival

from memoryd.daemon.journal import schema
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.rehearsal import rehearse
from memoryd.daemon.journal.writer import Writer
from memoryd.errors import BadEvent, Busy, InternalError, JournalFull, MemorydError, RestartNeeded, ShuttingDown


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db")
    yield opened
    opened.close()


async def test_an_event_gets_the_next_seq_and_is_there_after_reopening(journal: Journal) -> None:
    first, second = await journal.append([arrival("user_prompt", text="one"), arrival("turn", turn="t")])
    assert (first.seq, second.seq, second.turn_count) == (1, 2, 1)
    await asyncio.to_thread(journal.close)
    again = await asyncio.to_thread(Journal.open, journal.path)
    assert await again.aread(lambda c: c.execute("select count(*) from events").fetchone()[0]) == 2
    await asyncio.to_thread(again.close)


async def test_the_same_id_twice_changes_nothing(journal: Journal) -> None:
    one = arrival("turn", turn="t")
    (first,) = await journal.append([one])
    (second,) = await journal.append([one])
    assert (second.seq, second.duplicate, second.turn_count) == (first.seq, True, 1)
    assert await journal.aread(lambda c: c.execute("select value from counters").fetchone()[0]) == 1


async def test_seqs_have_no_gaps_under_many_appenders(journal: Journal) -> None:
    async def publish(session: int) -> None:
        for number in range(20):
            await journal.append([arrival("turn", session=f"s{session}", id=f"{session}-{number % 15}")])

    await asyncio.gather(*(publish(session) for session in range(8)))
    seqs = [
        row[0] for row in await journal.aread(lambda c: c.execute("select seq from events order by seq").fetchall())
    ]
    assert seqs == list(range(1, 8 * 15 + 1))


async def test_one_bad_event_does_not_spoil_the_commit_of_the_others(journal: Journal) -> None:
    long = arrival("message", role="user", text="x" * (1024 * 1024 + 1))
    results = await asyncio.gather(
        journal.append([arrival("turn")]), journal.append([long]), journal.append([arrival("turn")]),
        return_exceptions=True,
    )  # fmt: skip
    assert [type(r) for r in results] == [list, BadEvent, list]


async def test_every_third_turn_queues_a_job_and_more_coalesce(journal: Journal) -> None:
    jobs = [(await journal.append([arrival("turn")]))[0].job for _ in range(9)]
    assert jobs == [None, None, "queued", None, None, "coalesced", None, None, "coalesced"]
    dropped = await journal.aread(
        lambda c: c.execute("select value from stats where name = 'coalesced_dropped'").fetchone()
    )
    assert dropped[0] == 2


async def test_a_purged_event_does_not_come_back(journal: Journal) -> None:
    one = arrival("turn", id="gone")
    await journal.append([one])
    await journal.writer.arun(
        lambda c: c.execute("insert into tombstones values (?)", (schema_digest("gone"),)) and None
    )
    await journal.writer.arun(lambda c: c.execute("delete from events") and None)
    (again,) = await journal.append([one])
    assert again.duplicate
    assert await journal.aread(lambda c: c.execute("select count(*) from events").fetchone()[0]) == 0


def schema_digest(event_id: str) -> bytes:
    from memoryd.daemon.journal.tombstones import digest

    return digest(event_id)


async def test_a_full_disk_refuses_the_append_and_the_next_one_works(journal: Journal) -> None:
    pages = await journal.aread(lambda c: c.execute("pragma page_count").fetchone()[0])
    await journal.writer.arun(lambda c: c.execute(f"pragma max_page_count = {pages + 2}").fetchone() and None)
    with pytest.raises(JournalFull, match="free space"):
        await journal.append([arrival("message", role="user", text="x" * 200_000)])
    await journal.writer.arun(lambda c: c.execute("pragma max_page_count = 1000000").fetchone() and None)
    (appended,) = await journal.append([arrival("turn")])
    assert appended.seq == 1


def test_an_io_error_stops_the_process_before_anything_is_acknowledged(tmp_path: Path) -> None:
    seen: list[sqlite3.Error] = []
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False)
    writer = Writer(connection, on_io_error=seen.append)

    def fail(_: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error

    with pytest.raises(Exception, match="disk I/O error"):
        writer.run(fail)
    writer.close()
    assert len(seen) == 1


def test_more_than_ten_thousand_waiting_appends_are_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryd.daemon.journal.writer.MAX_WAITING", 2)
    writer = Writer(sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False))
    import threading

    gate = threading.Event()
    first = writer.submit(lambda c: gate.wait(10))
    while writer._queue.qsize():
        pass
    futures = [writer.submit(lambda c: None) for _ in range(2)]
    with pytest.raises(Busy):
        writer.submit(lambda c: None)
    gate.set()
    assert first.result(10)
    assert [f.result(10) for f in futures] == [None, None]
    writer.close()


def test_an_upgrade_backs_the_database_up_first(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Journal.open(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    schema.migrate(connection, path, (*schema.MIGRATIONS, "create table later (x)"))
    connection.close()
    backup = sqlite3.connect(f"{path}.v{len(schema.MIGRATIONS)}.bak")
    assert backup.execute("pragma user_version").fetchone()[0] == len(schema.MIGRATIONS)
    assert not backup.execute("select 1 from sqlite_master where name = 'later'").fetchone()
    backup.close()


def test_a_newer_database_is_refused_and_the_version_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Journal.open(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma user_version = 99")
    connection.execute("update meta set value = '7.7.7' where name = 'written_by'")
    connection.close()
    with pytest.raises(RestartNeeded, match=r"install memoryd 7\.7\.7"):
        Journal.open(path)


def test_a_migration_that_was_cut_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection, path, ("create table meta (name text primary key, value text); create broken",))
    if connection.in_transaction:
        connection.execute("rollback")
    schema.migrate(connection, path)
    assert connection.execute("pragma user_version").fetchone()[0] == len(schema.MIGRATIONS)
    connection.close()


def test_a_rehearsal_migrates_a_copy_and_leaves_the_database(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    rehearse(path)
    journal = Journal.open(path)
    newest = len(schema.MIGRATIONS)
    rehearse(path)
    rehearse(path, (*schema.MIGRATIONS, "create table later (x); insert into later select value from counters"))
    with pytest.raises(MemorydError, match="UNIQUE"):
        rehearse(path, (*schema.MIGRATIONS, "insert into counters values ('seq', 0)"))
    with pytest.raises(MemorydError, match="syntax"):
        rehearse(path, (*schema.MIGRATIONS, "create broken"))
    with pytest.raises(RestartNeeded):
        rehearse(path, schema.MIGRATIONS[:-1])
    assert journal.read(lambda c: c.execute("pragma user_version").fetchone()[0]) == newest
    assert sorted(found.name for found in tmp_path.glob("[!h]*")) == ["state.db", "state.db-shm", "state.db-wal"]
    journal.close()


def test_closing_waits_for_the_query_that_a_thread_still_runs(journal: Journal) -> None:
    running, go_on = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> int:
        running.set()
        assert go_on.wait(10)
        return int(connection.execute("select 42").fetchone()[0])

    with ThreadPoolExecutor() as pool:
        answer = pool.submit(journal.read, slow)
        assert running.wait(10)
        closing = pool.submit(journal.close)
        try:
            with pytest.raises(TimeoutError):
                closing.result(timeout=0.3)
        finally:
            go_on.set()
        assert answer.result(10) == 42
        closing.result(10)


def test_a_closed_journal_answers_nobody_and_keeps_nobody_waiting(journal: Journal) -> None:
    journal.read(lambda c: c.execute("select 1").fetchone())
    journal.close()
    for ask in (journal.read, journal.write):
        with pytest.raises(ShuttingDown):
            ask(lambda c: c.execute("select 1").fetchone())
    with ThreadPoolExecutor() as pool, pytest.raises(ShuttingDown):  # a thread that has no connection yet
        pool.submit(journal.read, lambda c: c.execute("select 1").fetchone()).result(10)


def test_writes_that_race_with_the_close_are_done_or_refused(tmp_path: Path) -> None:
    for number in range(20):
        journal = Journal.open(tmp_path / f"{number}.db")
        start = threading.Barrier(5)

        def write(journal: Journal = journal, start: threading.Barrier = start) -> bool:
            start.wait(10)
            try:
                journal.execute("insert into counters values (?, 1)", str(threading.get_ident()))
            except ShuttingDown:
                return False
            return True

        with ThreadPoolExecutor() as pool:
            done = [pool.submit(write) for _ in range(4)]
            start.wait(10)
            journal.close()
            kept = sum(one.result(10) for one in done)
        again = Journal.open(tmp_path / f"{number}.db")
        assert again.read(lambda c: c.execute("select count(*) from counters where value = 1").fetchone()[0]) >= kept
        again.close()


def test_what_the_database_refuses_to_read_is_an_error_of_ours(journal: Journal) -> None:
    with pytest.raises(InternalError, match="no such table"):
        journal.read(lambda c: c.execute("select * from absent").fetchall())


async def test_the_limit_of_an_event_counts_bytes(journal: Journal) -> None:
    with pytest.raises(BadEvent, match="1500"):
        await journal.append([arrival("message", role="user", text="汉" * 500_000)])


async def test_a_known_event_moves_the_transcript_and_nothing_else(journal: Journal) -> None:
    one = arrival("turn")
    await journal.append([replace(one, transcript_path="/old.jsonl")])
    (again,) = await journal.append([replace(one, transcript_path="/new.jsonl")])
    assert again.duplicate
    (row,) = await journal.aread(lambda c: c.execute("select transcript_path from sessions").fetchall())
    assert row["transcript_path"] == "/new.jsonl"


def test_what_recovery_found_in_the_wal_is_in_the_file_before_anyone_is_told_duplicate(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "state.db")
    journal.execute("insert into counters values ('kept', 1)")
    cut = tmp_path / "cut"
    cut.mkdir()
    for name in ("state.db", "state.db-wal"):
        shutil.copy(tmp_path / name, cut / name)
    journal.close()
    assert (cut / "state.db-wal").stat().st_size > 0
    again = Journal.open(cut / "state.db")
    assert (cut / "state.db-wal").stat().st_size == 0
    assert again.read(lambda c: c.execute("select value from counters where name = 'kept'").fetchone()[0]) == 1
    again.close()


@pytest.mark.parametrize("lost", ["all", "tables"])
def test_an_empty_journal_is_a_new_one_only_where_nothing_is_remembered(tmp_path: Path, lost: str) -> None:
    path = tmp_path / "state.db"
    if lost == "tables":  # they stood in a WAL that is gone
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("pragma journal_mode = wal")
    else:
        path.touch()
    memory = tmp_path / "projects" / "p-1" / "memory"
    memory.mkdir(parents=True)
    (memory / "constraints.md").write_text("- never push\n")
    left = path.read_bytes()
    with pytest.raises(InternalError, match="it is empty, though memory stands beside it"):
        Journal.open(path)
    assert path.read_bytes() == left
    (memory / "constraints.md").unlink()
    Journal.open(path).close()
