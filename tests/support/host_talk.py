"""The model that hosts are driven against: one call of the shell where a prompt wants it, else an answer."""

import json

from support.fake_wire import Asked, Reply

SHELLS: dict[str, dict[str, object]] = {
    "Bash": {"command": "echo from-the-shell", "description": "say hello"},
    "exec_command": {"cmd": "echo from-the-shell"},
    "shell_command": {"command": "echo from-the-shell"},
    "run_shell_command": {"command": "echo from-the-shell", "description": "say hello", "is_background": False},
    "bash": {"command": "echo from-the-shell", "description": "say hello"},
}
RESULTS = ('"tool_result"', '"function_call_output"', '"functionResponse"', '"role": "tool"')
SUMMARY = "<state_snapshot>The lantern service was looked at.</state_snapshot>"  #: as Gemini and Qwen want it
WITH_A_TOOL = "Run the shell once."


def answer(asked: Asked) -> Reply:
    """Call the shell for a prompt that says so, once; then say what was asked."""
    shell = next((name for name in SHELLS if name in asked.tools), None)
    if shell and _wants(asked):
        return Reply(text="I will run it.", call=(shell, SHELLS[shell]))
    if "<state_snapshot>" in asked.text and not shell:
        return Reply(text=SUMMARY, tokens=(len(asked.text) // 4, 10))
    return Reply(text=f"The answer to request {len(asked.talk)}.", tokens=(len(asked.text) // 4, 10))


def _wants(asked: Asked) -> bool:
    """Whether the last prompt asks for the shell, and nothing was run for it yet."""
    for said in reversed(asked.talk):
        text = json.dumps(said)
        if any(mark in text for mark in RESULTS):
            return False
        if said.get("role") == "user":
            return WITH_A_TOOL in text
    return False
