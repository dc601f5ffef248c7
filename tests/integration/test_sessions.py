"""Sessions as data: kinds, threads, the agent graph."""

from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, running
from support.talk import deliver, turn

from memoryd.daemon.config import Config, Privacy
from memoryd.errors import BadEvent
from memoryd.ipc.client import AsyncClient
from memoryd.memory.model import EntryType, MemoryView
from memoryd.memory.proposals import Proposal, Save
from memoryd.worker.projection import Projection


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


async def test_what_a_sub_agent_reports_belongs_to_its_parent(home: Path, project: str) -> None:
    def fact(projection: Projection, memory: MemoryView) -> list[Proposal]:
        cites = tuple(u.seq for session in projection.sessions for u in session.utterances if "zorkmid" in u.text)
        text = "The zorkmid index has 3 callers."
        return [Save(slug="zorkmid", name="Zorkmid index", type=EntryType.PROJECT, content=text, cites=cites)]

    async with running(home, agent=ScriptedAgent(fact)) as daemon, client(daemon) as one:
        started: dict[str, Any] = {"session": "p", "cwd": project, "child_session_id": "c", "agent_type": "Explore"}
        await emit(one, "subagent_start", id="1", **started)
        await emit(one, "user_prompt", id="2", session="c", cwd=project, text="The zorkmid index is in the parser.")
        await emit(one, "subagent_stop", id="3", **started, last_message="The zorkmid index has 3 callers.")
        found = await one.call("session.descendants", {"host": "generic", "session_id": "p"}, timeout=5)
        assert [(child.session_id, child.report, child.report_seq, child.open) for child in found.items] == [
            ("c", "The zorkmid index has 3 callers.", 3, False)
        ]
        asked = {"query": "zorkmid callers", "cwd": project}
        (hit, *_) = (await one.call("session.search", asked, timeout=5)).items
        assert (hit.session, hit.seq, hit.role, hit.agent) == ("generic/p", 3, "assistant", "Explore")
        whole = await one.call("memory.read", {"cwd": project, "name": "event:3"}, timeout=5)
        assert whole.items[0].text == "The zorkmid index has 3 callers."
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        why = await one.call("memory.why", {"cwd": project, "name": "zorkmid"}, timeout=5)
        assert {(item.session, item.seq, item.quote) for item in why.items} == {
            ("generic/p", 3, "The zorkmid index has 3 callers.")
        }


async def test_a_stop_hook_of_the_parent_leaves_and_its_end_closes_what_runs_below(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for number, child in enumerate(("c", "d")):
            await emit(one, "subagent_start", id=f"s{number}", session="p", cwd=project, child_session_id=child)
        await emit(one, "turn", id="t", session="p", cwd=project)
        asked = {"host": "generic", "session_id": "p", "open": True}
        assert len((await one.call("session.descendants", asked, timeout=5)).items) == 2
        await emit(one, "session_start", id="r", session="q", cwd=project, source="resume", parent_session_id="p")
        resumed = await one.call("session.descendants", {**asked, "session_id": "q"}, timeout=5)
        assert [child.session_id for child in resumed.items] == ["c", "d"]
        await emit(one, "session_end", id="e", session="p", cwd=project)
        assert (await one.call("session.descendants", asked, timeout=5)).items == ()
