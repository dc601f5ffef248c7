"""The transcript reader on real files: what it reads, what it refuses, what it survives."""

import asyncio
import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.talk import deliver

from memoryd.daemon import transcripts
from memoryd.daemon.config import Config, Privacy
from memoryd.daemon.daemon import Daemon


def record(role: str, text: str, *, id: str | None = None) -> bytes:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    value = {
        "type": role, "uuid": id or str(uuid.uuid4()), "timestamp": "2026-11-30T08:00:00.000Z", "isSidechain": False,
        "promptId": "p1", "message": {"id": str(uuid.uuid4()), "role": role, "content": content},
    }  # fmt: skip
    return json.dumps(value).encode() + b"\n"


async def read(daemon: Daemon, path: Path, home: Path) -> list[str]:
    """Tell the daemon of a transcript, let it read; returns the messages it took."""
    async with client(daemon) as one:
        await deliver(one, "Stop", cwd=str(home), prompt_id="p0", transcript_path=str(path))
    await daemon.follower.caught_up()
    return await messages(daemon)


async def messages(daemon: Daemon) -> list[str]:
    rows = await daemon.journal.aread(
        lambda c: [r[0] for r in c.execute("select json_extract(data, '$.text') from events where kind = 'message'")]
    )
    return [str(row) for row in rows]


async def state(daemon: Daemon) -> Any:
    return (await asyncio.to_thread(daemon.recorded.page))[0]["transcript_state"]


async def test_new_lines_are_taken_and_a_line_that_is_still_written_waits(home: Path) -> None:
    path = home / "t.jsonl"
    whole = record("assistant", "second")
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await asyncio.to_thread(path.write_bytes, record("user", "first") + whole[:20])
        assert await read(daemon, path, home) == ["first"]
        await asyncio.to_thread(path.write_bytes, path.read_bytes()[:-20] + whole)
        assert await read(daemon, path, home) == ["first", "second"]
        assert await state(daemon) == "ok"


async def test_a_file_that_was_replaced_or_cut_is_read_from_its_start(home: Path) -> None:
    path = home / "t.jsonl"
    first, second = record("user", "one " * 50), record("user", "two")
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await asyncio.to_thread(path.write_bytes, first)
        assert len(await read(daemon, path, home)) == 1
        await asyncio.to_thread(path.write_bytes, second)
        assert len(await read(daemon, path, home)) == 2
        await asyncio.to_thread(os.replace, await asyncio.to_thread(_copy, path, first + second), path)
        assert len(await read(daemon, path, home)) == 2


def _copy(path: Path, content: bytes) -> Path:
    other = path.with_suffix(".new")
    other.write_bytes(content)
    return other


async def test_corrupt_lines_are_passed_over(home: Path) -> None:
    path = home / "t.jsonl"
    content = record("user", "one") + b'{"type": "user", broken\n\xff\xfe\n[1,2]\n\n' + record("user", "two")
    await asyncio.to_thread(path.write_bytes, content)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        assert await read(daemon, path, home) == ["one", "two"]


@pytest.mark.parametrize("kind", ["link", "hard", "fifo", "folder"])
async def test_what_is_no_plain_file_of_ours_is_refused_without_waiting(home: Path, kind: str) -> None:
    path, target = home / "t.jsonl", home / "target.jsonl"
    await asyncio.to_thread(target.write_bytes, record("user", "stolen"))
    make = {
        "link": lambda: path.symlink_to(target), "hard": lambda: os.link(target, path),
        "fifo": lambda: os.mkfifo(path), "folder": lambda: path.mkdir(),
    }[kind]  # fmt: skip
    await asyncio.to_thread(make)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        assert await read(daemon, path, home) == []
        assert await state(daemon) == "refused"


async def test_a_missing_transcript_is_noted_and_the_words_of_the_hook_are_used(home: Path) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        assert await read(daemon, home / "gone.jsonl", home) == []
        assert await state(daemon) == "missing"


async def test_what_a_host_writes_behind_its_last_hook_is_read_by_the_next_sweep(home: Path) -> None:
    path, now = home / "late.jsonl", datetime.now(UTC).isoformat()
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await deliver(one, "Stop", cwd=str(home), prompt_id="p0", transcript_path=str(path), at=now)
        await daemon.follower.caught_up()
        assert await state(daemon) == "missing"
        await asyncio.to_thread(path.write_bytes, record("user", "first"))
        await daemon.sweep.once()
        assert (await messages(daemon), await state(daemon)) == (["first"], "ok")
        await deliver(one, "SessionEnd", cwd=str(home), reason="exit", transcript_path=str(path), at=now)
        await daemon.follower.caught_up()
        await asyncio.to_thread(path.write_bytes, path.read_bytes() + record("assistant", "second"))
        await daemon.sweep.once()
        assert await messages(daemon) == ["first", "second"]


async def test_a_line_of_many_megabytes_is_read_and_the_next_one_too(home: Path) -> None:
    path = home / "t.jsonl"
    content = record("user", "x" * 9_000_000) + record("user", "after")
    await asyncio.to_thread(path.write_bytes, content)
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        found = await read(daemon, path, home)
        assert [len(text) for text in found] == [64 * 1024, 5]


async def test_what_was_said_while_recording_was_paused_is_not_read_later(home: Path) -> None:
    path = home / "t.jsonl"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await one.call("daemon.pause", {}, timeout=5)
        said = datetime.now(UTC).isoformat().replace("+00:00", "Z").encode()
        secret = record("user", "between us").replace(b"2026-11-30T08:00:00.000Z", said)
        await asyncio.to_thread(path.write_bytes, secret)
        assert await read(daemon, path, home) == []
        await one.call("daemon.resume", {}, timeout=5)
        await asyncio.to_thread(path.write_bytes, secret + record("user", "for the record"))
        assert await read(daemon, path, home) == ["for the record"]


async def test_what_was_said_in_an_excluded_folder_is_passed_over(home: Path) -> None:
    path = home / "t.jsonl"
    inside = record("user", "between us").replace(b'"isSidechain"', b'"cwd": "/private/diary", "isSidechain"')
    await asyncio.to_thread(path.write_bytes, record("user", "before") + inside + record("user", "after", id="x"))
    config = Config(privacy=Privacy(exclude=("/private",)))
    async with running(home, agent=ScriptedAgent(each_prompt), config=config) as daemon:
        assert "between us" not in await read(daemon, path, home)


async def test_secrets_in_a_transcript_stay_out_of_the_journal(home: Path) -> None:
    secret = "gh" + "p_" + "x9Y" * 12
    path = home / "t.jsonl"
    await asyncio.to_thread(path.write_bytes, record("assistant", f"the token {secret} works"))
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        (text,) = await read(daemon, path, home)
        assert secret not in text
        assert "[secret:" in text


async def test_at_start_a_session_that_was_not_read_to_its_end_is_read_again(home: Path) -> None:
    path = home / "t.jsonl"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await asyncio.to_thread(path.write_bytes, record("user", "one"))
        await read(daemon, path, home)
        await daemon.journal.writer.arun(
            lambda c: c.execute("update sessions set transcript_read_at = '2000-01-01T00:00:00.000Z'") and None
        )
    await asyncio.to_thread(path.write_bytes, path.read_bytes() + record("user", "two"))
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:

        async def both() -> bool:
            return await messages(daemon) == ["one", "two"]

        await until(both)


@pytest.mark.parametrize("where", ["/a\0b", "/" + "a" * 5000, "/proc/1/cwd/x"])
async def test_a_folder_that_nobody_may_look_at_ends_no_reading(where: str, home: Path) -> None:
    path = home / "t.jsonl"
    odd = {**json.loads(record("assistant", "one")), "cwd": where}
    (home / ".memoryd").mkdir()
    (home / ".memoryd" / "ignore").write_text("secret/\n")
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "/a\0b"}}
    used = {**json.loads(record("assistant", "x")), "message": {"role": "assistant", "content": [call]}}
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        lines = [json.dumps(odd).encode() + b"\n", json.dumps(used).encode() + b"\n", record("user", "two")]
        await asyncio.to_thread(path.write_bytes, b"".join(lines))
        assert await read(daemon, path, home) == ["one", "two"]
        async with client(daemon) as one:
            told = await deliver(one, "UserPromptSubmit", session="s2", cwd=where[:4096], prompt_id="p", prompt="three")
        assert told.seq is not None


@pytest.mark.parametrize("path", ["/tmp/\0x", "/proc/self/mem", "/dev/zero"])
async def test_what_is_no_file_is_refused(path: str, home: Path) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        assert await read(daemon, Path(path), home) == []
        assert await state(daemon) == "refused"


async def test_a_call_that_never_gets_a_result_holds_up_nothing_of_what_follows(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "CHUNK_BYTES", 10_000)
    monkeypatch.setattr(transcripts, "MAX_LINE_BYTES", 40_000)
    path = home / "t.jsonl"
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {}}
    waits = {**json.loads(record("assistant", "x")), "message": {"role": "assistant", "content": [call]}}
    texts = [f"answer {n} " + "a" * 1_000 for n in range(200)]
    lines = [json.dumps(waits).encode() + b"\n", *(record("assistant", text) for text in texts)]
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon:
        await asyncio.to_thread(path.write_bytes, b"".join(lines))
        assert len(await read(daemon, path, home)) == len(texts)
        await idle(daemon)
