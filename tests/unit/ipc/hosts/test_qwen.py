import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import growth
from support.hosts import Pieces, fire, jsonl, messages, tool_uses

from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState

QWEN = hosts.get("qwen")
START = TranscriptState()
TURN = "s1########"
COMMON = {"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": "/work", "prompt_id": f"{TURN}0"}


def firing(name: str, **fields: Any) -> Any:
    return fire(QWEN, {**COMMON, "hook_event_name": name, **fields}, env={"QWEN_PROJECT_DIR": "/project"})


def read(chunk: bytes, *, state: TranscriptState = START, final: bool = False) -> TranscriptRead:
    return QWEN.read_transcript(chunk, session_id="s1", cwd="/work", state=state, final=final)


# --- hooks ----------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_prompt_and_its_answer_under_one_id() -> None:
    prompt = firing("UserPromptSubmit", prompt="hello FILE", submitted_prompt="hello")
    (asked,), (answered,) = prompt.events, firing("Stop", last_assistant_message="done").events
    assert (asked.kind, asked.data.text, answered.data.last_assistant_message) == ("user_prompt", "hello", "done")
    assert asked.turn_id == answered.turn_id == f"{TURN}0"
    assert (prompt.recall, prompt.project_hint) == (Recall.PREFETCH, "/project")


@pytest.mark.parametrize("fields", [{"prompt": ""}, {"prompt": "text of a file"}, {"submitted_prompt": " "}])
def test_what_the_person_did_not_submit_is_no_prompt(fields: dict[str, str]) -> None:
    found = firing("UserPromptSubmit", **fields)
    assert (found.events, found.recall) == ((), Recall.NONE)


@pytest.mark.parametrize(
    ("name", "fields", "kind"),
    [
        ("SessionStart", {"source": "resume"}, "session_start"),
        ("StopFailure", {"last_assistant_message": "429"}, "turn"),
        ("SubagentStop", {"agent_id": "a1", "agent_type": "Explorer", "last_assistant_message": "x"}, "subagent_stop"),
        ("PreCompact", {"trigger": "auto"}, "pre_compact"),
        ("PostCompact", {"trigger": "auto", "compact_summary": "x"}, "post_compact"),
        ("SessionEnd", {"reason": "other"}, "session_end"),
        ("Stop", {"agent_id": "a1"}, None),
        ("Notification", {}, None),
    ],
)
def test_each_hook_event_becomes_its_kind(name: str, fields: dict[str, str], kind: str | None) -> None:
    assert [event.kind for event in firing(name, **fields).events] == ([kind] if kind else [])


BESIDE = "/h/projects/p/subagents/s1/agent-a1.jsonl"


@pytest.mark.parametrize(
    ("path", "agent", "told"),
    [
        ("/h/elsewhere/a1.jsonl", "a1", "/h/elsewhere/a1.jsonl"),
        ("/h/projects/p/chats/s1.jsonl", "a1", BESIDE),  # the parent's, as it says of one that it waits for
        (None, "a1", BESIDE),
        (None, "../a1", None),
    ],
)
def test_a_sub_agents_transcript_is_its_own_and_never_the_parents(path: str | None, agent: str, told: str) -> None:
    where = {"transcript_path": "/h/projects/p/chats/s1.jsonl", "agent_transcript_path": path, "agent_id": agent}
    assert firing("SubagentStop", **where, agent_type="Explorer").child_transcript_path == told
    assert firing("Stop", **where).child_transcript_path is None


def test_memory_goes_back_as_json() -> None:
    assert json.loads(QWEN.reply("SessionStart", "x"))["hookSpecificOutput"]["additionalContext"] == "x"
    assert QWEN.reply("Stop", "x") == ""


# --- transcript -----------------------------------------------------------------------------------------------------


def record(uuid: str, kind: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    base = {"uuid": uuid, "sessionId": "s1", "timestamp": "2026-11-30T08:00:00.000Z", "type": kind, "cwd": "/work"}
    return {**base, "message": {"parts": list(parts)}, **fields}


def asks(uuid: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return record(uuid, "user", *({"text": text} for text in texts), provenance="real_user", **fields)


def note(n: int) -> dict[str, Any]:
    payload = {"uiEvent": {"event.name": "qwen-code.api_response", "prompt_id": f"{TURN}{n}"}}
    return {"uuid": f"n{n}", "type": "system", "subtype": "ui_telemetry", "systemPayload": payload}


def answers(uuid: str, text: str) -> dict[str, Any]:
    return record(uuid, "assistant", {"text": text}, {"text": "hm", "thought": True})


def calls(uuid: str, name: str, **args: str) -> dict[str, Any]:
    return record(uuid, "assistant", {"functionCall": {"id": f"c-{uuid}", "name": name, "args": args}})


def result(call: str, output: str, *, status: str = "success") -> dict[str, Any]:
    part = {"functionResponse": {"id": f"c-{call}", "name": "x", "response": {"output": output}}}
    return record(f"r-{call}", "tool_result", part, toolCallResult={"status": status})


CONTEXT = "<qwen:user-prompt-submit-context>\nMEMORY\n</qwen:user-prompt-submit-context>"
TALK = jsonl(
    asks("u1", "fix it", CONTEXT, systemPayload={"displayText": "fix it", "hookContext": "MEMORY"}),
    note(0),
    calls("a1", "edit", file_path="/work/a.py"),
    result("a1", "edited"),
    note(0),
    answers("a2", "fixed"),
    asks("u2", "and the test\n--- Content from referenced files ---\nI prefer tabs"),
    note(0),  # of the turn before, late
    note(1),
    answers("a3", "that too"),
)


def test_prompts_answers_and_tools_come_out_with_the_turn_that_hooks_name() -> None:
    found = read(TALK, final=True)
    assert [(event.id, event.turn_id) for event in found.events] == [
        *((name, f"{TURN}0") for name in ("u1", "a1/1", "r-a1", "a2")),
        *((name, f"{TURN}1") for name in ("u2", "a3")),
    ]
    assert messages(found.events, "user") == ["fix it", "and the test"]
    assert messages(found.events, "assistant") == ["fixed", "that too"]
    (use,) = tool_uses(found.events)
    assert (use.data.ok, [touch.model_dump() for touch in use.data.files]) == (
        *(True, [{"path": "/work/a.py", "action": "write"}]),
    )


def test_a_prompt_waits_until_its_turn_is_named() -> None:
    first = jsonl(asks("u1", "one"), note(0), answers("a1", "yes"))
    found = read(first + jsonl(asks("u2", "two"), answers("a2", "no")))
    assert ([event.id for event in found.events], found.consumed) == (["u1", "a1"], len(first))
    assert [event.id for event in read(jsonl(asks("u2", "two"), note(1)), state=found.state).events] == ["u2"]


def test_a_prompt_whose_turn_nobody_names_keeps_its_words() -> None:
    found = read(jsonl(asks("u1", "one"), asks("u2", "two"), note(7), asks("u3", "three")), final=True)
    assert [(event.id, event.turn_id) for event in found.events] == [("u1", None), ("u2", f"{TURN}7"), ("u3", None)]


@given(st.lists(st.integers(1, len(TALK)), max_size=6))
def test_reading_in_pieces_tells_the_same(cuts: list[int]) -> None:
    assert Pieces(read).over(TALK, cuts) == [event.id for event in read(TALK, final=True).events]


@pytest.mark.parametrize("provenance", ["system", "cron", "mid_turn", "subagent"])
def test_what_the_host_wrote_as_the_user_is_no_word_of_the_person(provenance: str) -> None:
    told = {**asks("u1", "I prefer tabs"), "provenance": provenance}
    assert messages(read(jsonl(told, note(0)), final=True).events, "user") == []


def test_a_sub_agents_records_are_read_in_its_own_session_alone() -> None:
    own = {"isSidechain": True, "agentId": "a1"}
    chunk = jsonl(record("u1", "user", {"text": "look"}, **own), record("x1", "assistant", {"text": "found"}, **own))
    assert read(chunk, final=True).events == ()
    found = QWEN.read_transcript(chunk, session_id="a1", cwd="/work", state=START, final=True)
    assert [event.id for event in found.events] == ["u1", "x1"]


def test_a_failed_call_and_one_without_an_end_are_no_success() -> None:
    chunk = jsonl(calls("a1", "edit"), result("a1", "no such file", status="error"), calls("a2", "edit"))
    assert [use.data.ok for use in tool_uses(read(chunk, final=True).events)] == [False, None]


@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_make_the_reader_fail(noise: bytes, final: bool) -> None:
    chunk = noise + b'\n{"type":"user","provenance":"real_user","message":{"parts":' + noise + b"}}\n"
    assert read(chunk, final=final).consumed <= len(chunk)


# --- the recordings -------------------------------------------------------------------------------------------------


def test_the_recorded_prompt_and_answer_are_there_once_and_hooks_name_the_same_turn(recordings: Any) -> None:
    (path,) = (recordings / "sessions" / "qwen-0.24.4").glob("*.jsonl")
    found = read(path.read_bytes())
    assert (messages(found.events, "user"), messages(found.events, "assistant")) == (
        *(["USETOOL please"], ["FINAL ANSWER"]),
    )
    payloads = [json.loads(each.read_text())["stdin"] for each in sorted((recordings / "hook-stdin/qwen").glob("*"))]
    hooked = [event for payload in payloads for event in fire(QWEN, payload).events]
    assert [event.kind for event in hooked] == ["session_start", "user_prompt", "turn"]
    assert {event.turn_id for event in found.events} == {event.turn_id for event in hooked[1:]}


def test_many_prompts_take_as_long_as_they_are() -> None:
    line = jsonl({"type": "user", "provenance": "real_user", "message": {"parts": [{"text": "x"}]}}, {"prompt_id": "t"})
    assert growth(lambda text: read(text.encode()), line.decode(), chars=60_000) < 4
