"""What a session was about lately."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.events import START, arrival
from unit.daemon.journal.test_prompts import append

from memoryd.daemon.journal import lately
from memoryd.daemon.journal.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def test_the_newest_prompts_and_tools_are_told_each_once(journal: Journal) -> None:
    for n in range(9):
        append(journal, arrival("user_prompt", text=f"prompt {n // 2}"))
        append(journal, arrival("tool_use", name="Bash" if n % 2 else "Grep", summary="x", ok=True))
    found = lately.read(journal, "claude-code", "s1")
    assert found is not None
    assert found.prompts == ("prompt 1", "prompt 2", "prompt 3", "prompt 4")
    assert sorted(found.tools) == ["Bash", "Grep"]


def test_nobody_is_told_anything_in_a_session_that_ended_or_has_no_person(journal: Journal) -> None:
    assert lately.read(journal, "claude-code", "none") is None
    append(journal, arrival("user_prompt", session="ended", text="x"))
    append(journal, arrival("session_end", session="ended", reason="other"))
    append(journal, arrival("subagent_start", session="above", child_session_id="below", agent_type="helper"))
    append(journal, arrival("user_prompt", session="below", text="x"))
    assert lately.read(journal, "claude-code", "ended") is None
    assert lately.read(journal, "claude-code", "below") is None
    assert lately.read(journal, "claude-code", "above") is not None
