"""Each host's recording through the wire, the journal, the transcript reader and a run of one daemon."""

import asyncio
import hashlib
import json
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from support.conformance import BEGAN, Firing, Recording, load, recordings
from support.daemons import ScriptedAgent, client, idle, running

from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.config import Config, Consolidation
from memoryd.daemon.daemon import Daemon
from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import Recall

TALKS = {name: path for name, path in recordings().items() if load(path).firings}


def placed(recording: Recording, firing: Firing, folder: Path, home: Path) -> str:
    """A firing's stdin with its session's transcript where this test has put it."""
    stdin = dict(firing.stdin)
    for key in ("transcript_path", "transcriptPath"):
        session = next((s for s in recording.transcripts if s in str(stdin.get(key))), None)
        if session:
            target = home / recording.host / f"{session}.jsonl"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(recording.transcript(session, folder))
            stdin[key] = str(target)
    return json.dumps(stdin)


async def deliver(daemon: Daemon, path: Path, home: Path) -> list[str]:
    """Send every firing as a hook does; returns what each printed."""
    recording, printed = load(path), []
    async with client(daemon) as one:
        for n, firing in enumerate(recording.firings):
            raw = await asyncio.to_thread(placed, recording, firing, path.parent, home)
            delivery = hashlib.sha256(f"{path} {n}".encode()).hexdigest()[:32]
            params: dict[str, Any] = {
                "id": delivery, "at": rfc3339(BEGAN), "host": recording.host,
                "event": firing.event, "raw": raw, "cwd": str(home), "env": firing.env,
            }  # fmt: skip
            answer = await one.call("hook.deliver", params, timeout=10)
            assert answer.exit_code == 0
            printed.append(answer.stdout)
    await daemon.follower.caught_up()
    return printed


async def test_every_hosts_talk_is_recorded_once_counted_read_and_answered(home: Path) -> None:
    async with running(home, agent=ScriptedAgent(lambda projection, memory: [])) as daemon:
        for path in TALKS.values():
            recording, printed = load(path), await deliver(daemon, path, home)
            for firing, stdout in zip(recording.firings, printed, strict=True):
                wanted = getattr(hosts.get(recording.host), "recall", {}).get(firing.event, Recall.NONE)
                assert not stdout or wanted is not Recall.NONE or recording.host == "generic", firing
            assert any("memory-context" in stdout for stdout in printed), path
        before = await asyncio.to_thread(daemon.history.newest_seq)
        for path in TALKS.values():
            await deliver(daemon, path, home)
        assert await asyncio.to_thread(daemon.history.newest_seq) == before, "a firing that comes again is known"
        assert await asyncio.to_thread(daemon.history.quarantined) == 0
        await read(daemon)
        async with client(daemon) as one:
            for path in TALKS.values():
                recording = load(path)
                fired = {session for session in recording.said if session in str(recording.firings)}
                for session in fired:
                    said, heard = recording.said[session], texts(daemon, session)
                    assert [text for role, text in heard if role == "user"] == list(said.prompts), path
                    assert Counter(t for role, t in heard if role == "assistant") == said.heard, path
                    key = {"host": recording.host, "session_id": session}
                    assert (await one.call("session.get", key, timeout=5)).turn_count == said.turns, path


async def test_a_session_whose_start_and_prompt_come_at_once_is_told_its_memory_once(home: Path) -> None:
    async with running(home, agent=ScriptedAgent(lambda projection, memory: [])) as daemon:
        for session in ("a", "b", "c"):
            start, prompt = await asyncio.gather(
                fire(daemon, "sessionStart", home, session=session, source="new"),
                fire(daemon, "userPromptSubmitted", home, session=session, prompt="Use tabs."),
            )
            assert ("project-memory-context" in start) + ("project-memory-context" in prompt) == 1


async def test_what_a_transcript_got_after_the_last_turn_is_read_at_the_end_of_the_session(home: Path) -> None:
    recording, path = load(TALKS["copilot/talk"]), TALKS["copilot/talk"]
    (session,) = recording.transcripts
    whole = recording.transcript(session, path.parent)
    log = home / "events.jsonl"
    by_hand = Config(consolidation=Consolidation(on_session_end=False))  # a run would read it too
    async with running(home, config=by_hand) as daemon:
        log.write_bytes(whole[: whole.index(b"Nothing to complain about.")])
        await fire(daemon, "userPromptSubmitted", home, session=session, prompt=recording.said[session].prompts[0])
        await fire(daemon, "agentStop", home, session=session, transcriptPath=str(log))
        log.write_bytes(whole)
        await fire(daemon, "sessionEnd", home, session=session, reason="complete")
        last = "select 1 from events where kind = 'message' and data like '%Nothing to complain%'"
        assert await daemon.journal.aread(lambda c: c.execute(last).fetchone())


async def fire(daemon: Daemon, event: str, home: Path, *, session: str = "s", **fields: str) -> str:
    """One firing of Copilot's, over a connection of its own; returns what the hook prints."""
    raw = json.dumps({"sessionId": session, "cwd": str(home), **fields})
    params = {"id": uuid.uuid4().hex, "at": rfc3339(BEGAN), "host": "copilot", "event": event, "raw": raw}
    async with client(daemon) as one:
        answer = await one.call("hook.deliver", {**params, "cwd": str(home), "env": {}}, timeout=10)
    await daemon.follower.caught_up()
    return str(answer.stdout)


async def test_after_a_compaction_whose_end_no_hook_tells_the_next_prompt_gets_the_memory_once(home: Path) -> None:
    async with running(home, agent=ScriptedAgent(lambda projection, memory: [])) as daemon:
        told = [
            await fire(daemon, "sessionStart", home, source="new"),
            await fire(daemon, "userPromptSubmitted", home, prompt="Use tabs."),
            await fire(daemon, "preCompact", home, trigger="auto"),
            await fire(daemon, "userPromptSubmitted", home, prompt="Go on."),
            await fire(daemon, "userPromptSubmitted", home, prompt="And on."),
        ]
        assert ["project-memory-context" in stdout for stdout in told] == [True, False, False, True, False]
        assert "Use tabs." in told[3], "with the checkpoint"


async def test_a_compaction_that_the_transcript_alone_tells_brings_the_checkpoint_once(home: Path) -> None:
    transcript = home / "chat.jsonl"
    summary = {"id": "m1", "type": "user", "content": "<state_snapshot>all</state_snapshot>"}
    async with running(home, agent=ScriptedAgent(lambda projection, memory: [])) as daemon, client(daemon) as one:

        async def fire(event: str, **fields: str) -> str:
            raw = json.dumps({"session_id": "s", "transcript_path": str(transcript), "cwd": str(home), **fields})
            params = {"id": uuid.uuid4().hex, "at": rfc3339(BEGAN), "host": "gemini", "event": event, "raw": raw}
            answer = await one.call("hook.deliver", {**params, "cwd": str(home), "env": {}}, timeout=10)
            await daemon.follower.caught_up()
            return str(answer.stdout)

        told = [await fire("SessionStart", source="startup"), await fire("BeforeAgent", prompt="Use tabs.")]
        summary["timestamp"] = rfc3339(utc_now())
        await asyncio.to_thread(transcript.write_text, json.dumps({"$set": {"messages": [summary]}}) + "\n")
        told += [await fire("AfterAgent", prompt_response="Done."), await fire("BeforeAgent", prompt="Go on.")]
        told += [await fire("AfterAgent", prompt_response="Done."), await fire("BeforeAgent", prompt="And on.")]
        assert ["project-memory-context" in stdout for stdout in told] == [True, False, False, True, False, False]
        assert "Use tabs." in told[3], "with the checkpoint"


async def read(daemon: Daemon) -> None:
    async with client(daemon) as one:
        for row in await asyncio.to_thread(daemon.history.directories):
            await one.call("consolidation.run", {"memory_dir": row["path"], "wait": True}, timeout=20)
    await idle(daemon)


def texts(daemon: Daemon, session_id: str) -> list[tuple[str, str]]:
    """What a memory agent has read of a session."""
    seen = daemon.runner.agent.seen  # type: ignore[attr-defined]
    return [
        (u.role, u.text)
        for projection in seen
        for session in projection.sessions
        if session.session_id == session_id
        for u in session.utterances
    ]
