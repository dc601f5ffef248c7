"""What a program meets when its daemon is away, late, or another one."""

import asyncio
import inspect
import json
import logging
import os
import signal
import threading
from pathlib import Path

import pytest
from support.remembering import memory as remembering

from memoryd.errors import BadEvent, Busy, NoDaemon, UsageError
from memoryd.ipc.client import Params
from memoryd.ipc.methods.events import HookDeliver
from memoryd.ipc.protocol import parse_request
from memoryd.sdk import AsyncMemory, Memory, State, courier
from memoryd.sdk.testing import FakeDaemon


def talk(memory: Memory, *prompts: str) -> None:
    for prompt in prompts:
        memory.before_invocation(prompt)
        memory.after_invocation(f"so much for {prompt}")


def said(daemon: FakeDaemon) -> list[str]:
    return [event.kind + ":" + getattr(event.data, "text", "") for event in daemon.events]


WHOLE = ["session_start:", "user_prompt:one", "turn:", "user_prompt:two", "turn:", "user_prompt:three", "turn:"]


@pytest.mark.parametrize("shell", ["blocking", "async"])
def test_without_a_daemon_the_agent_goes_on_after_one_warning(shell: str, caplog: pytest.LogCaptureFixture) -> None:
    memory = remembering(shell)  # that of this user, whose home is empty
    context = memory.before_invocation("one")
    assert (context.snapshot, context.prefetch, context.text) == ("", "", "")
    assert not memory.after_invocation("1")
    assert memory.save("The beta ships on Fridays.", type="project") is None
    assert memory.search("beta") == ()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "memoryd start" in caplog.text


def test_what_happened_meanwhile_comes_in_order_when_the_daemon_is_back() -> None:
    daemon = FakeDaemon(absent=True)
    memory = Memory(daemon=daemon)
    talk(memory, "one", "two")
    assert len(memory.save_state().unsent) == 5
    daemon.absent = False
    daemon.call("memory.save", {"name": "n", "type": "project", "content": "zebra"}, timeout=1)
    context = memory.before_invocation("three")
    memory.after_invocation("3")
    assert said(daemon) == WHOLE
    assert "zebra" in context.text
    assert "zebra" in context.snapshot
    assert not memory.save_state().unsent


def test_what_waits_goes_along_with_the_state_and_is_recorded_once() -> None:
    daemon = FakeDaemon(absent=True)
    first, second, third = Memory(daemon=daemon), Memory(daemon=daemon), Memory(daemon=daemon)
    talk(first, "one", "two")
    saved = State.model_validate_json(first.save_state().model_dump_json())
    second.load_state(saved)
    third.load_state(saved.model_dump())
    daemon.absent = False
    talk(second, "three")
    third.before_invocation("and once more")
    assert said(daemon) == [*WHOLE, "user_prompt:and once more"]


def test_one_missed_deadline_is_the_only_one_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    daemon, now = FakeDaemon(), [100.0]
    monkeypatch.setattr(courier, "mono", lambda: now[0])
    memory = Memory(daemon=daemon)
    talk(memory, "one")
    daemon.slow, daemon.calls = True, []
    talk(memory, "two", "three")
    memory.save("zebra", type="project")
    assert len(daemon.calls) == 1
    daemon.slow = False
    now[0] += courier.REST_SECONDS
    talk(memory, "four")
    assert said(daemon) == [*WHOLE, "user_prompt:four", "turn:"]


def test_what_waits_at_the_end_is_brought_if_the_daemon_is_back() -> None:
    daemon = FakeDaemon()
    with Memory(daemon=daemon) as memory:
        memory.before_invocation("one")
        daemon.slow = True
        memory.after_invocation("1")
        daemon.slow = False
        memory.before_invocation("two")  # it is left alone for a while
        assert len(daemon.data_of("user_prompt")) == 1
    assert [data.text for data in daemon.data_of("user_prompt")] == ["one", "two"]
    assert len(daemon.data_of("turn")) == len(daemon.data_of("session_end")) == 1


def test_too_much_that_waits_loses_its_oldest() -> None:
    memory = Memory(daemon=FakeDaemon(absent=True))
    talk(memory, *map(str, range(courier.MAX_UNSENT // 2 + 1)))
    waiting = memory.save_state().unsent
    assert len(waiting) == courier.MAX_UNSENT
    assert f"so much for {courier.MAX_UNSENT // 2}" in waiting[-1].raw
    for number in range(30):
        memory.before_invocation(f"{number}" + "x" * 400_000)
    waiting = memory.save_state().unsent
    assert courier.MAX_UNSENT_CHARS / 2 < sum(len(one.raw) for one in waiting) <= courier.MAX_UNSENT_CHARS
    assert '"29xx' in waiting[-1].raw


def test_who_wants_to_know_is_told_and_nothing_waits() -> None:
    daemon = FakeDaemon(absent=True)
    memory = Memory(daemon=daemon, without_daemon="raise")
    with pytest.raises(NoDaemon):
        memory.before_invocation("one")
    daemon.absent, daemon.slow = False, True
    with pytest.raises(Busy):
        memory.search("one")
    assert not memory.save_state().unsent


def test_a_daemon_that_is_away_at_the_end_hides_no_other_error() -> None:
    daemon = FakeDaemon()
    memory = Memory(daemon=daemon, without_daemon="raise")
    talk(memory, "one")
    daemon.absent = True

    def fail() -> None:
        with memory:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(NoDaemon):
        memory.end_session()


@pytest.mark.parametrize("shell", ["blocking", "async"])
def test_the_spool_holds_the_same_lines_that_a_hook_leaves(shell: str, home: Path) -> None:
    (home / ".config" / "memoryd").mkdir(parents=True)
    (home / ".config" / "memoryd" / "config.toml").write_text(f'[daemon]\ndata_dir = "{home}/elsewhere"\n')
    memory = remembering(shell, "s1", without_daemon="spool", memory_dir=home / "memory")
    memory.before_invocation("我叫张三")
    assert not memory.after_invocation("好的")
    files = sorted((home / "elsewhere" / "spool").iterdir())
    lines = [parse_request(file.read_bytes()).params for file in files]
    raws = [json.loads(line.raw) for line in lines if isinstance(line, HookDeliver)]
    assert [[event["kind"] for event in raw] for raw in raws] == [["session_start"], ["user_prompt"], ["turn"]]
    assert raws[1][0]["data"] == {"text": "我叫张三"}
    assert {raw[0]["memory_dir"] for raw in raws} == {str(home / "memory")}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert not memory.save_state().unsent


def test_what_the_spool_does_not_take_waits_in_the_process(home: Path) -> None:
    (home / ".local").write_text("no folder")
    memory = Memory(without_daemon="spool")
    talk(memory, "one")
    assert len(memory.save_state().unsent) == 3


class Particular(FakeDaemon):
    """Refuses what says `unspeakable` for good."""

    def call(self, method: str, params: Params, *, timeout: float) -> object:
        if "unspeakable" in str(params):
            raise BadEvent("no such word")
        return FakeDaemon.call(self, method, params, timeout=timeout)


def test_what_is_refused_for_good_is_told_at_once_and_holds_nothing_up_later() -> None:
    daemon = Particular(absent=True)
    memory = Memory(daemon=daemon)
    memory.before_invocation("unspeakable")
    daemon.absent = False
    with pytest.raises(BadEvent):
        memory.before_invocation("unspeakable")
    talk(memory, "one")
    assert said(daemon) == WHOLE[:3]


def test_in_the_process_of_a_memory_agent_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_CHILD", "1")
    daemon = FakeDaemon()
    talk(Memory(daemon=daemon), "one")
    assert not daemon.calls


def test_a_session_in_which_nothing_was_said_does_not_end() -> None:
    daemon = FakeDaemon()
    with Memory(daemon=daemon):
        pass
    assert not daemon.calls
    with Memory(daemon=daemon) as memory:
        talk(memory, "one")
    assert said(daemon)[-1] == "session_end:"


def test_a_fork_while_a_call_is_under_way_leaves_the_child_free() -> None:
    daemon = FakeDaemon()
    memory = Memory(daemon=daemon)
    with memory._lock:  # as a call of another thread does at the moment of the fork
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # one that hangs ends by itself
            talk(memory, "one")
            os._exit(len(daemon.events))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    talk(memory, "one")
    assert len(daemon.events) == 3


def test_a_choice_that_there_is_not_is_told_before_anything_is_lost() -> None:
    with pytest.raises(UsageError, match="noop, spool or raise"):
        Memory(without_daemon="spol")  # type: ignore[arg-type]


def test_both_shells_take_the_same() -> None:
    methods = [name for name in vars(Memory) if not name.startswith("_") and callable(getattr(Memory, name))]
    assert len(methods) == 9
    for name in ("__init__", *methods):
        both = [inspect.signature(getattr(shell, name)) for shell in (Memory, AsyncMemory)]
        assert both[0] == both[1], name


def test_what_it_is_shows_in_one_line() -> None:
    memory = Memory("s1", daemon=FakeDaemon(absent=True))
    talk(memory, "one")
    assert repr(memory) == "<Memory generic/s1 | turns 1 | unsent 3>"


async def test_a_call_that_is_cancelled_is_delivered_all_the_same() -> None:
    asked, go_on, done = threading.Event(), threading.Event(), threading.Event()

    class Gated(FakeDaemon):
        def call(self, method: str, params: Params, *, timeout: float) -> object:
            asked.set()
            go_on.wait(20)
            answer = FakeDaemon.call(self, method, params, timeout=timeout)
            if method == "hook.deliver" and self.data_of("user_prompt"):
                done.set()
            return answer

    daemon = Gated()
    call = asyncio.create_task(AsyncMemory(daemon=daemon).before_invocation("one"))
    assert await asyncio.to_thread(asked.wait, 20)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    go_on.set()
    assert await asyncio.to_thread(done.wait, 20)
    assert said(daemon) == ["session_start:", "user_prompt:one"]
