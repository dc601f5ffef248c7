"""OpenClaw: what our hook in it tells, to events. It has no shell hooks; `openclaw_hook` writes the hook.

The payloads are ours: the key of the conversation as `session_id`, `cwd` where it is known, and what a firing adds.
What is printed becomes a file of the agent's context as it is. Its tools are not told, nor the answers of its web chat.
"""

from typing import ClassVar

from memoryd.ipc.hosts import jsonhooks
from memoryd.ipc.hosts.base import Recall
from memoryd.ipc.hosts.jsonhooks import JsonHooks


class OpenClaw(JsonHooks):
    name = "openclaw"
    hook_events = (
        "agent:bootstrap",
        "message:received",
        "message:sent",
        "session:compact:before",
        "session:compact:after",
        "session:auto-reset",
        "command:new",
        "command:reset",
    )
    recall: ClassVar = {"agent:bootstrap": Recall.SNAPSHOT}
    translators: ClassVar = {
        "agent:bootstrap": jsonhooks.starts,
        "message:received": jsonhooks.prompts("text", turn="turn_id"),
        "message:sent": jsonhooks.ends_turn(turn="turn_id", answer="text"),
        "session:compact:before": jsonhooks.compacts("pre_compact"),
        "session:compact:after": jsonhooks.compacts("post_compact"),
        "session:auto-reset": jsonhooks.ends_session,
        "command:new": jsonhooks.ends_session,
        "command:reset": jsonhooks.ends_session,
    }

    def reply(self, event_name: str, context: str) -> str:
        return context if event_name in self.recall else ""


HOST = OpenClaw()
