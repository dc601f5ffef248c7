"""Where a session stands, kept current as its events come."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import START, arrival

from memoryd.daemon.journal import progress
from memoryd.daemon.journal.journal import Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.steps import KEPT, LARGE_CHARS, Kind, open_items, step
from memoryd.daemon.journal.store import Row

LARGE = "y" * LARGE_CHARS
NOW = "2026-11-30T08:00:00.000Z"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def append(journal: Journal, *arrivals: Arrival) -> None:
    rows = [(one, data_json(one.event)) for one in arrivals]
    journal.write(lambda c: [append_one(c, one, data, journal.triggers, NOW) for one, data in rows])


def texts(journal: Journal, kind: Kind, session: str = "s1") -> tuple[str, ...]:
    found = progress.read(journal, "claude-code", session)
    return found.texts(kind) if found else ()


def edits(path: str, minute: float = 0, action: str = "write") -> Arrival:
    return arrival("tool_use", name="Edit", minute=minute, files=[{"path": path, "action": action}], ok=True)


def test_each_event_leaves_what_it_tells(journal: Journal) -> None:
    append(
        journal,
        arrival("user_prompt", text="Port the parser.\nDo not touch the API. Let's go with nom instead.", turn="t1"),
        arrival("message", role="user", text="Port the parser.\nDo not touch the API. Let's go with nom instead."),
        edits("/p/a.rs"), edits("/p/b.rs", action="read"), edits("/p/c.rs"), edits("/p/a.rs"),
        arrival("subagent_stop", child_session_id="c1", agent_type="Explore", last_message="There are 3 callers."),
        arrival("turn", turn="t1", last_assistant_message="It is ported."),
        arrival("user_prompt", text="Now the tests", turn="t2"),
    )  # fmt: skip
    found = progress.read(journal, "claude-code", "s1")
    assert found is not None
    told = {str(kind): list(found.texts(kind)) for kind in Kind if found.texts(kind)}
    first = "Port the parser. Do not touch the API. Let's go with nom instead."
    assert told == {
        "goal": [first], "ask": [first, "Now the tests"], "unfinished": ["Now the tests"],
        "constraint": ["Do not touch the API."], "decision": ["Let's go with nom instead."],
        "changed": ["/p/c.rs", "/p/a.rs"], "read": ["/p/b.rs"],
        "report": ["Explore: There are 3 callers."], "answer": ["It is ported."],
    }  # fmt: skip


def test_a_turn_that_failed_or_was_broken_off_leaves_its_request_open(journal: Journal) -> None:
    append(journal, arrival("user_prompt", text="go", turn="t1"), arrival("turn", turn="t1", status="failed"))
    assert texts(journal, Kind.UNFINISHED) == ("go",)
    append(journal, arrival("user_prompt", text="again", turn="t2"), arrival("turn", turn="t2", status="ok"))
    assert texts(journal, Kind.UNFINISHED) == ()


def test_the_agents_own_list_is_known_by_its_last_call_even_if_that_is_cut(journal: Journal) -> None:
    def lists(summary: str) -> Arrival:
        return arrival("tool_use", name="TodoWrite", summary=summary)

    one = '{"todos":[{"content":"read \\"it\\"","status":"pending","activeForm":"r"},{"content":"b","status":"todo"}]}'
    two = '{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"cut'
    append(journal, arrival("user_prompt", text="go"), lists(one))
    assert texts(journal, Kind.TODO) == ('read "it"', "b")
    append(journal, lists(two))
    assert texts(journal, Kind.TODO) == ("b",)
    assert open_items('{"plan":[{"status":"pending","step":"x"},{"step":"y","status":"completed"}]}') == ["x"]


@given(st.text(alphabet='{}[]":,\\ud80contestapu ', max_size=80), st.integers(min_value=0, max_value=2**62))
def test_no_input_of_a_tool_breaks_what_is_told(junk: str, duration_ms: int) -> None:
    for summary in (junk, f'{{"content":"{junk}","status":"open"}}', '{"content":"\\ud800","status":"open"}'):
        data = json.dumps({"name": "TodoWrite", "summary": summary, "duration_ms": duration_ms})
        made = step("tool_use", data, 1, "9999-12-31T23:59:59.000Z")
        assert made is not None
        assert all(text.encode() for _, text in made.rows)


def test_a_large_result_is_told_by_its_event_with_the_tool_that_gave_it(journal: Journal) -> None:
    append(
        journal, arrival("user_prompt", text="go"), arrival("tool_use", name="Grep"),
        arrival("message", role="tool", text=LARGE), arrival("message", role="tool", text="short"),
    )  # fmt: skip
    found = progress.read(journal, "claude-code", "s1")
    assert found is not None
    (row,) = found.rows[Kind.RESULT]
    assert (row["text"], row["name"], row["chars"] >= LARGE_CHARS) == ("3", "Grep", True)


def test_a_row_goes_with_its_event_and_none_is_written_of_an_event_that_went_meanwhile(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(journal, arrival("user_prompt", text="first"), arrival("user_prompt", text="Never push."))
    assert texts(journal, Kind.GOAL) == ("first",)
    journal.execute("delete from events where seq = 1")
    assert (texts(journal, Kind.GOAL), texts(journal, Kind.ASK)) == ((), ("Never push.",))
    append(journal, arrival("user_prompt", text="purged"), arrival("user_prompt", text="kept"))
    fold = progress.fold

    def purge_meanwhile(told: progress.Told, events: list[Row]) -> progress.Told:
        journal.execute("delete from events where seq = 3")
        return fold(told, events)

    monkeypatch.setattr(progress, "fold", purge_meanwhile)
    assert texts(journal, Kind.ASK) == ("Never push.", "kept")


def test_passes_of_any_length_tell_the_same_and_two_at_a_time_do_no_harm(journal: Journal) -> None:
    asks = [f"Step {n}. Never skip {n}." for n in range(7)]
    append(journal, *(arrival("user_prompt", text=text, session=s) for s in ("s1", "s2", "s3") for text in asks))
    while progress.advance(journal, "claude-code", "s1", events=2):
        pass
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: progress.advance(journal, "claude-code", "s2", events=3), range(12)))
    for session in ("s1", "s2", "s3"):
        assert (texts(journal, Kind.ASK, session), texts(journal, Kind.GOAL, session)) == (tuple(asks), (asks[0],))


def _steps(journal: Journal) -> int:
    """How much the database does to tell where the session stands."""
    steps: list[int] = []
    progress.read(journal, "claude-code", "s1")
    journal.read(lambda c: c.set_progress_handler(lambda: steps.append(1), 50))
    progress.read(journal, "claude-code", "s1")
    journal.read(lambda c: c.set_progress_handler(None, 0))
    return len(steps)


def test_what_a_compaction_costs_does_not_grow_with_the_session(journal: Journal) -> None:
    def work(numbers: range) -> list[Arrival]:
        return [
            one
            for n in numbers
            for one in (
                arrival("user_prompt", text=f"Step {n}. Never skip test {n}. Let's go with plan {n}.", turn=f"t{n}"),
                edits(f"/p/{n}.rs"), edits(f"/p/{n}.md", action="read"), arrival("message", role="tool", text=LARGE),
                arrival("turn", turn=f"t{n}", last_assistant_message=f"done {n}"),
            )
        ]  # fmt: skip

    append(journal, *work(range(50)))
    few, rows = _steps(journal), journal.rows("select count(*) as n from progress")[0]["n"]
    append(journal, *work(range(50, 300)))
    assert journal.rows("select count(*) as n from progress")[0]["n"] == rows <= sum(KEPT.values())
    assert _steps(journal) <= few + 5
    assert texts(journal, Kind.GOAL)[0].startswith("Step 0.")
    assert texts(journal, Kind.CHANGED)[-1] == "/p/299.rs"
