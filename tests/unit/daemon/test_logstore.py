"""The log store alone: caps, followers, and every way in which its file can be wrong."""

import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.daemon import logstore
from memoryd.daemon.logstore import Caps, LogLine, LogStore, Query
from memoryd.errors import CannotWrite, NotFound

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


def line(event: str, *, session: str = "", level: int = 20, minute: float = 0, size: int = 0) -> LogLine:
    fields = {"run": "x" * size} if size else {}
    return LogLine(
        at=NOW + timedelta(minutes=minute), level=level, logger="t", event=event, session=session, fields=fields
    )


def events(store: LogStore, **query: object) -> list[str]:
    return [one.event for one in store.read(Query(**query))]  # type: ignore[arg-type]


def test_the_newest_come_oldest_first_by_time_level_and_session(tmp_path: Path) -> None:
    store = LogStore(tmp_path / "logs.db")
    store.write([line("a.one"), line("a.two", session="s", level=30, minute=1), line("a.three", minute=2)])
    assert events(store) == ["a.one", "a.two", "a.three"]
    assert events(store, limit=2) == ["a.two", "a.three"]
    assert events(store, level=30) == ["a.two"]
    assert events(store, session="s") == ["a.two"]
    assert events(store, since=NOW + timedelta(minutes=1)) == ["a.two", "a.three"]
    assert (tmp_path / "logs.db").stat().st_mode & 0o777 == 0o600
    assert store.read(Query())[1].at == NOW + timedelta(minutes=1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(min_value=0, max_value=300)), min_size=1, max_size=60))
def test_each_session_keeps_its_newest_rows_within_both_caps(
    tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, int]]
) -> None:
    store = LogStore(tmp_path_factory.mktemp("caps") / "logs.db", Caps(session_rows=10, session_bytes=1500))
    for start in range(0, len(script), 7):
        batch = enumerate(script[start : start + 7], start=start)
        store.write([line(f"n{number}", session=session, size=size) for number, (session, size) in batch])
    for session in {session for session, _ in script}:
        kept = events(store, session=session, limit=1000)
        all_of_it = [f"n{number}" for number, (one, _) in enumerate(script) if one == session]
        assert kept == all_of_it[len(all_of_it) - len(kept) :]
        assert 1 <= len(kept) <= 10
        with sqlite3.connect(store.path) as connection:
            held = connection.execute("select sum(bytes) from logs where session = ?", (session,)).fetchone()[0]
        connection.close()
        assert held <= 1500
        if len(kept) < min(10, len(all_of_it)):
            lost = script[int(all_of_it[len(all_of_it) - len(kept) - 1][1:])][1]
            assert held + lost > 1000


def test_old_rows_and_too_many_of_all_sessions_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LogStore(tmp_path / "logs.db", Caps(days=1))
    store.write([line("a.old")])
    store.write([line("a.new", minute=60 * 25)])
    assert events(store) == ["a.new"]
    monkeypatch.setattr(logstore, "TOTAL_ROWS", 5)
    store.write([line(f"a.{n}", session=f"s{n}", minute=60 * 25) for n in range(20)])
    assert events(store) == [f"a.{n}" for n in range(15, 20)]


def test_a_follower_gets_each_row_once_although_old_ones_are_dropped(tmp_path: Path) -> None:
    store = LogStore(tmp_path / "logs.db", Caps(session_rows=3))
    seen: list[str] = []
    last = 0
    for start in range(0, 12, 3):
        store.write([line(f"n{n}") for n in range(start, start + 3)])
        found = store.read(Query(after=last))
        seen += [one.event for one in found]
        last = found[-1].id
    assert seen == [f"n{n}" for n in range(12)]


@pytest.mark.parametrize("content", [b"no database at all, only text " * 200, b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_store_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "logs.db"
    path.write_bytes(content)
    with pytest.raises(NotFound, match="replaced"):
        LogStore(path).read(Query())
    LogStore(path).write([line("a.after")])
    assert events(LogStore(path)) == ["a.after"]


def test_a_store_damaged_in_its_pages_is_replaced(tmp_path: Path) -> None:
    store = LogStore(tmp_path / "logs.db")
    store.write([line(f"a.{n}", size=150) for n in range(500)])
    size = store.path.stat().st_size
    with store.path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    store.write([line("a.after")])
    assert events(store) == ["a.after"]


def test_what_cannot_be_written_is_one_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "logs.db").mkdir()
    with pytest.raises(CannotWrite):
        LogStore(tmp_path / "logs.db").write([line("a.b")])
    with pytest.raises(CannotWrite):
        LogStore(tmp_path / "none" / "logs.db").write([line("a.b")])
    with pytest.raises(NotFound, match="yet"):
        LogStore(tmp_path / "none" / "logs.db").read(Query())
