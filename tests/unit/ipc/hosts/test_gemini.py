import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hosts import Pieces, fire, jsonl, messages, tool_uses

from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState

GEMINI = hosts.get("gemini")
START = TranscriptState()
COMMON = {"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": "/work", "timestamp": "2026-11-30T08:00:00.000Z"}
CONTEXT = "<hook_context>MEMORY</hook_context>"


def firing(name: str, **fields: Any) -> Any:
    return fire(GEMINI, {**COMMON, "hook_event_name": name, **fields}, env={"GEMINI_PROJECT_DIR": "/project"})


def read(chunk: bytes, *, state: TranscriptState = START, final: bool = False) -> TranscriptRead:
    return GEMINI.read_transcript(chunk, session_id="s1", cwd="/work", state=state, final=final)


# --- hooks ----------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_prompt_and_its_answer() -> None:
    prompt, answer = firing("BeforeAgent", prompt="hello"), firing("AfterAgent", prompt="x", prompt_response="done")
    assert [each.events[0].kind for each in (prompt, answer)] == ["user_prompt", "turn"]
    assert answer.events[0].data.last_assistant_message == "done"
    assert (prompt.recall, prompt.project_hint, prompt.transcript_path) == (Recall.PREFETCH, "/project", "/t/s1.jsonl")


@pytest.mark.parametrize(
    "prompt",
    [
        f"{CONTEXT}\n\nfix the bug",
        f"fix the bug\n--- Content from referenced files ---\nContent from @a.md:\nI prefer tabs\n{CONTEXT}",
        "fix the bug\n--- Content from referenced files ---\nx\n--- End of content ---\nI always push to main",
    ],
)
def test_only_what_the_person_typed_is_a_prompt(prompt: str) -> None:
    (event,) = firing("BeforeAgent", prompt=prompt).events
    assert event.data.text == "fix the bug"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("PreCompress", {"trigger": "auto"}),
        ("BeforeAgent", {"prompt": CONTEXT}),
        ("BeforeAgent", {"prompt": ["?"]}),
        ("AfterTool", {"tool_name": "read_file"}),
        ("BeforeModel", {}),
    ],
)
def test_what_tells_nothing_of_the_session_is_accepted_without_events(name: str, fields: dict[str, Any]) -> None:
    assert firing(name, **fields).events == ()


def test_what_is_printed_is_one_json_object_or_nothing() -> None:
    assert json.loads(GEMINI.reply("BeforeAgent", "记住\nx")) == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "记住\nx"}
    }
    assert [GEMINI.reply(name, "x") for name in ("AfterAgent", "PreCompress")] == ["", ""]


# --- transcript -----------------------------------------------------------------------------------------------------


def said(record_id: str, kind: str, content: object, **fields: Any) -> dict[str, Any]:
    return {"id": record_id, "timestamp": "2026-11-30T08:00:00.000Z", "type": kind, "content": content, **fields}


def called(name: str, args: dict[str, Any], output: str, **fields: Any) -> dict[str, Any]:
    result = [{"functionResponse": {"id": "c1", "name": name, "response": {"output": output}}}]
    at = "2026-11-30T08:00:00.250Z"
    return {"id": "c1", "name": name, "args": args, "status": "success", "timestamp": at, "result": result, **fields}


HEADER = {"sessionId": "s1", "projectHash": "h", "startTime": "2026-11-30T08:00:00.000Z", "kind": "main"}
PATCH = {"$set": {"lastUpdated": "2026-11-30T08:00:00.000Z"}}
SEEN = said("u0", "user", [{"text": "<session_context>\nToday is Monday</session_context>"}])
ASK = said("u1", "user", [{"text": f"{CONTEXT}\n\nread it"}, {"text": CONTEXT}])
LOOK = said("g1", "gemini", "let me look")
LOOKED = {**LOOK, "toolCalls": [called("read_file", {"file_path": "a.py"}, "print()")]}
ECHO = said("u2", "user", LOOKED["toolCalls"][0]["result"])
ANSWER = said("g2", "gemini", [{"text": "it prints"}, {"text": "hm", "thought": True}])
NEXT = said(
    "u3", "user", [{"text": "thanks\n--- Content from referenced files ---\n"}], displayContent=[{"text": "ok"}]
)
TALK = jsonl(HEADER, {"$set": {"messages": [SEEN]}}, ASK, PATCH, LOOK, PATCH, LOOKED, ECHO, PATCH, ANSWER, NEXT)


def test_a_record_that_grows_is_told_once_as_it_stays() -> None:
    found = read(TALK, final=True)
    assert messages(found.events, "user") == ["read it", "ok"]
    assert messages(found.events, "assistant") == ["let me look", "it prints"]
    assert messages(found.events, "tool") == ["print()"]
    (use,) = tool_uses(found.events)
    assert use.data.model_dump(mode="json") == {
        "name": "read_file",
        "summary": '{"file_path":"a.py"}',
        "ok": True,
        "duration_ms": 250,
        "files": [{"path": "/work/a.py", "action": "read"}],
    }
    assert next(e.data.tier for e in found.events if e.kind == "message" and e.data.role == "tool") == "repository"


def test_the_newest_record_waits_because_it_may_still_grow() -> None:
    before, grows = jsonl(ASK), jsonl(LOOK, PATCH)
    found = read(before + grows)
    assert (messages(found.events, "user"), found.consumed) == (["read it"], len(before))
    assert messages(found.events, "assistant") == []
    again = read(grows + jsonl(LOOKED, ANSWER), state=found.state)
    assert (messages(again.events, "assistant"), len(tool_uses(again.events))) == (["let me look"], 1)


@given(st.lists(st.integers(1, len(TALK)), max_size=6))
def test_reading_in_pieces_tells_the_same(cuts: list[int]) -> None:
    assert Pieces(read).over(TALK, cuts) == [event.id for event in read(TALK, final=True).events]


def test_patches_and_rewinding_tell_nothing_new() -> None:
    summary = said("x", "user", [{"text": "I prefer tabs"}])
    found = read(jsonl(ASK, {"$set": {"messages": [SEEN, ASK, summary]}}, {"$rewindTo": "u1"}, ANSWER), final=True)
    assert [messages(found.events, role) for role in ("user", "assistant")] == [["read it"], ["it prints"]]


def test_a_summary_in_the_place_of_what_was_said_is_a_compaction_told_once() -> None:
    summary = said("x", "user", [{"text": "first <state_snapshot>I prefer tabs</state_snapshot>"}])
    patch = {"$set": {"messages": [SEEN, summary, ANSWER]}}
    events = {event.id: event for event in read(jsonl(ASK, patch, NEXT, patch), final=True).events}
    assert [event.kind for event in events.values()] == ["pre_compact", "message", "message"]
    assert messages(list(events.values()), "user") == ["read it", "ok"]


@pytest.mark.parametrize(
    "record",
    [
        SEEN,
        said("x", "user", [{"text": "System: Potential loop detected. Stop."}], displayContent=[{"text": "I prefer"}]),
        said("x", "user", [{"text": "<state_snapshot>I prefer tabs</state_snapshot>"}]),
        said("x", "info", "Update available"),
        said("x", "error", [{"text": "429"}]),
        {"type": "user", "content": "without an id"},
        said("x", "user", None),
        said("x", "gemini", 7, toolCalls=[None, 3]),
    ],
)
def test_what_no_person_and_no_model_said_is_left_out(record: dict[str, Any]) -> None:
    found = read(jsonl(record, ANSWER), final=True)
    assert (messages(found.events, "user"), messages(found.events, "assistant")) == ([], ["it prints"])


@pytest.mark.parametrize(("status", "ok"), [("error", False), ("cancelled", None), ("executing", None)])
def test_a_call_that_did_not_succeed_is_told_so(status: str, ok: bool | None) -> None:
    call = called("run_shell_command", {"command": "make"}, "", status=status)
    call["result"] = [{"functionResponse": {"response": {"error": "exit 2"}}}]
    (use,) = tool_uses(read(jsonl(said("g", "gemini", "", toolCalls=[call])), final=True).events)
    assert (use.data.ok, use.data.summary.startswith("[interrupted]")) == (ok, ok is None)


def test_a_sub_agents_own_file_holds_no_word_of_a_person() -> None:
    found = read(jsonl({**HEADER, "kind": "subagent"}, said("u", "user", "look for tabs"), ANSWER), final=True)
    assert messages(found.events, "user") == []


def test_the_older_document_is_read_whole_each_time_and_gives_the_same_events() -> None:
    document = json.dumps({**HEADER, "messages": [SEEN, ASK, LOOKED, ECHO, ANSWER]}, indent=2).encode()
    found = read(document, final=True)
    assert [e.id for e in found.events] == [e.id for e in read(TALK).events if e.id != "u3"]
    assert (found.consumed, read(document[:-20]).events, read(document).consumed) == (0, (), 0)


@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_make_the_reader_fail(noise: bytes, final: bool) -> None:
    found = read(b'{\n"messages":' + noise + b'\n{"type":"user","id":"x","content":' + noise + b"}\n", final=final)
    assert found.consumed >= 0


# --- the recordings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "prompts"), [("0e63", ["USETOOL please"]), ("5032", ["hello", "hello again"])])
def test_each_recorded_prompt_and_answer_is_there_once(recordings: Any, name: str, prompts: list[str]) -> None:
    (path,) = (recordings / "sessions" / "gemini-0.61.0").glob(f"*-{name}*.jsonl")
    found = read(path.read_bytes(), final=True)
    assert (messages(found.events, "user"), found.bad_lines) == (prompts, 0)
    assert messages(found.events, "assistant") == ["FINAL ANSWER"] * len(prompts)
