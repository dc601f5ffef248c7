"""The example of the document that the product comes from (SOURCES.md, 004), word for word."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, idle, running

from memoryd.errors import NotFound
from memoryd.ipc.client import AsyncClient
from memoryd.sdk import AsyncMemory
from memoryd.sdk.courier import SocketDaemon

TALK = ["我叫张三，是一名 Rust 开发者。", "我喜欢简洁的代码风格。", "请记住我的偏好。"]


async def publish(one: AsyncClient, kind: str, *, memory_dir: Path, minute: int, **data: Any) -> Any:
    event = {
        "id": uuid.uuid4().hex, "kind": kind, "host": "generic", "session_id": "s1", "memory_dir": str(memory_dir),
        "at": f"2026-11-30T08:{minute:02}:00Z", "data": data,
    }  # fmt: skip
    return await one.call("event.publish", {"event": event}, timeout=5)


async def test_after_turn_three_a_run_starts_by_itself_and_a_new_session_knows_the_person(home: Path) -> None:
    memory_dir = home / "agent_memory"
    async with running(home) as daemon, client(daemon) as one:
        answers = []
        for minute, text in enumerate(TALK):
            await publish(one, "user_prompt", memory_dir=memory_dir, minute=minute, text=text)
            answers.append(
                await publish(one, "turn", memory_dir=memory_dir, minute=minute, last_assistant_message="好的")
            )
        assert [(a.turn_count, a.due, a.job) for a in answers] == [
            (1, None, None), (2, None, None), (3, "interval", "queued"),
        ]  # fmt: skip
        await idle(daemon)
        stats = await one.call("worker.stats", {"memory_dir": str(memory_dir)}, timeout=5)
        assert (stats.total_completed, stats.total_failed, stats.queued, stats.coalesced_dropped) == (1, 0, 0, 0)
        asked = {"memory_dir": str(memory_dir)}
        for where in (asked, {"host": "generic", "session_id": "s1"}):
            snapshot = await one.call("recall.snapshot", where, timeout=5)
            for word in ("张三", "Rust", "简洁"):
                assert word in snapshot.text
        listed = await one.call("memory.list", asked, timeout=5)
        assert {item.path for item in listed.items} >= {"user.md", "preferences.md"}
        assert (await one.call("memory.why", {**asked, "name": "user.md"}, timeout=5)).items[0].quote in TALK[0]
        assert (await one.call("memory.search", {**asked, "query": "简洁"}, timeout=5)).items
        with pytest.raises(NotFound):
            await one.call("memory.list", {"memory_dir": "/nobody/named/this"}, timeout=5)
        for name in ("SKILL.md", "identity.md", "user.md", "preferences.md", "constraints.md", "knowledge", "sessions"):
            assert await asyncio.to_thread((memory_dir / name).exists), name


async def test_the_same_through_the_sdk(home: Path) -> None:
    memory_dir = home / "agent_memory"
    async with running(home) as daemon, client(daemon) as one:
        socket = SocketDaemon(daemon.places.socket)
        memory = AsyncMemory(memory_dir=memory_dir, daemon=socket, deadline_seconds=20)
        for number, text in enumerate(TALK):
            assert (await one.call("worker.stats", timeout=5)).total_completed == 0, number
            context = await memory.before_invocation(text)
            assert "张三" not in context.text
            assert await memory.after_invocation("好的")
        await idle(daemon)
        stats = await one.call("worker.stats", {"memory_dir": str(memory_dir)}, timeout=5)
        assert (stats.total_completed, stats.total_failed, stats.queued) == (1, 0, 0)
        anew = AsyncMemory(memory_dir=memory_dir, daemon=socket, deadline_seconds=20)
        context = await anew.before_invocation("我叫什么名字？我的编程偏好是什么？")
        for word in ("张三", "Rust", "简洁"):
            assert word in context.snapshot
