"""Sessions carried out, in and over: nothing lost, nothing twice, nothing that was to stay out."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.talk import deliver, turn

from memoryd.daemon.config import Config, Privacy
from memoryd.daemon.daemon import Daemon
from memoryd.errors import BadEvent, Conflict, LimitExceeded, NotFound, PathRefused
from memoryd.ipc.client import AsyncClient

KEY = {"host": "claude-code", "session_id": "s1"}


async def talk(one: AsyncClient, cwd: str) -> None:
    """A session with all that there is: turns, tools, sub-agents, a compaction, a secret, an end."""
    await deliver(one, "SessionStart", cwd=cwd, source="resume")
    await turn(one, "I prefer tabs 我喜欢制表符", cwd=cwd)
    await turn(one, "the token is gh" + "p_" + "k3J" * 12, cwd=cwd)
    await deliver(one, "SubagentStart", cwd=cwd, agent_id="a1", agent_type="Explore")
    await deliver(one, "SubagentStop", cwd=cwd, agent_id="a1", agent_type="Explore", last_assistant_message="found")
    await deliver(one, "PreCompact", cwd=cwd, trigger="manual")
    await deliver(one, "UserPromptSubmit", cwd=cwd, prompt_id="open", prompt="interrupted by the next")
    await turn(one, "<private>my salary</private> I prefer short names", cwd=cwd)
    event = {
        "id": "e-tool", "kind": "tool_use", "host": "claude-code", "session_id": "s1", "cwd": cwd, "turn_id": "t9",
        "at": "2026-11-30T09:00:00.123456+08:00",
        "data": {"name": "Edit", "ok": True, "files": [{"path": "/x", "action": "write"}], "novel": {"kept": [1, 2.5]}},
    }  # fmt: skip
    await one.call("event.publish", {"event": event}, timeout=5)
    await deliver(one, "SessionEnd", cwd=cwd, reason="other")


async def export(one: AsyncClient, **key: str) -> dict[str, Any]:
    exported = await one.call("session.export", {**KEY, **key}, timeout=5)
    assert exported.document is not None
    return dict(json.loads(exported.document.model_dump_json()))


async def take(one: AsyncClient, document: dict[str, Any]) -> Any:
    return await one.call("session.import", {"document": document}, timeout=10)


async def counters(one: AsyncClient, **key: str) -> Any:
    found = await one.call("session.get", {**KEY, **key}, timeout=5)
    return found.model_dump(exclude={"last_seq", "watermark", "new_turns", "memory_dir", "transcript"})


async def empty(daemon: Daemon) -> bool:
    tables = ("events", "sessions", "spawns", "turns", "jobs")
    counts = await daemon.journal.aread(
        lambda c: [c.execute(f"select count(*) from {table}").fetchone()[0] for table in tables]
    )
    return counts == [0] * len(tables)


async def test_a_document_comes_back_the_same_from_an_empty_daemon(home: Path, tmp_path: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(one, project)
        document, known = await export(one), await counters(one)
    assert "k3J" not in json.dumps(document)
    assert "salary" not in json.dumps(document)
    async with running(tmp_path / "other", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        taken = await take(one, document)
        assert (taken.added, taken.known) == (len(document["events"]), 0)
        assert await export(one) == document
        assert await counters(one) == known
        again = await take(one, document)
        assert (again.added, again.known) == (0, len(document["events"]))
        assert await export(one) == document


async def test_what_is_imported_is_consolidated_once(home: Path, tmp_path: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "I prefer tabs", cwd=project)
        document = await export(one)
    agent = ScriptedAgent(each_prompt)
    async with running(tmp_path / "other", agent=agent) as daemon, client(daemon) as one:
        await take(one, document)
        await idle(daemon)
        text = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "- I prefer tabs\n" in text
        await take(one, document)
        await idle(daemon)
        assert len(agent.seen) == 1


async def test_a_copy_has_a_new_id_and_is_not_consolidated_again(home: Path, project: str) -> None:
    agent = ScriptedAgent(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        await talk(one, project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        await idle(daemon)
        runs = len(agent.seen)
        newest = await asyncio.to_thread(daemon.history.newest_seq)
        copied = await one.call("session.copy", {**KEY, "new_session_id": "twin"}, timeout=5)
        assert (copied.session_id, copied.events) == ("twin", len((await export(one))["events"]))
        await until(lambda: asyncio.to_thread(lambda: daemon.indexer.position > newest))  # it can be found
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        assert [u for seen in agent.seen[runs:] for s in seen.sessions for u in s.user_texts()] == []
        await turn(one, "I prefer dark mode", session="twin", cwd=project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        new = [u.text for seen in agent.seen[runs:] for s in seen.sessions for u in s.user_texts()]
        assert new == ["I prefer dark mode"]
        detail = await one.call("session.get", {**KEY, "session_id": "twin"}, timeout=5)
        assert (detail.parent.session_id, detail.children) == ("s1", ())
        assert [s.session_id for s in detail.thread] == ["s1", "twin"]
        with pytest.raises(Conflict):
            await one.call("session.copy", {**KEY, "new_session_id": "twin"}, timeout=5)
        fresh = await one.call("session.copy", KEY, timeout=5)
        assert fresh.session_id not in ("s1", "twin")


async def test_the_prompts_of_a_copy_stand_once_in_the_history_in_the_order_in_which_they_were_said(
    home: Path, project: str
) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "first", cwd=project)
        await turn(one, "second", session="s2", cwd=project)
        await one.call("session.copy", {**KEY, "new_session_id": "twin"}, timeout=5)
        await one.call("session.copy", {**KEY, "session_id": "twin", "new_session_id": "third"}, timeout=5)
        await turn(one, "third", session="third", cwd=project)

        async def prompts(**which: str) -> list[tuple[str, str]]:
            found = (await one.call("history.list", which, timeout=5)).items
            assert [line.ts for line in found] == sorted((line.ts for line in found), reverse=True)
            return [(line.session_id, line.text) for line in found]

        assert await prompts() == [("third", "third"), ("s2", "second"), ("s1", "first")]
        assert await prompts(session_id="third") == [("third", "third"), ("third", "first")]


@pytest.mark.parametrize("indexed", [False, True])
async def test_what_a_copy_repeats_is_found_once_where_it_was_said(home: Path, project: str, indexed: bool) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "the marmalade is bitter", cwd=project)
        await one.call("session.copy", {**KEY, "new_session_id": "twin"}, timeout=5)
        await one.call("session.copy", {**KEY, "session_id": "twin", "new_session_id": "third"}, timeout=5)
        await turn(one, "less marmalade then", session="third", cwd=project)
        if indexed:
            assert await daemon.indexer.catch_up()
        found = await one.call("session.search", {"query": "marmalade", "cwd": project}, timeout=10)
        said = [(hit.session, hit.snippet) for hit in found.items if hit.role == "user"]
        assert sorted(said) == [
            ("claude-code/s1", "the marmalade is bitter"), ("claude-code/third", "less marmalade then"),
        ]  # fmt: skip


def broken(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The document with its last event, or a part of the whole, made wrong."""
    events = [*document["events"][:-1], {**document["events"][-1], **changes.pop("event", {})}]
    return {**document, "events": events, **changes}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a kind that is none": ({"event": {"kind": "novel"}}, "events.*novel|kind"),
    "data that does not fit": ({"event": {"kind": "user_prompt", "data": {"text": 5}}}, "text"),
    "no time": ({"event": {"at": "yesterday"}}, "at"),
    "an event too large": ({"event": {"kind": "message", "data": {"role": "user", "text": "x" * 1_100_000}}}, "split"),
    "an unknown key": ({"novel": 1}, "novel"),
    "another format": ({"format": "novel"}, "format"),
    "a newer version": ({"v": 2}, "newer memoryd"),
    "no event": ({"events": []}, "events"),
    "a relative memory_dir": (
        {"session": {**KEY, "started_at": "2026-11-30T08:00:00Z", "memory_dir": "up/../here"}}, "memory_dir",
    ),
}  # fmt: skip


async def test_a_wrong_document_is_refused_with_its_fault_and_nothing_of_it_stays(
    home: Path, tmp_path: Path, project: str
) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(one, project)
        document = await export(one)
    async with running(tmp_path / "other", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        for name, (changes, told) in WRONG.items():
            with pytest.raises(BadEvent, match=told):
                await take(one, broken(document, **changes))
            assert await empty(daemon), name
        for params in ({}, {"document": document, "file": "/x"}):
            with pytest.raises(BadEvent):
                await one.call("session.import", params, timeout=5)


async def test_secrets_and_private_spans_of_a_foreign_document_stay_out(home: Path, project: str) -> None:
    secret = "gh" + "p_" + "q7W" * 12
    document = {
        "session": {"host": "generic", "session_id": "x", "cwd": project, "started_at": "2026-11-30T08:00:00Z"},
        "events": [
            {"id": "1", "kind": "user_prompt", "at": "2026-11-30T08:00:00Z",
             "data": {"text": f"<private>hush</private> the key is {secret}", "extra": [secret]}},
        ],
    }  # fmt: skip
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        assert (await take(one, document)).added == 1
        kept = json.dumps(await export(one, host="generic", session_id="x"))
        assert secret not in kept
        assert "hush" not in kept
        assert "[secret:" in kept


async def test_what_is_off_the_record_or_was_removed_stays_out(home: Path, tmp_path: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(one, project)
        document = await export(one)
    events = len(document["events"])
    config = Config(privacy=Privacy(exclude=(project,)))
    async with running(tmp_path / "a", agent=ScriptedAgent(each_prompt), config=config) as daemon:
        async with client(daemon) as one:
            taken = await take(one, document)
            assert (taken.added, taken.off_record) == (0, events)
            assert await empty(daemon)
    async with running(tmp_path / "b", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        at = datetime.fromisoformat(document["events"][0]["at"])  # one is of seven hours earlier
        await asyncio.to_thread(daemon.upkeep.pause, None, at, None)
        await daemon.refresh_pauses()
        taken = await take(one, document)
        assert (taken.added, taken.off_record) == (1, events - 1)
    async with running(tmp_path / "c", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await take(one, document)
        await idle(daemon)
        await daemon.journal.writer.arun(lambda c: c.execute("update sessions set watermark = 1000") and None)
        await asyncio.to_thread(daemon.upkeep.retain, daemon.clock(), days=1, max_bytes=1)
        with pytest.raises(NotFound, match="retention"):
            await export(one)
        taken = await take(one, document)
        assert (taken.added, taken.removed) == (0, events)


async def test_files_are_private_and_only_files_outside_of_memoryd(home: Path, tmp_path: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(one, project)
        file = tmp_path / "session.json"
        done = await one.call("session.export", {**KEY, "file": str(file)}, timeout=5)
        status = await asyncio.to_thread(file.stat)
        assert (done.document, done.bytes, status.st_mode & 0o777) == (None, status.st_size, 0o600)
        taken = await one.call("session.import", {"file": str(file)}, timeout=5)
        assert (taken.added, taken.known) == (0, done.events)
        await asyncio.to_thread(file.write_text, "of a person")
        with pytest.raises(Conflict, match="`force`"):
            await one.call("session.export", {**KEY, "file": str(file)}, timeout=5)
        assert await asyncio.to_thread(file.read_text) == "of a person"
        assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"session.json"}
        await one.call("session.export", {**KEY, "file": str(file), "force": True}, timeout=5)
        assert (await asyncio.to_thread(file.stat)).st_size == done.bytes
        for bad, error in (
            (daemon.places.data / "state.db", PathRefused),
            (daemon.places.data / "new.json", PathRefused),
            (tmp_path, PathRefused),
            (Path("/dev/null"), PathRefused),
            (tmp_path / "none" / "x.json", NotFound),
        ):
            with pytest.raises(error):
                await one.call("session.export", {**KEY, "file": str(bad)}, timeout=5)
        for bad, error in ((Path("/dev/zero"), PathRefused), (tmp_path / "none", NotFound)):
            with pytest.raises(error):
                await one.call("session.import", {"file": str(bad)}, timeout=5)


async def test_a_session_too_large_for_an_answer_goes_to_a_file(home: Path, tmp_path: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(lambda p, m: [])) as daemon, client(daemon) as one:
        for number in range(40):
            await deliver(one, "Stop", cwd=project, prompt_id=str(number), last_assistant_message="w " * 30_000)
            event = {"id": f"b{number}", "kind": "message", **KEY, "cwd": project, "at": "2026-11-30T08:00:00Z",
                     "data": {"role": "user", "text": "words " * 33_000}}  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=20)
        with pytest.raises(LimitExceeded, match="file"):
            await export(one)
        file = tmp_path / "large.json"
        done = await one.call("session.export", {**KEY, "file": str(file)}, timeout=20)
    async with running(tmp_path / "other", agent=ScriptedAgent(lambda p, m: [])) as daemon, client(daemon) as one:
        taken = await one.call("session.import", {"file": str(file)}, timeout=20)
        assert taken.added == done.events
        await one.call("session.export", {**KEY, "file": str(tmp_path / "back.json")}, timeout=20)
    assert file.read_bytes() == (tmp_path / "back.json").read_bytes()
