from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memoryd.ipc.events import EndStatus, Tier
from memoryd.worker.project import EventRow, SessionRows, build
from memoryd.worker.projection import Projection

START = datetime(2026, 11, 30, tzinfo=UTC)


def row(seq: int, kind: str, *, turn: str | None = None, minute: float | None = None, **data: Any) -> EventRow:
    at = START + timedelta(minutes=seq if minute is None else minute)
    return EventRow(seq=seq, at=at, kind=kind, turn_id=turn, data=data)


def project(*rows: EventRow, before: tuple[EventRow, ...] = (), compaction: bool = False) -> Projection:
    session = SessionRows(
        host="h", session_id="s", started_at=START, cwd=None, ended=False, note="", rows=rows, read_before=before
    )
    return build([session], from_seq=1, to_seq=99, compaction=compaction, instructions="")


def texts(projection: Projection) -> list[tuple[str, str]]:
    return [(u.role, u.text) for s in projection.sessions for u in s.utterances]


def test_a_text_that_came_from_the_hook_and_from_the_transcript_is_there_once() -> None:
    found = project(
        row(1, "user_prompt", turn="t", text="hi"),
        row(2, "turn", turn="t", last_assistant_message="yes"),
        row(3, "message", turn="t", role="user", text="hi"),
        row(4, "message", turn="t", role="assistant", text="yes"),
    )
    assert texts(found) == [("user", "hi"), ("assistant", "yes")]


def test_two_handlers_of_one_hook_say_a_text_once() -> None:
    found = project(row(1, "turn", turn="t", last_assistant_message="yes"), row(2, "turn", turn="t",
                    last_assistant_message="yes"))  # fmt: skip
    assert texts(found) == [("assistant", "yes")]
    assert len(found.sessions[0].turns) == 1


def test_the_same_prompt_in_two_turns_is_two_texts() -> None:
    found = project(row(1, "user_prompt", turn="a", text="go on"), row(2, "user_prompt", turn="b", text="go on"))
    assert texts(found) == [("user", "go on")] * 2


def test_without_turn_ids_the_nth_copy_is_the_nth_copy() -> None:
    found = project(
        row(1, "user_prompt", text="go on"),
        row(2, "user_prompt", text="go on"),
        row(3, "message", role="user", text="go on"),
    )
    assert texts(found) == [("user", "go on")] * 2


def test_a_text_that_an_earlier_run_has_read_does_not_come_back_from_the_transcript() -> None:
    found = project(
        row(5, "message", turn="t", role="user", text="hi"), before=(row(1, "user_prompt", turn="t", text="hi"),)
    )
    assert texts(found) == []


def test_texts_stand_in_the_order_of_their_time() -> None:
    found = project(
        row(1, "message", minute=5, role="user", text="late"), row(2, "message", minute=1, role="user", text="early")
    )
    assert texts(found) == [("user", "early"), ("user", "late")]


def test_tiers_follow_the_role_unless_the_event_names_one() -> None:
    found = project(
        row(1, "message", role="tool", text="x"),
        row(2, "message", role="tool", text="y", tier="web"),
        row(3, "message", role="assistant", text="z"),
    )
    assert [u.tier for u in found.sessions[0].utterances] == [Tier.TOOL, Tier.WEB, Tier.HOST]


def test_a_compaction_run_cuts_texts_and_leaves_them_to_be_read_again() -> None:
    found = project(row(1, "user_prompt", text="x" * 1000), compaction=True)
    assert [len(text) for _, text in texts(found)] == [400]
    assert found.partial


def test_a_compaction_of_short_texts_is_a_full_run() -> None:
    found = project(row(1, "user_prompt", text="x" * 350), compaction=True)
    assert not found.partial


def test_a_compaction_below_the_floor_is_left_alone() -> None:
    found = project(row(1, "user_prompt", text="x" * 299), compaction=True)
    assert not found.worth_reading
    assert found.partial


def test_the_status_of_a_turn_is_its_last_one() -> None:
    found = project(row(1, "turn", turn="t", status="failed"), row(2, "turn", turn="t", status="ok"))
    assert [t.status for t in found.sessions[0].turns] == [EndStatus.OK]


def test_an_interrupted_tool_call_is_no_success() -> None:
    found = project(row(1, "tool_use", name="Bash", summary="[interrupted] make"))
    assert found.sessions[0].tools[0].ok is None


said = st.tuples(st.sampled_from(["user_prompt", "message"]), st.sampled_from(["a", "b"]), st.sampled_from("xyz"))


@given(st.lists(said, max_size=20))
def test_no_text_is_lost_and_none_is_doubled(script: list[tuple[str, str, str]]) -> None:
    rows = [row(seq, kind, turn=turn, text=text, role="user") for seq, (kind, turn, text) in enumerate(script, start=1)]
    found = [(u.turn_id, u.text) for s in project(*rows).sessions for u in s.utterances]
    for turn, text in {(turn, text) for _, turn, text in script}:
        recorded = script.count(("message", turn, text))
        assert found.count((turn, text)) == max(recorded, min(1, script.count(("user_prompt", turn, text))))
