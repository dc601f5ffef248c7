"""Codex's rollout file: JSON lines to messages and tool uses.

Each message is written twice, as the item that the model was sent and as an event for the screen. The event is taken:
it holds what a person typed and what was answered, and neither instructions nor injected context. Older releases wrote
it as `user_message` and `agent_message`. Tool calls are taken from the items. `compacted` repeats old messages.

Ids come from the turn and the item, not from the session: a fork that copies its history adds nothing.
"""

import hashlib
import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from memoryd.ipc.events import Tier
from memoryd.ipc.hosts.jsonlines import LineReader, identifier
from memoryd.ipc.hosts.record import parse

_WANTED = re.compile(
    rb'"type"\s*:\s*"(?:task_started|turn_context|item_completed|user_message|agent_message|turn_aborted'
    rb'|(?:function|custom_tool|local_shell|web_search)_call(?:_output)?)"'
)
_ENDED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_HEAD_CHARS = 400  #: of a result, in which its exit code stands before its output
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH_ACTIONS = {"Add": "write", "Update": "write", "Delete": "delete"}
_MAX_FILES = 100

_REPOSITORY = {"read_file", "list_dir", "grep_files", "view_image"}


class CodexLines(LineReader):
    def wants(self, line: bytes) -> bool:
        return _WANTED.search(line) is not None

    def record(self, record: dict[str, Any], line: bytes) -> None:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            raise ValueError("a record without payload")
        self.moment(record.get("timestamp"))
        match record.get("type"), payload.get("type"):
            case "turn_context", _:
                self._context(payload)
            case "event_msg", "task_started":
                self._begin(payload.get("turn_id"))
            case "event_msg", "turn_aborted":
                self.interrupt()
            case "event_msg", "item_completed":
                self._item(payload)
            case "event_msg", "user_message":
                self._said("user", payload.get("message"), payload, line)
            case "event_msg", "agent_message":
                self._said("assistant", payload.get("message"), payload, line)
            case "response_item", "function_call" | "custom_tool_call" | "local_shell_call":
                self._call(payload)
            case "response_item", "function_call_output" | "custom_tool_call_output":
                self._result(payload)
            case "response_item", "web_search_call":
                self._search(payload, line)

    # -- turns --

    def _context(self, payload: dict[str, Any]) -> None:
        where = payload.get("cwd")
        self.cwd = where[:4096] if isinstance(where, str) and where else self.cwd
        self._begin(payload.get("turn_id"))

    def _begin(self, turn_id: object) -> None:
        """A turn's records come one after another; places of records without an id are counted within it."""
        if identifier(turn_id) not in (None, self.state.turn_id):
            self.interrupt()
            self.turn(turn_id)
            self.state = replace(self.state, ordinal=0)

    def _id(self, *parts: str) -> str:
        text = "\n".join((self.state.turn_id or self.session_id, *parts))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    # -- messages --

    def _item(self, payload: dict[str, Any]) -> None:
        item = payload.get("item")
        if not isinstance(item, dict):
            raise ValueError("an item that is none")
        self._begin(payload.get("turn_id"))
        text, item_id = _text(item.get("content")), str(item.get("id"))
        match item.get("type"):
            case "UserMessage":
                self.message(self._id("user", item_id, text), "user", text)
            case "AgentMessage":
                self.message(self._id("assistant", item_id, text), "assistant", text)

    def _said(self, role: Any, text: object, payload: dict[str, Any], line: bytes) -> None:
        """A message of an older release, which has no id."""
        if not isinstance(text, str):
            raise ValueError("a message without text")
        nth = self.state.ordinal
        self.state = replace(self.state, ordinal=nth + 1)
        self.message(self._id(role, str(nth), text), role, text)

    # -- tools --

    def _call(self, payload: dict[str, Any]) -> None:
        call_id = payload.get("call_id") or payload.get("id")
        if not isinstance(call_id, str):
            raise ValueError("a call without an id")
        name = _qualified(payload.get("namespace"), str(payload.get("name") or "local_shell"))
        given = _given(payload)
        tier = Tier.REPOSITORY if name in _REPOSITORY else Tier.TOOL
        self.call(call_id, self._id("call", call_id), name, given, tier=tier, files=self._files(given))

    def _result(self, payload: dict[str, Any]) -> None:
        call_id = payload.get("call_id")
        if not isinstance(call_id, str):
            raise ValueError("a result without an id")
        text, ok = _output(payload.get("output"))
        self.result(call_id, self._id("result", call_id), text, ok=ok)

    def _search(self, payload: dict[str, Any], line: bytes) -> None:
        """The provider searched: call and result in one record, without the result's text."""
        call_id = self._id("search", str(payload.get("id")), str(payload.get("action")))
        self.call(call_id, call_id, "web_search", payload.get("action") or {}, tier=Tier.WEB)
        self.result(call_id, call_id, "", ok=payload.get("status") in (None, "completed"))

    def _files(self, given: object) -> list[dict[str, str]]:
        """The files that a patch touches, wherever in its input the patch stands."""
        found: list[dict[str, str]] = []
        for text in _strings(given):
            for action, path in _PATCHED.findall(text)[:_MAX_FILES]:
                absolute = str(PurePosixPath(self.cwd or "", path.strip()))
                found.append({"path": absolute, "action": _PATCH_ACTIONS[action]})
        return found[:_MAX_FILES]


def _text(content: object) -> str:
    blocks = content if isinstance(content, list) else []
    return "\n\n".join(
        block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)
    )


def _given(payload: dict[str, Any]) -> object:
    """The input of a call: JSON in a string, a text, or the action of a shell."""
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    if not isinstance(given, str) or "input" in payload:
        return given
    try:
        return parse(given)
    except ValueError:
        return given


def _strings(given: object) -> list[str]:
    match given:
        case str():
            return [given]
        case dict():
            return [text for value in given.values() for text in _strings(value)]
        case list():
            return [text for value in given for text in _strings(value)]
    return []


def _output(output: object) -> tuple[str, bool]:
    """The text of a result and whether the tool succeeded, in the three forms that releases wrote."""
    match output:
        case {"content": content, **rest}:
            return _output(content)[0], rest.get("success") is not False
        case list():
            return _text(output), True
        case str() if output.startswith('{"output":'):
            return _wrapped(output)
        case str():
            code = _ENDED.search(output[:_HEAD_CHARS])
            return output, code is None or code[1] == "0"
    return "", True


def _wrapped(output: str) -> tuple[str, bool]:
    try:
        found = parse(output)
    except ValueError:
        return output, True
    metadata = found.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else 0
    return str(found.get("output") or ""), code in (0, None)


def _qualified(namespace: object, name: str) -> str:
    """The name of a tool with that of its MCP server before it, as older releases write both in one."""
    server = namespace.rstrip("_") if isinstance(namespace, str) and namespace.startswith("mcp__") else ""
    return f"{server}__{name}" if server and not name.startswith("mcp__") else name
