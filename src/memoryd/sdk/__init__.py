"""Memory for Python agents that have no hooks: before and after each call of the model (docs/sdk.md)."""

from memoryd.ipc.events import FileTouch, TextMessage, ToolUseData
from memoryd.sdk.aio import AsyncMemory
from memoryd.sdk.context import Context
from memoryd.sdk.courier import WithoutDaemon
from memoryd.sdk.memory import Memory
from memoryd.sdk.state import State

__all__ = [
    "AsyncMemory", "Context", "FileTouch", "Memory", "State", "TextMessage", "ToolUseData", "WithoutDaemon",
]  # fmt: skip
