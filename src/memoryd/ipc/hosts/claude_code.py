"""Claude Code: hook payloads to events, memory to the JSON it expects. The transcript is read by `claude_transcript`.

Tool events are not hooked: the transcript names the tools.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from memoryd.ipc.events import Event, EventAdapter
from memoryd.ipc.faults import explain
from memoryd.ipc.hosts import claude_transcript
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptRead, TranscriptState, Translated, TranslationError
from memoryd.ipc.hosts.record import compact, parse, text_of

Payload = Mapping[str, Any]
Fields = dict[str, Any]  #: kind, data and turn_id of one event


class ClaudeCode:
    name = "claude-code"
    hook_events = (
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    )
    max_context_chars = 9_500  #: above 10 000 the model gets a preview and a file path

    def translate(self, hook: RawHook) -> Translated:
        payload = _payload(hook)
        name = payload.get("hook_event_name") or hook.event or ""
        fields = _fields(str(name), payload)
        return Translated(
            events=() if fields is None else (_event(hook, payload, fields),),
            event_name=str(name),
            transcript_path=_string(payload, "transcript_path"),
            project_hint=hook.env.get("CLAUDE_PROJECT_DIR"),
            headless=_headless(hook.env),
            recall=Recall.NONE if fields is None else _RECALL.get(str(name), Recall.NONE),
        )

    def reply(self, event_name: str, context: str) -> str:
        if not context or event_name not in _RECALL:
            return ""
        return compact({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": context}})

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return claude_transcript.read(chunk, host=self.name, session_id=session_id, cwd=cwd, state=state, final=final)


def _payload(hook: RawHook) -> Payload:
    try:
        payload = parse(hook.raw)
    except ValueError as error:
        raise TranslationError(f"stdin is no JSON: {error}") from error
    if not isinstance(payload, dict):
        raise TranslationError("stdin is no JSON object")
    if not _string(payload, "session_id"):
        raise TranslationError("session_id is missing")
    return payload


def _string(payload: Payload, key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value else None


def _event(hook: RawHook, payload: Payload, fields: Fields) -> Event:
    envelope = {
        "id": f"{hook.id}/0",
        "host": hook.host,
        "session_id": payload["session_id"],
        "cwd": _string(payload, "cwd") or hook.cwd,
        "at": hook.at,
        **fields,
    }
    try:
        event: Event = EventAdapter.validate_python(envelope)
    except ValidationError as error:
        raise TranslationError(explain(error)) from error
    return event


def _headless(env: Mapping[str, str]) -> bool:
    return env.get("CLAUDE_CODE_SESSION_ATTENDED") == "0" or env.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk-")


# --- one function per hook event ------------------------------------------------------------------------------------


def _fields(name: str, payload: Payload) -> Fields | None:
    """What the firing means; None: nothing to record. Firings inside a sub-agent are not the parent's."""
    if payload.get("agent_id") and name not in ("SubagentStart", "SubagentStop"):
        return None
    translator = _TRANSLATORS.get(name)
    return translator(payload) if translator else None


_SOURCES = ("startup", "resume", "fork", "clear", "compact")


def _session_start(payload: Payload) -> Fields:
    source = payload.get("source")
    return {"kind": "session_start", "data": {"source": source if source in _SOURCES else "startup"}}


def _user_prompt(payload: Payload) -> Fields | None:
    text = text_of(payload.get("prompt"))
    if text and text.startswith(claude_transcript.INTERRUPTED):
        return None  # the host's mark, no word of the person
    return (text and {"kind": "user_prompt", "turn_id": _string(payload, "prompt_id"), "data": {"text": text}}) or None


def _stop(payload: Payload) -> Fields:
    data = {"status": "ok", "last_assistant_message": text_of(payload.get("last_assistant_message"))}
    return {"kind": "turn", "turn_id": _string(payload, "prompt_id"), "data": data}


def _stop_failure(payload: Payload) -> Fields:
    """The last message of a failed turn is the error of the API, not an answer."""
    return {"kind": "turn", "turn_id": _string(payload, "prompt_id"), "data": {"status": "failed"}}


def _subagent_start(payload: Payload) -> Fields | None:
    child, agent_type = _string(payload, "agent_id"), _string(payload, "agent_type")
    if not child or not agent_type:  # the host's own helpers (titles, compaction) have no type
        return None
    data = {"child_session_id": child, "agent_type": agent_type}
    return {"kind": "subagent_start", "turn_id": _string(payload, "prompt_id"), "data": data}


def _subagent_stop(payload: Payload) -> Fields | None:
    fields = _subagent_start(payload)
    if fields is not None:
        fields["kind"] = "subagent_stop"
        fields["data"]["last_message"] = text_of(payload.get("last_assistant_message"))
    return fields


def _compact(kind: str) -> Callable[[Payload], Fields]:
    def translate(payload: Payload) -> Fields:
        trigger = "manual" if payload.get("trigger") == "manual" else "auto"
        return {"kind": kind, "data": {"trigger": trigger, "summary": text_of(payload.get("compact_summary"))}}

    return translate


def _session_end(payload: Payload) -> Fields:
    return {"kind": "session_end", "data": {"reason": (_string(payload, "reason") or "other")[:100]}}


_TRANSLATORS: dict[str, Callable[[Payload], Fields | None]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _user_prompt,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "SubagentStart": _subagent_start,
    "SubagentStop": _subagent_stop,
    "PreCompact": _compact("pre_compact"),
    "PostCompact": _compact("post_compact"),
    "SessionEnd": _session_end,
}

_RECALL = {"SessionStart": Recall.SNAPSHOT, "UserPromptSubmit": Recall.PREFETCH}

HOST = ClaudeCode()
