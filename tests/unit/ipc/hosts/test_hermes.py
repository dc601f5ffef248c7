import json
from typing import Any

import pytest
from support.hosts import fire

from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import Recall, TranslationError

HERMES = hosts.get("hermes")
TOP = {"tool_name": None, "tool_input": None, "session_id": "s1", "cwd": "/work"}


def firing(name: str, top: dict[str, Any] | None = None, **extra: Any) -> Any:
    payload = {
        "hook_event_name": name,
        **TOP,
        **(top or {}),
        "extra": {"turn_id": "s1:t:1", "platform": "cli", **extra},
    }
    return fire(HERMES, payload)


def data(name: str, **extra: Any) -> dict[str, Any]:
    (event,) = firing(name, **extra).events
    found: dict[str, Any] = {"kind": event.kind, "turn": event.turn_id, **event.data.model_dump(mode="json")}
    return found


def test_a_turn_is_a_prompt_and_the_answer_under_one_id() -> None:
    asked = firing("pre_llm_call", user_message="hello", conversation_history=[{"role": "user", "content": "older"}])
    assert asked.recall is Recall.PREFETCH
    assert data("pre_llm_call", user_message="hello") == {"kind": "user_prompt", "turn": "s1:t:1", "text": "hello"}
    answered = data("post_llm_call", user_message="hello", assistant_response="done")
    assert (answered["turn"], answered["status"], answered["last_assistant_message"]) == ("s1:t:1", "ok", "done")
    assert firing("on_session_end", completed=True, interrupted=False).events == ()


@pytest.mark.parametrize(("interrupted", "status"), [(True, "interrupted"), (False, "failed")])
def test_a_turn_without_an_answer_ends_too(interrupted: bool, status: str) -> None:
    assert data("on_session_end", completed=False, interrupted=interrupted)["status"] == status


@pytest.mark.parametrize("platform", ["subagent", "curator", "cron"])
def test_what_another_agent_or_a_schedule_asks_is_no_prompt_and_no_turn(platform: str) -> None:
    for name in ("on_session_start", "pre_llm_call", "post_llm_call", "on_session_end"):
        assert firing(name, user_message="I prefer tabs", assistant_response="x", platform=platform).events == ()


def test_its_own_review_of_a_conversation_is_no_prompt_and_no_turn() -> None:
    review = "Review the conversation above and consider saving to memory if appropriate."
    assert firing("pre_llm_call", user_message=review).events == ()
    assert firing("post_llm_call", user_message=review, assistant_response="Nothing to save.").events == ()


def test_a_tool_call_brings_its_outcome_its_files_and_its_answer() -> None:
    top = {"tool_name": "write_file", "tool_input": {"path": "a.py", "content": "x"}}
    use, answer = firing("post_tool_call", top, result="written", status="ok", duration_ms=7).events
    assert (use.id, answer.id) == ("f" * 32 + "/0", "f" * 32 + "/1")
    assert use.data.model_dump(mode="json") == {
        "name": "write_file",
        "summary": '{"path":"a.py","content":"x"}',
        "ok": True,
        "duration_ms": 7,
        "files": [{"path": "/work/a.py", "action": "write"}],
    }
    assert (answer.data.role, answer.data.tier, answer.data.text) == ("tool", "tool", "written")


@pytest.mark.parametrize(("outcome", "ok"), [({"status": "error"}, False), ({"status": "blocked"}, False)])
def test_a_call_that_failed_is_told_so(outcome: dict[str, str], ok: bool) -> None:
    (use,) = firing("post_tool_call", {"tool_name": "terminal", "tool_input": {}}, **outcome).events
    assert use.data.ok is ok


def test_out_of_the_spool_comes_the_outcome_of_a_call_alone() -> None:
    kept = {"session_id": "s1", "hook_event_name": "post_tool_call", "tool_name": "terminal", "ok": True}
    use: Any = fire(HERMES, kept).events[0]
    assert (use.data.name, use.data.ok, use.data.summary, use.data.files) == ("terminal", True, "{}", ())


def test_sub_agents_are_edges_of_the_parent() -> None:
    child = {"child_session_id": "c1", "child_role": "leaf", "turn_id": "", "parent_turn_id": "s1:t:1"}
    started, stopped = data("subagent_start", **child), data("subagent_stop", **child, child_summary="found it")
    assert (started["kind"], started["child_session_id"], started["turn"]) == ("subagent_start", "c1", "s1:t:1")
    assert (stopped["kind"], stopped["agent_type"], stopped["last_message"]) == ("subagent_stop", "leaf", "found it")


def test_a_session_starts_is_reset_and_ends() -> None:
    assert data("on_session_start")["source"] == "startup"
    reset = data("on_session_reset", old_session_id="s0", new_session_id="s1")
    assert (reset["source"], reset["parent_session_id"]) == ("clear", "s0")
    assert data("on_session_reset")["parent_session_id"] is None
    assert data("on_session_finalize", reason="shutdown")["reason"] == "shutdown"


def test_a_program_that_was_quit_without_a_prompt_tells_nothing() -> None:
    assert firing("on_session_finalize", {"session_id": ""}).events == ()
    with pytest.raises(TranslationError):
        fire(HERMES, {"hook_event_name": "pre_llm_call", "extra": {}})


def test_memory_goes_back_before_the_turn_alone() -> None:
    assert json.loads(HERMES.reply("pre_llm_call", "记住")) == {"context": "记住"}
    assert [HERMES.reply("post_llm_call", "x"), HERMES.reply("pre_llm_call", "")] == ["", ""]


@pytest.mark.parametrize(
    "payload", [{"extra": 3}, {"hook_event_name": "post_tool_call", "extra": {"duration_ms": "x"}}]
)
def test_odd_payloads_break_nothing(payload: dict[str, Any]) -> None:
    assert len(fire(HERMES, {"session_id": "s1", **payload}).events) <= 1
