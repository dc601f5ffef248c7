"""Qwen Code: hook payloads to events, memory to the JSON it expects. The transcript is read by `qwen_transcript`.

Hooks are those of Claude Code. `prompt` is what the model is sent, files and hook texts included, and is empty when the
hook is called again after a tool's result; the person's own words are in `submitted_prompt`. Where that is absent
(an older release, a client that does not declare it) the transcript tells them. Without a terminal no end is told.
"""

from pathlib import PurePath
from typing import ClassVar

from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.jsonhooks import JsonHooks, Payload, string
from memoryd.ipc.hosts.qwen_transcript import QwenLines


def _agent(payload: Payload) -> str | None:
    """The id of a sub-agent, if it may be part of a file's name."""
    found = string(payload, "agent_id")
    return found if found and "/" not in found and "\0" not in found else None


class Qwen(JsonHooks):
    name = "qwen"
    hook_events = tuple(jsonhooks.CLAUDE_EVENTS)
    replays_context = False  #: a resumed talk is what was typed and answered
    project_env = "QWEN_PROJECT_DIR"
    recall: ClassVar = {"SessionStart": Recall.SNAPSHOT, "UserPromptSubmit": Recall.PREFETCH}
    translators: ClassVar = {
        **jsonhooks.CLAUDE_EVENTS,
        "UserPromptSubmit": jsonhooks.prompts("submitted_prompt", turn="prompt_id"),
    }

    def child_transcript(self, name: str, payload: Payload) -> str | None:
        """Of a sub-agent that it waits for, the host names the parent's: its own lies beside that."""
        told, parent, agent = (
            super().child_transcript(name, payload),
            string(payload, "transcript_path"),
            _agent(payload),
        )
        if told or name != "SubagentStop" or not parent or not agent:
            return told
        session = PurePath(parent)
        return str(session.parent.parent / "subagents" / session.stem / f"agent-{agent}.jsonl")

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return QwenLines(self.name, session_id, cwd, state).read(chunk, final=final)


HOST = Qwen()
