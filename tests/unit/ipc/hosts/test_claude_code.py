import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.ipc import hosts
from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import RawHook, Recall, Translated, TranslationError

CLAUDE = hosts.get("claude-code")
AT = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
COMMON = {"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": "/work"}


def translate(payload: object, *, event: str | None = None, env: dict[str, str] | None = None) -> Translated:
    raw = payload if isinstance(payload, str) else json.dumps(payload)
    hook = RawHook(id="f" * 32, at=AT, host="claude-code", event=event, raw=raw, cwd="/hook/cwd", env=env or {})
    return CLAUDE.translate(hook)


def one(name: str, **fields: Any) -> Event:
    (event,) = translate({**COMMON, "hook_event_name": name, **fields}).events
    return event


def test_the_envelope_is_filled_from_hook_and_payload() -> None:
    event = one("UserPromptSubmit", prompt="hello", prompt_id="p1")
    assert (event.id, event.host, event.session_id, event.cwd, event.at, event.turn_id) == (
        *("f" * 32 + "/0", "claude-code", "s1", "/work", AT, "p1"),
    )
    assert event.model_dump()["data"] == {"text": "hello"}


@pytest.mark.parametrize(
    ("name", "fields", "kind", "data"),
    [
        ("SessionStart", {"source": "fork"}, "session_start", {"source": "fork"}),
        ("SessionStart", {"source": "of a newer version"}, "session_start", {"source": "startup"}),
        ("Stop", {"last_assistant_message": "done"}, "turn", {"status": "ok", "last_assistant_message": "done"}),
        ("Stop", {}, "turn", {"status": "ok", "last_assistant_message": None}),
        (
            *("StopFailure", {"error": "rate_limit", "last_assistant_message": "API Error: 429"}),
            *("turn", {"status": "failed", "last_assistant_message": None}),
        ),
        ("PreCompact", {"trigger": "manual"}, "pre_compact", {"trigger": "manual", "summary": None}),
        (
            *("PostCompact", {"trigger": "auto", "compact_summary": "sum"}),
            *("post_compact", {"trigger": "auto", "summary": "sum"}),
        ),
        ("SessionEnd", {"reason": "clear"}, "session_end", {"reason": "clear"}),
        ("SessionEnd", {}, "session_end", {"reason": "other"}),
        (
            *("SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}),
            *("subagent_start", {"child_session_id": "a1", "agent_type": "Explore"}),
        ),
        (
            *("SubagentStop", {"agent_id": "a1", "agent_type": "Explore", "last_assistant_message": "found"}),
            *("subagent_stop", {"child_session_id": "a1", "agent_type": "Explore", "last_message": "found"}),
        ),
    ],
)
def test_each_hook_event_becomes_its_kind(name: str, fields: dict[str, Any], kind: str, data: dict[str, Any]) -> None:
    event = one(name, **fields)
    assert event.kind == kind
    found = event.data.model_dump(mode="json")
    assert {key: found[key] for key in data} == data


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "UserPromptSubmit", "prompt": "  \n"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "[Request interrupted by user for tool use]"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "x", "agent_id": "a1"},
        {"hook_event_name": "Stop", "agent_id": "a1", "last_assistant_message": "not the parent's"},
        {"hook_event_name": "PreCompact", "agent_id": "a1"},
        {"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": ""},
        {"hook_event_name": "SubagentStart", "agent_type": "Explore"},
        {"hook_event_name": "PostToolUse", "tool_name": "Bash"},
        {"hook_event_name": "SomethingNew"},
        {},
    ],
)
def test_what_means_nothing_for_the_session_is_accepted_without_events(payload: dict[str, Any]) -> None:
    translated = translate({**COMMON, **payload})
    assert (translated.events, translated.recall) == ((), Recall.NONE)


@pytest.mark.parametrize(
    "raw", ["", "not json", "[1]", "null", "{}", '{"session_id":7}', '{"session_id":""}', "[" * 100_000]
)
def test_what_claude_never_sends_is_a_translation_error(raw: str) -> None:
    with pytest.raises(TranslationError):
        translate(raw)


def test_fields_an_event_cannot_hold_are_a_translation_error() -> None:
    with pytest.raises(TranslationError, match="turn_id"):
        one("Stop", prompt_id="x" * 300)


def test_the_event_name_of_the_command_line_is_used_when_the_payload_has_none() -> None:
    assert translate({**COMMON, "reason": "other"}, event="SessionEnd").events[0].kind == "session_end"


def test_lone_surrogates_do_not_lose_a_prompt() -> None:
    raw = '{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"a \\ud83d b"}'
    assert translate(raw).events[0].model_dump()["data"]["text"] == "a \ufffd b"


def test_a_long_prompt_is_cut_to_64_kib() -> None:
    assert len(one("UserPromptSubmit", prompt="中" * 100_000).model_dump()["data"]["text"].encode()) == 65_535


@pytest.mark.parametrize(
    ("env", "headless"),
    [
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ATTENDED": "1"}, False),
        ({}, False),
    ],
)
def test_headless_runs_and_the_project_are_told_by_the_environment(env: dict[str, str], headless: bool) -> None:
    translated = translate({**COMMON, "hook_event_name": "SessionStart"}, env={**env, "CLAUDE_PROJECT_DIR": "/project"})
    assert (translated.headless, translated.project_hint) == (headless, "/project")
    assert (translated.transcript_path, translated.recall) == ("/t/s1.jsonl", Recall.SNAPSHOT)


def test_memory_goes_back_in_the_two_places_that_take_it() -> None:
    for name in ("SessionStart", "UserPromptSubmit"):
        assert json.loads(CLAUDE.reply(name, '记住\n"x"')) == {
            "hookSpecificOutput": {"hookEventName": name, "additionalContext": '记住\n"x"'}
        }
    assert translate({**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "x"}).recall is Recall.PREFETCH
    assert [CLAUDE.reply("Stop", "x"), CLAUDE.reply("SessionStart", "")] == ["", ""]


# --- the recordings -------------------------------------------------------------------------------------------------


def recorded(recordings: Path, run: str) -> Iterator[Translated]:
    for path in sorted((recordings / "hook-stdin" / run).glob("*.json")):
        content = json.loads(path.read_text())
        payloads = content if isinstance(content, list) else [content["stdin"]]
        env = {} if isinstance(content, list) else content["env"]
        for payload in payloads:
            yield translate(payload, env=env)


def test_every_recorded_payload_is_accepted(recordings: Path) -> None:
    runs = sorted(path.name for path in (recordings / "hook-stdin").glob("claude-*"))
    assert len(runs) >= 5
    for run in runs:
        assert all(translated.event_name for translated in recorded(recordings, run)), run


def test_the_interactive_recording_is_one_turn_in_each_of_two_sessions(recordings: Path) -> None:
    events = [event for translated in recorded(recordings, "claude-interactive") for event in translated.events]
    turns = {(event.session_id, event.turn_id) for event in events if event.kind == "turn"}
    assert len(turns) == len({session for session, _ in turns}) == 2
    assert [event.kind for event in events if event.kind not in ("turn", "user_prompt")] == [
        *("session_start", "session_end", "session_start"),
        *("pre_compact", "session_start", "post_compact", "session_end"),
    ]
    assert not any(translated.headless for translated in recorded(recordings, "claude-interactive"))


def test_a_recorded_sub_agent_is_an_edge_and_no_turn(recordings: Path) -> None:
    translated = list(recorded(recordings, "claude-subagent"))
    kinds = [event.kind for each in translated for event in each.events]
    assert [kind for kind in kinds if kind.startswith("subagent")] == ["subagent_start", "subagent_stop"]
    assert len({event.turn_id for each in translated for event in each.events if event.kind == "turn"}) == 1
    assert all(each.headless for each in translated)


def test_old_payloads_count_each_stop_by_its_own_id(recordings: Path) -> None:
    events = [event for translated in recorded(recordings, "claude-1.0-real") for event in translated.events]
    assert {event.turn_id for event in events} == {None}
    assert {event.kind for event in events} == {"turn", "user_prompt"}


@pytest.mark.parametrize(("path", "told"), [("/t/agent-a1.jsonl", "/t/agent-a1.jsonl"), ("/t/s1.jsonl", None)])
def test_a_sub_agent_has_a_transcript_of_its_own_or_none(path: str, told: str | None) -> None:
    fields = {**COMMON, "hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "Explore"}
    assert translate({**fields, "agent_transcript_path": path}).child_transcript_path == told
