"""Cursor: hook payloads to events, memory to the JSON it expects. Built from descriptions of its hooks, not from runs.

The form of its transcripts is not known, so they are not read: `afterAgentResponse` and `postToolUse` bring what was
answered and done. `stop` is never answered: a reply would be sent to the agent as a prompt.
"""

from typing import Any, ClassVar

from memoryd.ipc.events import EndStatus, Tier
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload, Said, string
from memoryd.ipc.hosts.record import compact, text_of

_TURN = "generation_id"
_STATUS = {"completed": EndStatus.OK, "aborted": EndStatus.INTERRUPTED, "error": EndStatus.FAILED}
_TIERS = {"Read": Tier.REPOSITORY, "Grep": Tier.REPOSITORY, "Glob": Tier.REPOSITORY, "WebSearch": Tier.WEB}
_FILE_ACTIONS = {"Read": "read", "Write": "write", "Edit": "write", "Delete": "delete"}


def _answered(payload: Payload) -> Fields | None:
    text = text_of(payload.get("text"))
    data = {"role": "assistant", "text": text, "tier": Tier.HOST}
    return {"kind": "message", "turn_id": string(payload, _TURN), "data": data} if text else None


def _stop(payload: Payload) -> Said:
    status = _STATUS.get(str(payload.get("status")), EndStatus.OK)
    return jsonhooks.ends_turn(status, turn=_TURN)(payload)


def _tool(payload: Payload) -> Said:
    """A tool's use; of one that failed the error, out of the spool its outcome alone."""
    name, given, error = string(payload, "tool_name"), payload.get("tool_input", {}), payload.get("error_message")
    if not name:
        return None
    output, failed = payload.get("tool_output", error), error is not None or payload.get("ok") is False
    return jsonhooks.uses_tool(
        name, given, output if isinstance(output, str) else "", ok=not failed, took_ms=payload.get("duration"),
        turn=string(payload, _TURN), tier=_TIERS.get(name, Tier.TOOL), files=_files(name, given),
    )  # fmt: skip


def _files(tool: str, given: Any) -> list[dict[str, str]]:
    path = given.get("file_path") or given.get("path") if isinstance(given, dict) else None
    action = _FILE_ACTIONS.get(tool)
    return [{"path": path, "action": action}] if action and isinstance(path, str) else []


class Cursor(JsonHooks):
    name = "cursor"
    hook_events = (
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "postToolUseFailure",
        "afterAgentResponse",
        "stop",
        "subagentStart",
        "subagentStop",
        "preCompact",
        "sessionEnd",
    )
    tells_compacted = False
    session_key = "conversation_id"
    transcript_key = None
    agent_key = "subagent_id"
    agent_events = ("subagentStart", "subagentStop")
    project_env = "CURSOR_PROJECT_DIR"
    recall: ClassVar = {"sessionStart": Recall.SNAPSHOT, "beforeSubmitPrompt": Recall.PREFETCH}
    translators: ClassVar = {
        "sessionStart": jsonhooks.starts,
        "beforeSubmitPrompt": jsonhooks.prompts(turn=_TURN),
        "postToolUse": _tool,
        "postToolUseFailure": _tool,
        "afterAgentResponse": _answered,
        "stop": _stop,
        "subagentStart": jsonhooks.starts_agent("subagent_id", "subagent_type", turn=_TURN),
        "subagentStop": jsonhooks.stops_agent("subagent_id", "subagent_type", report="result", turn=_TURN),
        "preCompact": jsonhooks.compacts("pre_compact"),
        "sessionEnd": jsonhooks.ends_session,
    }

    def cwd(self, payload: Payload) -> str | None:
        roots = payload.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        return string(payload, "cwd") or (first if isinstance(first, str) else None)

    def reply(self, event_name: str, context: str) -> str:
        if not context or event_name not in self.recall:
            return ""
        goes_on = {"continue": True} if event_name == "beforeSubmitPrompt" else {}
        return compact({**goes_on, "additional_context": context})


HOST = Cursor()
