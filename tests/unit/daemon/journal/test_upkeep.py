from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from support.events import START, arrival

from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Appended, Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.daemon.journal.upkeep import Upkeep


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def append(journal: Journal, one: Arrival) -> Appended:
    return journal.write(
        lambda c: append_one(c, one, data_json(one.event), journal.triggers, "2026-11-30T08:00:00.000Z")
    )


def test_an_idle_session_with_new_words_becomes_due_and_ends(journal: Journal) -> None:
    append(journal, arrival("user_prompt", text="hello"))
    upkeep = Upkeep(journal)
    assert upkeep.close_idle(START + timedelta(minutes=29), 1800) == 0
    assert upkeep.close_idle(START + timedelta(minutes=31), 1800) == 1
    assert History(journal).stats()["queued"] == 1
    assert RecordedSessions(journal).get("claude-code", "s1")["ended_at"] is not None


def test_an_idle_session_without_new_words_only_ends(journal: Journal) -> None:
    append(journal, arrival("session_start"))
    assert Upkeep(journal).close_idle(START + timedelta(hours=1), 1800) == 0
    assert RecordedSessions(journal).get("claude-code", "s1")["ended_at"] is not None


def test_a_lost_job_is_found_again(journal: Journal) -> None:
    append(journal, arrival("user_prompt", text="hello"))
    append(journal, arrival("session_end"))
    journal.write(lambda c: c.execute("delete from jobs") and None)
    assert Upkeep(journal).heal(START) == 1
    assert Upkeep(journal).heal(START) == 0
    assert History(journal).stats()["queued"] == 1


def test_old_consolidated_events_leave_a_tombstone_and_do_not_come_back(journal: Journal) -> None:
    old, fresh = arrival("user_prompt", text="old"), arrival("user_prompt", text="new", minute=60 * 24 * 100)
    append(journal, old)
    append(journal, fresh)
    journal.write(lambda c: c.execute("update sessions set watermark = 2") and None)
    removed = Upkeep(journal).retain(START + timedelta(days=101), days=30, max_bytes=10**9)
    assert removed == 1
    assert append(journal, old).duplicate
    assert journal.read(lambda c: c.execute("select count(*) from events").fetchone()[0]) == 1


def test_what_is_not_consolidated_is_kept_however_old(journal: Journal) -> None:
    append(journal, arrival("user_prompt", text="old"))
    assert Upkeep(journal).retain(START + timedelta(days=9999), days=1, max_bytes=1) == 0


def test_a_database_over_its_size_gives_its_oldest_events_up(journal: Journal) -> None:
    append(journal, arrival("user_prompt", text="x"))
    journal.write(lambda c: c.execute("update sessions set watermark = 1") and None)
    assert Upkeep(journal).retain(START, days=400, max_bytes=1) == 1


def test_a_pause_ends_by_itself_or_by_hand_and_is_remembered(journal: Journal) -> None:
    upkeep, later = Upkeep(journal), START + timedelta(minutes=6)
    upkeep.pause(None, START, START + timedelta(minutes=5))
    upkeep.pause(Path("/memory/a"), START, None)
    on = [pause.dir for pause in upkeep.pauses() if pause.is_on(START)]
    assert sorted(on) == ["", "/memory/a"]
    assert [pause.dir for pause in upkeep.pauses() if pause.is_on(later)] == ["/memory/a"]
    assert upkeep.resume(Path("/memory/a"), later) == 1
    assert not [pause for pause in upkeep.pauses() if pause.is_on(later)]
    assert any(pause.covers(Path("/memory/b"), START) for pause in upkeep.pauses())


def test_consolidating_by_hand_needs_something_new(journal: Journal) -> None:
    upkeep = Upkeep(journal)
    assert not upkeep.make_due(Path("/memory"), START)
    append(journal, arrival("user_prompt", text="hello"))
    assert upkeep.make_due(Path("/memory"), START)
