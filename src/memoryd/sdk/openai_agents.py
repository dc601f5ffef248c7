"""OpenAI Agents SDK: hooks and a run configuration with which a runner remembers, streamed or not.

hooks = MemoryHooks(memory)
await Runner.run(agent, prompt, hooks=hooks, run_config=hooks.run_config())
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents import Agent, AgentHookContext, RunConfig, RunContextWrapper, RunHooks, Tool, Usage
from agents.run_config import CallModelData, ModelInputData
from pydantic_core import to_json

from memoryd.ipc.events import ToolUseData
from memoryd.sdk.aio import AsyncMemory
from memoryd.sdk.context import Context, joined
from memoryd.sdk.delivery import plain

MAX_SUMMARY_CHARS = 500  #: of what a tool returned


class MemoryHooks(RunHooks[Any]):
    """One session, one run at a time. A run is a turn, whatever agents it is handed to; a run that fails has no end,
    and counts as interrupted when the next one begins.
    """

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._context: Context | None = None
        self._tools: list[ToolUseData] = []
        self._run: Usage | None = None  #: what is one object in all of a run

    def run_config(self, config: RunConfig | None = None) -> RunConfig:
        """The configuration, with the memory in what the model is given. It takes the place of an own input filter."""
        return replace(config or RunConfig(), call_model_input_filter=self._tell)

    async def on_agent_start(self, context: AgentHookContext[Any], agent: Any) -> None:
        if self._run is context.usage:
            return  # handed over
        self._run, self._tools = context.usage, []
        self._context = await self._memory.before_invocation(_newest_prompt(context.turn_input))

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        self._tools.append(ToolUseData(name=tool.name, summary=plain(str(result), MAX_SUMMARY_CHARS), ok=True))

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        answer = output if isinstance(output, str) else to_json(output, fallback=str).decode()
        turn_id = self._context.turn_id if self._context else None
        await self._memory.after_invocation(answer, tools=self._tools, turn_id=turn_id)

    def _tell(self, asked: CallModelData[Any]) -> ModelInputData:
        """The snapshot into the instructions, what the prompt brings up before it; neither reaches the history."""
        given, context = asked.model_data, self._context
        if context is None:
            return given
        instructions = joined(given.instructions or "", context.snapshot) or None
        items = list(given.input)
        if context.prefetch:
            newest = max((n for n, item in enumerate(items) if _is_prompt(item)), default=0)
            items.insert(newest, {"role": "user", "content": context.prefetch})
        return ModelInputData(input=items, instructions=instructions)


def _is_prompt(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("role") == "user"


def _newest_prompt(items: Sequence[Any]) -> str:
    """What is text of it."""
    content = next((item["content"] for item in reversed(items) if _is_prompt(item)), "")
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
