"""Sessions as data: kinds, threads, the agent graph."""

from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, running
from support.talk import deliver, turn

from memoryd.daemon.config import Config, Privacy
from memoryd.errors import BadEvent
from memoryd.ipc.client import AsyncClient


async def emit(one: AsyncClient, kind: str, *, id: str, session: str, cwd: str, minute: int = 0, **data: Any) -> Any:
    event = {
        "id": id, "kind": kind, "host": "generic", "session_id": session, "cwd": cwd,
        "at": f"2026-11-30T08:{minute:02}:00Z", "data": data,
    }  # fmt: skip
    return await one.call("event.publish", {"event": event}, timeout=5)


async def test_hooks_of_a_host_draw_the_graph_and_the_kinds(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "look into it", cwd=project)
        await deliver(one, "SubagentStart", cwd=project, agent_id="a1", agent_type="Explore")
        await deliver(one, "SubagentStart", cwd=project, agent_id="a2", agent_type="Plan")
        await deliver(one, "SubagentStop", cwd=project, agent_id="a2", agent_type="Plan")
        key = {"host": "claude-code", "session_id": "s1"}
        first = await one.call("session.descendants", {**key, "limit": 1}, timeout=5)
        rest = await one.call("session.descendants", {**key, "cursor": first.next_cursor}, timeout=5)
        agents = [*first.items, *rest.items]
        assert [(a.session_id, a.agent_type, a.depth, a.open) for a in agents] == [
            ("a1", "Explore", 1, True), ("a2", "Plan", 1, False),
        ]  # fmt: skip
        still_open = await one.call("session.descendants", {**key, "open": True}, timeout=5)
        assert [a.session_id for a in still_open.items] == ["a1"]
        detail = await one.call("session.get", key, timeout=5)
        assert (detail.kind, [c.session_id for c in detail.children]) == ("interactive", ["a1", "a2"])
        with pytest.raises(BadEvent):
            await one.call("session.list", {"thread": "no slash"}, timeout=5)


async def test_a_sub_agent_belongs_where_its_parent_does(home: Path, project: str, tmp_path: Path) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await emit(one, "subagent_start", id="1", session="p", cwd=project, child_session_id="c", agent_type="x")
        await emit(one, "user_prompt", id="2", session="c", cwd=str(tmp_path / "elsewhere"), text="hello")
        await emit(one, "user_prompt", id="3", session="other", cwd=str(tmp_path / "elsewhere"), text="hello")
        listed = await one.call("session.list", {}, timeout=5)
        where = {item.session_id: (item.kind, item.memory_dir) for item in listed.items}
        assert where["c"] == ("sub-agent", where["p"][1])
        assert where["other"][1] != where["p"][1]
        only = await one.call("session.list", {"kind": "sub-agent"}, timeout=5)
        assert [item.session_id for item in only.items] == ["c"]
        # a pause of the parent's directory holds for the child
        await one.call("daemon.pause", {"cwd": project}, timeout=5)
        paused = await emit(one, "user_prompt", id="4", session="c", cwd=str(tmp_path / "elsewhere"), text="secret")
        assert paused.seq == 0


async def test_what_a_session_off_the_record_starts_is_off_the_record(home: Path, project: str, tmp_path: Path) -> None:
    config = Config(privacy=Privacy(exclude=(project,)))
    async with running(home, agent=ScriptedAgent(each_prompt), config=config) as daemon, client(daemon) as one:
        await emit(one, "subagent_start", id="1", session="p", cwd=project, child_session_id="c", agent_type="x")
        await emit(one, "subagent_start", id="2", session="c", cwd=str(tmp_path), child_session_id="d", agent_type="x")
        for number, session in enumerate(("c", "d")):
            told = await emit(one, "user_prompt", id=f"w{number}", session=session, cwd=str(tmp_path), text="hush")
            assert told.seq == 0
        assert not (await one.call("session.list", {}, timeout=5)).items
