import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts import jsonlines
from memoryd.ipc.hosts.base import TranscriptRead, TranscriptState

CLAUDE = hosts.get("claude-code")
START = TranscriptState()


def record(kind: str, content: object, *, uuid: str | None = None, **fields: Any) -> dict[str, Any]:
    """A record in the order of keys that the host writes."""
    base = {"parentUuid": None, "isSidechain": False, "type": kind, "message": {"role": kind, "content": content}}
    return {**base, **({"uuid": uuid} if uuid else {}), "timestamp": "2026-11-30T08:00:00.000Z", **fields}


def user(content: object, uuid: str, **fields: Any) -> dict[str, Any]:
    return record("user", content, uuid=uuid, **fields)


def says(text: str, uuid: str, **fields: Any) -> dict[str, Any]:
    return record("assistant", [{"type": "text", "text": text}], uuid=uuid, **fields)


def calls(call_id: str, name: str, given_input: object, uuid: str, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": given_input}
    return record("assistant", [block], uuid=uuid, **fields)


def result(call_id: str, content: object, uuid: str, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": fields.pop("error", False)}
    return user([block], uuid, toolUseResult={}, **fields)


def lines(*records: object) -> bytes:
    return b"".join(
        (r if isinstance(r, bytes) else json.dumps(r, separators=(",", ":")).encode()) + b"\n" for r in records
    )


def read(chunk: bytes, *, state: TranscriptState = START, final: bool = False, session: str = "s1") -> TranscriptRead:
    return CLAUDE.read_transcript(chunk, session_id=session, cwd="/work", state=state, final=final)


def texts(events: Sequence[Event], role: str) -> list[str]:
    return [event.data.text for event in events if event.kind == "message" and event.data.role == role]


TALK = lines(
    user("first question", "u1", promptId="p1"),
    says("let me look", "a1"),
    calls("t1", "Read", {"file_path": "/project/a.py"}, "a2", timestamp="2026-11-30T08:00:01.000Z"),
    result("t1", "1\tprint()", "u2", promptId="p1", timestamp="2026-11-30T08:00:01.250Z"),
    says("it prints", "a3"),
    user("second question", "u3", promptId="p2"),
    says("the answer", "a4"),
)


def test_prompts_answers_and_tools_come_out_in_order_with_their_turn() -> None:
    found = read(TALK)
    assert [(event.id, event.kind, event.turn_id) for event in found.events] == [
        ("u1", "message", "p1"),
        ("a1", "message", "p1"),
        ("a2", "tool_use", "p1"),
        ("u2", "message", "p1"),
        ("a3", "message", "p1"),
        ("u3", "message", "p2"),
        ("a4", "message", "p2"),
    ]
    assert texts(found.events, "user") == ["first question", "second question"]
    assert (found.consumed, found.state.turn_id, found.bad_lines) == (len(TALK), "p2", 0)
    assert {(event.host, event.session_id, event.cwd) for event in found.events} == {("claude-code", "s1", "/work")}


def test_a_tool_use_has_name_summary_outcome_time_and_files() -> None:
    use = next(event for event in read(TALK).events if event.kind == "tool_use")
    assert use.data.model_dump(mode="json") == {
        "name": "Read",
        "summary": '{"file_path":"/project/a.py"}',
        "ok": True,
        "duration_ms": 250,
        "files": [{"path": "/project/a.py", "action": "read"}],
    }


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("WebFetch", "web"),
        ("WebSearch", "web"),
        ("Read", "repository"),
        ("Grep", "repository"),
        ("Bash", "tool"),
        ("mcp__x__y", "tool"),
    ],
)
def test_the_tool_decides_the_tier_of_its_result(name: str, tier: str) -> None:
    found = read(
        lines(calls("t", name, {}, "a"), result("t", [{"type": "text", "text": "out"}, {"type": "image"}], "u"))
    )
    message = found.events[1]
    assert message.kind == "message"
    assert (message.data.role, message.data.text, message.data.tier) == ("tool", "out", tier)


def test_long_inputs_are_cut_results_are_whole_and_a_failed_call_is_told() -> None:
    found = read(lines(calls("t", "Bash", {"command": "x" * 9000}, "a"), result("t", "y" * 9000, "u", error=True)))
    use, message = found.events
    assert use.kind == "tool_use"
    assert (len(use.data.summary), use.data.ok) == (500, False)
    assert message.kind == "message"
    assert message.data.text == "y" * 9000


@pytest.mark.parametrize(
    "not_said",
    [
        user("x", "u", isMeta=True),
        user("x", "u", isCompactSummary=True),
        user("x", "u", isVisibleInTranscriptOnly=True),
        user("x", "u", isSidechain=True),
        user("x", "u", origin={"kind": "task-notification"}),
        user("<local-command-stdout>x</local-command-stdout>", "u"),
        user("<command-name>/clear</command-name>", "u"),
        user([{"type": "text", "text": " <command-message>x</command-message>"}], "u"),
        user([{"type": "text", "text": "[Request interrupted by user for tool use]"}], "u"),
        user("[Request interrupted by user]", "u"),
        user([{"type": "image", "source": {"data": "aGk="}}], "u"),
        user("", "u"),
        user(["bare"], "u"),
        says("x", "a", isSidechain=True),
        says("API Error: 529", "a", isApiErrorMessage=True),
        record("assistant", [{"type": "thinking", "thinking": "hm"}], uuid="a"),
        {
            **says("No response requested.", "a"),
            "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "x"}]},
        },
        {"parentUuid": None, "type": "attachment", "attachment": {"type": "user", "x": '"type":"user"'}, "uuid": "x"},
        {"type": "api-request", "body": user("x", "u")},
        {"type": "summary", "summary": "x", "leafUuid": "u"},
    ],
)
def test_what_nobody_said_is_left_out(not_said: dict[str, Any]) -> None:
    found = read(lines(not_said))
    assert (found.events, found.bad_lines) == ((), 0)
    assert found.consumed == len(lines(not_said))


def test_text_beside_an_image_is_one_prompt() -> None:
    content = [{"type": "image"}, {"type": "text", "text": "what"}, {"type": "text", "text": "is it?"}]
    (event,) = read(lines(user(content, "u"))).events
    assert (event.id, texts([event], "user")) == ("u/1", ["what\n\nis it?"])


def test_blocks_of_one_record_have_ids_by_their_place() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "both"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}},
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}},
    ]
    found = read(lines(record("assistant", blocks, uuid="a"), result("t2", "out", "u")), final=True)
    assert [event.id for event in found.events] == ["a/1", "a/3", "u", "a/2"]


def test_reading_stops_before_a_call_that_waits_and_goes_on_when_its_result_is_there() -> None:
    before = lines(user("go", "u1", promptId="p1"), says("I will", "a1"))
    waiting = before + lines(calls("t1", "Bash", {"command": "make"}, "a2"), says("meanwhile", "a3"))
    first = read(waiting)
    assert [event.id for event in first.events] == ["u1", "a1", "a3"]
    assert (first.consumed, first.state.turn_id) == (len(before), "p1")
    whole = waiting + lines(result("t1", "built", "u2"))
    second = read(whole[first.consumed :], state=first.state)
    assert [(event.id, event.turn_id) for event in second.events] == [("a3", "p1"), ("a2", "p1"), ("u2", "p1")]
    assert first.consumed + second.consumed == len(whole)


@pytest.mark.parametrize("ending", ["a prompt", "the end"])
def test_a_call_without_a_result_is_interrupted_never_a_success(ending: str) -> None:
    chunk = lines(calls("t1", "Bash", {"command": "make"}, "a1"), user("[Request interrupted by user]", "u1"))
    if ending == "a prompt":
        found = read(chunk + lines(user("stop that", "u2", promptId="p2")))
        assert found.consumed == len(chunk + lines(user("stop that", "u2", promptId="p2")))
    else:
        found = read(chunk, final=True)
        assert found.consumed == len(chunk)
    use = found.events[0]
    assert use.kind == "tool_use"
    assert (use.data.ok, use.data.duration_ms, use.turn_id) == (None, None, None)
    assert use.data.summary.startswith("[interrupted]")


def test_call_ids_that_a_resumed_host_counts_anew_are_kept_apart() -> None:
    found = read(
        lines(
            calls("t1", "Bash", {"n": 1}, "a1"),
            result("t1", "one", "u1"),
            calls("t1", "Bash", {"n": 2}, "a2"),
            calls("t1", "Bash", {"n": 3}, "a3"),
            result("t1", "three", "u2"),
        )
    )
    uses = {event.id: event.data.ok for event in found.events if event.kind == "tool_use"}
    assert uses == {"a1": True, "a2": None, "a3": True}


def test_a_fork_copies_records_and_adds_nothing_new() -> None:
    original = read(TALK).events
    copied = TALK + lines(user("new here", "u9", promptId="p9"))
    forked = read(copied, session="s2").events
    assert [event.id for event in forked if event.id not in {event.id for event in original}] == ["u9"]


@given(st.lists(st.integers(1, len(TALK)), max_size=6))
def test_reading_in_pieces_gives_the_events_of_one_reading(cuts: list[int]) -> None:
    events: dict[str, Event] = {}
    offset, state = 0, START
    for end in [*sorted(cuts), len(TALK)]:
        found = read(TALK[offset:end], state=state)
        offset, state = offset + found.consumed, found.state
        for event in found.events:
            events.setdefault(event.id, event)
    assert list(events.values()) == list(read(TALK).events)
    assert offset == len(TALK)


def test_records_without_an_id_get_one_from_session_place_and_line() -> None:
    same = {key: value for key, value in user("again", "x").items() if key != "uuid"}
    chunk = lines(same, same)
    found = read(chunk)
    first, second = (event.id for event in found.events)
    assert len(first) == 64
    assert first != second
    assert found.state.ordinal == 2
    assert [event.id for event in read(chunk).events] == [first, second]
    half = len(chunk) // 2
    assert [event.id for event in read(chunk[half:], state=TranscriptState(ordinal=1)).events] == [second]
    assert read(chunk, session="s2").events[0].id != first


def test_times_may_go_back_or_miss() -> None:
    found = read(
        lines(
            user("a", "u1", timestamp=None),
            user("b", "u2", timestamp="2026-11-30T08:00:05.000Z"),
            user("c", "u3", timestamp="soon"),
            user("d", "u4", timestamp="2026-11-30T07:00:00.000Z"),
        )
    )
    assert [event.at.isoformat()[11:19] for event in found.events] == ["08:00:05", "08:00:05", "08:00:05", "07:00:00"]


def test_bad_lines_are_counted_and_passed_over() -> None:
    chunk = lines(
        b"\xff\xfe",
        b'{"type":"user","message":{"content":"torn',
        b'{"type":"user","message":"no object","uuid":"x"}',
        b'{"type":"user","uuid":"x"}',
        b'"type":"user"',
        b"42",
        b"[1]",
        b'{"type":"user","message":{"content":' + b"[" * 100_000 + b"}",
        b"",
        user("good \ud83d", "u1"),
    )
    found = read(chunk)
    assert texts(found.events, "user") == ["good \ufffd"]
    assert (found.bad_lines, found.consumed) == (8, len(chunk))


def test_a_partial_last_line_waits_and_an_endless_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(TALK + b'{"type":"us').consumed == len(TALK)
    monkeypatch.setattr(jsonlines, "MAX_LINE_BYTES", 1000)
    endless = TALK + b'{"type":"user",' + b"x" * 2000
    assert read(endless).consumed == len(endless)
    over = read(lines(user("y" * 1000, "u8"), user("short", "u9")))
    assert ([event.id for event in over.events], over.bad_lines) == (["u9"], 1)


@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_make_the_reader_fail(noise: bytes, final: bool) -> None:
    found = read(noise + b'\n{"type":"user","message":{"content":' + noise + b"}}\n", final=final)
    assert 0 <= found.consumed <= 2 * len(noise) + 100


# --- the recordings -------------------------------------------------------------------------------------------------


def transcripts(recordings: Path) -> list[Path]:
    found = sorted((recordings / "sessions").glob("claude-*/*.jsonl"))
    assert len(found) >= 10
    return found


def test_every_recorded_transcript_is_read_to_its_end(recordings: Path) -> None:
    for path in transcripts(recordings):
        chunk = path.read_bytes()
        found = read(chunk, final=True)
        assert found.consumed == chunk.rfind(b"\n") + 1, path
        assert texts(found.events, "user"), path
        assert len({event.id for event in found.events}) == len(found.events), path
        assert found.bad_lines == 0 or path.name == "edge_cases.jsonl", path


@pytest.mark.parametrize(
    ("name", "prompts", "answers"),
    [
        ("9131dded", ["hello first prompt"], 1),
        ("0253d813", ["after clear prompt"], 1),
        ("2ddfea7b", ["USETOOL please", "again"], 2),
        ("4b7898e0", ["USETOOL please", "again", "again", "again2"], 4),
        ("cd7a387d", ["USEAGENT go"], 1),
    ],
)
def test_each_recorded_prompt_and_final_answer_is_there_once(
    recordings: Path, name: str, prompts: list[str], answers: int
) -> None:
    (path,) = (recordings / "sessions" / "claude-code-2.1.332").glob(f"{name}*.jsonl")
    found = read(path.read_bytes(), final=True)
    assert texts(found.events, "user") == prompts
    assert texts(found.events, "assistant").count("FINAL ANSWER") == answers


def test_the_recorded_fork_adds_nothing_that_was_known(recordings: Path) -> None:
    folder = recordings / "sessions" / "claude-code-2.1.332"
    parent, fork = (
        read(next(folder.glob(f"{name}*.jsonl")).read_bytes(), final=True).events for name in ("2ddf", "4b78")
    )
    known = {event.id for event in parent}
    assert [event.id for event in itertools.islice(fork, len(parent))] == [event.id for event in parent]
    assert all(event.id not in known for event in fork[len(parent) :])


def test_recorded_reality_of_the_first_release(recordings: Path) -> None:
    found = read((recordings / "sessions" / "claude-code-1.0-real" / "chat-6fbdef9.jsonl").read_bytes(), final=True)
    prompts = texts(found.events, "user")
    assert len(prompts) == 3
    assert not any("interrupted" in prompt for prompt in prompts)
    assert {event.kind for event in found.events} == {"message", "tool_use"}


def test_a_recorded_transcript_read_in_pieces_gives_the_same_events(recordings: Path) -> None:
    chunk = (recordings / "sessions" / "claude-code-1.0-real" / "chat-7c1b6b4.jsonl").read_bytes()
    ids: dict[str, None] = {}
    offset, state = 0, START
    for end in [*range(10_000, len(chunk), 10_000), len(chunk)]:
        found = read(chunk[offset:end], state=state, final=end == len(chunk))
        offset, state = offset + found.consumed, found.state
        ids |= dict.fromkeys(event.id for event in found.events)
    assert set(ids) == {event.id for event in read(chunk, final=True).events}
