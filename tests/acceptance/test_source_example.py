"""The example of the document that the product comes from (SOURCES.md, 004), word for word."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

from support.daemons import client, idle, running

from memoryd.ipc.client import AsyncClient

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
        roots = await asyncio.to_thread(daemon.runs.roots_of, memory_dir)
        snapshot = await daemon.recaller.snapshot(roots)
        for word in ("张三", "Rust", "简洁"):
            assert word in snapshot.text
        for name in ("SKILL.md", "identity.md", "user.md", "preferences.md", "constraints.md", "knowledge", "sessions"):
            assert await asyncio.to_thread((memory_dir / name).exists), name
