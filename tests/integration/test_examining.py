"""What the daemon tells `memoryd doctor`: real refusals of SQLite, real files; and nothing stays of the look."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from support.daemons import client, running

from memoryd.daemon.daemon import Daemon
from memoryd.ipc.methods.daemon import Checked


async def checked(daemon: Daemon) -> Checked:
    async with client(daemon) as one:
        found: Checked = await one.call("daemon.check", {}, timeout=10)
        return found


def rows(daemon: Daemon) -> dict[str, list[object]]:
    """Everything in the database but its log of pages."""
    uri = f"{(daemon.places.data / 'state.db').as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        return {name: connection.execute(f"select * from {name}").fetchall() for name in names}


async def fire(daemon: Daemon, session: str, **payload: str) -> None:
    raw = json.dumps({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "hello", **payload})
    params = {"id": session.encode().hex().rjust(32, "0"), "at": "2026-11-30T08:00:00Z", "host": "claude-code"}
    async with client(daemon) as one:
        await one.call("hook.deliver", {**params, "event": "UserPromptSubmit", "raw": raw}, timeout=10)


async def test_the_trial_event_reaches_the_disk_and_leaves_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        await fire(daemon, "s1")
        before = rows(daemon)
        pages = (daemon.places.data / "state.db-wal").stat().st_size
        assert (await checked(daemon)).journal_fault is None
        assert rows(daemon) == before
        assert (daemon.places.data / "state.db-wal").stat().st_size > pages


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda c: c.execute("pragma query_only = on"), "see that its directory is writable"),
        (lambda c: c.execute(f"pragma max_page_count = {_pages(c)}"), "the disk is full"),
        (lambda c: c.execute("create trigger no before insert on events begin select raise(abort, 'no'); end"), "no"),
    ],
    ids=["read-only", "full", "refused"],
)
async def test_a_journal_that_takes_no_event_says_why(
    tmp_path: Path, break_it: Callable[[sqlite3.Connection], object], words: str
) -> None:
    async with running(tmp_path) as daemon:
        await asyncio.to_thread(daemon.journal.writer.alone, break_it)
        fault = (await checked(daemon)).journal_fault
        await asyncio.to_thread(daemon.journal.writer.alone, lambda c: c.execute("pragma query_only = off"))
        assert fault is not None
        assert words in fault


def _pages(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma page_count").fetchone()[0])


async def test_transcripts_are_looked_at_as_they_are_now(tmp_path: Path) -> None:
    (tmp_path / "whole.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "whole.jsonl")
    async with running(tmp_path) as daemon:
        for session in ("whole", "link", "gone"):
            await fire(daemon, session, transcript_path=str(tmp_path / f"{session}.jsonl"))
        found = {one.session_id: (one.state, bool(one.fault)) for one in (await checked(daemon)).transcripts}
    assert found == {"whole": ("ok", False), "link": ("refused", True), "gone": ("missing", False)}
