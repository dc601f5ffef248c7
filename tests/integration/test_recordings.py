"""Everything that the released Claude Code sent is accepted; each text is there exactly once."""

import asyncio
import json
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, idle, running
from support.recordings import firings, shared_hosts, transcript_of

from memoryd.daemon.daemon import Daemon
from memoryd.ipc.sanitise import sanitise
from memoryd.worker.projection import Projection

RUNS = ["claude-interactive", "claude-p-fork", "claude-p-resume", "claude-subagent", "claude-1.0-real"]


async def replay(daemon: Daemon, run: str, home: Path) -> list[dict[str, Any]]:
    """Send every firing as the hook does; returns the payloads."""
    sent = []
    async with client(daemon) as one:
        for firing in await asyncio.to_thread(lambda: list(firings(run, home))):
            params = {
                "id": uuid.uuid4().hex, "at": "2026-11-30T06:30:00Z", "host": "claude-code", "event": firing.event,
                "raw": json.dumps(firing.stdin), "cwd": str(home), "env": firing.env,
            }  # fmt: skip
            answer = await one.call("hook.deliver", params, timeout=10)
            assert answer.exit_code == 0
            sent.append(firing.stdin)
    await daemon.follower.caught_up()
    return sent


def nothing(projection: Projection, memory: Any) -> list[Any]:
    return []


def said_in_transcript(session: str, prompt: str, home: Path) -> int:
    """How often a person typed this, counted from the host's own marks."""
    path = transcript_of(session, home)
    records = [json.loads(row) for row in path.read_text().splitlines()] if path.exists() else []
    typed = [r for r in records if r["type"] == "user" and r.get("promptSource") in ("typed", "sdk")]
    return sum(record["message"]["content"] == prompt for record in typed)


async def texts(daemon: Daemon) -> dict[str, list[tuple[str, str]]]:
    """(role, text) of each session as a memory agent reads them."""

    def read() -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for projection in daemon.runner.agent.seen:  # type: ignore[attr-defined]
            for session in projection.sessions:
                found.setdefault(session.session_id, []).extend((u.role, u.text) for u in session.utterances)
        return found

    return await asyncio.to_thread(read)


@pytest.mark.parametrize("run", RUNS)
async def test_every_prompt_and_final_answer_is_there_exactly_once(run: str, home: Path) -> None:
    shared_hosts()
    async with running(home, agent=ScriptedAgent(nothing)) as daemon:
        sent = await replay(daemon, run, home)
        async with client(daemon) as one:
            for row in await asyncio.to_thread(daemon.history.directories):
                await one.call("consolidation.run", {"memory_dir": row["path"], "wait": True}, timeout=20)
        await idle(daemon)
        seen = await texts(daemon)
        prompts = Counter(
            (p["session_id"], sanitise(p["prompt"])) for p in sent if p["hook_event_name"] == "UserPromptSubmit"
        )
        for (session, prompt), count in prompts.items():
            recorded = await asyncio.to_thread(said_in_transcript, session, prompt, home)
            assert seen[session].count(("user", prompt)) == max(count, recorded), (session, prompt)
        answers = {
            (p["session_id"], p["prompt_id"], p["last_assistant_message"])
            for p in sent
            if p["hook_event_name"] == "Stop" and p.get("last_assistant_message")
        }
        for session, count in Counter(session for session, _, _ in answers).items():
            assert sum(role == "assistant" for role, _ in seen[session]) >= count
        assert await asyncio.to_thread(daemon.history.quarantined) == 0


async def test_each_session_of_the_interactive_run_counts_one_turn(home: Path) -> None:
    shared_hosts()
    async with running(home, agent=ScriptedAgent(nothing)) as daemon:
        await replay(daemon, "claude-interactive", home)
        sessions = await asyncio.to_thread(daemon.recorded.page)
        assert [session["turn_count"] for session in sessions] == [1, 1]


async def test_a_fork_adds_nothing_that_is_known_already(home: Path) -> None:
    shared_hosts()
    async with running(home, agent=ScriptedAgent(nothing)) as daemon:
        resumed = await replay(daemon, "claude-p-resume", home)
        before = await asyncio.to_thread(daemon.history.newest_seq)
        forked = await replay(daemon, "claude-p-fork", home)
        assert forked[0]["session_id"] != resumed[0]["session_id"]
        rows = await daemon.journal.aread(
            lambda c: [r[0] for r in c.execute("select json_extract(data, '$.text') from events where seq > ?"
                                               " and kind = 'message' and json_extract(data, '$.role') = 'user'",
                                               (before,))]
        )  # fmt: skip
        copied = [prompt["prompt"] for prompt in resumed if prompt["hook_event_name"] == "UserPromptSubmit"]
        assert forked[1]["prompt"] in rows
        assert not set(rows) & set(copied) - {forked[1]["prompt"]}


async def test_reading_a_transcript_again_from_the_start_adds_nothing(home: Path) -> None:
    shared_hosts()
    async with running(home, agent=ScriptedAgent(nothing)) as daemon:
        sent = await replay(daemon, "claude-p-resume", home)
        before = await asyncio.to_thread(daemon.history.newest_seq)
        await daemon.journal.writer.arun(lambda c: c.execute("update sessions set transcript_offset = 0") and None)
        await daemon.reader.catch_up("claude-code", sent[0]["session_id"])
        assert await asyncio.to_thread(daemon.history.newest_seq) == before


@pytest.mark.parametrize("run", RUNS)
async def test_every_recorded_session_is_carried_to_another_daemon_and_back(
    home: Path, tmp_path: Path, run: str
) -> None:
    documents = {}
    async with running(home, agent=ScriptedAgent(nothing)) as daemon, client(daemon) as one:
        sent = await replay(daemon, run, home)
        for item in (await one.call("session.list", {}, timeout=5)).items:
            key = {"host": item.host, "session_id": item.session_id}
            documents[item.session_id] = (await one.call("session.export", key, timeout=5)).document
        prompts = await one.call("history.list", {"limit": 1000}, timeout=5)
    assert documents
    async with running(tmp_path / "other", agent=ScriptedAgent(nothing)) as daemon, client(daemon) as one:
        for document in documents.values():
            await one.call("session.import", {"document": document.model_dump(mode="json")}, timeout=10)
        for session, document in documents.items():
            key = {"host": "claude-code", "session_id": session}
            assert (await one.call("session.export", key, timeout=5)).document == document
        again = await one.call("history.list", {"limit": 1000}, timeout=5)
        said = [Counter((item.session_id, item.text) for item in page.items) for page in (prompts, again)]
        assert said[0] == said[1]
        fired = [stdin for stdin in sent if stdin["hook_event_name"] == "UserPromptSubmit"]
        hooked = Counter((stdin["session_id"], sanitise(stdin["prompt"])) for stdin in fired)
        assert not hooked - said[0]
        for (session, text), count in (said[0] - hooked).items():  # of which no hook told
            assert count == await asyncio.to_thread(said_in_transcript, session, text, home)


async def test_the_recorded_sub_agents_have_stopped(home: Path) -> None:
    async with running(home, agent=ScriptedAgent(nothing)) as daemon, client(daemon) as one:
        sent = await replay(daemon, "claude-subagent", home)
        started = {stdin["agent_id"] for stdin in sent if stdin["hook_event_name"] == "SubagentStart"}
        key = {"host": "claude-code", "session_id": sent[0]["session_id"]}
        agents = (await one.call("session.descendants", key, timeout=5)).items
        assert {agent.session_id for agent in agents if agent.agent_type} == {a.session_id for a in agents} <= started
        assert not [agent for agent in agents if agent.open]
