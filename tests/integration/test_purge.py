"""A purge leaves no byte of what it takes, keeps the rest, and nothing brings it back."""

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.installation import reading, rows
from support.talk import deliver, turn

from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal.conversations import Batch
from memoryd.errors import NotFound, UsageError
from memoryd.ipc.client import AsyncClient
from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary
from memoryd.worker.projection import Projection

MARIMBA = {"name": "marimba", "type": "project", "content": "The marimba stands in the hall."}


def everything(projection: Projection, memory: MemoryView) -> list[Proposal]:
    """A preference, an entry and a summary from every prompt; "archive it" archives every entry."""
    found: list[Proposal] = []
    for session in projection.sessions:
        for said in session.user_texts():
            word, cites = said.text.split()[-1], (said.seq,)
            if not said.text.startswith(("I ", "archive")):
                continue
            if said.text.startswith("archive"):
                found += [Archive(slug=entry.slug, cites=cites) for _, entry in memory.entries if entry.active]
                continue
            found.append(Lines(file="preferences.md", add=(said.text,), cites=cites))
            found.append(Save(slug=f"about-{word}", name=said.text, description=f"what of {word}", type="project",
                              content=f"{said.text}.", cites=cites))  # fmt: skip
        seqs = tuple(u.seq for u in session.utterances)
        content = "## Asked\n" + "\n".join(f"- {u.text}" for u in session.user_texts())
        found.append(
            Summary(host=session.host, session_id=session.session_id, date="2026-11-30", content=content, cites=seqs)
        )
    return found


async def talk(daemon: Daemon, one: AsyncClient, *texts: str, session: str, cwd: str) -> None:
    for text in (*texts, "thanks thanks", "bye bye")[:3]:
        await turn(one, text, cwd=cwd, session=session)
    await idle(daemon)


def holding(data: Path, word: str) -> list[str]:
    """The files below the data directory whose bytes, or whose name, hold a word."""
    found = [
        path for path in data.rglob("*") if word in path.name or (path.is_file() and word.encode() in path.read_bytes())
    ]
    return [str(path.relative_to(data)) for path in found]


async def purge(one: AsyncClient, **what: Any) -> Any:
    return await one.call("memory.purge", what, timeout=30)


async def test_a_purged_session_leaves_no_byte_and_the_others_keep_theirs(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        data = daemon.places.data
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        await talk(daemon, one, "I prefer marimba", session="stays", cwd=project)
        await deliver(one, "SessionStart", session="other", cwd=project, source="startup")
        await one.call("memory.forget", {"cwd": project, "name": "I prefer xylophone"}, timeout=5)
        await one.call("memory.undo", {}, timeout=5)
        note = {"cwd": project, "text": "the xylophone waits", "kind": "priority", "host": "claude-code"}
        await one.call("note.add", {**note, "session_id": "gone"}, timeout=5)
        await daemon.tracker.once()
        assert len(await asyncio.to_thread(holding, data, "xylophone")) >= 4
        dry = await purge(one, session="gone", dry_run=True)
        assert (dry.run, dry.events, dry.sessions) == (None, 6, ("claude-code/gone",))
        assert "I prefer xylophone" in [line.line for line in dry.lines]
        done = await purge(one, session="claude-code/gone")
        assert (done.events, done.line_count, done.lines) == (6, dry.line_count, ())
        assert done.files_removed == 2  # the entry and the summary; preferences.md and MEMORY.md stay
        assert await asyncio.to_thread(holding, data, "xylophone") == []
        assert await asyncio.to_thread(holding, data, "marimba") != []
        preferences = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "marimba" in preferences
        found = await one.call("memory.list", {"cwd": project}, timeout=5)
        assert [item.path for item in found.items if item.type] == ["knowledge/about-marimba.md"]
        with pytest.raises(NotFound):
            await one.call("session.get", {"host": "claude-code", "session_id": "gone"}, timeout=5)
        log = (await one.call("memory.log", {"writes": True, "limit": 1}, timeout=5)).items[0]
        assert (log.author, log.action, log.run) == ("person", "purge", done.run)
        assert (await one.call("memory.why", {"cwd": project, "name": "marimba"}, timeout=5)).items[0].quote
        with pytest.raises(UsageError, match="cannot be taken back"):
            await one.call("memory.undo", {"run": done.run}, timeout=5)
        assert (await purge(one, source="web")).run is None
    assert await asyncio.to_thread(holding, data, "xylophone") == []
    assert not await asyncio.to_thread(_broken, data)


async def test_a_purge_finds_the_lines_whose_events_retention_had_removed(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        data = daemon.places.data
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        await talk(daemon, one, "I prefer marimba", session="stays", cwd=project)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        assert await asyncio.to_thread(daemon.upkeep.retain, daemon.clock(), days=400, max_bytes=1) >= 12
        await deliver(one, "UserPromptSubmit", session="gone", cwd=project, prompt="and tea?")
        by_tier = await purge(one, source="user", dry_run=True)
        assert {"I prefer xylophone", "I prefer marimba"} <= {line.line for line in by_tier.lines}
        assert (await purge(one, source="tool", dry_run=True)).line_count == 0
        before = "update retired set tiers = null"  # as an older program left it
        await asyncio.to_thread(daemon.journal.execute, before)
        by_tier = await purge(one, source="user")  # all that is left of the session, but what memory rests on
        assert (by_tier.events, by_tier.line_count, "lines whose events" in str(by_tier.unreached)) == (1, 0, True)
        dry = await purge(one, session="gone", dry_run=True)
        assert (dry.events, dry.sessions) == (0, ("claude-code/gone",))
        assert "I prefer xylophone" in [line.line for line in dry.lines]
        done = await purge(one, session="gone")
        assert (done.events, done.files_removed) == (0, 2)
        assert await asyncio.to_thread(holding, data, "xylophone") == []
        assert await asyncio.to_thread(holding, data, "marimba") != []
        dry = await purge(one, before="2999-01-01T00:00:00Z", dry_run=True)
        assert "I prefer marimba" in [line.line for line in dry.lines]
        with pytest.raises(NotFound):
            await purge(one, session="gone")


def _broken(data: Path) -> list[object]:
    """Versions without their blob, blobs without a version, citations without their event, files unlike the journal."""
    from support.faults_oracle import directories

    with reading(data / "state.db") as connection:
        return [
            *rows(
                connection,
                "select * from versions where digest is not null and digest not in (select digest from blobs)",
            ),
            *rows(connection, "select digest from blobs where digest not in (select digest from versions)"),
            *rows(connection, "select * from citations where seq not in (select seq from events)"),
            *rows(connection, "select id from runs where outcome = 'running'"),
            *(problem for problem in directories(connection) if "/." not in problem),  # just moved aside
        ]


async def test_what_was_purged_does_not_come_back_by_hook_spool_transcript_or_publish(home: Path, project: str) -> None:
    transcript = home / "gone.jsonl"
    known = {"sessionId": "gone", "cwd": project, "timestamp": "2026-11-30T08:00:00.000Z", "version": "2.1.0"}
    said = {
        **known,
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "message": {"role": "user", "content": "I prefer xylophone"},
    }
    late = {
        **known,
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "message": {"role": "user", "content": "late xylophone"},
    }
    event = {"id": "p1", "kind": "user_prompt", "host": "claude-code", "session_id": "gone", "cwd": project,
             "at": "2026-11-30T08:00:00Z", "data": {"text": "published xylophone"}}  # fmt: skip
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await asyncio.to_thread(transcript.write_text, json.dumps(said) + "\n")
        await deliver(one, "Stop", session="gone", cwd=project, transcript_path=str(transcript), stop_hook_active=False)
        await one.call("event.publish", {"event": event}, timeout=5)
        await daemon.follower.caught_up()
        done = await purge(one, session="gone")
        assert str(transcript) in [place.where for place in done.unreached]
        # the same and an older text again, by every way in; and something new, which is wanted
        await asyncio.to_thread(transcript.write_text, json.dumps(said) + "\n" + json.dumps(late) + "\n")
        again = await one.call("event.publish", {"event": event}, timeout=5)
        assert (again.duplicate, again.seq) == (True, 0)
        await one.call("event.publish", {"event": {**event, "id": "p2"}}, timeout=5)
        spooled = {"jsonrpc": "2.0", "id": 1, "method": "hook.deliver", "params": {
            "id": uuid.uuid4().hex, "at": "2026-11-30T08:00:00Z", "host": "claude-code", "event": "UserPromptSubmit",
            "raw": json.dumps({"session_id": "gone", "hook_event_name": "UserPromptSubmit", "prompt": "my xylophone"}),
        }}  # fmt: skip
        await asyncio.to_thread(daemon.places.spool.mkdir, exist_ok=True)
        name = daemon.places.spool / f"1-1-{uuid.uuid4().hex}"
        await asyncio.to_thread(name.write_text, json.dumps(spooled) + "\n")
        await daemon.drainer.drain()
        fresh = {**event, "id": "p3", "at": "2999-01-01T00:00:00Z", "data": {"text": "I prefer marimba"}}
        assert (await one.call("event.publish", {"event": fresh}, timeout=5)).seq > 0
        await deliver(one, "Stop", session="gone", cwd=project, transcript_path=str(transcript), stop_hook_active=False)
        await daemon.follower.caught_up()
        await daemon.reader.catch_up_all()
        data = daemon.places.data
        assert await asyncio.to_thread(holding, data, "xylophone") == []
    assert await asyncio.to_thread(holding, data, "marimba") != []


@pytest.mark.parametrize(
    ("what", "gone", "kept"),
    [
        ({"before": "2026-11-30T09:00:00Z"}, ("oboe", "tuba"), ("yodel",)),
        ({"source": "tool"}, ("tuba",), ("oboe", "yodel")),
        ({"source": "claude-code"}, (), ("oboe", "yodel", "tuba")),
        ({"source": "generic", "before": "2999-01-01T00:00:00Z"}, ("oboe", "yodel", "tuba"), ()),
    ],
)
async def test_by_time_and_by_source(
    home: Path, project: str, what: dict[str, Any], gone: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        await deliver(one, "SessionStart", session="other", cwd=project, source="startup")
        for number, (kind, hour, said) in enumerate([
            ("user_prompt", 8, {"text": "I say oboe"}),
            ("tool_use", 8, {"name": "Bash", "summary": "run tuba"}),
            ("user_prompt", 10, {"text": "I say yodel"}),
            *[("turn", 10, {})] * 3,
        ]):  # fmt: skip
            event = {"id": f"e{number}", "kind": kind, "host": "generic", "session_id": "s", "cwd": project,
                     "at": f"2026-11-30T{hour:02}:00:00Z", "data": said}  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=5)
        await idle(daemon)
        await purge(one, **what)
        for word in gone:
            assert await asyncio.to_thread(holding, daemon.places.data, word) == [], word
        for word in kept:
            assert await asyncio.to_thread(holding, daemon.places.data, word) != [], word
        data = daemon.places.data
    assert not await asyncio.to_thread(_broken, data)


async def test_purge_all_leaves_a_memory_as_on_the_first_day(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        data = daemon.places.data
        seeded = await asyncio.to_thread(_files, daemon.places.user_memory)
        await talk(daemon, one, "I prefer xylophone", "archive it", session="s1", cwd=project)
        by_hand = daemon.places.user_memory / "preferences.md"
        await asyncio.to_thread(by_hand.write_text, "- xylophone by hand\n")
        await one.call(
            "memory.save",
            {"cwd": project, "name": "xylophone", "type": "project", "content": "A xylophone."},
            timeout=5,
        )
        await purge(one, all=True)
        assert await asyncio.to_thread(holding, data, "xylophone") == []
        assert await asyncio.to_thread(holding, data, "lantern") == []
        assert await asyncio.to_thread(_files, daemon.places.user_memory) == seeded
        assert [run.action for run in (await one.call("memory.log", {}, timeout=5)).items] == ["purge"]
        await one.call("memory.save", {"cwd": project, **MARIMBA}, timeout=5)
        assert "marimba" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text
    assert not await asyncio.to_thread(_broken, data)


def _files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


async def test_a_persons_lines_in_an_entry_stay_when_the_rest_of_it_goes(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        (entry,) = await asyncio.to_thread(lambda: list(daemon.places.data.glob("projects/*/memory/knowledge/*.md")))
        text = await asyncio.to_thread(entry.read_text)
        await asyncio.to_thread(entry.write_text, text + "- mine, by hand\n")
        await purge(one, session="gone")
        left = await asyncio.to_thread(entry.read_text)
        assert "name: mine, by hand" in left
        assert left.endswith("- mine, by hand\n")
        assert "xylophone" not in left
        assert await asyncio.to_thread(holding, daemon.places.data, "I prefer xylophone") == []


async def test_a_run_that_has_read_what_is_purged_cannot_write_it(home: Path, project: str) -> None:
    gate = asyncio.Event()
    agent = ScriptedAgent(everything, gate=gate)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        for text in ("I prefer xylophone", "thanks", "bye"):
            await turn(one, text, cwd=project, session="gone")
        await agent.entered.wait()
        await purge(one, session="gone")
        gate.set()
        await idle(daemon)
        assert await asyncio.to_thread(holding, daemon.places.data, "xylophone") == []
        assert len(agent.seen) == 1  # nothing was left to read
        data = daemon.places.data
    assert not await asyncio.to_thread(_broken, data)


async def test_what_is_not_named_well_is_refused(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for what in ({}, {"all": True, "source": "web"}):
            with pytest.raises(UsageError, match="name what to purge"):
                await purge(one, **what)
        for unknown in ({"session": "none"}, {"source": "nobody"}):
            with pytest.raises(NotFound):
                await purge(one, **unknown)


class _Endless:
    """Conversations in which somebody always says more."""

    def __init__(self) -> None:
        self._seqs = iter(range(1, 10**9))

    def newest_seq(self) -> int:
        return 10**9

    def after(self, seq: int, limit: int) -> Batch:
        return Batch(passages=(), to_seq=next(self._seqs))


async def test_a_purge_does_not_wait_for_an_index_that_has_always_more_to_take_in(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        daemon.indexer.conversations = _Endless()  # type: ignore[assignment]
        following = asyncio.create_task(daemon.indexer.catch_up())
        async with asyncio.timeout(30):
            await daemon.indexer.purge()
            await purge(one, all=True)
        following.cancel()


async def test_the_events_of_a_copy_go_with_the_session_and_what_was_said_in_it_since_stays(
    home: Path, project: str, tmp_path: Path
) -> None:
    target = tmp_path / "out.tar"
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        data = daemon.places.data
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        key = {"host": "claude-code", "session_id": "gone"}
        await one.call("session.copy", {**key, "new_session_id": "bare"}, timeout=5)
        await one.call("session.copy", {**key, "new_session_id": "twin"}, timeout=5)
        await turn(one, "I prefer marimba", session="twin", cwd=project)
        await one.call("session.copy", {**key, "session_id": "twin", "new_session_id": "third"}, timeout=5)
        await one.call("archive.export", {"file": str(target)}, timeout=10)
        dry = await purge(one, session="gone", dry_run=True)
        assert (dry.events, len(dry.sessions)) == (24, 4)
        done = await purge(one, session="gone")
        assert await asyncio.to_thread(holding, data, "xylophone") == []
        sessions = (await one.call("session.list", {}, timeout=5)).items
        assert [item.session_id for item in sessions] == ["third", "twin"]
        follows = [place.where for place in done.unreached if "goes on from it" in place.what]
        assert follows == ["claude-code/third", "claude-code/twin"]
        prompts = (await one.call("history.list", {}, timeout=5)).items
        assert [(line.session_id, line.text) for line in prompts] == [("twin", "I prefer marimba")]
        await one.call("archive.import", {"file": str(target)}, timeout=10)
        assert await asyncio.to_thread(holding, data, "xylophone") == []
        copied = await purge(one, session="third", dry_run=True)
        assert "claude-code/twin" in [place.where for place in copied.unreached]
    assert not await asyncio.to_thread(_broken, data)


async def test_a_purge_is_in_the_log_of_each_project_that_it_changed(home: Path, project: str, tmp_path: Path) -> None:
    other = tmp_path / "reed"
    await asyncio.to_thread((other / ".git").mkdir, parents=True)
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        await talk(daemon, one, "I prefer marimba", session="stays", cwd=str(other))
        done = await purge(one, session="gone")

        async def log(**where: str) -> list[Any]:
            return list((await one.call("memory.log", where, timeout=5)).items)

        first = (await log(cwd=project))[0]
        assert (first.run, first.action, first.projects) == (done.run, "purge", (project,))
        assert [run.action for run in await log(cwd=str(other))] == ["consolidate"]
        assert (await log(cwd=str(other)))[0].projects == (str(other),)
        done = await purge(one, all=True)
        for cwd in (project, str(other)):
            (only,) = await log(cwd=cwd)
            assert (only.run, only.projects) == (done.run, ("*",))


async def test_a_copy_goes_with_a_session_whose_events_retention_took_before(home: Path) -> None:
    event = {"id": "e1", "kind": "tool_use", "host": "generic", "session_id": "gone", "at": "2026-11-30T08:00:00Z",
             "data": {"name": "Bash", "summary": "tune the xylophone"}}  # fmt: skip
    async with running(home) as daemon, client(daemon) as one:
        await one.call("event.publish", {"event": event}, timeout=5)
        await one.call("session.copy", {"host": "generic", "session_id": "gone", "new_session_id": "twin"}, timeout=5)
        await asyncio.to_thread(daemon.journal.execute, "delete from events where id = 'e1'")
        assert (await purge(one, session="gone")).events == 1
        assert await asyncio.to_thread(holding, daemon.places.data, "xylophone") == []


async def test_a_purge_leaves_nothing_of_a_session_in_a_copy_whose_events_retention_had_removed(
    home: Path, project: str
) -> None:
    async with running(home, agent=ScriptedAgent(everything)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer xylophone", session="gone", cwd=project)
        noted = "update sessions set note = 'likes the xylophone'"
        await asyncio.to_thread(daemon.journal.execute, noted)
        key = {"host": "claude-code", "session_id": "gone"}
        await one.call("session.copy", {**key, "new_session_id": "twin"}, timeout=5)
        await one.call("consolidation.run", {"cwd": project, "wait": True}, timeout=10)
        assert await asyncio.to_thread(daemon.upkeep.retain, daemon.clock(), days=400, max_bytes=1)
        await turn(one, "I prefer marimba", session="twin", cwd=project)
        assert (await purge(one, session="gone")).sessions == ("claude-code/gone", "claude-code/twin")
        assert await asyncio.to_thread(holding, daemon.places.data, "xylophone") == []
        assert await asyncio.to_thread(holding, daemon.places.data, "marimba") != []
