"""Prompt history: pages that stay right, each text once, caps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.events import START, arrival

from memoryd.daemon.journal import prompts
from memoryd.daemon.journal.journal import Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.prompts import Place, Prompt, PromptHistory, Wanted


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def append(journal: Journal, *arrivals: Arrival) -> None:
    rows = [(one, data_json(one.event)) for one in arrivals]
    now = "2026-11-30T08:00:00.000Z"
    journal.write(lambda c: [append_one(c, one, data, journal.triggers, now) for one, data in rows])


def prompt(text: str, **rest: Any) -> Arrival:
    return arrival("user_prompt", text=text, **rest)


def walk(journal: Journal, limit: int, *, between: Iterator[str] | None = None, **which: object) -> list[Prompt]:
    """Every page; `between` two of them a new prompt arrives."""
    found: list[Prompt] = []
    before: Place | None = None
    while True:
        page, before = PromptHistory(journal).page(Wanted(limit=limit, before=before, **which))  # type: ignore[arg-type]
        assert len(page) <= limit
        found += page
        if before is None:
            return found
        if between is not None:
            append(journal, prompt(next(between)))


def texts(found: list[Prompt]) -> list[str]:
    return [one.text for one in found]


def test_prompts_come_newest_first_from_any_session_by_prefix(journal: Journal) -> None:
    append(journal, prompt("fix the tests", session="a"), prompt("write docs"), prompt("fix the build", session="b"))
    assert texts(walk(journal, 10)) == ["fix the build", "write docs", "fix the tests"]
    assert texts(walk(journal, 10, prefix="fix the ")) == ["fix the build", "fix the tests"]
    assert texts(walk(journal, 10, session_id="a")) == ["fix the tests"]
    assert texts(walk(journal, 10, host="claude-code", session_id="b")) == ["fix the build"]
    assert texts(walk(journal, 10, host="codex")) == []
    assert texts(walk(journal, 10, directory=Path("/elsewhere"))) == []


def test_what_was_imported_stands_by_the_time_at_which_it_was_said(journal: Journal) -> None:
    append(
        journal, prompt("now", minute=60), prompt("long ago", session="b", minute=-86_400),
        prompt("between", session="b", minute=30), prompt("at the same time", minute=30),
    )  # fmt: skip
    told = ["now", "at the same time", "between", "long ago"]
    assert texts(walk(journal, 10)) == told
    assert texts(walk(journal, 1)) == told
    assert texts(walk(journal, 10, host="claude-code", session_id="b")) == ["between", "long ago"]


def test_what_hook_and_transcript_both_tell_is_one_prompt(journal: Journal) -> None:
    append(
        journal,
        prompt("once", turn="t1"),
        arrival("message", turn="t1", role="user", text="once"),
        arrival("message", turn="t1", role="assistant", text="an answer"),
        arrival("message", turn="t2", role="user", text="only in the transcript"),
        arrival("message", turn="t3", role="user", text="of a tool", tier="tool"),
        arrival("turn", turn="t4", messages=[{"role": "user", "text": "in a turn"}]),
        arrival("turn", turn="t1", last_assistant_message="an answer"),
    )
    assert texts(walk(journal, 10)) == ["in a turn", "only in the transcript", "once"]


@settings(deadline=None, max_examples=20)
@given(st.integers(min_value=0, max_value=12), st.integers(min_value=1, max_value=5))
def test_pages_hold_each_prompt_once_while_new_ones_arrive(
    tmp_path_factory: pytest.TempPathFactory, count: int, limit: int
) -> None:
    journal = Journal.open(tmp_path_factory.mktemp("prompts") / "state.db", clock=lambda: START)
    try:
        append(journal, *(prompt(f"old {n}") for n in range(count)))
        found = walk(journal, limit, between=(f"new {n}" for n in range(100)))
        assert texts(found) == [f"old {n}" for n in reversed(range(count))]
    finally:
        journal.close()


def test_a_long_prompt_is_cut_and_a_long_page_goes_on(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_PAGE_CHARS", 25_000)
    append(journal, *(prompt(f"{n} " + "长" * 30_000) for n in range(5)), prompt("short"))
    first, before = PromptHistory(journal).page(Wanted())
    assert (len(first), before is not None) == (4, True)
    assert [one.truncated for one in first] == [False, True, True, True]
    assert {len(one.text) for one in first[1:]} == {10_000}
    assert len(walk(journal, 50)) == 6


def test_a_page_of_rare_prompts_may_be_short_and_goes_on(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "LOOKED_AT", 10)
    append(journal, prompt("rare"), *(prompt("common") for _ in range(30)))
    page, before = PromptHistory(journal).page(Wanted(prefix="rare"))
    assert (page, before and before.seq) == ([], 22)
    assert texts(walk(journal, 10, prefix="rare")) == ["rare"]
