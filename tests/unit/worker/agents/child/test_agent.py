"""An agent in a real child process: what it says, pays and leaves behind."""

import asyncio
import contextlib
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from support.agents import NOW, RUN, child_agent, fault_of, gone, propose
from support.purses import MemoryLedger

from memoryd.errors import ConfigError, MemorydError, Retry
from memoryd.memory.proposals import Lines
from memoryd.worker.agents.brief import Compare, Near
from memoryd.worker.agents.child import tree
from memoryd.worker.agents.child.order import MEGABYTE


async def test_proposals_and_notes_come_back_and_each_call_is_paid_for(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    agent = child_agent(tmp_path, "each_prompt", ledger=ledger)
    result = await propose(agent, "I like tea.", "I like cakes.")
    assert result.proposals == (
        Lines(file="preferences.md", add=("I like tea.",), cites=(1,)),
        Lines(file="preferences.md", add=("I like cakes.",), cites=(2,)),
    )
    assert result.notes == {("generic", "s1"): "noted"}  # and none for a session that it was not shown
    assert [(run, need.tokens) for run, need in ledger.reserved.values()] == [(RUN, 100), (RUN, 100)]
    assert sum(cost.tokens_in + cost.tokens_out for cost in ledger.settled.values()) == 140
    assert await gone(agent) == []


async def test_a_child_has_texts_compared_by_the_daemons_embedder(tmp_path: Path) -> None:
    async def lengths(compare: Compare) -> Near:
        return Near(rows=tuple(tuple(float(len(text) == len(o)) for o in compare.others) for text in compare.texts))

    agent = child_agent(tmp_path, "compares")
    agent.comparing = lengths
    result = await propose(agent, "tea", "cocoa", "ale")
    assert result.notes == {("generic", "s1"): "((1.0, 0.0, 1.0),)"}


async def test_a_fault_comes_back_with_its_code_and_when_to_try_again(tmp_path: Path) -> None:
    found = await fault_of(child_agent(tmp_path, "fault rate-limited 30"))
    assert (found.code, found.reason, found.retry_after_seconds) == ("rate-limited", "mend it", 30)


@pytest.mark.parametrize(("seconds", "code"), [(300, "budget"), (None, "no-end")])
async def test_without_budget_nothing_is_asked_and_the_ledger_says_until_when(
    tmp_path: Path, seconds: float | None, code: str
) -> None:
    until = None if seconds is None else NOW + timedelta(seconds=seconds)
    agent = child_agent(tmp_path, "each_prompt", ledger=MemoryLedger(calls=1, not_before=until))
    agent.clock = lambda: NOW
    found = await fault_of(agent, "one", "two")
    assert (found.code, found.retry_after_seconds) == (code, seconds)
    assert "1 calls are used up" in found.reason


async def test_what_breaks_the_agent_is_named_without_a_word_of_the_conversation(tmp_path: Path) -> None:
    found = await fault_of(child_agent(tmp_path, "raises"), "the word is xyzzy")
    assert found.code == "crashed"
    assert "RuntimeError" in found.reason
    assert "xyzzy" not in found.reason


@pytest.mark.parametrize(
    ("act", "told"),
    [("exits 3", "status 3"), ("killed", f"signal {int(signal.SIGKILL)}"), ("not_paid_for", "had not asked for"),
     ("endless_line", "a line of more than"), ("endless_lines", "said more than")],
)  # fmt: skip
async def test_a_child_that_breaks_the_protocol_has_crashed(tmp_path: Path, act: str, told: str) -> None:
    agent = child_agent(tmp_path, act)
    found = await fault_of(agent)
    assert found.code == "crashed"
    assert told in found.reason
    assert await gone(agent) == []


async def test_what_is_printed_beside_the_protocol_does_not_disturb_it(tmp_path: Path) -> None:
    assert (await propose(child_agent(tmp_path, "prints"))).proposals == ()


@pytest.mark.parametrize(
    ("act", "code"),
    [("call_that_hangs", "provider-slow"), ("deaf_loop", "crashed"), ("endless_errors", "crashed")],
)
async def test_a_child_without_an_end_is_ended_when_its_time_is_over(tmp_path: Path, act: str, code: str) -> None:
    agent = child_agent(tmp_path, act, seconds=4.0 if act == "call_that_hangs" else 1.0)
    assert (await fault_of(agent)).code == code
    assert await gone(agent) == []


async def test_a_cancelled_run_leaves_nothing_and_its_call_stays_reserved(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    agent = child_agent(tmp_path, "call_that_hangs", ledger=ledger)
    run = asyncio.create_task(propose(agent))
    async with asyncio.timeout(30):
        while not ledger.reserved:  # noqa: ASYNC110 - the child tells nobody else
            await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not ledger.settled
    assert await gone(agent) == []


async def test_settings_that_cannot_be_used_are_a_fault_of_the_configuration(tmp_path: Path) -> None:
    agent = child_agent(tmp_path, "each_prompt")

    def no_settings() -> None:
        raise ConfigError("no key; set one")

    agent.settings = no_settings  # type: ignore[assignment]
    found = await fault_of(agent)
    assert (found.code, found.reason) == ("configuration", "no key; set one")


@pytest.mark.parametrize("how", ["marked", "bare"])
async def test_what_an_agent_started_is_gone_when_it_has_ended_in_whatever_session(tmp_path: Path, how: str) -> None:
    agent = child_agent(tmp_path, f"grandchild {how} {RUN}")
    assert (await propose(agent)).proposals == ()
    assert await gone(agent) == []
    assert await asyncio.to_thread(left_behind) == []


def left_behind() -> list[int]:
    """Processes whose command line names this test session: what its agents leave behind."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"# {RUN}".encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("act", "kind", "told"),
    [("memory 4096", "command", "512 MB of memory"), ("memory 4096", "model", "MemoryError"),
     ("forks 300", "model", "16 processes")],
)  # fmt: skip
async def test_an_agent_that_takes_too_much_is_ended(tmp_path: Path, act: str, kind: str, told: str) -> None:
    limit = 512 * MEGABYTE
    agent = child_agent(
        tmp_path, act, kind=kind,
        change=lambda order: replace(order, memory_bytes=limit, address_bytes=limit if order.address_bytes else 0),
    )  # fmt: skip
    found = await fault_of(agent)
    assert found.code == "crashed"
    assert told in found.reason
    assert await gone(agent) == []


async def test_a_keeper_that_is_killed_takes_its_agent_and_all_the_rest_with_it(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    agent = child_agent(tmp_path, "call_that_hangs", ledger=ledger)
    run = asyncio.create_task(fault_of(agent))
    async with asyncio.timeout(30):
        while not ledger.reserved:  # noqa: ASYNC110 - the child tells nobody else
            await asyncio.sleep(0.01)
    keeper = min(await asyncio.to_thread(lambda: list(tree.marked(RUN))))
    os.kill(keeper, signal.SIGKILL)
    assert (await run).code == "crashed"
    assert await gone(agent) == []


async def test_one_that_outlives_its_keeper_unmarked_does_not_hold_the_daemon_up(tmp_path: Path) -> None:
    """It has an environment and a session of its own, and the agent's pipes; nothing tells it from a person's."""
    ledger = MemoryLedger()
    agent = child_agent(tmp_path, f"grandchild_and_hang {RUN}", ledger=ledger)
    run = asyncio.create_task(fault_of(agent))
    async with asyncio.timeout(30):
        while not ledger.reserved:  # noqa: ASYNC110 - the child tells nobody else
            await asyncio.sleep(0.01)
    os.kill(min(await asyncio.to_thread(lambda: list(tree.marked(RUN)))), signal.SIGKILL)
    async with asyncio.timeout(30):
        assert (await run).code == "crashed"
    (left,) = await asyncio.to_thread(left_behind)
    os.kill(left, signal.SIGKILL)


async def test_a_machine_that_cannot_start_a_process_is_asked_again_later(tmp_path: Path) -> None:
    with pytest.raises(MemorydError) as caught:
        await propose(child_agent(tmp_path, "each_prompt", argv=[str(tmp_path / "nothing")]))
    assert caught.value.retry is Retry.LATER
    assert not list(tmp_path.glob("agents/*"))
