"""The model that hosts with sub-agents are driven against: the parent starts one, that one reads a file and reports."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from support.fake_model import Answering
from support.fake_wire import Asked, Reply

PROMPT = "Find out about the lantern; let a sub-agent do it."
TASK = "Read the notes on the lantern and report."
REPORT = "The lantern burns oil."
FILE = "notes.txt"
WHOLE = "@/notes.txt"  #: its path; what `@` stands for is known once there is a project
#: how a sub-agent is started, by the name of the tool
STARTS: dict[str, Mapping[str, object]] = {
    "Agent": {
        "description": "look", "prompt": TASK, "subagent_type": "general-purpose", "run_in_background": False,
    },
    "spawn_agent": {"message": TASK},
    "invoke_agent": {"agent_name": "generalist", "prompt": TASK},
    "agent": {"description": "look", "prompt": TASK, "subagent_type": "general-purpose", "run_in_background": False},
    "task": {
        "description": "look", "prompt": TASK, "name": "looker", "agent_type": "general-purpose", "mode": "sync",
        "subagent_type": "general",
    },
}  # fmt: skip
PATCH = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-oil\n+burning oil\n*** End Patch"
#: how the file is touched, by the name of the tool: read, or changed where no tool of the host reads
TOUCHES: dict[str, Mapping[str, object]] = {
    "Read": {"file_path": WHOLE}, "read_file": {"file_path": WHOLE}, "view": {"path": WHOLE},
    "read": {"filePath": WHOLE}, "exec_command": {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"},
}  # fmt: skip
#: what Codex tells of one that it has started
_STARTED = re.compile(r"agent_id\W+([0-9a-f-]{36})")
RESULTS = ('"tool_result"', '"function_call_output"', '"functionResponse"', '"role": "tool"')


def answering(project: Path) -> Answering:
    """What the model says to each request, for a project that holds the file."""

    def answer(asked: Asked) -> Reply:
        talk = [json.dumps(said) for said in asked.talk]
        results = [text for text in talk if any(mark in text for mark in RESULTS)]
        if any(PROMPT in text for text in talk):
            return _as_parent(asked, results)
        if any(TASK in text for text in talk):
            return _as_agent(asked, results, project / FILE)
        return Reply(text="A title.")

    return answer


def _as_parent(asked: Asked, results: list[str]) -> Reply:
    start = next((name for name in STARTS if name in asked.tools), None)
    if start and not results:
        return Reply(text="I will let one look.", call=(start, STARTS[start]))
    if "wait_agent" in asked.tools and (started := _STARTED.search(results[-1])):
        return Reply(call=("wait_agent", {"targets": [started[1]]}))
    return Reply(text="It was looked at.")


def _as_agent(asked: Asked, results: list[str], file: Path) -> Reply:
    touches = next((name for name in TOUCHES if name in asked.tools), None)
    if touches and not results:
        given = {key: value if value != WHOLE else str(file) for key, value in TOUCHES[touches].items()}
        return Reply(text="I look at it.", call=(touches, given))
    if "complete_task" in asked.tools:
        return Reply(call=("complete_task", {"result": {"response": REPORT}}))
    return Reply(text=REPORT)
