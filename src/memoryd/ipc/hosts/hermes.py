"""Hermes agent: payloads of its shell hooks to events; memory goes back as `{"context"}` before a turn's first call.

What it keeps is in a database of its own, so the hooks bring the texts and the tools. `on_session_end` is the end of a
turn; no hook tells of a compaction. Agents that Hermes starts for itself (its reviews of a conversation, its curator)
fire the hooks too, a review even under the person's session: what they are told is no word of the person.
"""

import os.path
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from memoryd.ipc.events import EndStatus, Tier
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import RawHook, Recall, Translated
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload, payload_of, string
from memoryd.ipc.hosts.jsonlines import RESULT_CHARS, summary_of
from memoryd.ipc.hosts.record import compact, text_of
from memoryd.ipc.sanitise import within

_NO_SESSION = '"session_id": ""'  #: as it writes the end of a program that was quit without a prompt
_HELPERS = ("subagent", "curator")  #: platforms whose prompts an agent wrote
_REVIEW = "Review the conversation above and "  #: how the prompt of a review begins

_WEB = {"web_search", "web_extract"}
_REPOSITORY = {"read_file", "search_files"}
_FILE_ACTIONS = {"read_file": "read", "write_file": "write", "patch": "write"}


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
    recall: ClassVar = {"pre_llm_call": Recall.PREFETCH}

    def translate(self, hook: RawHook) -> Translated:
        if _NO_SESSION in hook.raw:
            return Translated(event_name=hook.event or "")
        payload = payload_of(hook, self.session_key)
        name, told = self.event_name(payload, hook), _told(payload)
        meant = _TRANSLATORS[name](told) if name in _TRANSLATORS else []
        events = tuple(self.event(hook, payload, {"id": f"{hook.id}/{n}", **each}) for n, each in enumerate(meant))
        return Translated(
            events=events,
            event_name=name,
            headless=told.get("platform") == "cron",
            recall=self.recall.get(name, Recall.NONE) if events else Recall.NONE,
        )

    def reply(self, event_name: str, context: str) -> str:
        return compact({"context": context}) if context and event_name in self.recall else ""


def _told(payload: Payload) -> Payload:
    """What a firing tells, wherever it stands."""
    extra = payload.get("extra")
    return {**(extra if isinstance(extra, dict) else {}), **payload}


def _turn(told: Payload) -> str | None:
    return string(told, "turn_id") or string(told, "parent_turn_id")


def _from_helper(told: Payload) -> bool:
    return told.get("platform") in _HELPERS or str(told.get("user_message")).startswith(_REVIEW)


# --- one function per hook event ------------------------------------------------------------------------------------


def _session_start(told: Payload) -> list[Fields]:
    return [] if _from_helper(told) else [{"kind": "session_start", "data": {"source": "startup"}}]


def _session_reset(told: Payload) -> list[Fields]:
    before = string(told, "old_session_id")
    parent = before if before != told.get("session_id") else None
    return [{"kind": "session_start", "data": {"source": "clear", "parent_session_id": parent}}]


def _prompt(told: Payload) -> list[Fields]:
    text = None if _from_helper(told) else text_of(told.get("user_message"))
    return [{"kind": "user_prompt", "turn_id": _turn(told), "data": {"text": text}}] if text else []


def _answer(told: Payload) -> list[Fields]:
    """The end of a turn that has a final answer."""
    if _from_helper(told):
        return []
    data = {"status": EndStatus.OK, "last_assistant_message": text_of(told.get("assistant_response"))}
    return [{"kind": "turn", "turn_id": _turn(told), "data": data}]


def _turn_end(told: Payload) -> list[Fields]:
    """The end of one without: `_answer` tells of the others."""
    if told.get("completed") or _from_helper(told):
        return []
    status = EndStatus.INTERRUPTED if told.get("interrupted") else EndStatus.FAILED
    return [{"kind": "turn", "turn_id": _turn(told), "data": {"status": status}}]


def _tool(told: Payload) -> list[Fields]:
    """A tool's use and what it answered; out of the spool comes its outcome alone."""
    name, given = string(told, "tool_name") or "unknown", told.get("tool_input")
    took_ms, status = told.get("duration_ms"), told.get("status")
    data = {
        "name": name,
        "summary": summary_of(given) if isinstance(given, dict) else "",
        "ok": status == "ok" if status is not None else told.get("ok") is True,
        "duration_ms": took_ms if isinstance(took_ms, int) and took_ms >= 0 else None,
        "files": _files(name, given, told) if isinstance(given, dict) else [],
    }
    use: Fields = {"kind": "tool_use", "turn_id": _turn(told), "data": data}
    result = text_of(told.get("result"))
    if result is None:
        return [use]
    tier = Tier.WEB if name in _WEB else Tier.REPOSITORY if name in _REPOSITORY else Tier.TOOL
    message = {"role": "tool", "text": within(result, RESULT_CHARS), "tier": tier}
    return [use, {"kind": "message", "turn_id": _turn(told), "data": message}]


def _files(name: str, given: Mapping[str, Any], told: Payload) -> list[dict[str, str]]:
    action, path = _FILE_ACTIONS.get(name), given.get("path")
    if not action or not isinstance(path, str) or not path:
        return []
    whole = path if path.startswith("~") else os.path.join(string(told, "cwd") or "", path)
    return [{"path": whole, "action": action}]


def _one(translate: jsonhooks.Translator) -> Callable[[Payload], list[Fields]]:
    return lambda told: [fields] if (fields := translate({**told, "turn_id": _turn(told)})) else []


_TRANSLATORS: Mapping[str, Callable[[Payload], list[Fields]]] = {
    "on_session_start": _session_start,
    "on_session_reset": _session_reset,
    "pre_llm_call": _prompt,
    "post_llm_call": _answer,
    "post_tool_call": _tool,
    "on_session_end": _turn_end,
    "subagent_start": _one(jsonhooks.starts_agent("child_session_id", "child_role", turn="turn_id")),
    "subagent_stop": _one(
        jsonhooks.stops_agent("child_session_id", "child_role", turn="turn_id", report="child_summary")
    ),
    "on_session_finalize": _one(jsonhooks.ends_session),
}

HOST = Hermes()
