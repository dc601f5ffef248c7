"""Pydantic AI: a capability that each run of an agent remembers with.

agent = Agent("openai:gpt-5", capabilities=[MemoryCapability(memory)])
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import AgentRunResult, RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapRunHandler
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT
from pydantic_core import to_json

from memoryd.ipc.events import ToolUseData
from memoryd.sdk.aio import AsyncMemory
from memoryd.sdk.context import Context
from memoryd.sdk.delivery import plain

MAX_SUMMARY_CHARS = 500  #: of a tool's arguments


@dataclass
class MemoryCapability(AbstractCapability[AgentDepsT]):
    """The snapshot goes to the instructions of each request, what a prompt brings up before that prompt, in the request
    alone: the message history stays what was said. A run is a turn; one that fails is recorded as failed.
    """

    memory: AsyncMemory
    _context: Context | None = field(default=None, init=False, repr=False)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "MemoryCapability[AgentDepsT]":
        return replace(self)

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        self._context = await self.memory.before_invocation(_text(ctx.prompt))
        turn_id = self._context.turn_id
        try:
            result = await handler()
        except asyncio.CancelledError:
            await self.memory.after_invocation(status="interrupted", turn_id=turn_id)
            raise
        except Exception:
            await self.memory.after_invocation(status="failed", turn_id=turn_id)
            raise
        tools = list(_tools(result.new_messages()))
        await self.memory.after_invocation(_answer(result.output), tools=tools, turn_id=turn_id)
        return result

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


def _tools(messages: Sequence[ModelMessage]) -> Iterator[ToolUseData]:
    returned = {
        part.tool_call_id: part.outcome == "success"
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    for message in messages:
        for part in message.parts if isinstance(message, ModelResponse) else ():
            if isinstance(part, ToolCallPart):
                summary = plain(part.args_as_json_str(), MAX_SUMMARY_CHARS)
                yield ToolUseData(name=part.tool_name, summary=summary, ok=returned.get(part.tool_call_id))
