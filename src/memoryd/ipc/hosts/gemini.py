"""Gemini CLI: hook payloads to events, memory to the JSON it expects. The transcript is read by `gemini_transcript`.

`PreCompress` tells of a compaction that a person asked for; as `auto` it fires before every turn of the model and tells
nothing. Tools and compactions are told by the transcript; of sub-agents nothing tells. What is printed must be one JSON
object: plain text would be shown to people.
"""

from typing import ClassVar

from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall, TranscriptRead, TranscriptState
from memoryd.ipc.hosts.gemini_transcript import read
from memoryd.ipc.hosts.jsonhooks import JsonHooks, Payload, Said
from memoryd.ipc.hosts.parts import typed

_prompt = jsonhooks.prompts()
_compacts = jsonhooks.compacts("pre_compact")


def _before_agent(payload: Payload) -> Said:
    """Without a terminal the text of the session's start stands inside the first prompt."""
    prompt = payload.get("prompt")
    return _prompt({"prompt": typed(prompt)}) if isinstance(prompt, str) else None


def _pre_compress(payload: Payload) -> Said:
    return _compacts(payload) if payload.get("trigger") == "manual" else None


class Gemini(JsonHooks):
    name = "gemini"
    hook_events = ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd")
    replays_context = False  #: a resumed talk is what was typed and answered
    tells_compacted = False  #: but by its transcript, read after the next prompt
    project_env = "GEMINI_PROJECT_DIR"
    recall: ClassVar = {"SessionStart": Recall.SNAPSHOT, "BeforeAgent": Recall.PREFETCH}
    translators: ClassVar = {
        "SessionStart": jsonhooks.starts,
        "BeforeAgent": _before_agent,
        "AfterAgent": jsonhooks.ends_turn(answer="prompt_response"),
        "PreCompress": _pre_compress,
        "SessionEnd": jsonhooks.ends_session,
    }

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return read(chunk, host=self.name, session_id=session_id, cwd=cwd, state=state, final=final)


HOST = Gemini()
