"""A person's edits, and an agent's own, are seen; nothing depends on the watcher."""

import asyncio
import json
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.talk import deliver, turn


async def test_an_edit_in_a_directory_in_use_is_seen_at_once(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "hello", cwd=str(home))
        await daemon.follower.caught_up()
        file = daemon.places.user_memory / "preferences.md"
        await asyncio.to_thread(file.write_text, "- mine by hand\n")
        rows = await until(
            lambda: asyncio.to_thread(
                lambda: [v for v in daemon.history.file_versions(file.parent, file.name) if v["author"] == "outside"]
            )
        )
        assert len(rows) == 1


async def test_an_edit_while_the_daemon_was_down_is_used_at_the_next_session_start(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        file = daemon.places.user_memory / "preferences.md"
    await asyncio.to_thread(file.write_text, "- mine by hand\n")
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        answer = await deliver(one, "SessionStart", cwd=project, source="startup")
        assert "mine by hand" in answer.stdout


async def test_a_deleted_core_file_stays_deleted_and_is_a_version(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        file = daemon.places.user_memory / "identity.md"
        await asyncio.to_thread(file.unlink)
        await daemon.shelf.refresh([file.parent])
        versions = await asyncio.to_thread(daemon.history.file_versions, file.parent, file.name)
        assert versions[-1]["digest"] is None
        for text in ("I prefer tabs", "I prefer dark mode", "bye"):
            await turn(one, text, cwd=project)
        await idle(daemon)
        assert not await asyncio.to_thread(file.exists)


async def test_a_file_that_the_agent_wrote_is_the_hosts_and_starts_the_count_again(home: Path, project: str) -> None:
    path = home / "t.jsonl"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        file = daemon.places.user_memory / "preferences.md"
        call = {"type": "tool_use", "id": "x", "name": "Write", "input": {"file_path": str(file), "content": "- hi"}}
        result = {"type": "tool_result", "tool_use_id": "x", "content": "ok", "is_error": False}
        base = {"timestamp": "2026-11-30T08:00:00.000Z", "isSidechain": False}
        rows = [
            {**base, "type": "assistant", "uuid": str(uuid.uuid4()), "message": {"id": "m", "content": [call]}},
            {**base, "type": "user", "uuid": str(uuid.uuid4()), "message": {"content": [result]}},
        ]
        await asyncio.to_thread(path.write_text, "".join(json.dumps(row) + "\n" for row in rows))
        await asyncio.to_thread(file.write_text, "- hi\n")
        for _ in range(2):
            await deliver(
                one, "Stop", cwd=project, prompt_id=uuid.uuid4().hex, transcript_path=str(path), stop_hook_active=False
            )
        await daemon.follower.caught_up()
        await daemon.shelf.refresh([file.parent])
        versions = await asyncio.to_thread(daemon.history.file_versions, file.parent, file.name)
        assert versions[-1]["author"] == "host"
        (session,) = await asyncio.to_thread(daemon.recorded.page)
        assert session["turn_count"] == 2
        third = await deliver(one, "Stop", cwd=project, prompt_id="c", stop_hook_active=False)
        assert third.exit_code == 0
        assert (await asyncio.to_thread(daemon.history.stats))["queued"] == 0


async def test_an_idle_minute_is_one_hand_over_to_a_thread(
    home: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.memory.sight._RACY_NS", 0)  # files are as old as they would be a minute later
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "hello", cwd=str(home))
        await daemon.follower.caught_up()
        for _ in range(2):  # the first sweep of a day does its upkeep
            await daemon.sweep.once()
        mine, called, hand_over = asyncio.current_task(), list[object](), asyncio.to_thread

        def counted(call: Callable[..., object], *rest: object) -> Coroutine[object, object, object]:
            called.extend([call] if asyncio.current_task() is mine else [])
            return hand_over(call, *rest)

        monkeypatch.setattr(asyncio, "to_thread", counted)
        await daemon.sweep.once()
        assert len(called) == 1
        file = daemon.places.user_memory / "preferences.md"
        await hand_over(file.write_text, "- mine by hand\n")
        await daemon.sweep.once()
        assert len(called) > 2
        assert "mine by hand" in str(daemon.shelf.place(file.parent).catalogue)


async def test_a_directory_is_watched_while_events_come_and_again_with_the_next(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = "memoryd.daemon.observing.QUIET_SECONDS"
    for name, value in {"PAUSE_MS": 20, "STEP_MS": 10}.items():
        monkeypatch.setattr(f"memoryd.daemon.observing.{name}", value)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for _ in range(2):
            monkeypatch.setattr(quiet, 60.0)
            await turn(one, "hello", cwd=str(home))
            await daemon.follower.caught_up()
            assert daemon.observer.watching
            monkeypatch.setattr(quiet, 0.0)  # it has passed
            await until(lambda: asyncio.sleep(0, not daemon.observer.watching))


async def test_what_a_person_wrote_while_nobody_watched_is_told_at_the_next_prompt(
    home: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.daemon.observing.QUIET_SECONDS", 0.0)
    monkeypatch.setattr("memoryd.memory.shelf.LOOK_SECONDS", 0.0)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", cwd=project, source="startup")
        file = daemon.places.user_memory / "knowledge" / "kiln.md"
        await asyncio.to_thread(file.write_text, "The kiln is fired at 1222 degrees.\n")
        answer = await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p", prompt="How hot is the kiln?")
        assert "1222 degrees" in answer.stdout


@pytest.mark.parametrize("told_by", ["transcript", "hook"])
async def test_a_save_by_our_own_tool_starts_the_count_again(home: Path, project: str, told_by: str) -> None:
    path = home / "t.jsonl"
    call = {"type": "tool_use", "id": "x", "name": "mcp__memoryd__memory_save", "input": {"name": "n", "content": "c"}}
    result = {"type": "tool_result", "tool_use_id": "x", "content": "saved", "is_error": False}
    base = {"timestamp": "2026-11-30T08:00:00.000Z", "isSidechain": False}
    rows = [
        {**base, "type": "assistant", "uuid": str(uuid.uuid4()), "message": {"id": "m", "content": [call]}},
        {**base, "type": "user", "uuid": str(uuid.uuid4()), "message": {"content": [result]}},
    ]
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for _ in range(2):
            await turn(one, "Hello", cwd=project)
        if told_by == "transcript":
            await asyncio.to_thread(path.write_text, "".join(json.dumps(row) + "\n" for row in rows))
            await deliver(one, "PreCompact", cwd=project, transcript_path=str(path), trigger="manual")
        else:
            use = {"name": "memoryd_memory_save", "ok": True}
            envelope = {"host": "claude-code", "session_id": "s1", "cwd": project, "at": "2026-11-30T08:00:00Z"}
            event = {"id": "e1", "kind": "tool_use", **envelope, "data": use}
            await one.call("event.publish", {"event": event})
        await daemon.follower.caught_up()
        third = await turn(one, "Hello", cwd=project)
        assert third.exit_code == 0
        assert (await asyncio.to_thread(daemon.history.stats))["queued"] == 0
