"""Both shells of the SDK, each asked for in the same words: a call of `AsyncMemory` is waited for."""

import asyncio
import functools
import inspect
from typing import Any, cast

from memoryd.sdk import AsyncMemory, Memory


class _Waited:
    """Each call in an event loop of its own, where a blocking call fails the test."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._memory, name)
        return functools.partial(_wait, found) if inspect.iscoroutinefunction(found) else found


def _wait(method: Any, *args: Any, **kwargs: Any) -> Any:
    async def call() -> Any:
        return await method(*args, **kwargs)

    return asyncio.run(call())


async def _made(session_id: str | None, options: dict[str, Any]) -> AsyncMemory:
    return AsyncMemory(session_id, **options)


def memory(shell: str, session_id: str | None = None, **options: Any) -> Memory:
    """A memory by the name of its shell, `blocking` or `async`; the latter is made on a loop too."""
    if shell == "blocking":
        return Memory(session_id, **options)
    return cast("Memory", _Waited(asyncio.run(_made(session_id, options))))
