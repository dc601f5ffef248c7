"""Request lines for the load generator; `@id@` and `@session@` are filled in there."""

import json

from bench import talk
from memoryd.clock import rfc3339, utc_now

KILOBYTE = 1024


def published(cwd: str) -> bytes:
    """`event.publish` of a message; the event is 1 KB."""
    event = {
        "id": "@id@", "kind": "message", "host": "generic", "session_id": "published-@session@", "cwd": cwd,
        "at": rfc3339(utc_now()), "data": {"role": "assistant", "text": ""},
    }  # fmt: skip
    event["data"] = {"role": "assistant", "text": talk.text(KILOBYTE - len(json.dumps(event)))}
    return _request("event.publish", {"event": event})


def delivered(cwd: str) -> bytes:
    """`hook.deliver` of Claude Code's Stop; what the hook read is 1 KB."""
    stop = {"session_id": "hooked-@session@", "hook_event_name": "Stop", "cwd": cwd, "prompt_id": "@id@"}
    said = talk.text(KILOBYTE - len(json.dumps({**stop, "last_assistant_message": ""})))
    raw = json.dumps({**stop, "last_assistant_message": said})
    known = {"id": "@id@", "at": rfc3339(utc_now()), "host": "claude-code", "event": "Stop", "cwd": cwd, "env": {}}
    return _request("hook.deliver", {**known, "raw": raw})


def _request(method: str, params: dict[str, object]) -> bytes:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(request, separators=(",", ":")).encode() + b"\n"
