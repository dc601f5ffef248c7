from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from memoryd.daemon.imports.turns import Turns
from memoryd.ipc.events import EndStatus, Event, Message, MessageData, Role, Tier, Turn

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def spoken(role: Role, ident: str, minute: int, turn: str | None = None, tier: Tier | None = None) -> Message:
    return Message(
        id=ident, host="claude-code", session_id="s", at=START + timedelta(minutes=minute), turn_id=turn,
        data=MessageData(role=role, text="words", tier=tier),
    )  # fmt: skip


def ends(events: Iterator[Event]) -> list[tuple[str, str | None, EndStatus, int]]:
    return [
        (e.id, e.turn_id, e.data.status, int((e.at - START).total_seconds() // 60))
        for e in events
        if isinstance(e, Turn)
    ]


def test_a_turn_ends_with_the_last_event_before_the_next_prompt() -> None:
    turns = Turns()
    talk = [
        spoken("user", "u1", 0, "t1"), spoken("assistant", "a1", 2, "t1"), spoken("tool", "r1", 3, "t1"),
        spoken("user", "u2", 5, "t2"),
    ]  # fmt: skip
    assert ends(turns.ended(talk)) == [("u1+turn", "t1", EndStatus.OK, 3)]
    assert ends(turns.close()) == [("u2+turn", "t2", EndStatus.INTERRUPTED, 5)]
    assert ends(turns.close()) == []


def test_what_a_page_or_a_file_said_in_the_users_place_begins_no_turn() -> None:
    turns = Turns()
    assert ends(turns.ended([spoken("user", "u1", 0, tier=Tier.WEB), spoken("assistant", "a", 1)])) == []
    assert ends(turns.close()) == []


def test_a_turn_without_an_id_is_named_by_its_prompt_unless_hooks_told_the_turns() -> None:
    talk = [spoken("user", "u1", 0), spoken("assistant", "a1", 1)]
    told, untold = Turns(by_prompt=False), Turns()
    assert ends(untold.ended(talk)) + ends(untold.close()) == [("u1+turn", "u1", EndStatus.OK, 1)]
    assert ends(told.ended(talk)) + ends(told.close()) == []


def test_a_session_that_may_go_on_has_no_interrupted_turn() -> None:
    open_one, answered = Turns(), Turns()
    list(open_one.ended([spoken("user", "u1", 0)]))
    list(answered.ended([spoken("user", "u1", 0), spoken("assistant", "a1", 1)]))
    assert ends(open_one.close(over=False)) == []
    assert ends(answered.close(over=False)) == [("u1+turn", "u1", EndStatus.OK, 1)]


def test_a_transcript_that_tells_its_turns_gets_no_second_end() -> None:
    turns = Turns()
    told = Turn(id="x", host="claude-code", session_id="s", at=START, turn_id="t1")
    assert [
        one[0] for one in ends(turns.ended([spoken("user", "u1", 0, "t1"), told, spoken("user", "u2", 3, "t2")]))
    ] == ["x"]
