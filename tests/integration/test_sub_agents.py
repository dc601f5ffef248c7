"""Sub-agents: their transcripts are read as sessions of their own, and nothing in them is a word of the person."""

import asyncio
import json
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.conformance import RECORDINGS
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.events import event
from support.hosts import jsonl
from support.talk import deliver, turn

from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal import selection
from memoryd.daemon.journal.journal import Arrival
from memoryd.daemon.journal.touched import touched

KEY = {"host": "claude-code", "session_id": "s1"}


def record(kind: str, content: object, uuid: str, **fields: Any) -> dict[str, Any]:
    """A line of a sub-agent's own transcript: it bears the session of the parent."""
    return {
        "isSidechain": True, "agentId": "a1", "sessionId": "s1", "type": kind, "uuid": uuid, "cwd": "/work",
        "timestamp": "2026-11-30T07:59:00.000Z", "message": {"role": kind, "content": content}, **fields,
    }  # fmt: skip


def uses(tool: str, path: str, uuid: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": uuid, "name": tool, "input": {"file_path": path}}
    result = {"type": "tool_result", "tool_use_id": uuid, "content": "ok"}
    return [record("assistant", [call], uuid), record("user", [result], f"{uuid}r", toolUseResult={})]


TRANSCRIPT = jsonl(
    record("user", "I prefer tabs, look into it", "u1"),
    *uses("Read", "/w/deep/seen.py", "c1"),
    *uses("Write", "/w/deep/made.py", "c2"),
    record("assistant", [{"type": "text", "text": "made it"}], "x1"),
)


async def stop(one: Any, project: str, path: Path) -> None:
    await deliver(
        one, "SubagentStop", cwd=project, agent_id="a1", agent_type="Explore", last_assistant_message="made it",
        agent_transcript_path=str(path),
    )  # fmt: skip


async def texts(daemon: Daemon, session: str) -> list[tuple[str, str, str]]:
    """Kind, role and text of what is kept of a session."""
    rows = await daemon.journal.aread(
        lambda c: c.execute(
            "select kind, data from events join sessions on sessions.id = session where session_id = ? order by seq",
            (session,),
        ).fetchall()
    )
    found = [(kind, json.loads(data)) for kind, data in rows]
    return [(kind, data.get("role", ""), data.get("text", data.get("name", ""))) for kind, data in found]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "agent-a1.jsonl"
    path.write_bytes(TRANSCRIPT)
    return path


async def test_its_transcript_becomes_its_session_and_its_files_the_parents(
    home: Path, project: str, transcript: Path
) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "look into it", cwd=project)
        await stop(one, project, transcript)
        await daemon.follower.caught_up()
        assert await texts(daemon, "a1") == [
            ("message", "assistant", "I prefer tabs, look into it"),
            ("tool_use", "", "Read"),
            ("message", "tool", "ok"),
            ("tool_use", "", "Write"),
            ("message", "tool", "ok"),
            ("message", "assistant", "made it"),
        ]
        child = await one.call("session.get", {**KEY, "session_id": "a1"}, timeout=5)
        assert (child.kind, child.turn_count, child.parent.session_id, child.transcript) == ("sub-agent", 0, "s1", "ok")
        parent = await one.call("session.get", KEY, timeout=5)
        assert [(file.path, file.action, file.by_session) for file in parent.files] == [
            ("/w/deep/seen.py", "read", "a1"), ("/w/deep/made.py", "write", "a1"),
        ]  # fmt: skip
        assert (parent.turn_count, parent.tool_calls) == (1, 0)
        where = Path(parent.memory_dir)
        seen = await asyncio.to_thread(touched, daemon.journal, where, "claude-code", "s1")
        assert seen == ("/w/deep/made.py", "/w/deep/seen.py")
        # told again, as out of the spool: nothing is there twice
        await stop(one, project, transcript)
        await daemon.follower.caught_up()
        assert len(await texts(daemon, "a1")) == 6
        # a host may count the ids of its sub-agents anew: then the newer transcript is read
        other = transcript.with_name("other.jsonl")
        await asyncio.to_thread(other.write_bytes, jsonl(record("user", "again", "u9")))
        await stop(one, project, other)
        await daemon.follower.caught_up()
        assert (await texts(daemon, "a1"))[6:] == [("message", "assistant", "again")]


async def test_what_it_is_asked_is_never_learnt_as_the_persons(home: Path, project: str, transcript: Path) -> None:
    agent = ScriptedAgent(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        await turn(one, "I prefer dark mode", cwd=project)
        await stop(one, project, transcript)
        await daemon.follower.caught_up()
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        assert {s.session_id for projection in agent.seen for s in projection.sessions} == {"s1"}
        kept = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert ("dark mode" in kept, "tabs" in kept) == (True, False)
        said = await one.call("history.list", {}, timeout=5)
        assert [item.text for item in said.items] == ["I prefer dark mode"]


async def test_turns_of_a_session_that_another_started_are_not_due(home: Path, project: str) -> None:
    agent = ScriptedAgent(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        await deliver(one, "SubagentStart", cwd=project, agent_id="a1", agent_type="Explore")
        for n in range(3):
            answer = await turn(one, f"I prefer tabs {n}", cwd=project, session="a1")
            assert answer.exit_code == 0
        await deliver(one, "SessionEnd", cwd=project, session="a1")
        await idle(daemon)
        assert agent.seen == []
        assert (await one.call("session.get", {**KEY, "session_id": "a1"}, timeout=5)).turn_count == 3


async def test_a_transcript_that_a_crash_left_unread_is_read_at_the_next_start(
    home: Path, project: str, transcript: Path
) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "look into it", cwd=project)
        binding = await asyncio.to_thread(daemon.journal.binding_of, "claude-code", "s1")
        assert binding
        stopped = event("subagent_stop", child_session_id="a1", agent_type="Explore")
        await daemon.journal.append(
            [Arrival(event=stopped, binding=binding, child_transcript_path=str(transcript))]
        )  # acknowledged, and nothing follows
        assert await texts(daemon, "a1") == []
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await daemon.reader.catch_up_all()
        assert len(await texts(daemon, "a1")) == 6
        assert await asyncio.to_thread(daemon.reader.positions.of_agents) == []


async def test_without_its_transcript_a_sub_agent_is_an_edge_and_no_session(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "look into it", cwd=project)
        await stop(one, project, home / "gone.jsonl")
        await daemon.follower.caught_up()
        listed = await one.call("session.list", {}, timeout=5)
        assert [item.session_id for item in listed.items] == ["s1"]
        assert await asyncio.to_thread(daemon.reader.positions.of_agents) == []


async def test_an_id_of_another_projects_session_brings_it_no_text_of_this_one(home: Path) -> None:
    for name in ("one", "two"):
        await asyncio.to_thread((home / name / ".git").mkdir, parents=True)
    path = home / "agent.jsonl"
    await asyncio.to_thread(path.write_bytes, TRANSCRIPT)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "of the other project", cwd=str(home / "two"), session="a1")
        await turn(one, "look into it", cwd=str(home / "one"))
        await deliver(
            one, "SubagentStop", cwd=str(home / "one"), agent_id="a1", agent_type="Explore",
            last_assistant_message="done", agent_transcript_path=str(path),
        )  # fmt: skip
        await daemon.reader.catch_up("claude-code", "a1")
        await daemon.reader.catch_up_all()
        taken = await asyncio.to_thread(
            daemon.journal.rows,
            "select events.id from events join sessions on sessions.id = session where session_id = 'a1'"
            " and events.id in ('u1', 'c1', 'x1')",
        )
    assert taken == []


@pytest.mark.parametrize("first", [True, False], ids=["it was there before", "it comes when the sub-agent has ended"])
async def test_a_session_of_another_project_with_a_sub_agents_id_stays_the_persons(home: Path, first: bool) -> None:
    for name in ("one", "two"):
        await asyncio.to_thread((home / name / ".git").mkdir, parents=True)
    agent = ScriptedAgent(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:

        async def of_the_other_project() -> None:
            await turn(one, "I prefer tabs", cwd=str(home / "two"), session="a1", at="2026-11-30T09:00:00Z")
            used = event(
                "tool_use", session="a1", name="Write", summary="", files=[{"path": "/its.py", "action": "write"}]
            )
            await one.call("event.publish", {"event": used.model_dump(mode="json")}, timeout=5)

        if first:
            await of_the_other_project()
        await turn(one, "look into it", cwd=str(home / "one"))
        for event_name in ("SubagentStart", "SubagentStop"):
            await deliver(one, event_name, cwd=str(home / "one"), agent_id="a1", agent_type="Explore")
        if not first:
            await of_the_other_project()
        other = await one.call("session.get", {**KEY, "session_id": "a1"}, timeout=5)
        assert (other.kind, other.parent, other.turn_count) == ("interactive", None, 1)
        parent = await one.call("session.get", KEY, timeout=5)
        assert parent.memory_dir != other.memory_dir
        assert parent.files == ()
        below = await one.call("session.descendants", KEY, timeout=5)
        assert [(child.agent_type, child.recorded) for child in below.items] == [("Explore", False)]
        await one.call("consolidation.run", {"cwd": str(home / "two"), "wait": True}, timeout=10)
        assert "I prefer tabs" in str(agent.seen)
        planned = await asyncio.to_thread(daemon.journal.read, lambda c: selection.named(c, "s1"))
        assert planned == (("claude-code", "s1"),)  # to purge the one takes nothing of the other


async def fire(one: Any, host: str, event_name: str, cwd: Path, **stdin: Any) -> None:
    raw = json.dumps({"cwd": str(cwd), **stdin})
    params = {"id": uuid.uuid4().hex, "at": "2026-11-30T08:00:00Z", "host": host, "event": event_name, "raw": raw}
    await one.call("hook.deliver", params, timeout=5)


async def of(one: Any, host: str, session: str) -> tuple[Any, ...]:
    found = await one.call("session.get", {"host": host, "session_id": session}, timeout=5)
    files = [(file.path, file.by_session) for file in found.files]
    return found.kind, found.turn_count, files, [child.session_id for child in found.children]


async def test_what_a_sub_agent_does_in_its_parents_log_is_its_own_and_its_files_the_parents(home: Path) -> None:
    log = home / "events.jsonl"
    await asyncio.to_thread(shutil.copy, RECORDINGS / "copilot" / "talk.jsonl", log)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for session, project in (("s", "one"), ("t", "two")):
            (home / project).mkdir()
            await fire(
                one, "copilot", "agentStop", home / project, sessionId=session, transcriptPath=str(log)
            )  # the other one's log names the same sub-agent, which is the first one's
            await daemon.follower.caught_up()
        assert await of(one, "copilot", "s") == (
            "interactive", 1, [("/w/seen.py", "ag1"), ("/w/a.py", "s")], ["ag1"],
        )  # fmt: skip
        assert await of(one, "copilot", "ag1") == ("sub-agent", 0, [("/w/seen.py", "ag1")], [])
        assert [text for _, role, text in await texts(daemon, "ag1") if role == "assistant"] == [
            "inner talk", "inner prompt",
        ]  # fmt: skip
        [bound] = await asyncio.to_thread(daemon.journal.rows, "select cwd from sessions where session_id = 'ag1'")
        assert bound["cwd"] == str(home / "one")


async def test_a_sub_agent_that_only_the_parents_transcript_tells_of_is_read_from_beside_it(home: Path) -> None:
    parent, child = "0199aa00-aaaa-4000-8000-00000000c0de", "0199aa00-bbbb-4000-8000-00000000c0de"
    talk, its = home / "chats" / "talk.jsonl", home / "chats" / parent / f"{child}.jsonl"
    await asyncio.to_thread(its.parent.mkdir, parents=True)
    await asyncio.to_thread(shutil.copy, RECORDINGS / "gemini" / "talk.jsonl", talk)
    call = {"id": "r1", "name": "read_file", "args": {"file_path": "/w/notes.md"}, "status": "success", "result": []}
    asked = [{"text": "\n<loaded_context>\nhost's\n</loaded_context>"}, {"text": "inner prompt"}]
    await asyncio.to_thread(
        its.write_bytes,
        jsonl(
            {"sessionId": child, "kind": "subagent"},
            {"id": "i1", "timestamp": "2026-11-30T08:00:05Z", "type": "user", "content": asked},
            {"id": "i2", "timestamp": "2026-11-30T08:00:05Z", "type": "gemini", "content": "", "toolCalls": [call]},
            {"id": "i3", "timestamp": "2026-11-30T08:00:05Z", "type": "gemini", "content": "It is a greeting."},
        ),
    )
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for event_name in ("AfterAgent", "SessionEnd"):
            await fire(
                one,
                "gemini",
                event_name,
                home,
                session_id=parent,
                transcript_path=str(talk),
                hook_event_name=event_name,
            )
            await daemon.follower.caught_up()
        kind, turns, files, children = await of(one, "gemini", parent)
        assert (kind, turns, children) == ("interactive", 1, [child])
        assert ("/w/notes.md", child) in files
        assert await of(one, "gemini", child) == ("sub-agent", 0, [("/w/notes.md", child)], [])
        assert [text for kind, _, text in await texts(daemon, child) if kind == "message"][:1] == ["inner prompt"]
        [below] = (await one.call("session.descendants", {"host": "gemini", "session_id": parent}, timeout=5)).items
        assert (below.agent_type, below.report) == ("generalist", "It is a greeting.")
