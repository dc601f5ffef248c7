"""`.memoryd/ignore`: what a repository does not want remembered never reaches the journal."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, running
from support.talk import deliver, turn

from memoryd.daemon import ignoring, off_record
from memoryd.daemon.config import Config, Privacy
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.projects import real_path
from memoryd.errors import Busy

SAID = "kestrel seventeen"  #: stands in the ignored file


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "lantern"
    for folder in (".git", ".memoryd", "secrets/deep", "src"):
        (root / folder).mkdir(parents=True)
    (root / ".memoryd" / "ignore").write_text("# private\nsecrets/\n*.pem\n!public.pem\n")
    return root


async def texts(daemon: Daemon) -> str:
    rows = await daemon.journal.aread(lambda c: [r[0] for r in c.execute("select data from events order by seq")])
    return "\n".join(rows)


def transcript(path: Path, root: Path, *names: str, tool: str = "Read", key: str = "file_path") -> None:
    """Each file is read by a tool, which finds what it says."""
    records: list[dict[str, Any]] = []
    for n, name in enumerate(names):
        call = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": {"mode": "all", key: str(root / name)}}
        done = {"type": "tool_result", "tool_use_id": f"c{n}", "content": f"{name} says {SAID}"}
        for m, (role, block) in enumerate((("assistant", call), ("user", done))):
            records.append(
                {
                    "type": role, "uuid": f"{n}-{m}", "timestamp": "2026-11-30T08:00:00.000Z", "promptId": "p1",
                    "message": {"id": f"m{n}-{m}", "role": role, "content": [block]},
                }
            )  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


async def test_neither_name_nor_text_of_an_ignored_file_is_kept(home: Path, repository: Path) -> None:
    transcript(home / "t.jsonl", repository, "secrets/deep/plan.md", "key.pem", "public.pem", "src/main.py")
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "Stop", cwd=str(repository), prompt_id="p1", transcript_path=str(home / "t.jsonl"))
        await daemon.follower.caught_up()
        kept = await texts(daemon)
        assert "plan.md" not in kept
        assert "key.pem" not in kept
        assert (kept.count("[ignored]"), kept.count(SAID)) == (2, 2)
        assert "public.pem" in kept
        assert "main.py" in kept


@pytest.mark.parametrize(("tool", "key"), [("Grep", "path"), ("mcp__fs__read", "uri")])
async def test_a_search_in_an_ignored_folder_and_a_tool_of_a_server_are_hidden_too(
    tool: str, key: str, home: Path, repository: Path
) -> None:
    transcript(home / "t.jsonl", repository, "secrets", "secrets/plan.md", "src", tool=tool, key=key)
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "Stop", cwd=str(repository), prompt_id="p1", transcript_path=str(home / "t.jsonl"))
        await daemon.follower.caught_up()
        kept = await texts(daemon)
        assert "secrets" not in kept
        assert f"src says {SAID}" in kept


async def test_fields_that_memoryd_does_not_know_are_not_kept_of_an_ignored_file(home: Path, repository: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for name in ("key.pem", "public.pem"):
            data = {"name": "Read", "files": [{"path": name}], "output": f"{name} says {SAID}", "ok": True}
            event = {
                "id": name, "kind": "tool_use", "host": "generic", "session_id": "s", "cwd": str(repository),
                "at": "2026-11-30T08:00:00Z", "data": data,
            }  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=5)
        kept = await texts(daemon)
        assert "key.pem" not in kept
        assert f"public.pem says {SAID}" in kept


async def test_a_folder_with_an_impossible_name_is_recorded_as_one_that_is_gone(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await deliver(one, "UserPromptSubmit", cwd="/gone/\0/folder", prompt_id="p1", prompt=SAID)
        assert SAID in await texts(daemon)


async def test_a_session_in_an_ignored_folder_is_not_recorded_and_one_beside_it_is(
    home: Path, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(repository / "secrets")
    async with running(home) as daemon, client(daemon) as one:
        for n, folder in enumerate((repository / "secrets" / "deep", tmp_path / "link", repository / "src")):
            await turn(one, f"I prefer tea number {n}.", cwd=str(folder), session=f"s{n}")
        kept = await texts(daemon)
        assert ("number 0" in kept, "number 1" in kept, "number 2" in kept) == (False, False, True)


async def test_a_change_of_the_file_holds_without_a_restart(
    home: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignoring, "LOOK_SECONDS", 0.0)
    async with running(home) as daemon, client(daemon) as one:
        await turn(one, "I prefer tea.", cwd=str(repository / "src"), session="s1")
        (repository / ".memoryd" / "ignore").write_text("src\n")
        await turn(one, "I prefer coffee.", cwd=str(repository / "src"), session="s2")
        kept = await texts(daemon)
        assert ("tea" in kept, "coffee" in kept) == (True, False)


def test_patterns_that_do_not_hold_are_named_and_the_others_hold(repository: Path) -> None:
    (repository / ".memoryd" / "ignore").write_text("!\n*a*b*c*d\nsrc/\n")
    rules = ignoring.find(str(repository / "src"))
    assert rules is not None
    assert [problem.partition(" of ")[0] for problem in rules.problems] == ["line 1", "line 2"]
    assert rules.covers(str(repository / "src" / "x"))
    assert not rules.covers(str(repository / "other"))
    assert not rules.covers(str(repository.parent / "src" / "x"))


def test_no_pattern_makes_a_match_slow(repository: Path) -> None:
    hostile = ["*a*a", "**/a/**/a", "*" * 200, "?" * 200, "[" * 200, "a*" * 200, "/".join(["*"] * 200)]
    lines = hostile * 70
    (repository / ".memoryd" / "ignore").write_text("\n".join(lines))
    rules = ignoring.find(str(repository))
    assert rules is not None

    def cpu(path: str) -> float:
        began = time.process_time()
        rules.covers(path)
        return time.process_time() - began

    plain = min(cpu(str(repository / "src/main.py")) for _ in range(3))
    worst = max(cpu(str(repository / "/".join(["a" * 250] * 14))), cpu(str(repository / "/".join(["a"] * 1000))))
    assert worst < 2000 * max(plain, 1e-4)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_ignores_nothing_and_holds_nobody_up(repository: Path, kind: str) -> None:
    file = repository / ".memoryd" / "ignore"
    file.unlink()
    (repository / "patterns").write_text("src/\n")
    match kind:
        case "link":
            file.symlink_to(repository / "patterns")
        case "pipe":
            os.mkfifo(file)
        case _:
            file.mkdir()
    assert ignoring.find(str(repository / "src")) is None


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A file system that answers nothing any more from the moment on that this is cleared."""
    answers = threading.Event()
    answers.set()
    for name in ("find", "real_path"):
        real = getattr(ignoring, name)
        monkeypatch.setattr(ignoring, name, lambda path, real=real: (answers.wait(30), real(path))[1])
    monkeypatch.setattr(off_record, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(ignoring, "LOOK_SECONDS", 0.0)
    yield answers
    answers.set()


async def test_a_file_system_that_hangs_leaves_the_rules_as_they_were_and_nobody_waiting(
    home: Path, repository: Path, hung: threading.Event
) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await turn(one, "first", cwd=str(repository / "src"))
        await turn(one, "second", cwd=str(repository / "secrets"))
        hung.clear()
        waiting = threading.active_count()
        for n in range(20):
            await turn(one, f"third {n}", cwd=str(repository / "src"))
        for name in ("src/main.py", "key.pem"):
            used = {
                "id": name, "kind": "tool_use", "host": "generic", "session_id": "g", "at": "2026-11-30T08:00:00Z",
                "cwd": str(repository / "src"),
                "data": {"name": "Read", "summary": "", "files": [{"path": str(repository / name)}]},
            }  # fmt: skip
            await one.call("event.publish", {"event": used}, timeout=5)
        transcript(home / "t.jsonl", repository, "src/other.py", "other.pem")
        await deliver(one, "Stop", cwd=str(repository / "src"), prompt_id="p1", transcript_path=str(home / "t.jsonl"))
        async with asyncio.timeout(20):
            await daemon.follower.caught_up()
        await turn(one, "fourth", cwd=str(repository / "secrets"))
        assert threading.active_count() <= waiting + 6  # one a question, not one an event
        kept = await texts(daemon)
        assert [word in kept for word in ("first", "second", "third 19", "fourth")] == [True, False, True, False]
        assert [name in kept for name in ("main.py", "key.pem", "other.py", "other.pem", SAID)] == [False] * 5
        hung.set()


@pytest.mark.parametrize("exclude", [(), ("elsewhere",)])
async def test_what_is_said_in_a_folder_that_was_never_seen_waits_until_its_disk_answers(
    home: Path, repository: Path, hung: threading.Event, exclude: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(off_record, "real_path", lambda path: (hung.wait(30), real_path(path))[1])
    excluded = Config(privacy=Privacy(exclude=tuple(f"{home}/{name}" for name in exclude)))
    async with running(home, config=excluded) as daemon, client(daemon) as one:
        hung.clear()
        for folder in ("src", "secrets"):
            with pytest.raises(Busy, match="does not answer"):
                await turn(one, f"said in {folder}", cwd=str(repository / folder))
        assert await texts(daemon) == ""
        hung.set()
        async with asyncio.timeout(5):
            while "said in src" not in await texts(daemon):
                with suppress(Busy):
                    await turn(one, "said in src", cwd=str(repository / "src"))
        await turn(one, "said in secrets", cwd=str(repository / "secrets"))
        assert "said in secrets" not in await texts(daemon)
