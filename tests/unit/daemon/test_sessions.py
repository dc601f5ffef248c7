from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.events import event

from memoryd.clock import rfc3339
from memoryd.daemon.sessions import Advance, Counters, Triggers, advance
from memoryd.ipc.events import EndStatus, Event


def play(events: Sequence[Event], triggers: Triggers | None = None, **start: int) -> tuple[Counters, list[Advance]]:
    """Run events through `advance` as the journal does, with the turns that it would know."""
    counters = Counters(last_at="", **start)  # type: ignore[arg-type]
    turns: dict[str, EndStatus] = {}
    steps = []
    for seq, one in enumerate(events, start=1):
        step = advance(
            counters, one, seq=seq, at=rfc3339(one.at), known_turn=turns.__contains__, triggers=triggers or Triggers()
        )
        turns.update(step.ends)
        counters = step.counters
        steps.append(step)
    return counters, steps


def test_a_turn_counts_once_for_its_id() -> None:
    counters, _ = play([event("turn", turn="t1"), event("turn", turn="t1"), event("turn", turn="t2")])
    assert counters.turn_count == 2


def test_turns_without_an_id_count_each() -> None:
    counters, _ = play([event("turn"), event("turn")])
    assert counters.turn_count == 2


def test_failed_and_interrupted_turns_count() -> None:
    counters, _ = play([event("turn", turn="a", status="failed"), event("turn", turn="b", status="interrupted")])
    assert (counters.turn_count, counters.failed_turns, counters.interrupted_turns) == (2, 1, 1)


def test_a_prompt_closes_the_open_turn_as_interrupted() -> None:
    counters, steps = play([event("user_prompt", turn="a", text="x"), event("user_prompt", turn="b", text="y")])
    assert (counters.turn_count, counters.interrupted_turns, counters.open_turn) == (1, 1, "b")
    assert steps[-1].ends == (("a", EndStatus.INTERRUPTED),)


def test_a_prompt_without_an_id_closes_the_open_turn_too() -> None:
    counters, _ = play([event("user_prompt", text="x"), event("user_prompt", text="y"), event("turn")])
    assert (counters.turn_count, counters.interrupted_turns, counters.open_turn) == (2, 1, None)


def test_the_end_of_an_interrupted_turn_that_comes_late_does_not_count_again() -> None:
    counters, _ = play(
        [
            event("user_prompt", turn="a", text="x"),
            event("user_prompt", turn="b", text="y"),
            event("turn", turn="a"),
            event("turn", turn="b"),
        ]
    )
    assert counters.turn_count == 2


def test_a_prompt_that_comes_after_its_own_end_opens_nothing() -> None:
    counters, _ = play(
        [event("turn", turn="a"), event("user_prompt", turn="a", text="x"), event("user_prompt", turn="b", text="y")]
    )
    assert (counters.turn_count, counters.interrupted_turns) == (1, 0)


def test_two_handlers_of_one_prompt_interrupt_nothing() -> None:
    counters, _ = play([event("user_prompt", turn="a", text="x"), event("user_prompt", turn="a", text="x")])
    assert counters.turn_count == 0


def test_every_third_turn_is_due() -> None:
    _, steps = play([event("turn") for _ in range(7)])
    assert [step.due for step in steps] == [None, None, "interval", None, None, "interval", None]


def test_a_session_end_is_due_only_while_user_text_is_unconsolidated() -> None:
    _, steps = play([event("user_prompt", text="x"), event("session_end")])
    assert steps[-1].due == "session_end"
    _, steps = play([event("session_end")])
    assert steps[-1].due is None


def test_a_compaction_is_due_unless_switched_off() -> None:
    events = [event("user_prompt", text="x"), event("pre_compact")]
    assert play(events)[1][-1].due == "compaction"
    assert play(events, Triggers(on_compaction=False))[1][-1].due is None


def test_a_later_event_reopens_an_ended_session() -> None:
    counters, _ = play([event("session_end", minute=1), event("user_prompt", minute=2, text="x")])
    assert counters.ended_at is None


def test_an_earlier_event_leaves_an_ended_session_ended() -> None:
    counters, _ = play([event("session_end", minute=2), event("message", minute=1, role="assistant", text="x")])
    assert counters.ended_at is not None


def test_a_memory_written_by_the_host_resets_the_turn_counter() -> None:
    _, steps = play(
        [event("turn"), event("turn"), event("memory_written"), event("turn"), event("turn"), event("turn")]
    )
    assert [step.due for step in steps][-1] == "interval"
    assert [step.due for step in steps][:5] == [None] * 5


kinds = st.sampled_from(["user_prompt", "turn", "message", "tool_use", "session_end", "pre_compact"])


@given(st.lists(st.tuples(kinds, st.sampled_from([None, "a", "b", "c"])), max_size=30))
def test_counters_never_fall_and_a_named_turn_counts_at_most_once(script: list[tuple[str, str | None]]) -> None:
    fields = {"user_prompt": {"text": "x"}, "message": {"role": "user", "text": "x"}, "tool_use": {"name": "Bash"}}
    events = [event(kind, turn=turn, minute=n, **fields.get(kind, {})) for n, (kind, turn) in enumerate(script)]
    counters, steps = play(events)
    counts = [step.counters.turn_count for step in steps]
    assert counts == sorted(counts)
    loose = sum(1 for kind, turn in script if turn is None and kind in ("turn", "user_prompt"))
    assert counters.turn_count <= 3 + loose
    assert counters.turns_at_enqueue <= counters.turn_count
