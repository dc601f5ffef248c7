import os
import subprocess
from pathlib import Path

import pytest

from memoryd.daemon import projects


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "code" / "lantern"
    root.mkdir(parents=True)
    _git(root, "init", "-q")
    _git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "one")
    return root


def _git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)


def key(path: Path, hint: Path | None = None) -> str | None:
    found = projects.find(str(path), str(hint) if hint else None)
    return found.key if found else None


def test_every_folder_of_a_repository_has_one_key(repository: Path) -> None:
    (repository / "src" / "deep").mkdir(parents=True)
    assert key(repository / "src" / "deep") == key(repository)
    assert key(repository) is not None
    assert str(key(repository)).startswith("lantern-")


def test_a_worktree_has_the_key_of_its_repository(repository: Path, tmp_path: Path) -> None:
    _git(repository, "worktree", "add", "-q", str(tmp_path / "elsewhere"))
    assert key(tmp_path / "elsewhere") == key(repository)


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    _git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    assert key(repository / "sub") not in (None, key(repository))


def test_a_symlink_leads_to_the_real_project(repository: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository)
    assert key(link) == key(repository)


def test_the_hint_wins_over_the_working_directory(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert key(tmp_path / "other", hint=repository) == key(repository)


def test_a_folder_without_a_repository_is_its_own_project(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    assert str(key(tmp_path / "notes")).startswith("notes-")


def test_the_home_directory_is_no_project(home: Path) -> None:
    assert key(home) is None
    assert key(Path("/")) is None


@pytest.mark.parametrize("cwd", [None, "", "relative", "/no/such/folder", "/a\0b"])
def test_a_useless_working_directory_is_no_project(cwd: str | None) -> None:
    assert projects.find(cwd) is None


def test_a_broken_git_file_still_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_bytes(os.urandom(64))
    assert str(key(tmp_path / "odd")).startswith("odd-")


@pytest.mark.parametrize("cwd", ["/tmp/\0x", "/" + "a" * 4000, "/proc/1/cwd/x"])
def test_where_nobody_may_look_is_no_project(cwd: str) -> None:
    assert projects.find(cwd) is None
    assert projects.real_path(cwd)


@pytest.mark.parametrize("mark", [".git/config", ".git/logs/HEAD", ".git"])
def test_no_file_of_a_repository_holds_up_who_looks_at_it(mark: str, tmp_path: Path) -> None:
    """A pipe that nobody writes to, and a file without an end: who unpacked the folder may have made them."""
    pipe, endless = tmp_path / "pipe", tmp_path / "endless"
    for root in (pipe, endless):
        (root / mark).parent.mkdir(parents=True)
    os.mkfifo(pipe / mark)
    (endless / mark).symlink_to("/dev/zero")
    found = projects.find(str(pipe)), projects.find(str(endless))
    assert [one.root for one in found if one] == [pipe, endless]
    assert all(one and (one.root_commit, one.remote) == (None, None) for one in found)
