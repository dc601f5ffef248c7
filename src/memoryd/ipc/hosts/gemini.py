"""Gemini CLI: hook payloads to events, memory to the JSON it expects. The transcript is read by `gemini_transcript`.

`PreCompress` tells of a compaction that a person asked for; as `auto` it fires before every turn of the model and tells
nothing. Tools, compactions and the ends of sub-agents are told by the transcript. What is printed must be one JSON
object: plain text would be shown to people.
"""

from dataclasses import replace
from pathlib import PurePath
from typing import ClassVar

from memoryd.ipc.events import SessionStart
from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptRead, TranscriptState, Translated
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

    def translate(self, hook: RawHook) -> Translated:
        """What a start by `/clear` is answered is lost: the memory goes with the next prompt."""
        told = super().translate(hook)
        cleared = any(isinstance(one, SessionStart) and one.data.source == "clear" for one in told.events)
        return replace(told, recall=Recall.NONE) if cleared else told

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        return read(chunk, host=self.name, session_id=session_id, cwd=cwd, state=state, final=final)

    def agent_transcript(self, path: str, session_id: str, child: str) -> str | None:
        """In a folder that bears the session's name, beside its own."""
        return str(PurePath(path).parent / session_id / f"{child}.jsonl") if "/" not in session_id + child else None


HOST = Gemini()
