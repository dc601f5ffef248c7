"""The hooks with the library's own scripted model: what the model is given, what is recorded."""

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from memoryd.sdk import AsyncMemory
from memoryd.sdk.openai_agents import MemoryHooks
from memoryd.sdk.testing import FakeDaemon
from memoryd.sdk.tools import tools_of

QUIET = RunConfig(tracing_disabled=True)


def saved(daemon: FakeDaemon, content: str) -> None:
    daemon.call("memory.save", {"name": content[:8], "type": "project", "content": content}, timeout=1)


def kinds(daemon: FakeDaemon) -> list[str]:
    return [event.kind for event in daemon.events]


async def test_the_model_is_given_the_snapshot_and_what_the_prompt_brings_up() -> None:
    daemon = FakeDaemon()
    model = ScriptedModel([[assistant_message("yes")], [assistant_message("that one")]])
    agent = Agent(name="a", instructions="Be kind.", model=model)
    hooks, history = MemoryHooks(AsyncMemory(daemon=daemon)), SQLiteSession("s1")
    saved(daemon, "The beta ships on Fridays.")
    await Runner.run(agent, "hello", session=history, hooks=hooks, run_config=hooks.run_config(QUIET))
    saved(daemon, "The staging host is called zebra.")
    asked = [{"role": "user", "content": [{"type": "input_text", "text": "which host is zebra?"}]}]
    streamed = Runner.run_streamed(agent, asked, session=history, hooks=hooks, run_config=hooks.run_config(QUIET))  # type: ignore[arg-type]
    async for _ in streamed.stream_events():
        pass
    first, second = model.calls
    assert str(first.system_instructions).startswith("Be kind.")
    assert "Fridays" in str(first.system_instructions)
    assert second.system_instructions == first.system_instructions
    assert [item["content"] for item in first.input] == ["hello"]
    assert "called zebra" in second.input[-2]["content"]
    assert second.input[-1] == asked[0]
    assert "called zebra" not in str(await history.get_items())
    assert kinds(daemon) == ["session_start", "user_prompt", "turn", "user_prompt", "turn"]
    assert daemon.data_of("user_prompt")[1].text == "which host is zebra?"
    assert daemon.data_of("turn")[1].last_assistant_message == "that one"


async def test_a_run_is_one_turn_whatever_it_calls_and_whoever_ends_it() -> None:
    daemon = FakeDaemon()
    memory = AsyncMemory(daemon=daemon)
    model = ScriptedModel(
        [
            [function_call("memory_save", {"content": "zebra is staging", "type": "project"}, call_id="c1")],
            [function_call("transfer_to_second", {}, call_id="c2")],
            [assistant_message("done")],
        ]
    )
    second = Agent(name="second", model=model)
    first = Agent(name="first", model=model, handoffs=[second], tools=[function_tool(t) for t in tools_of(memory)])
    hooks = MemoryHooks(memory)
    await Runner.run(first, "remember the host", hooks=hooks, run_config=hooks.run_config(QUIET))
    assert list(daemon.saved) == ["zebra is staging"]
    assert kinds(daemon) == ["session_start", "user_prompt", "tool_use", "turn"]
    assert daemon.data_of("turn")[-1].last_assistant_message == "done"


async def test_a_run_that_fails_has_no_end_and_the_next_one_is_a_turn_of_its_own() -> None:
    daemon = FakeDaemon()
    model = ScriptedModel([ModelStep.raise_error(ZeroDivisionError()), [assistant_message("yes")]])
    agent, hooks = Agent(name="a", model=model), MemoryHooks(AsyncMemory(daemon=daemon))
    with pytest.raises(ZeroDivisionError):
        await Runner.run(agent, "one", hooks=hooks, run_config=hooks.run_config(QUIET))
    await Runner.run(agent, "two", hooks=hooks, run_config=hooks.run_config(QUIET))
    assert kinds(daemon) == ["session_start", "user_prompt", "user_prompt", "turn"]
    assert daemon.events[-1].turn_id == daemon.events[-2].turn_id
