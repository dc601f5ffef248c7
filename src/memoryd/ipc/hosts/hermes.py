"""Hermes agent: payloads of its shell hooks to events; memory goes back as `{"context"}` before a turn's first call.

What it keeps is in a database of its own, so the hooks bring the texts and the tools. `on_session_end` is the end of a
turn; no hook tells of a compaction. Agents that Hermes starts for itself (a review of a conversation, its curator, a
sub-agent) and its schedules fire the hooks too, a review even under the person's session: what those are asked is no
word of the person, and their turns are not counted.
"""

import os.path
from collections.abc import Mapping
from typing import Any, ClassVar

from memoryd.ipc.events import EndStatus, Tier
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import RawHook, Recall, Translated
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload, Said, string
from memoryd.ipc.hosts.record import compact

_NO_SESSION = '"session_id": ""'  #: as it writes the end of a program that was quit without a prompt
NOBODY = ("subagent", "curator", "cron")  #: platforms on which no person talks
REVIEW = "Review the conversation above and "  #: how the prompt of a review begins
_TALK = ("on_session_start", "pre_llm_call", "post_llm_call", "on_session_end")  #: what is a person's alone

_TIERS = {
    **dict.fromkeys(("web_search", "web_extract"), Tier.WEB),
    **dict.fromkeys(("read_file", "search_files"), Tier.REPOSITORY),
}
_FILE_ACTIONS = {"read_file": "read", "write_file": "write", "patch": "write"}


def _started(told: Payload) -> Fields:
    return {"kind": "session_start", "data": {"source": "startup"}}


def _reset(told: Payload) -> Fields:
    before = string(told, "old_session_id")
    parent = before if before != told.get("session_id") else None
    return {"kind": "session_start", "data": {"source": "clear", "parent_session_id": parent}}


def _ended(told: Payload) -> Said:
    """The end of a turn that has no final answer; those with one are told by `post_llm_call`."""
    status = EndStatus.INTERRUPTED if told.get("interrupted") else EndStatus.FAILED
    return None if told.get("completed") else jsonhooks.ends_turn(status, turn="turn_id")(told)


def _tool(told: Payload) -> Said:
    """A tool's use and what it gave; out of the spool comes its outcome alone."""
    name, status = string(told, "tool_name") or "unknown", told.get("status")
    found = told.get("tool_input")
    return uses_tool(
        name, found if isinstance(found, dict) else {}, string(told, "result") or "", turn=string(told, "turn_id"),
        ok=status == "ok" if status is not None else told.get("ok") is True, took_ms=told.get("duration_ms"),
        cwd=string(told, "cwd") or "",
    )  # fmt: skip


def uses_tool(
    name: str, given: Mapping[str, Any], result: str, *, turn: str | None, ok: bool | None, cwd: str,
    took_ms: object = None,
) -> tuple[Fields, ...]:  # fmt: skip
    """As `jsonhooks.uses_tool`; the database that keeps the conversations knows it, too."""
    return jsonhooks.uses_tool(
        name, given, result, turn=turn, ok=ok, took_ms=took_ms, tier=_TIERS.get(name, Tier.TOOL),
        files=_files(name, given, cwd),
    )  # fmt: skip


def _files(name: str, given: Mapping[str, Any], cwd: str) -> list[dict[str, str]]:
    action, path = _FILE_ACTIONS.get(name), string(given, "path")
    if not action or not path:
        return []
    return [{"path": path if path.startswith("~") else os.path.join(cwd, path), "action": action}]


class Hermes(JsonHooks):
    name = "hermes"
    hook_events = (
        "on_session_start",
        "pre_llm_call",
        "post_llm_call",
        "post_tool_call",
        "on_session_end",
        "subagent_start",
        "subagent_stop",
        "on_session_reset",
        "on_session_finalize",
    )
    transcript_key = None
    recall: ClassVar = {"pre_llm_call": Recall.PREFETCH}
    translators: ClassVar = {
        "on_session_start": _started,
        "on_session_reset": _reset,
        "pre_llm_call": jsonhooks.prompts("user_message", turn="turn_id"),
        "post_llm_call": jsonhooks.ends_turn(turn="turn_id", answer="assistant_response"),
        "post_tool_call": _tool,
        "on_session_end": _ended,
        "subagent_start": jsonhooks.starts_agent("child_session_id", "child_role", turn="parent_turn_id"),
        "subagent_stop": jsonhooks.stops_agent(
            "child_session_id", "child_role", turn="parent_turn_id", report="child_summary"
        ),
        "on_session_finalize": jsonhooks.ends_session,
    }

    def translate(self, hook: RawHook) -> Translated:
        if _NO_SESSION in hook.raw:
            return Translated(event_name=hook.event or "")
        return super().translate(hook)

    def fields(self, name: str, payload: Payload, env: Mapping[str, str]) -> Said:
        extra = payload.get("extra")
        told = {**(extra if isinstance(extra, dict) else {}), **payload}
        nobody = told.get("platform") in NOBODY or str(told.get("user_message")).startswith(REVIEW)
        return None if nobody and name in _TALK else super().fields(name, told, env)

    def reply(self, event_name: str, context: str) -> str:
        return compact({"context": context}) if context and event_name in self.recall else ""


HOST = Hermes()
