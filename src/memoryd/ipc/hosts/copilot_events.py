"""Copilot's session log, `events.jsonl`: JSON lines to messages and tool uses.

A record holds the prompt twice: as typed (`content`), which is read, and with what hooks put in. What a sub-agent does
stands in the same file under its `agentId`: it is told as that sub-agent's session.
"""

import re
from typing import Any

from memoryd.ipc.events import Tier
from memoryd.ipc.hosts.jsonlines import LineReader, identifier

_WANTED = re.compile(
    rb'"type"\s*:\s*"(?:session\.context_changed|user\.message|assistant\.message|tool\.execution_start'
    rb'|tool\.execution_complete|subagent\.started|abort)"'
)

_WEB = {"web_fetch", "web_search"}
_REPOSITORY = {"view", "grep", "glob"}
_FILE_ACTIONS = {"view": "read", "create": "write", "edit": "write", "str_replace_editor": "write"}


class CopilotLines(LineReader):
    def wants(self, line: bytes) -> bool:
        return _WANTED.search(line) is not None

    def record(self, record: dict[str, Any], line: bytes) -> None:
        data = record.get("data")
        if not isinstance(data, dict):
            raise ValueError("a record without data")
        self.agent = identifier(record.get("agentId"))
        if self.agent is None and data.get("parentToolCallId"):
            return  # a sub-agent's that nobody can name
        self.moment(record.get("timestamp"))
        record_id = identifier(record.get("id")) or self.unnamed_id(line)
        match record.get("type"):
            case "session.context_changed":
                self._moved(data.get("cwd"))
            case "user.message":
                self._user(record_id, data)
            case "assistant.message":
                self.message(record_id, "assistant", str(data.get("content") or ""))
            case "tool.execution_start":
                self._call(record_id, data)
            case "tool.execution_complete":
                self._result(record_id, data)
            case "subagent.started" if self.agent and (agent_type := identifier(data.get("agentName"))):
                self.starts_agent(record_id, self.agent, agent_type)
            case "abort" if self.agent is None:
                self.interrupt()

    def _moved(self, where: object) -> None:
        self.cwd = where[:4096] if isinstance(where, str) and where else self.cwd

    def _user(self, record_id: str, data: dict[str, Any]) -> None:
        """A prompt; another source than the person is a skill, the host itself, or who started a sub-agent."""
        if self.agent:
            self.message(record_id, "assistant", str(data.get("content") or ""))
        elif data.get("source") in (None, "", "user"):
            self.interrupt()
            self.message(record_id, "user", str(data.get("content") or ""))

    def _call(self, record_id: str, data: dict[str, Any]) -> None:
        name, given = str(data.get("toolName") or "tool"), data.get("arguments")
        self.call(_call_id(data), record_id, name, given, tier=_tier(name), files=_files(name, given))

    def _result(self, record_id: str, data: dict[str, Any]) -> None:
        text, ok = _result_text(data), data.get("success") is not False
        self.result(_call_id(data), record_id, text, ok=ok)


def _call_id(data: dict[str, Any]) -> str:
    call_id = data.get("toolCallId")
    if not isinstance(call_id, str):
        raise ValueError("a tool without an id")
    return call_id


def _result_text(data: dict[str, Any]) -> str:
    """What the tool gave; `content` also holds what hooks added for the model."""
    found = data.get("result") or data.get("error")
    given = found if isinstance(found, dict) else {}
    return str(given.get("detailedContent") or given.get("content") or given.get("message") or "")


def _tier(tool: str) -> Tier:
    return Tier.WEB if tool in _WEB else Tier.REPOSITORY if tool in _REPOSITORY else Tier.TOOL


def _files(tool: str, given: object) -> list[dict[str, str]]:
    path = given.get("path") if isinstance(given, dict) else None
    action = _FILE_ACTIONS.get(tool)
    return [{"path": path, "action": action}] if action and isinstance(path, str) else []
