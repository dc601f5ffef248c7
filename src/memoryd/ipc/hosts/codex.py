"""Codex: hook payloads to events, memory to the JSON it expects. The transcript is read by `codex_rollout`.

Codex refuses a reply with a key that it does not know. Tool events are not hooked: the transcript names the tools.
"""

from typing import ClassVar

from memoryd.ipc.events import EndStatus
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.codex_rollout import CodexLines
from memoryd.ipc.hosts.jsonhooks import JsonHooks


class Codex(JsonHooks):
    name = "codex"
    hook_events = (
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "Interrupt",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    )
    max_context_chars = 9_500  #: about 2 500 tokens; what is longer loses its middle
    recall: ClassVar = {"SessionStart": Recall.SNAPSHOT, "UserPromptSubmit": Recall.PREFETCH}
    translators: ClassVar = {
        "SessionStart": jsonhooks.starts,
        "UserPromptSubmit": jsonhooks.prompts(turn="turn_id"),
        "Stop": jsonhooks.ends_turn(turn="turn_id", answer="last_assistant_message"),
        "Interrupt": jsonhooks.ends_turn(EndStatus.INTERRUPTED, turn="turn_id"),
        "SubagentStart": jsonhooks.starts_agent(turn="turn_id"),
        "SubagentStop": jsonhooks.stops_agent(turn="turn_id", report="last_assistant_message"),
        "PreCompact": jsonhooks.compacts("pre_compact"),
        "PostCompact": jsonhooks.compacts("post_compact"),
        "SessionEnd": jsonhooks.ends_session,
    }

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return CodexLines(self.name, session_id, cwd, state).read(chunk, final=final)


HOST = Codex()
