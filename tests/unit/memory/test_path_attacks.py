"""Names and files that lead out of a memory directory, or hold a reader up: refused at every door, and none blocks."""

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.daemons import client, running
from support.events import event
from support.faults_profile import pick
from support.versions import MemoryVersions

from memoryd.clock import mono
from memoryd.errors import PathRefused
from memoryd.ipc.client import AsyncClient
from memoryd.memory.acceptance import judge
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.model import EntryType, FileKey, Root
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary, Supersede

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SWAP_SECONDS = pick(quick=2, full=60)
ANSWER_SECONDS = 10  #: bound of every call here; a pipe without a writer would hold it for ever

NAMES = {
    "up": "../escape", "up twice": "../../escape", "up within": "knowledge/../../escape", "absolute": "/tmp/escape",
    "NUL": "a\0b", "line end": "a\nb", "full width dots": "．．/escape", "full width slash": "a／b",
    "one dot leader": "\u2024\u2024/escape", "backslash": "..\\escape", "dot file": ".hidden", "dot": ".",
    "up alone": "..",
    "256 bytes": "a" * 256, "256 bytes in Chinese": "忆" * 86, "invisible": "a\u200bb", "turned": "a\u202eb",
    "surrogate": "\ud800",
}  # fmt: skip
SLUGS = {
    **NAMES, "the skill": "SKILL", "the skill's file": "SKILL.md",
    "the index": "MEMORY", "the index's file": "MEMORY.md",
    "case twin": "Straße",
    "folded twin": "strasse", "decomposed": "cafe\u0301", "empty": "", "device": "/dev/zero",
}  # fmt: skip
HELD = {FileKey(Root.PROJECT, "knowledge/straße.md"): b"---\nname: s\n---\nx\n"}


@pytest.fixture
def project(tmp_path: Path) -> str:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return str(tmp_path / "project")


class NoEvidence:
    def spans(self, seqs: object) -> dict[int, object]:
        return {}

    def foreign(self, seqs: object, *, later: bool = False) -> tuple[()]:
        return ()


def proposals_of(name: str) -> Iterator[Proposal]:
    words = {"name": "n", "type": EntryType.PROJECT, "content": "a fact about lantern"}
    yield Save(slug=name, **words)
    yield Supersede(slug=name, old="straße", **words)
    yield Lines(file=f"{name}.md", add=("x",))
    yield Lines(file=f"knowledge/{name}.md", add=("x",))
    yield Archive(slug=name)
    yield Summary(host="h", session_id="s", date=name, content="x")


@pytest.mark.parametrize("attack", SLUGS)
@pytest.mark.parametrize("person", [True, False])
def test_no_proposal_names_a_way_out(attack: str, person: bool) -> None:
    for proposal in proposals_of(SLUGS[attack]):
        accepted, refused = judge([proposal], evidence=NoEvidence(), base=HELD, person=person)  # type: ignore[arg-type]
        assert (accepted, {one.code for one in refused} <= {"path-refused", "scan-rejected"}) == ((), True), proposal


async def refused(one: AsyncClient, method: str, params: dict[str, object]) -> bool:
    """Whether a call is refused for its path; it answers in time whatever it is asked."""
    try:
        await asyncio.wait_for(one.call(method, params, timeout=ANSWER_SECONDS), ANSWER_SECONDS)
    except PathRefused:
        return True
    return False


WIRE = [name for name in SLUGS if name != "surrogate"]  # JSON in UTF-8 has none


async def test_save_read_and_memory_dir_refuse_every_name(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        words = {"cwd": project, "type": "project", "content": "a fact about lantern that is long enough"}
        await one.call("memory.save", {**words, "name": "s", "slug": "straße"}, timeout=ANSWER_SECONDS)
        for name in filter(lambda name: name != "empty", WIRE):
            assert await refused(one, "memory.save", {**words, "name": "n", "slug": SLUGS[name]}), name
        for name in filter(lambda name: name in NAMES, WIRE):
            assert await refused(one, "memory.read", {"cwd": project, "name": NAMES[name]}), name
        for name in ("up", "up twice", "up within", "NUL", "full width dots", "256 bytes", "invisible"):
            assert await refused(one, "event.publish", _bound_to(f"{home}/{NAMES[name]}", name)), name
        for number, path in enumerate(("/dev/zero", "/proc/self/mem", "/etc/memory", f"{home}//x", f"{home}/.")):
            assert await refused(one, "event.publish", _bound_to(path, f"system{number}")), path
    assert await asyncio.to_thread(lambda: list(home.parent.rglob("*escape*"))) == []


def _bound_to(path: str, session: str) -> dict[str, object]:
    plain = event("user_prompt", session=session, text="hello").model_dump(mode="json")
    return {"event": {**plain, "memory_dir": path}}


def _link(target: Path, outside: Path) -> None:
    target.symlink_to(outside)


def _hard_link(target: Path, outside: Path) -> None:
    os.link(outside, target)  # the test makes what an attacker makes


def _fifo(target: Path, _: Path) -> None:
    os.mkfifo(target)


def _socket(target: Path, _: Path) -> None:
    import socket

    with contextlib.chdir(target.parent), socket.socket(socket.AF_UNIX) as one:
        one.bind(target.name)  # a short name: the whole path may be longer than a socket's may be


def _device(target: Path, _: Path) -> None:
    try:
        os.mknod(target, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("a device needs root to be made")


PLANTED: dict[str, Callable[[Path, Path], None]] = {
    "link": _link, "hard link": _hard_link, "FIFO": _fifo, "socket": _socket, "device": _device,
}  # fmt: skip


@pytest.mark.parametrize("kind", PLANTED)
async def test_what_is_no_plain_file_is_neither_read_nor_written_and_holds_nobody_up(
    kind: str, home: Path, project: str, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    await asyncio.to_thread(outside.write_text, "- a secret of somebody else\n")
    async with running(home) as daemon, client(daemon) as one:
        root = daemon.places.user_memory
        await asyncio.to_thread((root / "preferences.md").unlink)
        await asyncio.to_thread(PLANTED[kind], root / "preferences.md", outside)
        await asyncio.to_thread(PLANTED[kind], root / "knowledge" / "x.md", outside)
        assert await refused(one, "memory.read", {"cwd": project, "name": "preferences.md"})
        assert await refused(one, "memory.read", {"cwd": project, "name": "x"})
        shown = await one.call("recall.snapshot", {"cwd": project}, timeout=ANSWER_SECONDS)
        assert "somebody else" not in shown.text
        saved = {"cwd": project, "scope": "user", "name": "x", "slug": "x", "type": "user", "content": "written by us"}
        with pytest.raises(PathRefused):
            await one.call("memory.save", saved, timeout=ANSWER_SECONDS)
        assert await asyncio.to_thread(outside.read_text) == "- a secret of somebody else\n"


async def test_a_memory_dir_that_is_a_link_or_no_folder_is_refused(home: Path, tmp_path: Path) -> None:
    await asyncio.to_thread((tmp_path / "real").mkdir)
    await asyncio.to_thread((tmp_path / "link").symlink_to, tmp_path / "real")
    await asyncio.to_thread(os.mkfifo, tmp_path / "pipe")
    await asyncio.to_thread((tmp_path / "file").write_text, "")
    async with running(home) as daemon, client(daemon) as one:
        for name in ("link", "pipe", "file"):
            assert await refused(one, "event.publish", _bound_to(str(tmp_path / name), name)), name
        assert not await refused(one, "event.publish", _bound_to(str(tmp_path / "new"), "new"))


async def test_a_memory_dir_with_other_things_in_it_is_refused_and_a_hook_that_names_it_is_counted(
    home: Path, tmp_path: Path
) -> None:
    def lay_out() -> None:
        for name in ("other", "empty", "memory"):
            (tmp_path / name).mkdir()
        (tmp_path / "other" / "notes.txt").write_text("mine")
        (tmp_path / "memory" / "MEMORY.md").write_text("# mine\n")
        (tmp_path / "memory" / "notes.txt").write_text("mine")

    await asyncio.to_thread(lay_out)
    async with running(home) as daemon, client(daemon) as one:
        for path in (str(tmp_path / "other"), "/etc", "/"):
            assert await refused(one, "event.publish", _bound_to(path, path)), path
        for name in ("empty", "memory"):
            assert not await refused(one, "event.publish", _bound_to(str(tmp_path / name), name)), name
        await asyncio.to_thread((tmp_path / "empty" / "notes.txt").write_text, "put there since")
        await asyncio.to_thread((tmp_path / "empty" / "MEMORY.md").unlink, missing_ok=True)
        assert not await refused(one, "event.publish", _bound_to(str(tmp_path / "empty"), "again"))  # memory is there
        raw = json.dumps(_bound_to(str(tmp_path / "other"), "hook")["event"])
        hook = {"id": "a" * 32, "at": "2026-11-30T08:00:00Z", "host": "generic", "event": "user_prompt", "raw": raw,
                "cwd": str(home)}  # fmt: skip
        assert (await one.call("hook.deliver", hook, timeout=ANSWER_SECONDS)).seq is None
        health = await one.call("daemon.health", {}, timeout=ANSWER_SECONDS)
        assert health.passed_over["quarantined"] == 1
        (kept,) = await asyncio.to_thread(daemon.journal.rows, "select error from quarantine")
    assert "it holds other things" in kept["error"]
    assert await asyncio.to_thread(os.listdir, tmp_path / "other") == ["notes.txt"]


def test_a_folder_swapped_for_a_link_again_and_again_never_leads_out(tmp_path: Path) -> None:
    outside, memory = tmp_path / "outside", MemoryDirectory(tmp_path / "memory")
    outside.mkdir()
    memory.create()
    for folder in (outside, memory.path / "knowledge"):
        (folder / "x.md").write_text("outside" if folder is outside else "inside")
    stop, swaps = threading.Event(), 0

    def swap() -> None:
        nonlocal swaps
        folder, aside = memory.path / "knowledge", memory.path / ".aside"
        while not stop.is_set():
            folder.rename(aside)
            folder.symlink_to(outside)
            folder.unlink()
            aside.rename(folder)
            swaps += 1

    versions, seen, looks = MemoryVersions(), set[bytes](), 0
    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        until = mono() + SWAP_SECONDS
        while mono() < until or not seen:
            seen |= {content for path, content in memory.read_all().items() if path == "knowledge/x.md"}
            memory.observe(versions, NOW, lambda path: Author.OUTSIDE)
            looks += 1
    finally:
        stop.set()
        swapper.join()
    print(f"{SWAP_SECONDS} s: {swaps} swaps, {looks} looks")
    assert seen == {b"inside"}
    assert not [v for v in versions.recorded if v.content == b"outside"]
    assert min(swaps, looks) > 10
