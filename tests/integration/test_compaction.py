"""What a session is handed after a compaction: once, and nothing else twice."""

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

from support.daemons import client, running
from support.talk import deliver, turn

from memoryd.ipc.client import AsyncClient

TITLE = "## Where the work stood"


def said(answer: Any) -> str:
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"]) if answer.stdout else ""


async def publish(one: AsyncClient, kind: str, *, session: str = "s1", cwd: str, **data: Any) -> None:
    event = {
        "id": uuid.uuid4().hex, "kind": kind, "host": "claude-code", "session_id": session, "cwd": cwd,
        "at": "2026-11-30T08:00:00Z", "data": data,
    }  # fmt: skip
    await one.call("event.publish", {"event": event}, timeout=5)


async def test_the_start_after_a_compaction_is_told_where_the_work_stood_and_nothing_tells_it_again(
    home: Path, project: str
) -> None:
    async with running(home) as daemon, client(daemon) as one:
        gone, there = Path(project, "gone.py"), Path(project, "there.py")
        await deliver(one, "SessionStart", cwd=project, source="startup")
        await turn(one, "Port the parser. Never touch the API. Let's go with nom instead.", cwd=project)
        for file in (str(gone), "there.py", "/nowhere/else.py"):
            await publish(one, "tool_use", cwd=project, name="Write", files=[{"path": file, "action": "write"}])
        await asyncio.to_thread(there.write_text, "a person was here since")
        await deliver(one, "SubagentStart", cwd=project, agent_id="a1", agent_type="Explore")
        await deliver(one, "SubagentStart", cwd=project, agent_id="a2", agent_type="review")
        await publish(one, "user_prompt", session="a2", cwd=project, text="Never look outside.")
        seen = [{"path": "seen.py", "action": "read"}]
        await publish(one, "tool_use", session="a2", cwd=project, name="Read", files=seen)
        await deliver(
            one, "SubagentStop", cwd=project, agent_id="a2", agent_type="review", last_assistant_message="Fine."
        )
        await deliver(one, "PreCompact", cwd=project, trigger="auto")
        text = said(await deliver(one, "SessionStart", cwd=project, source="compact"))
        assert text.count(TITLE) == 1
        assert "must hold in this session:\n- Never touch the API.\n" in text
        assert "Decided:\n- Let's go with nom instead.\n" in text
        assert "Files changed: gone.py (gone), there.py (changed since), /nowhere/else.py (gone)" in text
        assert "Sub-agents that still run: Explore\n" in text
        assert "Files read: seen.py (gone)" in text
        assert "Never look outside" not in text
        assert "Reports of sub-agents:\n- “review: Fine.”\n" in text
        await deliver(one, "PostCompact", cwd=project, trigger="auto", compact_summary="x")
        await daemon.follower.caught_up()
        assert said(await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p2", prompt="go on")) == ""
        for source in ("resume", "fork"):
            assert TITLE not in said(await deliver(one, "SessionStart", cwd=project, source=source))
        assert said(await deliver(one, "UserPromptSubmit", cwd=project, prompt_id="p3", prompt="and on")) == ""


async def test_the_progress_of_a_session_is_current_before_anybody_asks(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for n in range(4):
            await turn(one, f"Step {n}", cwd=project)
        await daemon.tracker.once()
        rows = await asyncio.to_thread(daemon.journal.rows, "select progress_seq from sessions")
        assert rows == [{"progress_seq": await asyncio.to_thread(daemon.history.newest_seq)}]


async def test_a_host_that_tells_of_the_end_alone_is_told_at_the_next_prompt(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", cwd=project, source="startup")
        await turn(one, "移植解析器。不要改公共接口。", cwd=project)
        for number in range(2):
            await deliver(one, "PostCompact", cwd=project, trigger="auto", compact_summary="x")
            await daemon.follower.caught_up()
            asked = {"cwd": project, "prompt_id": f"p{number}", "prompt": "go on"}
            text = said(await deliver(one, "UserPromptSubmit", **asked))
            assert (text.count(TITLE), "- 不要改公共接口。\n" in text) == (1, True)
            assert said(await deliver(one, "UserPromptSubmit", **{**asked, "prompt_id": f"q{number}"})) == ""


async def test_a_session_that_is_resumed_or_asks_after_a_compaction_is_told_once(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for session in ("s1", "s2"):
            await deliver(one, "SessionStart", session=session, cwd=project, source="startup")
            await turn(one, f"Port the {session} parser", session=session, cwd=project)
            await deliver(one, "PreCompact", session=session, cwd=project, trigger="auto")
            await deliver(one, "PostCompact", session=session, cwd=project, trigger="auto", compact_summary="x")
        await daemon.follower.caught_up()
        first = said(await deliver(one, "SessionStart", session="s1", cwd=project, source="resume"))
        assert "First request: Port the s1 parser" in first
        assert TITLE not in said(await deliver(one, "SessionStart", session="s1", cwd=project, source="resume"))
        asked = {"cwd": project, "host": "claude-code", "session_id": "s2"}
        for _ in range(2):  # the snapshot of that session, the same however often it is read
            assert "Port the s2 parser" in (await one.call("recall.snapshot", asked, timeout=5)).text
        assert said(await deliver(one, "UserPromptSubmit", session="s2", cwd=project, prompt_id="p", prompt="go")) == ""
