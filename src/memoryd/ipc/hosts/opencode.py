"""opencode: what our plugin in it tells, to events. opencode has no command hooks; `opencode_plugin` writes the plugin.

The plugin's payloads are ours: `session_id`, `cwd` and `turn_id` (the id of the prompt's message) and what a firing
adds. What it prints is put beside the prompt as it is. opencode keeps its talks in a database that is not read.
"""

from typing import ClassVar

from memoryd.ipc.events import EndStatus, Tier
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload, Said, string
from memoryd.ipc.hosts.record import text_of

_TURN = "turn_id"
_TIERS = {
    **dict.fromkeys(("read", "grep", "glob", "list", "lsp"), Tier.REPOSITORY),
    **dict.fromkeys(("webfetch", "websearch", "codesearch"), Tier.WEB),
}
_FILE_ACTIONS = {"read": "read", "write": "write", "edit": "write", "multiedit": "write"}


def _turn(payload: Payload) -> Said:
    given = payload.get("status")
    status = EndStatus(given) if given in tuple(EndStatus) else EndStatus.OK
    return jsonhooks.ends_turn(status, turn=_TURN, answer="answer")(payload)


def _text(payload: Payload) -> Said:
    text = text_of(payload.get("text"))
    data = {"role": "assistant", "text": text, "tier": Tier.HOST}
    return {"kind": "message", "turn_id": string(payload, _TURN), "data": data} if text else None


def _tool(payload: Payload) -> Said:
    name, ok = string(payload, "tool_name"), payload.get("ok")
    if not name:
        return None
    return uses_tool(
        name, payload.get("tool_input", {}), string(payload, "tool_result") or "", turn=string(payload, _TURN),
        ok=ok if isinstance(ok, bool) else None, took_ms=payload.get("duration_ms"), path=string(payload, "file_path"),
    )  # fmt: skip


def uses_tool(
    name: str, given: object, result: str, *, turn: str | None, ok: bool | None, path: str | None,
    took_ms: object = None,
) -> tuple[Fields, ...]:  # fmt: skip
    """A tool call of opencode's, told by the plugin or read in its database; see `jsonhooks.uses_tool`."""
    action = _FILE_ACTIONS.get(name)
    return jsonhooks.uses_tool(
        name, given, result, turn=turn, ok=ok, took_ms=took_ms, tier=_TIERS.get(name, Tier.TOOL),
        files=[{"path": path, "action": action}] if action and path else [],
    )  # fmt: skip


class OpenCode(JsonHooks):
    name = "opencode"
    hook_events = (
        "start",
        "prompt",
        "text",
        "tool",
        "turn",
        "agent_start",
        "agent_stop",
        "pre_compact",
        "post_compact",
        "end",
    )
    transcript_key = None
    agent_events = ("agent_start", "agent_stop")
    recall: ClassVar = {"start": Recall.SNAPSHOT, "prompt": Recall.PREFETCH}
    translators: ClassVar = {
        "start": jsonhooks.starts,
        "prompt": jsonhooks.prompts(turn=_TURN),
        "text": _text,
        "tool": _tool,
        "turn": _turn,
        "agent_start": jsonhooks.starts_agent(turn=_TURN),
        "agent_stop": jsonhooks.stops_agent(report="report", turn=_TURN),
        "pre_compact": jsonhooks.compacts("pre_compact"),
        "post_compact": jsonhooks.compacts("post_compact"),
        "end": jsonhooks.ends_session,
    }

    def reply(self, event_name: str, context: str) -> str:
        return context if event_name in self.recall else ""


HOST = OpenCode()
