"""Hook firings as Claude Code sends them, made by hand."""

import json
import uuid
from typing import Any

from memoryd.ipc.client import AsyncClient

LATER = "2126-11-30T08:00:00Z"  #: later than anything that a test does


async def deliver(
    one: AsyncClient, event: str, *, session: str = "s1", cwd: str, at: str = "2026-11-30T08:00:00Z", **stdin: Any
) -> Any:
    raw = json.dumps({"session_id": session, "hook_event_name": event, "cwd": cwd, "transcript_path": "/none", **stdin})
    params = {"id": uuid.uuid4().hex, "at": at, "host": "claude-code", "event": event, "raw": raw}
    return await one.call("hook.deliver", params, timeout=5)


async def turn(one: AsyncClient, text: str, *, cwd: str, session: str = "s1", at: str = "2026-11-30T08:00:00Z") -> Any:
    prompt = uuid.uuid4().hex
    await deliver(one, "UserPromptSubmit", session=session, cwd=cwd, at=at, prompt_id=prompt, prompt=text)
    return await deliver(
        one, "Stop", session=session, cwd=cwd, at=at, prompt_id=prompt, stop_hook_active=False,
        last_assistant_message="ok",
    )  # fmt: skip
