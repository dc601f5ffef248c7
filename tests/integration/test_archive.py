"""Everything out and in: archives that hold, backups that restore, a git history that goes on."""

import asyncio
import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.archives import members, write
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.faults_oracle import directories
from support.installation import reading, rows
from support.talk import turn

from memoryd.daemon.daemon import Daemon
from memoryd.errors import BadEvent, CannotWrite, Conflict, NotFound, PathRefused
from memoryd.ipc.client import AsyncClient

ENTRY = {"name": "Deploy target", "type": "project", "content": "Lantern runs on Hetzner since November."}
SECRET = "gh" + "p_" + "q7W" * 12


async def talk(daemon: Daemon, one: AsyncClient, *texts: str, session: str = "s1", cwd: str) -> None:
    for text in (*texts, "thanks", "bye")[:3]:
        await turn(one, text, cwd=cwd, session=session)
    await idle(daemon)


async def archive(one: AsyncClient, method: str, path: Path) -> Any:
    return await one.call(f"archive.{method}", {"dir" if method == "git" else "file": str(path)}, timeout=30)


async def fill(daemon: Daemon, one: AsyncClient, cwd: str) -> None:
    """Runs, a person's save and edit, an undone run, a secret."""
    await talk(daemon, one, "I prefer tabs over spaces", f"my token is {SECRET}", cwd=cwd)
    await one.call("memory.save", {"cwd": cwd, **ENTRY}, timeout=5)
    await one.call("memory.save", {"cwd": cwd, **ENTRY, "content": "Lantern moved to Fly.io."}, timeout=5)
    await one.call("memory.undo", {}, timeout=5)
    user = daemon.places.user_memory / "user.md"
    await asyncio.to_thread(user.write_text, "- by hand 手写\n")
    await one.call("memory.list", {"cwd": cwd}, timeout=5)


def files(data: Path) -> dict[str, bytes]:
    found = [path for path in data.rglob("memory/**/*.md") if not path.name.startswith(".")]
    return {str(path.relative_to(data)): path.read_bytes() for path in found}


def state(data: Path) -> dict[str, list[Any]]:
    """What the journal knows, in terms that do not depend on row numbers."""
    sql = {
        "events": "select events.id, host, session_id, kind, at, data from events"
        " join sessions on sessions.id = session order by events.id",
        "sessions": "select host, session_id, turn_count, user_seq > watermark from sessions order by 1, 2",
        "turns": "select session_id, turn_id, status from turns join sessions on sessions.id = session order by 1, 2",
        "citations": "select path, line, events.id from citations join events using (seq) order by 1, 2, 3",
        "versions": "select path, digest, author, run_id, at from versions where author != 'run' or run_id is not null"
        " order by path, id",
        "runs": "select id, author, action, outcome, files, reason from runs where action != 'import' order by id",
        "rejected": "select fact from rejected order by fact",
    }
    with reading(data / "state.db") as connection:
        return {name: rows(connection, query) for name, query in sql.items()}


async def test_an_export_fills_an_empty_data_directory_and_a_second_import_adds_nothing(
    home: Path, project: str, tmp_path: Path
) -> None:
    target = tmp_path / "out.tar.gz"
    async with running(home / "a", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await fill(daemon, one, project)
        written = await archive(one, "export", target)
        before = await asyncio.to_thread(files, daemon.places.data), await asyncio.to_thread(state, daemon.places.data)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert hashlib.sha256(target.read_bytes()).hexdigest() == written.sha256
    assert SECRET.encode() not in b"".join(members(target).values())
    async with running(home / "b") as daemon, client(daemon) as one:
        done = await archive(one, "import", target)
        assert (done.events, done.duplicates, done.sessions, done.left) == (6, 0, 1, ())
        data = daemon.places.data
        assert (await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)) == before
        why = (await one.call("memory.why", {"cwd": project, "name": "tabs over"}, timeout=5)).items[0]
        assert (why.quote, why.session) == ("I prefer tabs over spaces", "claude-code/s1")
        assert "Hetzner" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text
        again = await archive(one, "import", target)
        assert (again.run, again.events, again.duplicates, again.versions, again.files) == (None, 0, 6, 0, ())
        assert (await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)) == before
        await idle(daemon)
        assert (await one.call("worker.stats", {}, timeout=5)).total_completed == 0  # nothing is learned twice
    with reading(data / "state.db") as connection:
        assert [p for p in directories(connection) if "/." not in p] == []


async def test_an_import_into_a_used_memory_keeps_what_is_there(home: Path, project: str, tmp_path: Path) -> None:
    target = tmp_path / "out.tar"
    async with running(home / "a", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer tabs over spaces", "I prefer dark mode", cwd=project)
        await one.call("memory.save", {"cwd": project, **ENTRY}, timeout=5)
        await archive(one, "export", target)
    async with running(home / "b", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer short commits", "I prefer dark mode", session="s2", cwd=project)
        await one.call("memory.forget", {"cwd": project, "name": "dark mode"}, timeout=5)
        await one.call("memory.save", {"cwd": project, **ENTRY, "content": "It runs in the cellar."}, timeout=5)
        done = await archive(one, "import", target)
        preferences = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "- I prefer short commits\n" in preferences
        assert "- I prefer tabs over spaces\n" in preferences
        assert "dark mode" not in preferences  # forgotten here
        assert done.left == ("project/knowledge/deploy-target.md",)
        assert "cellar" in (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text
        undone = await one.call("memory.undo", {"run": done.run}, timeout=5)
        assert "user/preferences.md" in undone.files
        assert "tabs over" not in await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        data = daemon.places.data
    with reading(data / "state.db") as connection:
        assert [p for p in directories(connection) if "/." not in p] == []
        assert rows(connection, "select value from counters where name = 'seq'") == [(12,)]


async def test_an_archive_does_not_bring_back_what_was_purged(home: Path, project: str, tmp_path: Path) -> None:
    target = tmp_path / "out.tar"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer the xylophone", session="gone", cwd=project)
        await talk(daemon, one, "I prefer the marimba", session="stays", cwd=project)
        await archive(one, "export", target)
        await one.call("memory.purge", {"session": "gone"}, timeout=30)
        done = await archive(one, "import", target)
        assert (done.run, done.events) == (None, 0)
        await one.call("memory.purge", {"session": "stays"}, timeout=30)
        data = daemon.places.data
    async with running(home / "other") as daemon, client(daemon) as one:
        await archive(one, "import", target)
        await one.call("memory.purge", {"session": "gone"}, timeout=30)
        await archive(one, "import", target)
        text = (await one.call("recall.snapshot", {"cwd": project}, timeout=5)).text
        assert "marimba" in text
        assert "xylophone" not in text
        other = daemon.places.data
    for place, words in ((data, (b"xylophone", b"marimba")), (other, (b"xylophone",))):
        found = [path for path in place.rglob("*") if path.is_file() and any(w in path.read_bytes() for w in words)]
        assert not found


async def test_after_a_purge_of_everything_an_older_archive_brings_nothing_and_a_later_one_what_is_new(
    home: Path, project: str, tmp_path: Path
) -> None:
    older, later = tmp_path / "older.tar", tmp_path / "later.tar"
    async with running(home / "a", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await fill(daemon, one, project)
        await one.call("memory.save", {"cwd": project, **ENTRY, "name": "Xylophone"}, timeout=5)
        index = daemon.places.user_memory / "MEMORY.md"
        text = await asyncio.to_thread(index.read_text)
        await asyncio.to_thread(index.write_text, f"xylophone outside\n\n{text}")
        await one.call("memory.forget", {"cwd": project, "name": "tabs over spaces"}, timeout=5)
        await one.call("goal.add", {"cwd": project, "text": "sell the xylophone"}, timeout=5)
        await one.call("note.add", {"cwd": project, "text": "xylophone is out of tune"}, timeout=5)
        await one.call("note.add", {"cwd": project, "text": "tune the xylophone", "kind": "priority"}, timeout=5)
        await archive(one, "export", older)
        await one.call("memory.purge", {"all": True}, timeout=30)
        data = daemon.places.data
        clean = await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)
        done = await archive(one, "import", older)
        assert (done.run, done.events, done.versions, done.sessions, done.files) == (None, 0, 0, 0, ())
        assert (await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)) == clean
        assert not await asyncio.to_thread(_holding, data, b"xylophone", b"spaces", b"by hand", b"Lantern")
        # elsewhere it goes on: only what is new there comes in
        async with running(home / "b", agent=ScriptedAgent(each_prompt)) as second, client(second) as two:
            await archive(two, "import", older)
            user = second.places.user_memory / "user.md"
            await asyncio.to_thread(user.write_text, "- by hand 手写\n- written later\n")
            await two.call("memory.save", {"cwd": project, **ENTRY, "name": "Marimba", "content": "New."}, timeout=5)
            await two.call("goal.add", {"cwd": project, "text": "buy a marimba"}, timeout=5)
            await archive(two, "export", later)
        done = await archive(one, "import", later)
        assert done.events == 0
        assert sorted(done.files) == ["project/MEMORY.md", "project/knowledge/marimba.md", "user/user.md"]
        assert await asyncio.to_thread((daemon.places.user_memory / "user.md").read_text) == "- written later\n"
        goals = (await one.call("goal.list", {"cwd": project}, timeout=5)).items
        assert [goal.text for goal in goals] == ["buy a marimba"]
        assert not await asyncio.to_thread(_holding, data, b"xylophone", b"spaces", b"by hand", b"Lantern")


def _holding(data: Path, *words: bytes) -> list[str]:
    found = (path for path in data.rglob("*") if path.is_file() and path.name != "logs.db")
    return [str(path) for path in found if any(word in path.read_bytes() for word in words)]


async def test_a_goal_or_note_that_was_purged_with_its_session_or_by_time_does_not_come_back(
    home: Path, project: str, tmp_path: Path
) -> None:
    target = tmp_path / "out.tar"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer the xylophone", session="gone", cwd=project)
        session = {"host": "claude-code", "session_id": "gone"}
        await one.call("goal.add", {"cwd": project, "text": "sell the xylophone", **session}, timeout=5)
        await one.call("goal.add", {"cwd": project, "text": "buy a marimba"}, timeout=5)
        plan = {"kind": "plan", "steps": ["look"]}
        await one.call("note.add", {"cwd": project, "text": "sell the xylophone", **session, **plan}, timeout=5)
        await one.call("note.add", {"cwd": project, "text": "buy a marimba", **plan}, timeout=5)
        await archive(one, "export", target)
        for what, left in (({"session": "gone"}, ["buy a marimba"]), ({"before": "2999-01-01T00:00:00Z"}, [])):
            await one.call("memory.purge", what, timeout=30)
            await archive(one, "import", target)
            goals = (await one.call("goal.list", {"cwd": project}, timeout=5)).items
            notes = (await one.call("note.list", {"cwd": project, "kind": "plan"}, timeout=5)).items
            assert [goal.text for goal in goals] == [note.text for note in notes] == left
        async with running(home / "b") as second, client(second) as two:
            await archive(two, "import", target)
            kept = (await two.call("note.list", {"cwd": project, "kind": "plan"}, timeout=5)).items
            assert [(note.text, note.steps[0].text) for note in kept] == [
                ("buy a marimba", "look"), ("sell the xylophone", "look"),
            ]  # fmt: skip


def rewrite(path: Path, change: Callable[[dict[str, bytes]], object], *, sums: bool) -> None:
    """Change an archive's members; `sums`: with checksums that hold, as an attacker would."""
    found = members(path)
    change(found)
    write(path, found, sums=sums)


def _flip(found: dict[str, bytes]) -> None:
    name = next(name for name in found if name.startswith("memory/user/preferences"))
    found[name] = found[name].replace(b"tabs", b"taps")


def _event(**other: Any) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        first, _, rest = found["journal/events.jsonl"].partition(b"\n")
        found["journal/events.jsonl"] = json.dumps({**json.loads(first), **other}).encode() + b"\n" + rest

    return change


@pytest.mark.parametrize(
    ("change", "sums", "why"),
    [
        (_flip, False, "checksum of memory/user/preferences.md"),
        (lambda found: found.pop("SHA256SUMS"), False, "no SHA256SUMS"),
        (lambda found: found.pop("journal/events.jsonl"), False, "checksum"),
        (lambda found: found.update({"memory/user/../../evil.md": b"- x\n"}), True, "no memory file"),
        (lambda found: found.update({"memory/user/.hidden.md": b"- x\n"}), True, "no memory file"),
        (_event(kind="surprise"), True, "event that is none"),
        (_event(session_id="nobody"), True, "session that the archive does not have"),
        (lambda found: found.update({"archive.json": b'{"version": 99, "kind": "export"}'}), True, "newer"),
        (lambda found: found.update({"journal/versions.jsonl": b"nothing"}), True, "no JSON"),
        (lambda found: found.update({"journal/sessions.jsonl": b"{}\n"}), True, "not what memoryd writes"),
    ],
)
async def test_a_damaged_or_made_up_archive_changes_nothing(
    home: Path, project: str, tmp_path: Path, change: Callable[[dict[str, bytes]], object], sums: bool, why: str
) -> None:
    target = tmp_path / "out.tar"
    async with running(home / "a", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer tabs over spaces", cwd=project)
        await archive(one, "export", target)
    await asyncio.to_thread(rewrite, target, change, sums=sums)
    async with running(home / "b") as daemon, client(daemon) as one:
        data = daemon.places.data
        before = await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)
        with pytest.raises(BadEvent, match=why):
            await archive(one, "import", target)
        assert (await asyncio.to_thread(files, data), await asyncio.to_thread(state, data)) == before


async def test_a_secret_in_a_made_up_archive_is_replaced(home: Path, project: str, tmp_path: Path) -> None:
    target = tmp_path / "out.tar"
    async with running(home / "a", agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await talk(daemon, one, "I prefer tabs over spaces", cwd=project)
        await archive(one, "export", target)

    def plant(found: dict[str, bytes]) -> None:
        for name in list(found):
            if name.startswith("memory/user/preferences") or name == "journal/events.jsonl":
                found[name] = found[name].replace(b"tabs over spaces", f"token {SECRET}".encode())

    await asyncio.to_thread(rewrite, target, plant, sums=True)
    async with running(home / "b") as daemon, client(daemon) as one:
        assert (await archive(one, "import", target)).events == 6
        data = daemon.places.data
    assert not [path for path in data.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


async def test_archives_are_written_whole_outside_the_data_directory_or_not_at_all(home: Path, tmp_path: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        inside = daemon.places.data / "out.tar"
        link = tmp_path / "link"
        link.symlink_to(daemon.places.data, target_is_directory=True)
        for path in (inside, link / "out.tar", daemon.places.data / "user" / ".." / "x.tar"):
            for method in ("export", "backup", "git"):
                with pytest.raises(PathRefused, match="inside the data directory"):
                    await archive(one, method, path)
        with pytest.raises(NotFound):
            await archive(one, "export", tmp_path / "none" / "out.tar")
        with pytest.raises(PathRefused, match="no regular file"):
            await archive(one, "export", tmp_path)
        closed = Path("/sys")  # where not even root makes a file
        if os.getuid() != 0:
            (closed := tmp_path / "closed").mkdir(0o500)
        for method in ("export", "backup"):
            with pytest.raises(CannotWrite, match=r"cannot write .*out\.tar"):
                await archive(one, method, closed / "out.tar")
        with pytest.raises(NotFound):
            await archive(one, "import", tmp_path / "none.tar")
        (tmp_path / "text").write_text("hello")
        with pytest.raises(BadEvent, match="no archive"):
            await archive(one, "import", tmp_path / "text")
    assert not list(tmp_path.rglob(".memoryd-*"))


async def test_a_file_that_is_there_is_replaced_only_when_that_is_wanted(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.tar"
    async with running(home) as daemon, client(daemon) as one:
        for method in ("export", "backup"):
            target.write_text("mine")
            with pytest.raises(Conflict, match="is there already; name another file, or let it be replaced"):
                await archive(one, method, target)
            assert target.read_text() == "mine"
            await one.call(f"archive.{method}", {"file": str(target), "force": True}, timeout=30)
            assert "archive.json" in members(target)
    assert [path.name for path in tmp_path.glob("*.t*")] == ["mine.tar"]


async def test_a_backup_taken_under_load_is_restored_with_tar(home: Path, project: str, tmp_path: Path) -> None:
    target = tmp_path / "backup.tar"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await fill(daemon, one, project)
        publishing = asyncio.create_task(_publish(daemon, project))
        await archive(one, "backup", target)
        publishing.cancel()
        with pytest.raises(BadEvent, match="is a backup"):
            await archive(one, "import", target)
        data = daemon.places.data
        told = await asyncio.to_thread(files, data)
    await asyncio.to_thread(data.rename, tmp_path / "away")
    await asyncio.to_thread(data.mkdir, 0o700)
    (key,) = await asyncio.to_thread(lambda: [(tmp_path / "away" / "placeholder.key").read_bytes()])
    for command in (["tar", "-xf", str(target)], ["sha256sum", "--quiet", "-c", "SHA256SUMS"]):
        await asyncio.to_thread(subprocess.run, command, cwd=data, check=True)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in data.rglob("*") if path.is_dir()}
    assert (modes, {stat.S_IMODE(path.stat().st_mode) for path in data.rglob("*") if path.is_file()}) == (
        {0o700},
        {0o600},
    )
    assert (data / "placeholder.key").read_bytes() == key
    with reading(data / "state.db") as connection:
        assert rows(connection, "pragma integrity_check") == [("ok",)]
        assert directories(connection) == []
    async with running(home) as daemon, client(daemon) as one:
        assert await asyncio.to_thread(files, data) == told
        assert (await one.call("memory.why", {"cwd": project, "name": "tabs over"}, timeout=5)).items[0].quote
        assert (await one.call("memory.diff", {}, timeout=5)).items
        log = (await one.call("memory.log", {"writes": True}, timeout=5)).items
        assert {run.author for run in log} == {"run", "person", "outside"}


async def _publish(daemon: Daemon, cwd: str) -> None:
    async with client(daemon) as one:
        for number in range(10_000):
            event = {"id": f"load{number}", "kind": "tool_use", "host": "generic", "session_id": "load", "cwd": cwd,
                     "at": "2026-11-30T08:00:00Z", "data": {"name": "Bash"}}  # fmt: skip
            await one.call("event.publish", {"event": event}, timeout=5)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


async def test_the_history_as_commits_goes_on_and_forgets_what_was_purged(
    home: Path, project: str, tmp_path: Path
) -> None:
    folder = tmp_path / "history"
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await fill(daemon, one, project)
        first = await archive(one, "git", folder)
        subjects = (await asyncio.to_thread(git, folder, "log", "--format=%s")).splitlines()
        assert len(subjects) == first.commits
        seeds = [subject for subject in subjects if subject.startswith("seeds")]
        assert sorted(seeds) == ["seeds by run: 6 files", "seeds by run: 6 files"]  # the user's and the project's
        for author, what in (
            ("run", "consolidate by run"),
            ("person", "undo by person"),
            ("outside", "changed by outside"),
        ):
            assert any(subject.startswith(what) for subject in subjects), (what, subjects)
            assert await asyncio.to_thread(git, folder, "log", f"--author={author}@memoryd.invalid", "--format=%h")
        assert await asyncio.to_thread((folder / "user/user.md").read_text) == "- by hand 手写\n"
        assert await asyncio.to_thread(git, folder, "fsck", "--strict") == ""
        assert (await archive(one, "git", folder)).commits == 0
        (folder / "mine.txt").write_text("mine\n")
        with pytest.raises(Conflict, match="not committed"):
            await archive(one, "git", folder)
        who = ("-c", "user.name=me", "-c", "user.email=me@example.org")
        await asyncio.to_thread(git, folder, "add", "mine.txt")
        await asyncio.to_thread(git, folder, *who, "commit", "-qm", "mine")
        mine = await asyncio.to_thread(git, folder, "rev-parse", "HEAD")
        await talk(daemon, one, "I prefer dark mode", session="s2", cwd=project)
        assert (await archive(one, "git", folder)).commits >= 1
        assert await asyncio.to_thread(git, folder, "merge-base", "--is-ancestor", mine, "HEAD") == ""
        assert "dark mode" in await asyncio.to_thread((folder / "user/preferences.md").read_text)
        assert (folder / "mine.txt").exists()
        await one.call("memory.purge", {"all": True}, timeout=30)
        await archive(one, "git", folder)
        assert "dark mode" not in await asyncio.to_thread((folder / "user/preferences.md").read_text)
        assert not list((folder / "projects").rglob("*.md"))
        assert await asyncio.to_thread(git, folder, "status", "--porcelain") == ""
        with pytest.raises(PathRefused, match="no git repository"):
            await archive(one, "git", tmp_path)
    async with running(home / "b") as daemon, client(daemon) as one:
        with pytest.raises(Conflict, match="another data directory"):
            await archive(one, "git", folder)
    assert os.stat(folder).st_mode & 0o077 == 0
