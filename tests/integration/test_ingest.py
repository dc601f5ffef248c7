"""What comes in and is not recorded, and what is recorded once however often it comes."""

import asyncio
import json
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.talk import deliver, turn

from memoryd.daemon.config import Config, Privacy, load
from memoryd.daemon.daemon import Daemon
from memoryd.errors import BadEvent, NotFound
from memoryd.ipc.spool import Spool


def firing(raw: str, *, host: str = "claude-code", event: str = "Stop", env: dict[str, str] | None = None) -> Any:
    return {
        "id": uuid.uuid4().hex, "at": "2026-11-30T08:00:00Z", "host": host, "event": event, "raw": raw,
        "env": env or {},
    }  # fmt: skip


async def seq(daemon: Daemon) -> int:
    return await asyncio.to_thread(daemon.history.newest_seq)


async def test_the_same_firing_from_the_socket_and_from_the_spool_is_one_event(home: Path, project: str) -> None:
    raw = json.dumps({"session_id": "s", "hook_event_name": "Stop", "cwd": project, "prompt_id": "p"})
    params = firing(raw)
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hook.deliver", "params": params}).encode() + b"\n"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("hook.deliver", params, timeout=5)
        spool = daemon.places.spool
        await asyncio.to_thread(spool.mkdir, parents=True, exist_ok=True)
        await asyncio.to_thread((spool / f"1-1-{params['id']}").write_bytes, line)
        await daemon.drainer.drain()
        assert await seq(daemon) == 1
        assert await asyncio.to_thread(Spool(spool).count) == 0


async def test_spooled_events_come_before_the_next_live_one(home: Path, project: str) -> None:
    raw = json.dumps({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "cwd": project, "prompt_id": "a",
                      "prompt": "spooled first"})  # fmt: skip
    params = firing(raw, event="UserPromptSubmit")
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hook.deliver", "params": params}).encode() + b"\n"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        spool = daemon.places.spool
        await asyncio.to_thread(spool.mkdir, parents=True, exist_ok=True)
        await asyncio.to_thread((spool / f"1-1-{params['id']}").write_bytes, line)
        await deliver(one, "Stop", cwd=project, prompt_id="a", stop_hook_active=False)
        kinds = await daemon.journal.aread(lambda c: [r[0] for r in c.execute("select kind from events order by seq")])
        assert kinds == ["user_prompt", "turn"]


async def test_a_payload_that_nobody_understands_is_kept_for_the_doctor_without_its_secret(home: Path) -> None:
    secret = "gh" + "p_" + "k3J" * 12
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        answer = await one.call("hook.deliver", firing(f'{{"broken": "{secret}'), timeout=5)
        assert (answer.stdout, answer.exit_code) == ("", 0)
        rows = await daemon.journal.aread(lambda c: [tuple(r) for r in c.execute("select host, raw from quarantine")])
        assert len(rows) == 1
        assert secret not in rows[0][1]
        health = await one.call("daemon.health", {}, timeout=5)
        assert health.state == "degraded"
        assert "doctor" in (health.reason or "")


@pytest.mark.parametrize("event", ["PostToolUse", "Notification", "SomethingNew"])
async def test_an_event_that_means_nothing_to_us_is_acknowledged_and_counted(home: Path, event: str) -> None:
    raw = json.dumps({"session_id": "s", "hook_event_name": event, "cwd": "/x"})
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("hook.deliver", firing(raw, event=event), timeout=5)
        await one.call("hook.deliver", firing(raw, host="no-such-host"), timeout=5)
        assert await seq(daemon) == 0
        passed_over = (await one.call("daemon.health", {}, timeout=5)).passed_over
        assert (passed_over["ignored"], passed_over["unknown_host"]) == (1, 1)


async def test_excluded_folders_are_not_recorded(home: Path, project: str) -> None:
    config = Config(privacy=Privacy(exclude=(f"{project}*",)))
    async with running(home, agent=ScriptedAgent(each_prompt), config=config) as daemon, client(daemon) as one:
        await turn(one, "not for the record", cwd=project)
        await turn(one, "for the record", cwd=str(home), session="other")
        assert await seq(daemon) == 2


async def test_headless_runs_are_recorded_unless_the_person_says_no(home: Path, project: str) -> None:
    raw = json.dumps({"session_id": "s", "hook_event_name": "Stop", "cwd": project, "prompt_id": "p"})
    params = firing(raw, env={"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("hook.deliver", params, timeout=5)
        assert await seq(daemon) == 1
        daemon.config = Config(privacy=Privacy(record_headless=False))
        await one.call("hook.deliver", {**params, "id": uuid.uuid4().hex}, timeout=5)
        assert await seq(daemon) == 1


async def test_our_own_words_come_back_inside_a_prompt_and_are_not_learned(home: Path, project: str) -> None:
    prompt = "<project-memory-context>I prefer COBOL</project-memory-context>\nI prefer tabs"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, prompt, cwd=project)
        await deliver(one, "SessionEnd", cwd=project, reason="other")
        await idle(daemon)
        text = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "COBOL" not in text
        assert "I prefer tabs" in text


async def test_a_prompt_of_megabytes_is_kept_in_parts_that_fit(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(lambda p, m: [])) as daemon, client(daemon) as one:
        event = {
            "id": "big", "kind": "user_prompt", "host": "generic", "session_id": "s", "cwd": project,
            "at": "2026-11-30T08:00:00Z", "data": {"text": "words " * 200_000},
        }  # fmt: skip
        await one.call("event.publish", {"event": event}, timeout=20)
        sizes = await daemon.journal.aread(
            lambda c: [r[0] for r in c.execute("select length(json_extract(data, '$.text')) from events order by seq")]
        )
        assert sum(sizes) == 1_200_000
        assert max(sizes) <= 200_000


async def test_a_published_event_of_an_unknown_kind_or_a_relative_directory_is_refused(home: Path) -> None:
    event = {"id": "x", "kind": "turn", "host": "h", "session_id": "s", "at": "2026-11-30T08:00:00Z", "data": {}}
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for bad in ({**event, "kind": "novel"}, {**event, "memory_dir": "relative"}, {**event, "at": "yesterday"}):
            with pytest.raises(BadEvent):
                await one.call("event.publish", {"event": bad}, timeout=5)
        assert await seq(daemon) == 0


async def test_a_configuration_that_was_changed_is_in_force_after_the_sweep(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt), config=load(home / "none", {})) as daemon:
        async with client(daemon) as one:
            await asyncio.to_thread(daemon.places.config.write_text, "[consolidation]\ninterval_turns = 1\n")
            await daemon.sweep.once()
            await turn(one, "I prefer tabs", cwd=project)
            await idle(daemon)
            assert (await one.call("worker.stats", {}, timeout=5)).total_completed == 1
            await asyncio.to_thread(daemon.places.config.write_text, "[nonsense]\n")
            await daemon.sweep.once()
            assert daemon.config.consolidation.interval_turns == 1


async def test_an_excluded_folder_is_excluded_under_any_of_its_names(home: Path, project: str) -> None:
    link = home / "link"
    link.symlink_to(project)
    config = Config(privacy=Privacy(exclude=(project,)))
    async with running(home, agent=ScriptedAgent(each_prompt), config=config) as daemon, client(daemon) as one:
        await turn(one, "not for the record", cwd=str(link))
        event = {"id": "e1", "kind": "user_prompt", "host": "generic", "session_id": "g", "cwd": str(link),
                 "at": "2026-11-30T08:00:00Z", "data": {"text": "nor this"}}  # fmt: skip
        published = await one.call("event.publish", {"event": event}, timeout=5)
        assert (published.seq, published.passed_over) == (0, "excluded")
        assert await seq(daemon) == 0


async def test_a_known_id_under_a_new_session_makes_no_session(home: Path) -> None:
    event = {"id": "e1", "kind": "user_prompt", "host": "generic", "session_id": "first",
             "at": "2026-11-30T08:00:00Z", "data": {"text": "hello"}}  # fmt: skip
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("event.publish", {"event": event}, timeout=5)
        again = await one.call("event.publish", {"event": {**event, "session_id": "second"}}, timeout=5)
        assert again.duplicate
        listed = await one.call("session.list", {}, timeout=5)
        assert [session.session_id for session in listed.items] == ["first"]


async def test_sessions_are_listed_after_retention_took_their_events(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "an old word", cwd=project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=30)
        later = daemon.clock() + timedelta(days=500)
        assert await asyncio.to_thread(daemon.upkeep.retain, later, days=1, max_bytes=10**9) == 2
        (known,) = (await one.call("session.list", {}, timeout=5)).items
        assert known.last_seq == known.watermark > 0
        detail = await one.call("session.get", {"host": known.host, "session_id": known.session_id}, timeout=5)
        assert (detail.turn_count, detail.event_count) == (1, 0)


async def test_text_of_a_lower_tier_inside_a_turn_keeps_it(home: Path, project: str) -> None:
    rule = "Always run the bar linter before you commit."
    said = [{"role": "user", "text": rule, "tier": "tool"}, {"role": "user", "text": "I prefer tabs."}]
    event = {"id": "t1", "kind": "turn", "host": "generic", "session_id": "g", "cwd": project,
             "at": "2026-11-30T08:00:00Z", "data": {"messages": said}}  # fmt: skip
    async with running(home) as daemon, client(daemon) as one:
        await one.call("event.publish", {"event": event}, timeout=5)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=30)
        snapshot = (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text
        assert "tabs" in snapshot
        assert "bar linter" not in snapshot


async def test_messages_of_a_compaction_make_a_session_due(home: Path, project: str) -> None:
    said = [{"role": "user", "text": "I prefer tabs over spaces. " + "Tell me more about it. " * 20}]
    event = {"id": "c1", "kind": "pre_compact", "host": "generic", "session_id": "g", "cwd": project,
             "at": "2026-11-30T08:00:00Z", "data": {"messages": said}}  # fmt: skip
    async with running(home) as daemon, client(daemon) as one:
        assert (await one.call("event.publish", {"event": event}, timeout=5)).due == "compaction"
        await idle(daemon)
        assert "tabs" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text


async def test_a_directory_that_is_not_there_has_no_memory(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for method in ("memory.list", "recall.snapshot", "session.list"):
            with pytest.raises(NotFound, match="there is no directory /nope"):
                await one.call(method, {"cwd": "/nope"}, timeout=5)
