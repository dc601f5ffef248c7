"""What a session is given again: by whether its host still holds what it was given before."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, idle, running
from support.talk import deliver, turn

from memoryd.clock import rfc3339, utc_now
from memoryd.ipc import hosts
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.methods.events import HookDeliver

ADVERT = "## Persistent memory"
FORGETFUL = (
    ("gemini", "SessionStart", "session_id"), ("qwen", "SessionStart", "session_id"),
    ("copilot", "sessionStart", "sessionId"),
)  # fmt: skip


async def fires(one: AsyncClient, host: str, event: str, **payload: Any) -> str:
    """One firing of any host's hook; returns what it prints."""
    raw = json.dumps({"hook_event_name": event, **payload})
    params = {"id": uuid.uuid4().hex, "at": rfc3339(utc_now()), "host": host, "event": event, "raw": raw}
    return str((await one.call("hook.deliver", params, timeout=5)).stdout)


@pytest.mark.parametrize(("host", "event", "key"), FORGETFUL)
async def test_a_host_that_does_not_replay_what_it_was_given_gets_the_whole_snapshot_at_a_resume(
    home: Path, project: str, host: str, event: str, key: str
) -> None:
    assert not hosts.get(host).replays_context
    async with running(home) as daemon, client(daemon) as one:
        for source in ("startup", "resume", "resume"):
            assert ADVERT in await fires(one, host, event, **{key: "s1"}, cwd=project, source=source)


async def test_what_a_hook_did_not_wait_for_comes_with_the_next_prompt(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        raw = json.dumps({"session_id": "s1", "cwd": project, "source": "startup"})
        start = HookDeliver(id=uuid.uuid4().hex, at=utc_now(), host="claude-code", event="SessionStart", raw=raw)
        assert ADVERT in (await daemon.ingest.deliver(start)).stdout
        first = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p1", prompt="hello")
        assert ADVERT not in first.stdout, "it was given"
        await daemon.ingest.deliver(start, replay=True)  # the hook had spooled it: the answer came too late
        second = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p2", prompt="go on")
        assert ADVERT in second.stdout
        third = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p3", prompt="go on")
        assert ADVERT not in third.stdout


async def test_a_compaction_that_comes_to_nothing_brings_no_second_snapshot(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", cwd=project, source="startup")
        await turn(one, "Port the parser", cwd=project)
        await deliver(one, "PreCompact", cwd=project, trigger="manual")
        await daemon.follower.caught_up()
        after = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p", prompt="go on")
        assert after.stdout == ""


async def test_a_compaction_that_the_transcript_tells_later_brings_no_second_snapshot(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        about = {"session_id": "s1", "cwd": project}
        assert ADVERT in await fires(one, "gemini", "SessionStart", **about, source="startup")
        await fires(one, "gemini", "BeforeAgent", **about, prompt="Port the parser")
        await fires(one, "gemini", "AfterAgent", **about, prompt_response="done")
        compacted_at = rfc3339(utc_now())
        await fires(one, "gemini", "PreCompress", **about, trigger="manual")
        await daemon.follower.caught_up()
        assert ADVERT in await fires(one, "gemini", "BeforeAgent", **about, prompt="go on")
        told = {
            "id": "c", "kind": "pre_compact", "host": "gemini", "session_id": "s1", "cwd": project, "at": compacted_at,
            "data": {"trigger": "auto", "summary": "<state_snapshot>the parser</state_snapshot>"},
        }  # fmt: skip
        await one.call("event.publish", {"event": told}, timeout=5)
        await daemon.follower.caught_up()
        assert await fires(one, "gemini", "BeforeAgent", **about, prompt="and on") == ""
        told |= {"id": "d", "at": rfc3339(utc_now())}
        await one.call("event.publish", {"event": told}, timeout=5)
        await daemon.follower.caught_up()
        assert ADVERT in await fires(one, "gemini", "BeforeAgent", **about, prompt="and on again")


async def test_what_gemini_would_lose_after_a_clear_goes_with_the_next_prompt(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        about = {"session_id": "s1", "cwd": project}
        assert await fires(one, "gemini", "SessionStart", **about, source="clear") == ""
        assert ADVERT in await fires(one, "gemini", "BeforeAgent", **about, prompt="Port the parser")
        assert await fires(one, "gemini", "BeforeAgent", **about, prompt="and on") == ""


async def test_a_resumed_session_is_not_told_of_itself(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", cwd=project, source="startup")
        await turn(one, "Port the parser of the lantern", cwd=project)
        await deliver(one, "SessionEnd", cwd=project, reason="other")
        await idle(daemon)
        other = await deliver(one, "SessionStart", session="s2", cwd=project, source="startup")
        assert "Port the parser of the lantern" in other.stdout
        again = await deliver(one, "SessionStart", cwd=project, source="resume")
        assert "Port the parser" not in again.stdout
