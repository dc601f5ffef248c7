from collections.abc import Iterator
from pathlib import Path

import pytest
from support.events import START, arrival

from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Journal, append_one, data_json


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def append(journal: Journal, count: int) -> None:
    arrivals = [arrival("user_prompt", text="hello") for _ in range(count)]
    journal.write(
        lambda c: [append_one(c, a, data_json(a.event), journal.triggers, "2026-11-30T08:00:00.000Z") for a in arrivals]
    )


def steps_to_ask(journal: Journal) -> int:
    """In hundreds of SQLite's instructions."""
    steps: list[int] = []
    journal.read(lambda c: c.set_progress_handler(lambda: steps.append(1), 100))
    assert not History(journal).written_by_a_host(Path("/p/a.py"))
    return len(steps)


def test_who_wrote_a_file_is_found_without_a_pass_over_all_events(journal: Journal) -> None:
    append(journal, 10)
    few = steps_to_ask(journal)
    append(journal, 2_000)
    assert steps_to_ask(journal) <= few + 1
