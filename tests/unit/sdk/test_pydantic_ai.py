"""The capability with the library's own function model: what the model is given, what is recorded."""

import asyncio
from collections.abc import Callable

import pytest
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from memoryd.sdk import AsyncMemory
from memoryd.sdk.pydantic_ai import MemoryCapability
from memoryd.sdk.testing import FakeDaemon
from memoryd.sdk.tools import NO_MEMORY, tools_of

Answer = Callable[[list[ModelMessage], AgentInfo], ModelResponse]


def saved(daemon: FakeDaemon, content: str) -> None:
    daemon.call("memory.save", {"name": content[:8], "type": "project", "content": content}, timeout=1)


def prompts(messages: list[ModelMessage]) -> list[object]:
    return [part.content for message in messages for part in message.parts if isinstance(part, UserPromptPart)]


def agent_with(memory: AsyncMemory, answer: Answer) -> Agent[None, str]:
    capability = MemoryCapability[None](memory)
    return Agent(FunctionModel(answer), instructions="Be kind.", capabilities=[capability], tools=tools_of(memory))


async def test_the_model_is_given_the_snapshot_and_what_the_prompt_brings_up() -> None:
    daemon, seen = FakeDaemon(), list[tuple[str, list[object]]]()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((info.instructions or "", prompts(messages)))
        return ModelResponse(parts=[TextPart("yes")])

    saved(daemon, "The beta ships on Fridays.")
    agent = agent_with(AsyncMemory(daemon=daemon), answer)
    first = await agent.run("hello")
    saved(daemon, "The staging host is called zebra.")
    second = await agent.run("which host is zebra?", message_history=first.all_messages())
    (instructions, alone), (again, told) = seen
    assert instructions.startswith("Be kind.")
    assert "Fridays" in instructions
    assert (again, alone) == (instructions, ["hello"])
    assert told[0] == "hello"
    assert "called zebra" in str(told[1])
    assert told[2] == "which host is zebra?"
    assert prompts(second.all_messages()) == ["hello", "which host is zebra?"]
    assert [event.kind for event in daemon.events] == ["session_start", "user_prompt", "turn", "user_prompt", "turn"]
    assert daemon.data_of("turn")[-1].last_assistant_message == "yes"
    assert daemon.events[-1].turn_id == daemon.events[-2].turn_id


async def test_the_model_saves_and_finds_by_its_tools_which_are_recorded() -> None:
    daemon = FakeDaemon()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = [
            ToolCallPart("memory_save", {"content": "The staging host is called zebra.", "type": "project"}),
            ToolCallPart("memory_search", {"query": "zebra"}),
        ]
        done = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=[calls[done]] if done < 2 else [TextPart(str(messages[-1].parts[0].content))])  # type: ignore[union-attr]

    result = await agent_with(AsyncMemory(daemon=daemon), answer).run("remember the host")
    assert "called zebra" in result.output
    tools = daemon.data_of("tool_use")
    assert [(tool.name, tool.ok) for tool in tools] == [("memory_save", True), ("memory_search", True)]
    assert "zebra" in tools[0].summary
    daemon.absent = True
    for choice in ("noop", "raise"):
        search, save = tools_of(AsyncMemory(daemon=daemon, without_daemon=choice))
        told = str(await search("zebra")), await save("The beta ships on Fridays.", "project")
        assert told == ("[]", NO_MEMORY) if choice == "noop" else all("no daemon answers" in text for text in told)


async def test_a_run_that_fails_is_a_failed_turn_with_what_it_called() -> None:
    daemon = FakeDaemon()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("divide", {"by": 0})])

    agent = agent_with(AsyncMemory(daemon=daemon), answer)

    @agent.tool_plain
    def divide(by: int) -> float:
        return 1 / by

    with pytest.raises(ZeroDivisionError):
        await agent.run("hello")
    assert [(tool.name, tool.ok, tool.summary) for tool in daemon.data_of("tool_use")] == [
        ("divide", False, '{"by":0}')
    ]
    assert daemon.data_of("turn")[-1].status == "failed"


async def test_a_run_that_is_cancelled_is_an_interrupted_turn_and_streams_and_typed_answers_are_turns() -> None:
    daemon, asked = FakeDaemon(), asyncio.Event()

    async def never(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    capability = MemoryCapability[None](AsyncMemory(daemon=daemon))
    run = asyncio.create_task(Agent(FunctionModel(never), capabilities=[capability]).run("hello"))
    async with asyncio.timeout(20):
        await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    async with Agent(TestModel(), capabilities=[capability]).run_stream("hello") as streamed:
        said = await streamed.get_output()
    await Agent(TestModel(), output_type=list[int], capabilities=[capability]).run("hello")
    assert [(turn.status, turn.last_assistant_message) for turn in daemon.data_of("turn")] == [
        ("interrupted", None), ("ok", said), ("ok", "[0]"),
    ]  # fmt: skip
    assert not daemon.data_of("tool_use")


async def test_without_a_daemon_the_agent_answers_all_the_same() -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(f"{info.instructions} {prompts(messages)}")])

    result = await agent_with(AsyncMemory(daemon=FakeDaemon(absent=True)), answer).run("hello")
    assert result.output == "Be kind. ['hello']"
