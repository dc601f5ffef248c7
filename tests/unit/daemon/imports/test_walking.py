import os
import socket
from pathlib import Path

import pytest

from memoryd.daemon.imports.found import Candidate, PassedOver
from memoryd.daemon.imports.walking import Refusal, candidates, opened
from memoryd.errors import NotFound


def judged(*paths: Path) -> dict[str, str]:
    """name -> '' for a file that may be read, else why not."""
    return {found.path.name: found.why if isinstance(found, PassedOver) else "" for found in candidates(paths)}


def test_only_regular_files_of_ours_with_one_name_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    (tmp_path / "twice.md").write_text("x")
    os.link(tmp_path / "twice.md", tmp_path / "second.bin")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "s.db"))
        assert judged(tmp_path) == {
            "a.jsonl": "", "link.jsonl": "a link; name what it leads to", "pipe.jsonl": "no regular file",
            "s.db": "no regular file", "twice.md": "it has a second name (a hard link)",
        }  # fmt: skip
        for name in ("link.jsonl", "pipe.jsonl", "s.db", "twice.md"):
            with pytest.raises(Refusal):
                opened(tmp_path / name)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to somebody else")
def test_files_of_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    os.chown(tmp_path / "a.md", 12345, -1)
    assert judged(tmp_path) == {"a.md": "it belongs to another user"}
    with pytest.raises(Refusal, match="another user"):
        opened(tmp_path / "a.md")


def test_copies_that_a_sync_conflict_left_are_named_and_skipped(tmp_path: Path) -> None:
    copies = [
        "notes 2.md", "notes (1).md", "notes (Ann's conflicted copy 2026-11-01).md",
        "notes.sync-conflict-20261101-101010-ABC.md",
    ]  # fmt: skip
    for name in ["notes.md", "chapter 2.md", *copies]:
        (tmp_path / name).write_text("x")
    found = judged(tmp_path)
    assert {name for name, why in found.items() if why} == set(copies)
    assert all("sync conflict" in found[name] for name in copies)
    assert "sync conflict" in judged(tmp_path / copies[2])[copies[2]]


def test_folders_of_tools_are_left_out_and_a_missing_path_is_told(tmp_path: Path) -> None:
    for folder in ("node_modules", ".git", "src"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "CLAUDE.md").write_text("x")
    assert [found.path.parent.name for found in candidates([tmp_path])] == ["src"]
    with pytest.raises(NotFound, match="nothing at"):
        list(candidates([tmp_path / "none.jsonl"]))


def test_memoryds_own_files_are_none(tmp_path: Path) -> None:
    for folder in ("data/user/memory", "kept"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "CLAUDE.md").write_text("x")
    found = [one.path for one in candidates([tmp_path], but=tmp_path / "data")]
    assert found == [tmp_path / "kept" / "CLAUDE.md"]


def test_a_named_file_is_a_candidate_by_any_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    [found] = candidates([tmp_path / "notes.txt"])
    assert isinstance(found, Candidate)
    assert found.named
