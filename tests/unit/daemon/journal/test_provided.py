from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.events import START, arrival

from memoryd.daemon.journal.journal import Arrival, Journal, append_one, data_json
from memoryd.daemon.journal.provided import Place, Provided

NOW = "2026-11-30T08:00:00.000Z"
KINDS = ("turn", "user_prompt")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "state.db", clock=lambda: START)
    yield opened
    opened.close()


@pytest.fixture
def rows(journal: Journal) -> Provided:
    return Provided(journal)


def append(journal: Journal, *arrivals: Arrival) -> None:
    told = [(one, data_json(one.event)) for one in arrivals]
    journal.write(lambda c: [append_one(c, one, data, journal.triggers, NOW) for one, data in told])


def settled(rows: Provided, name: str = "a", minute: float = 0) -> Place:
    place = rows.settle(name, START + timedelta(minutes=minute))
    assert place is not None
    return place


def test_it_begins_at_the_newest_event_goes_on_where_it_was_and_another_one_begins_anew(
    journal: Journal, rows: Provided
) -> None:
    append(journal, arrival("turn"))
    assert settled(rows).seq == 1
    append(journal, arrival("turn", minute=1), arrival("turn", minute=2))
    assert [one.seq for one in rows.after(settled(rows), KINDS, 10)] == [2, 3]
    rows.moved(2)
    assert [one.seq for one in rows.after(settled(rows), KINDS, 10)] == [3]
    assert rows.waiting(settled(rows), KINDS) == 1
    assert settled(rows, "b").seq == 3
    rows.settle(None, START)
    append(journal, arrival("turn", minute=3))
    assert rows.after(settled(rows, "b"), KINDS, 10) == [], "nobody was there to be told of it"


def test_what_was_said_before_it_was_there_is_not_for_it_however_late_it_comes_in(
    journal: Journal, rows: Provided
) -> None:
    place = settled(rows, minute=10)
    append(journal, arrival("turn", minute=5), arrival("turn", minute=11))
    assert [one.seq for one in rows.after(place, KINDS, 10)] == [2]


def test_what_a_sub_agent_is_asked_is_not_for_it(journal: Journal, rows: Provided) -> None:
    place = settled(rows)
    append(
        journal, arrival("subagent_start", child_session_id="c1", agent_type="x", minute=1),
        arrival("user_prompt", text="go", session="c1", minute=2), arrival("user_prompt", text="hi", minute=3),
    )  # fmt: skip
    assert [one.data["text"] for one in rows.after(place, KINDS, 10)] == ["hi"]


def prompt(text: str) -> tuple[str, dict[str, Any]]:
    return "user_prompt", {"text": text}


def said(role: str, text: str) -> tuple[str, dict[str, Any]]:
    return "message", {"role": role, "text": text}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([prompt("old"), ("turn", {"last_assistant_message": "older"}), prompt("q")], [], ("q", "a")),
        ([said("user", "typed"), said("assistant", "thinks")], [], ("typed", "a")),
        ([prompt("q")], [prompt("next"), said("user", "z")], ("q", "a")),
    ],
)  # fmt: skip
def test_an_exchange_is_what_was_asked_in_the_turn_and_its_final_answer(
    journal: Journal, rows: Provided, before: list[tuple[str, dict[str, Any]]],
    after: list[tuple[str, dict[str, Any]]], told: tuple[str, str],
) -> None:  # fmt: skip
    place = settled(rows)
    events = [*before, ("turn", {"last_assistant_message": "a"}), *after]
    append(journal, *(arrival(kind, minute=n + 1, **data) for n, (kind, data) in enumerate(events)))
    turn = rows.after(place, ["turn"], 10)[-1]
    assert rows.exchange(turn) == told


def test_an_answer_that_the_transcript_alone_has_is_found_behind_the_turn(journal: Journal, rows: Provided) -> None:
    place = settled(rows)
    append(
        journal, arrival("user_prompt", text="q", minute=1), arrival("turn", minute=2),
        arrival("message", role="user", text="q", minute=2), arrival("message", role="assistant", text="b", minute=2),
        arrival("user_prompt", text="q2", minute=3), arrival("message", role="assistant", text="later", minute=4),
    )  # fmt: skip
    (turn,) = rows.after(place, ["turn"], 10)
    assert rows.exchange(turn) == ("q", "b")
    journal.execute("delete from events")
    assert rows.exchange(turn) == ("", "")
