"""Pydantic AI: a capability that each run of an agent remembers with.

agent = Agent("openai:gpt-5", capabilities=[MemoryCapability(memory)])
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pydantic_ai import AgentRunResult, RunContext, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability, WrapRunHandler, WrapToolExecuteHandler
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT
from pydantic_core import to_json

from memoryd.clock import mono
from memoryd.ipc.events import ToolUseData
from memoryd.sdk.aio import AsyncMemory
from memoryd.sdk.context import Context
from memoryd.sdk.delivery import plain

MAX_SUMMARY_CHARS = 500  #: of a tool's arguments


@dataclass
class MemoryCapability(AbstractCapability[AgentDepsT]):
    """The snapshot goes to the instructions of each request, what a prompt brings up before that prompt, in the request
    alone: the message history stays what was said. A run is a turn, one that fails or is cancelled too.
    """

    memory: AsyncMemory
    _context: Context | None = field(default=None, init=False, repr=False)
    _tools: list[ToolUseData] = field(default_factory=list, init=False, repr=False)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "MemoryCapability[AgentDepsT]":
        return replace(self)

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        self._context = await self.memory.before_invocation(_text(ctx.prompt))
        end = partial(self.memory.after_invocation, tools=self._tools, turn_id=self._context.turn_id)
        try:
            result = await handler()
        except asyncio.CancelledError:
            await end(status="interrupted")
            raise
        except Exception:
            await end(status="failed")
            raise
        await end(_answer(result.output))
        return result

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        began, ok = mono(), False
        try:
            result = await handler(args)
            ok = True
            return result
        finally:
            summary = plain(call.args_as_json_str(), MAX_SUMMARY_CHARS)
            took_ms = int((mono() - began) * 1000)
            self._tools.append(ToolUseData(name=call.tool_name, summary=summary, ok=ok, duration_ms=took_ms))

    def get_instructions(self) -> Any:
        return self._instructions

    def _instructions(self) -> str | None:
        """Asked at each request, when the run has begun."""
        return (self._context and self._context.snapshot) or None

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if self._context is None or not self._context.prefetch:
            return request_context
        return replace(request_context, messages=_with(self._context.prefetch, request_context.messages))


def _with(prefetch: str, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages with it before the newest prompt."""
    told = list(messages)
    for place in reversed(range(len(told))):
        message = told[place]
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts):
            told[place] = replace(message, parts=[UserPromptPart(prefetch), *message.parts])
            break
    return told


def _text(prompt: str | Sequence[Any] | None) -> str:
    """What is text of a prompt."""
    parts = [prompt] if isinstance(prompt, str) else prompt or ()
    return "\n".join(part for part in parts if isinstance(part, str))


def _answer(output: object) -> str:
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()
