"""GitHub Copilot CLI: hook payloads to events, memory to the JSON it expects. Its session log is `copilot_events`.

Payloads name no event: it is the one given at install. They name no turn either, so none of its texts bears one.
Tool events are not hooked: the log names the tools, and an error of a hook before a tool would forbid the tool.
"""

from typing import ClassVar

from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.copilot_events import CopilotLines
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload
from memoryd.ipc.hosts.record import compact

_stop = jsonhooks.ends_turn()


def _agent_stop(payload: Payload) -> Fields | None:
    """A stop that a hook sent on and that comes again is the same turn's."""
    return None if payload.get("stop_hook_active") else _stop(payload)


class Copilot(JsonHooks):
    name = "copilot"
    hook_events = (
        "sessionStart",
        "userPromptSubmitted",
        "agentStop",
        "subagentStop",
        "preCompact",
        "sessionEnd",
    )
    replays_context = False  #: what a start is given stands in that run's requests alone
    tells_compacted = False
    session_key = "sessionId"
    transcript_key = "transcriptPath"
    agent_key = "agentId"
    agent_events = ("subagentStop",)
    project_env = "COPILOT_PROJECT_DIR"
    recall: ClassVar = {"sessionStart": Recall.SNAPSHOT, "userPromptSubmitted": Recall.PREFETCH}
    translators: ClassVar = {
        "sessionStart": jsonhooks.starts,
        "userPromptSubmitted": jsonhooks.prompts(),
        "agentStop": _agent_stop,
        "subagentStop": jsonhooks.stops_agent("agentId", "agentType", report="response"),
        "preCompact": jsonhooks.compacts("pre_compact"),
        "sessionEnd": jsonhooks.ends_session,
    }

    def event_name(self, payload: Payload, hook: RawHook) -> str:
        return hook.event or ""

    def reply(self, event_name: str, context: str) -> str:
        return compact({"additionalContext": context}) if context and event_name in self.recall else ""

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return CopilotLines(self.name, session_id, cwd, state).read(chunk, final=final)


HOST = Copilot()
