"""Session documents: any session there and back, beside others, in any state."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.events import START, arrival

from memoryd.daemon.journal.documents import SessionDocuments
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Arrival, Binding, Journal, append_one, data_json
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.ipc import documents
from memoryd.ipc.documents import SessionDocument

FIELDS: dict[str, dict[str, Any]] = {
    "user_prompt": {"text": "hello 你好 \U0001f600"},
    "message": {"role": "assistant", "text": "an answer", "unknown": {"z": [1, None, 2.5], "a": True}},
    "tool_use": {"name": "Edit", "files": [{"path": "/x", "action": "write"}], "ok": False},
    "turn": {"status": "failed", "messages": [{"role": "user", "text": "said"}]},
    "session_start": {"source": "resume", "parent_session_id": "before"},
    "subagent_start": {"child_session_id": "a"},
    "subagent_stop": {"child_session_id": "a", "last_message": "done"},
    "pre_compact": {"trigger": "manual"},
    "memory_written": {"names": ["x"]},
    "session_end": {},
}
steps = st.tuples(
    st.sampled_from(sorted(FIELDS)), st.sampled_from(["s1", "s2"]), st.sampled_from([None, "t1", "t2"]),
    st.integers(min_value=-5, max_value=50),
)  # fmt: skip


@contextmanager
def opened(folder: Path) -> Iterator[Journal]:
    journal = Journal.open(folder / "state.db", clock=lambda: START)
    try:
        yield journal
    finally:
        journal.close()


def take(journal: Journal, document: SessionDocument, dir: Path = Path("/other")) -> int:
    binding = Binding(dir=dir, kind="project", project="q")
    headless = document.session.headless
    arrivals = [Arrival(event=event, binding=binding, headless=headless) for event in document.as_events()]
    return sum(not one.duplicate for one in SessionDocuments(journal).add(document.session, arrivals))


def fill(journal: Journal, script: list[tuple[str, str, str | None, int]]) -> None:
    arrivals = [
        arrival(kind, session=session, turn=turn, minute=minute, **FIELDS[kind])
        for kind, session, turn, minute in script
    ]
    rows = [(one, data_json(one.event)) for one in arrivals]
    now = "2026-11-30T08:00:00.000Z"
    journal.write(lambda c: [append_one(c, one, data, journal.triggers, now) for one, data in rows])


def counted(journal: Journal, session: str) -> dict[str, Any]:
    row = RecordedSessions(journal).get("claude-code", session)
    names = (
        "turn_count",
        "failed_turns",
        "interrupted_turns",
        "tool_calls",
        "started_at",
        "last_at",
        "ended_at",
        "kind",
    )
    return {name: row[name] for name in (*names, "parent", "children")}


@settings(deadline=None, max_examples=20)
@given(st.lists(steps, max_size=25))
def test_any_session_comes_back_the_same(tmp_path_factory: pytest.TempPathFactory, script: list[Any]) -> None:
    script = [("user_prompt", "s1", "t0", 0), *script]
    with opened(tmp_path_factory.mktemp("from")) as source, opened(tmp_path_factory.mktemp("to")) as target:
        fill(source, script)
        document = SessionDocuments(source).of("claude-code", "s1")
        fill(target, [("user_prompt", "other", None, 0)])
        assert take(target, documents.read(document.model_dump_json().encode())) == len(document.events)
        assert SessionDocuments(target).of("claude-code", "s1") == document
        assert counted(target, "s1") == counted(source, "s1")
        assert take(target, document) == 0


def test_a_session_that_is_half_known_gets_the_rest(tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    with opened(tmp_path) as source, opened(tmp_path / "to") as target:
        fill(source, [("user_prompt", "s1", f"t{n}", n) for n in range(4)])
        document = SessionDocuments(source).of("claude-code", "s1")
        assert take(target, document.model_copy(update={"events": document.events[:2]})) == 2
        assert take(target, document) == 2
        assert SessionDocuments(target).of("claude-code", "s1") == document
        assert History(target).stats()["queued"] == 1


def test_events_that_belong_to_another_session_make_no_session(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        fill(journal, [("user_prompt", "s1", None, 0)])
        document = SessionDocuments(journal).of("claude-code", "s1")
        renamed = document.session.model_copy(update={"session_id": "thief"})
        assert take(journal, document.model_copy(update={"session": renamed})) == 0
        assert [row["session_id"] for row in RecordedSessions(journal).page()] == ["s1"]


def test_a_copy_leaves_the_graph_and_the_stats_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        fill(journal, [("subagent_start", "s1", None, 0), *[("turn", "s1", f"t{n}", n) for n in range(1, 10)]])
        before = History(journal).stats()
        SessionDocuments(journal).copy("claude-code", "s1", "twin")
        assert History(journal).stats() == before
        assert counted(journal, "twin")["children"] == []
        assert [child["closed_at"] for child in counted(journal, "s1")["children"]] == [None]
