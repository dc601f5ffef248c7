"""Claude Code: hook payloads to events, memory to the JSON it expects. The transcript is read by `claude_transcript`.

Tool events are not hooked: the transcript names the tools.
"""

from collections.abc import Mapping
from typing import ClassVar

from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.claude_transcript import INTERRUPTED, ClaudeLines
from memoryd.ipc.hosts.jsonhooks import Fields, JsonHooks, Payload, Said

_OTHERS = ("COPILOT_CLI", "CURSOR_VERSION", "QWEN_CODE_SESSION_ID")  #: marks of programs that read Claude's settings

_prompt = jsonhooks.prompts(turn="prompt_id")


def _user_prompt(payload: Payload) -> Fields | None:
    fields = _prompt(payload)
    if fields and fields["data"]["text"].startswith(INTERRUPTED):
        return None  # the host's mark, no word of the person
    return fields


class ClaudeCode(JsonHooks):
    name = "claude-code"
    hook_events = tuple(jsonhooks.CLAUDE_EVENTS)
    max_context_chars = 9_500  #: above 10 000 the model gets a preview and a file path
    project_env = "CLAUDE_PROJECT_DIR"
    recall: ClassVar = {"SessionStart": Recall.SNAPSHOT, "UserPromptSubmit": Recall.PREFETCH}
    translators: ClassVar = {**jsonhooks.CLAUDE_EVENTS, "UserPromptSubmit": _user_prompt}

    def fields(self, name: str, payload: Payload, env: Mapping[str, str]) -> Said:
        """Other programs run this host's hooks too when they find them in a project; they have their own."""
        if "CLAUDECODE" not in env and any(mark in env for mark in _OTHERS):
            return None
        return super().fields(name, payload, env)

    def headless(self, env: Mapping[str, str]) -> bool:
        return env.get("CLAUDE_CODE_SESSION_ATTENDED") == "0" or env.get("CLAUDE_CODE_ENTRYPOINT", "").startswith(
            "sdk-"
        )

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return ClaudeLines(self.name, session_id, cwd, state).read(chunk, final=final)


HOST = ClaudeCode()
