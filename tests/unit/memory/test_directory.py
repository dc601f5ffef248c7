import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.versions import MemoryVersions

from memoryd import fsio
from memoryd.errors import PathRefused
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.path_rules import FOLDERS, MAX_FILE_BYTES, broken_rule, check_path
from memoryd.memory.ports import Author

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def memory(tmp_path: Path) -> MemoryDirectory:
    directory = MemoryDirectory(tmp_path / "memory")
    directory.create()
    return directory


def _put(memory: MemoryDirectory, path: str, content: bytes = b"x") -> Path:
    target = memory.path / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def test_a_new_directory_and_its_folders_are_private(memory: MemoryDirectory) -> None:
    memory.create()
    modes = {p.name: p.stat().st_mode & 0o777 for p in (memory.path, *memory.path.iterdir())}
    assert modes == dict.fromkeys(("memory", *FOLDERS), 0o700)


def test_a_directory_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    assert MemoryDirectory(tmp_path / "none").read_all() == {}


def test_managed_files_are_read_and_nothing_else(memory: MemoryDirectory, tmp_path: Path) -> None:
    for path in ("user.md", "knowledge/用户角色.md", "knowledge/a/deep.md"):
        _put(memory, path, path.encode())
    for path in (".user.md.new", "notes.txt", "knowledge/.git/x.md", "other/x.md", "knowledge/a/b/too-deep.md"):
        _put(memory, path)
    _put(memory, "knowledge/big.md", b"x" * (MAX_FILE_BYTES + 1))
    _put(memory, "user (conflicted copy 2026-11-30).md")
    _put(memory, "daily/a.sync-conflict-20261130-061200-ABCDEFG.md")
    (tmp_path / "secret.md").write_text("outside")
    (memory.path / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(memory.path / "pipe.md")
    files = memory.read_all()
    assert files == {p: p.encode() for p in ("user.md", "knowledge/用户角色.md", "knowledge/a/deep.md")}
    assert {skip.path for skip in memory.skipped} == {
        "knowledge/big.md",
        "user (conflicted copy 2026-11-30).md",
        "daily/a.sync-conflict-20261130-061200-ABCDEFG.md",
        "link.md",
        "pipe.md",
    }


def test_a_folder_that_is_a_link_is_reported_and_its_files_do_not_count_as_gone(
    memory: MemoryDirectory, tmp_path: Path
) -> None:
    versions = MemoryVersions()
    _put(memory, "knowledge/db.md")
    memory.observe(versions, NOW)
    (memory.path / "knowledge").rename(tmp_path / "outside")
    (memory.path / "knowledge").symlink_to(tmp_path / "outside")
    assert memory.read_all() == {}
    assert [skip.path for skip in memory.skipped] == ["knowledge"]
    assert memory.observe(versions, NOW) == []


def test_an_unchanged_directory_is_read_without_opening_a_file(
    memory: MemoryDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.memory.sight._RACY_NS", 0)
    for n in range(100):
        _put(memory, f"knowledge/{n}.md", b"%d" % n)
    opened: list[str] = []
    really = fsio.open_beneath

    def noted(root_fd: int, relpath: str, flags: int, mode: int = 0o600) -> int:
        if not flags & os.O_DIRECTORY:
            opened.append(relpath)
        return really(root_fd, relpath, flags, mode)

    monkeypatch.setattr(fsio, "open_beneath", noted)
    first = memory.read_all()
    assert len(opened) == 100
    _put(memory, "knowledge/7.md", b"seven")
    assert memory.read_all() == {**first, "knowledge/7.md": b"seven"}
    assert opened[100:] == ["7.md"]


def test_a_change_that_keeps_size_and_time_is_seen(memory: MemoryDirectory) -> None:
    path = _put(memory, "user.md", b"tea")
    os.utime(path, LONG_AGO)
    assert memory.read_all() == {"user.md": b"tea"}
    path.write_bytes(b"pie")
    os.utime(path, LONG_AGO)
    assert memory.read_all() == {"user.md": b"pie"}


def test_contents_beyond_the_bound_are_read_again(memory: MemoryDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryd.memory.directory.MAX_KEPT_BYTES", 10)
    contents = {f"knowledge/{n}.md": b"%d" % n * 8 for n in range(4)}
    for path, content in contents.items():
        _put(memory, path, content)
    assert memory.read_all() == memory.read_all() == contents
    assert sum(len(known.content or b"") for known in memory._known.values()) == 8


def test_what_others_wrote_and_removed_becomes_versions(memory: MemoryDirectory) -> None:
    versions = MemoryVersions()
    _put(memory, "user.md", b"a")
    _put(memory, "knowledge/db.md", b"b")
    wrote = memory.observe(versions, NOW, lambda path: Author.HOST if path == "user.md" else Author.OUTSIDE)
    assert [(v.path, v.content, v.author) for v in wrote] == [
        ("knowledge/db.md", b"b", Author.OUTSIDE),
        ("user.md", b"a", Author.HOST),
    ]
    assert memory.observe(versions, NOW) == []
    (memory.path / "user.md").unlink()
    _put(memory, "knowledge/db.md", b"c")
    assert [(v.path, v.content) for v in memory.observe(versions, NOW)] == [
        ("knowledge/db.md", b"c"),
        ("user.md", None),
    ]
    assert memory.observe(versions, NOW) == []
    assert versions.recorded == [*wrote, *versions.recorded[2:]]


@pytest.mark.parametrize("path", ["user.md", "knowledge/用户角色.md", "sessions/2026-11-30-a1.md", "knowledge/a/b.md"])
def test_managed_paths_are_accepted(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/x.md",
        "../x.md",
        "knowledge/../x.md",
        "knowledge//x.md",
        "./x.md",
        ".x.md",
        "knowledge/.x.md",
        "other/x.md",
        "knowledge/a/b/c.md",
        "user.txt",
        "knowledge",
        "a\\b.md",
        "a\0.md",
        "a\n.md",
        "a\u202eb.md",
        "a\u200b.md",
        "．．/x.md",
        "．．.md",
        "a／b.md",
        "a\u2025.md",
        "é" * 200 + ".md",
        "\ud800.md",
    ],
)
def test_other_paths_are_refused_with_the_rule(path: str) -> None:
    with pytest.raises(PathRefused, match="cannot use the path"):
        check_path(path)


FOLDER = st.sampled_from([*FOLDERS, "a", "用", "..", "．．", ".", ""])
NAME = st.text(alphabet="ab用é-_ ~.", min_size=1, max_size=8)


@settings(max_examples=500)
@given(st.lists(FOLDER, max_size=2), NAME)
def test_a_path_is_accepted_only_if_it_stays_inside(folders: list[str], name: str) -> None:
    path = "/".join([*folders, f"{name}.md"])
    assert os.path.normpath(f"/memory/{path}") == f"/memory/{path}" or broken_rule(path) is not None


@given(st.sampled_from(["", *(f"{folder}/" for folder in FOLDERS)]), NAME)
def test_a_plain_name_in_a_known_folder_is_accepted(folder: str, name: str) -> None:
    assert broken_rule(f"{folder}n{name}.md") is None
