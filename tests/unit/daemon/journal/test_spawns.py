"""The agent graph, as events in any order leave it."""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from support.events import START, arrival

from memoryd.daemon.journal import schema, spawns
from memoryd.daemon.journal.journal import Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.daemon.journal.spawns import AgentGraph
from memoryd.daemon.journal.writer import connect
from memoryd.errors import NotFound


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


def append(journal: Journal, *arrivals: Arrival) -> None:
    now = "2026-11-30T08:00:00.000Z"
    rows = [(one, data_json(one.event)) for one in arrivals]
    journal.write(lambda c: [append_one(c, one, data, journal.triggers, now) for one, data in rows])


def starts(parent: str, child: str, minute: float, agent_type: str = "explore") -> Arrival:
    return arrival("subagent_start", session=parent, minute=minute, child_session_id=child, agent_type=agent_type)


def stops(parent: str, child: str, minute: float) -> Arrival:
    return arrival("subagent_stop", session=parent, minute=minute, child_session_id=child)


def ends(session: str, minute: float) -> Arrival:
    return arrival("session_end", session=session, minute=minute)


def resumes(session: str, parent: str, minute: float, source: str = "resume") -> Arrival:
    return arrival("session_start", session=session, minute=minute, source=source, parent_session_id=parent)


def graph(journal: Journal, session: str = "s1", *, open_only: bool = False) -> list[tuple[str, int, bool]]:
    rows = AgentGraph(journal).descendants("claude-code", session, open_only=open_only)
    return [(row["session_id"], row["depth"], row["closed_at"] is None) for row in rows]


def test_descendants_come_breadth_first_by_depth(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), starts("a", "a1", 2), starts("s1", "b", 3), starts("a1", "a2", 4))
    assert graph(journal) == [("a", 1, True), ("b", 1, True), ("a1", 2, True), ("a2", 3, True)]


def test_a_stop_closes_the_sub_agent_and_what_runs_below_it(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), starts("a", "a1", 2), starts("s1", "b", 3), stops("s1", "a", 4))
    assert graph(journal) == [("a", 1, False), ("b", 1, True), ("a1", 2, False)]
    assert graph(journal, open_only=True) == [("b", 1, True)]


def test_the_end_of_a_parent_closes_all_its_open_children_and_those_of_nobody_else(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), starts("a", "a1", 2), starts("other", "c", 2), ends("s1", 5))
    assert graph(journal, open_only=True) == []
    assert graph(journal) == [("a", 1, False), ("a1", 2, False)]
    assert graph(journal, "other") == [("c", 1, True)]


def test_a_resumed_session_gets_the_sub_agents_that_were_still_running(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), starts("s1", "b", 2), stops("s1", "b", 3))
    append(journal, resumes("s2", "s1", 10), resumes("s3", "s2", 20))
    assert graph(journal, "s3") == [("a", 1, True)]
    append(journal, ends("s1", 30))
    assert graph(journal, "s3") == []


def test_a_fork_does_not_get_the_sub_agents_of_the_session_that_goes_on(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), resumes("s2", "s1", 10, source="fork"))
    assert graph(journal, "s2") == []


def test_a_sub_agent_that_is_started_again_runs_again(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), stops("s1", "a", 2), starts("s1", "a", 3))
    assert graph(journal) == [("a", 1, True)]


def test_the_order_of_arrival_changes_nothing(journal: Journal) -> None:
    for n, order in enumerate(permutations(range(5))):
        s, a, a1, b = (f"{n}/{name}" for name in ("s", "a", "a1", "b"))
        story = [starts(s, a, 1), starts(a, a1, 2), stops(s, a, 3), starts(s, b, 4), ends(s, 5)]
        append(journal, *(story[place] for place in order))
        assert {name for name, _, is_open in graph(journal, s) if is_open} == set()
        assert {name for name, _, _ in graph(journal, s)} == {a, b, a1}


def test_sessions_that_start_each_other_do_not_turn_in_a_circle(journal: Journal) -> None:
    append(journal, starts("s1", "a", 1), starts("a", "s1", 2), starts("a", "a", 3))
    assert graph(journal) == [("a", 1, True)]
    append(journal, ends("s1", 4))
    assert graph(journal) == [("a", 1, False)]


def test_each_session_is_of_one_kind_and_can_be_listed_by_it(journal: Journal) -> None:
    headless = Arrival(event=arrival("turn", session="h").event, binding=arrival("turn").binding, headless=True)
    append(journal, arrival("turn", session="s1"), starts("s1", "a", 1), arrival("turn", session="a"), headless)
    recorded = RecordedSessions(journal)
    kinds = {row["session_id"]: row["kind"] for row in recorded.page()}
    assert kinds == {"s1": "interactive", "a": "sub-agent", "h": "headless"}
    assert [row["session_id"] for row in recorded.page(kind="sub-agent")] == ["a"]
    assert recorded.get("claude-code", "a")["parent"] == "s1"


def test_a_thread_is_listed_whole_from_any_of_its_sessions(journal: Journal) -> None:
    append(journal, arrival("turn", session="s1"), resumes("s2", "s1", 1), resumes("s3", "s2", 2, source="clear"))
    append(journal, arrival("turn", session="apart", minute=3))
    recorded = RecordedSessions(journal)
    for name in ("s1", "s2", "s3"):
        rows = recorded.page(thread=("claude-code", name))
        assert [row["session_id"] for row in rows] == ["s3", "s2", "s1"]
    with pytest.raises(NotFound):
        recorded.page(thread=("claude-code", "none"))


def test_an_upgrade_draws_the_graph_from_the_events_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    journal = Journal.open(path, clock=lambda: START)
    append(journal, starts("s1", "a", 1), starts("s1", "b", 2), stops("s1", "b", 3))
    journal.close()
    connection = connect(path)
    connection.executescript("drop table spawns")
    before = schema.MIGRATIONS.index(spawns.MIGRATION)
    connection.execute(f"pragma user_version = {before}")
    schema.migrate(connection, path, schema.MIGRATIONS[: before + 1])
    rows = connection.execute("select child, agent_type, closed_at is null from spawns order by child").fetchall()
    connection.close()
    assert rows == [("a", "explore", 1), ("b", "explore", 0)]
