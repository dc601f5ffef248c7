"""Past conversations through a real daemon."""

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, running
from support.talk import deliver, turn

from bench import conversations
from memoryd.clock import rfc3339
from memoryd.daemon import searching
from memoryd.daemon.daemon import Daemon
from memoryd.ipc.client import AsyncClient
from memoryd.memory.search.port import Found

TALK = (
    "Which database shall we take, PostgreSQL or SQLite?",
    "我的頭髮很長，請記住。",
    "Call getUserById in src/app/main.py",
    "What about tea?",
)


async def talk(one: AsyncClient, cwd: str, *, session: str = "s1", said: tuple[str, ...] = TALK) -> None:
    for text in said:
        await turn(one, text, cwd=cwd, session=session)


async def found(one: AsyncClient, query: str, **rest: Any) -> list[Any]:
    return list((await one.call("session.search", {"query": query, **rest}, timeout=10)).items)


@pytest.mark.parametrize("indexed", [False, True])
async def test_what_was_said_is_found_at_once_and_through_the_index(home: Path, project: str, indexed: bool) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project)
        if indexed:
            assert await daemon.indexer.catch_up()
            assert daemon.indexer.position
        for query, text in (("sqlite", TALK[0]), ("头发", TALK[1]), ("髮", TALK[1]), ("main.py", TALK[2]),
                            ("getUserById", TALK[2]), ("tea", TALK[3])):  # fmt: skip
            first = (await found(one, query, cwd=project))[0]
            assert (first.session, first.role, first.snippet) == ("claude-code/s1", "user", text), query


async def test_a_text_is_found_once_though_it_came_by_hook_and_transcript(home: Path, project: str) -> None:
    transcript = home / "t.jsonl"
    async with running(home) as daemon, client(daemon) as one:
        prompt = uuid.uuid4().hex
        await deliver(one, "UserPromptSubmit", cwd=project, prompt_id=prompt, prompt="marmalade please")
        record = {
            "type": "user", "uuid": "u1", "sessionId": "s1", "cwd": project, "timestamp": "2026-11-30T08:00:01Z",
            "message": {"role": "user", "content": "marmalade please"}, "promptId": prompt,
        }  # fmt: skip
        await asyncio.to_thread(transcript.write_text, json.dumps(record) + "\n")
        await deliver(
            one, "Stop", cwd=project, prompt_id=prompt, transcript_path=str(transcript),
            stop_hook_active=False, last_assistant_message="done",
        )  # fmt: skip
        await daemon.follower.caught_up()
        for look in (False, True):
            if look:
                assert await daemon.indexer.catch_up()
            assert len([hit for hit in await found(one, "marmalade") if hit.role == "user"]) == 1


async def test_two_projects_of_one_name_never_see_each_other_and_without_one_all_are_searched(
    home: Path, tmp_path: Path
) -> None:
    twins = [tmp_path / side / "lantern" for side in ("a", "b")]
    for twin in twins:
        twin.mkdir(parents=True)
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, str(twins[0]), session="a", said=("the marmalade of a",))
        await talk(one, str(twins[1]), session="b", said=("the marmalade of b",))
        for look in (False, True):
            if look:
                assert await daemon.indexer.catch_up()
            for twin, name in zip(twins, ("a", "b"), strict=True):
                sessions = {hit.session for hit in await found(one, "marmalade", cwd=str(twin))}
                assert sessions == {f"claude-code/{name}"}
            assert len({hit.session for hit in await found(one, "marmalade")}) == 2


async def test_pages_hold_each_hit_once(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project, said=tuple(f"marmalade number {n}" for n in range(9)))
        assert await daemon.indexer.catch_up()
        seqs: list[int] = []
        cursor: str | None = None
        while True:
            asked = {"query": "marmalade number", "cwd": project, "limit": 4, "cursor": cursor}
            page = await one.call("session.search", asked, timeout=10)
            seqs += [item.seq for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(seqs) == len(set(seqs)) >= 9


async def test_hits_are_grouped_by_session_and_by_thread(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project, session="first", said=("marmalade one", "marmalade two"))
        for session, parent in (("second", "first"), ("apart", None)):
            data = {"source": "resume" if parent else "startup", "parent_session_id": parent}
            event = {"id": uuid.uuid4().hex, "kind": "session_start", "host": "claude-code", "session_id": session,
                     "cwd": project, "at": "2026-11-30T09:00:00Z", "data": data}  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=5)
            await talk(one, project, session=session, said=(f"marmalade of {session}",))
        assert await daemon.indexer.catch_up()
        by_session = await found(one, "marmalade", cwd=project, group_by="session")
        assert {hit.session.partition("/")[2] for hit in by_session} == {"first", "second", "apart"}
        by_thread = await found(one, "marmalade", cwd=project, group_by="thread")
        assert {hit.thread for hit in by_thread} == {"claude-code/first", "claude-code/apart"}
        assert max(hit.hits for hit in by_thread) >= 3


async def test_an_answer_is_shown_with_what_it_answers(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await turn(one, "Where do we deploy the marmalade factory?", cwd=project)
        assert await daemon.indexer.catch_up()
        hits = await found(one, "marmalade", cwd=project)
        assert all("marmalade" in hit.snippet for hit in hits)
        assert [hit.role for hit in hits] == ["user", "assistant"]


async def removed(daemon: Daemon) -> None:
    """As retention does: rows go, and nobody tells the index."""
    await asyncio.to_thread(daemon.journal.execute, "delete from events where kind = 'user_prompt'")


def count(found: list[Found] | None) -> int:
    return len(found or [])


async def test_what_left_the_journal_is_never_found(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project)
        assert await daemon.indexer.catch_up()
        await removed(daemon)
        assert [hit for hit in await found(one, "sqlite") if hit.role == "user"] == []


async def test_an_index_of_which_half_is_gone_is_built_again(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project, said=tuple(f"marmalade number {n}" for n in range(30)))
        assert await daemon.indexer.catch_up()
        before = await daemon.indexer.turns("marmalade", None, limit=99, then=count)
        await removed(daemon)
        await found(one, "marmalade")
        assert await daemon.indexer.catch_up()
        assert await daemon.indexer.turns("marmalade", None, limit=99, then=count) < before / 2


async def test_the_index_is_built_again_on_demand_and_health_says_how_far_it_is(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project)
        assert (await one.call("daemon.health", timeout=10)).index_behind > 0
        assert await daemon.indexer.catch_up()
        assert (await one.call("daemon.health", timeout=10)).index_behind == 0
        await one.call("maintenance.run", {"task": "index"}, timeout=10)
        assert not await asyncio.to_thread((daemon.places.data / "index").exists)
        assert (await found(one, "sqlite", cwd=project))[0].snippet == TALK[0]
        assert await daemon.indexer.catch_up()
        assert (await one.call("daemon.health", timeout=10)).index_behind == 0


async def test_another_journal_is_not_answered_from_the_index_of_the_old_one(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project)
        assert await daemon.indexer.catch_up()
        data = daemon.places.data
    for name in ("state.db", "state.db-wal", "state.db-shm"):
        await asyncio.to_thread((data / name).unlink, missing_ok=True)
    async with running(home) as daemon, client(daemon) as one:
        assert await daemon.indexer.catch_up()
        assert await found(one, "sqlite") == []


async def test_the_first_question_after_a_start_reaches_what_was_said_long_ago(
    home: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "FRESH_TEXTS", 1)
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project)
        assert await daemon.indexer.catch_up()
    async with running(home) as daemon, client(daemon) as one:
        assert (await found(one, "sqlite", cwd=project))[0].snippet == TALK[0]


async def test_what_says_something_comes_before_what_asks_for_it(home: Path, project: str) -> None:
    said = ("Is the marmalade in the larder?", "We keep the marmalade in the larder behind the flour since last May.")
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project, said=said)
        for _ in ("from the texts", "from the index"):
            hits = await found(one, "when was marmalade put in the larder")
            assert said[1] in hits[0].snippet
            assert await daemon.indexer.catch_up()


async def test_questions_about_a_conversation_of_our_own_find_the_turns_that_hold_the_answers(
    home: Path, project: str
) -> None:
    asked = conversations.own()
    async with running(home) as daemon, client(daemon) as one:
        for said in asked.turns:
            event = {"id": said.id, "kind": "message", "host": "generic", "session_id": said.session, "cwd": project,
                     "at": rfc3339(said.at), "data": {"role": said.role, "text": said.text}}  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=5)
        assert await daemon.indexer.catch_up()
        shares, sessions = [], []
        for question in asked.questions:
            hits = await found(one, question.text, cwd=project, limit=5)
            got = {said.id for hit in hits for said in asked.turns if (said.session, said.at) == where(hit)}
            shares.append(len(question.gold & got) / len(question.gold))
            grouped = await found(one, question.text, cwd=project, limit=5, group_by="session")
            sessions.append(
                any(hit.session == f"generic/{id.partition(':')[0]}" for hit in grouped for id in question.gold)
            )
    assert sum(shares) / len(shares) >= 0.9
    assert sum(sessions) / len(sessions) >= 0.95


def where(hit: Any) -> tuple[str, Any]:
    return hit.session.partition("/")[2], hit.at


async def test_a_session_that_says_much_of_it_comes_before_one_that_names_it_best(home: Path, project: str) -> None:
    much = ("The larder needs a lock", "Paint the larder green", "The larder is cold", "Who sweeps the larder?")
    async with running(home) as daemon, client(daemon) as one:
        await talk(one, project, session="much", said=much)
        await talk(one, project, session="once", said=("larder",))
        assert await daemon.indexer.catch_up()
        grouped = await found(one, "larder", cwd=project, group_by="session")
        assert [hit.session for hit in grouped] == ["claude-code/much", "claude-code/once"]
