"""The same memory for asyncio: each call in a thread, so that nothing of it ever holds up the loop."""

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from memoryd.ipc.events import TextMessage, ToolUseData, Trigger
from memoryd.ipc.methods.base import Author, EntryTypeName, ScopeName
from memoryd.ipc.methods.memory import MemoryItem, MemorySaved
from memoryd.sdk.context import Context
from memoryd.sdk.courier import Daemon, WithoutDaemon
from memoryd.sdk.memory import SAVE_SECONDS, Memory, Status
from memoryd.sdk.state import State
from memoryd.sdk.where import AnyPath


class AsyncMemory:
    """As `Memory`, call by call. A call that is cancelled is still delivered, within its deadline."""

    def __init__(
        self,
        session_id: str | None = None,
        *,
        memory_dir: AnyPath | None = None,
        cwd: AnyPath | None = None,
        without_daemon: WithoutDaemon = "noop",
        deadline_seconds: float = 1.0,
        enabled: bool = True,
        daemon: Daemon | None = None,
    ) -> None:
        self._memory = Memory(
            session_id, memory_dir=memory_dir, cwd=cwd, without_daemon=without_daemon,
            deadline_seconds=deadline_seconds, enabled=enabled, daemon=daemon,
        )  # fmt: skip

    @property
    def session_id(self) -> str:
        return self._memory.session_id

    def __repr__(self) -> str:
        return f"<Async{repr(self._memory)[1:]}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._memory.__exit__, kind, error, tb)

    async def before_invocation(self, prompt: str, *, turn_id: str | None = None) -> Context:
        return await asyncio.to_thread(self._memory.before_invocation, prompt, turn_id=turn_id)

    async def after_invocation(
        self,
        answer: str | None = None,
        *,
        messages: Sequence[TextMessage] = (),
        tools: Sequence[ToolUseData] = (),
        status: Status = "ok",
        turn_id: str | None = None,
        duration_ms: int | None = None,
    ) -> bool:
        return await asyncio.to_thread(
            self._memory.after_invocation, answer, messages=messages, tools=tools, status=status, turn_id=turn_id,
            duration_ms=duration_ms,
        )  # fmt: skip

    async def before_compaction(self, messages: Sequence[TextMessage] = (), *, trigger: Trigger = "auto") -> bool:
        return await asyncio.to_thread(self._memory.before_compaction, messages, trigger=trigger)

    async def after_compaction(self, summary: str | None = None) -> bool:
        return await asyncio.to_thread(self._memory.after_compaction, summary)

    async def end_session(self, reason: str = "exit") -> bool:
        return await asyncio.to_thread(self._memory.end_session, reason)

    async def save(
        self,
        content: str,
        *,
        type: EntryTypeName,
        name: str | None = None,
        description: str = "",
        scope: ScopeName | None = None,
        author: Author = "host",
        deadline_seconds: float = SAVE_SECONDS,
    ) -> MemorySaved | None:
        return await asyncio.to_thread(
            self._memory.save, content, type=type, name=name, description=description, scope=scope, author=author,
            deadline_seconds=deadline_seconds,
        )  # fmt: skip

    async def search(self, query: str, *, limit: int = 10, scopes: Sequence[ScopeName] = ()) -> tuple[MemoryItem, ...]:
        return await asyncio.to_thread(self._memory.search, query, limit=limit, scopes=scopes)

    def save_state(self) -> State:
        return self._memory.save_state()

    def load_state(self, saved: State | Mapping[str, Any] | str | bytes) -> None:
        """As `Memory.load_state`; before the first call, not while one is under way."""
        self._memory.load_state(saved)
