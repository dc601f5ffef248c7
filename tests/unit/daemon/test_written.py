import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.daemon import written
from memoryd.ipc import hosts
from memoryd.ipc.events import FileTouch, ToolUse, ToolUseData
from memoryd.ipc.hosts.base import TranscriptState

ROOT = Path("/data/user/memory")


def use(name: str, *, host: str = "claude-code", **data: Any) -> ToolUse:
    at = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    return ToolUse(id="e1", host=host, session_id="s1", at=at, data=ToolUseData(name=name, **{"ok": True, **data}))


def names(*uses: ToolUse) -> list[tuple[str, ...]]:
    return [event.data.names for event in written.derived(uses, [ROOT])]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("claude-code", "mcp__memoryd__memory_save"), ("claude-code", "mcp__plugin_tools_memoryd__memory_save"),
        ("codex", "mcp__memoryd__memory_save"), ("codex", "memoryd__memory_save"),
        ("gemini", "mcp_memoryd_memory_save"), ("qwen", "mcp__memoryd__memory_save"),
        ("copilot", "memoryd-memory_save"), ("cursor", "MCP:memoryd:memory_save"),
        ("opencode", "memoryd_memory_save"), ("hermes", "mcp_memoryd_memory_save"),
        ("openclaw", "memoryd__memory_save"), ("generic", "memoryd.memory_save"),
    ],
)  # fmt: skip
def test_a_save_by_our_own_tool_is_known_by_every_hosts_name_for_it(host: str, name: str) -> None:
    (event,) = written.derived([use(name, host=host)], [ROOT])
    assert (event.id, event.host, event.session_id, event.data.names) == ("e1+memory", host, "s1", ("memory_save",))
    note, foreign = (name.replace("memory_save", other) for other in ("note_write", "provider_search_nodes"))
    assert names(use(note), use(foreign)) == [("note_write",), ("provider_search_nodes",)]


@pytest.mark.parametrize(
    "name",
    [
        "mcp__memoryd__memory_search", "memory_save", "mcp__other__memory_save", "mcp__memoryd__memory_save_all",
        "notmemoryd_memory_save", "Bash",
    ],
)  # fmt: skip
def test_a_search_and_the_tools_of_others_save_nothing(name: str) -> None:
    assert names(use(name)) == []


def test_a_save_that_failed_or_has_no_answer_saved_nothing() -> None:
    assert names(use("mcp__memoryd__memory_save", ok=False), use("mcp__memoryd__memory_save", ok=None)) == []


def test_a_file_that_is_written_below_the_memory_counts_and_one_that_is_read_or_elsewhere_does_not() -> None:
    def touched(path: str, action: Any) -> ToolUse:
        return use("Write", files=(FileTouch(path=path, action=action),))

    inside = f"{ROOT}/preferences.md"
    assert names(touched(inside, "write"), touched(inside, "read"), touched("/tmp/x.md", "write")) == [(inside,)]


@pytest.mark.parametrize("namespace", ["mcp__memoryd", "mcp__memoryd__"])
def test_codex_tells_the_server_of_a_tool_beside_its_name(namespace: str) -> None:
    call = {"type": "function_call", "name": "memory_save", "namespace": namespace, "call_id": "c1", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "saved"}
    rows = [
        {"timestamp": "2026-11-30T08:00:00.000Z", "type": "response_item", "payload": payload}
        for payload in (call, output)
    ]
    chunk = "".join(json.dumps(row) + "\n" for row in rows).encode()
    read = hosts.get("codex").read_transcript(chunk, session_id="s1", cwd="/w", state=TranscriptState(), final=True)
    (event,) = written.derived([one for one in read.events if isinstance(one, ToolUse)], [ROOT])
    assert event.data.names == ("memory_save",)
