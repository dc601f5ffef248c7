import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.daemon import projects
from memoryd.daemon.journal.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.open(tmp_path / "state.db")
    yield journal
    journal.close()


def repository(path: Path, *, commit: str | None = "one", origin: str | None = None) -> Path:
    path.mkdir(parents=True)
    _git(path, "init", "-q")
    if commit:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        _git(path, *who, "commit", "-q", "--allow-empty", "-m", commit)
    if origin:
        _git(path, "remote", "add", "origin", origin)
    return path


def _git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)


def key(journal: Journal, path: Path) -> str:
    found = projects.find(str(path))
    assert found is not None
    return journal.projects.key_of(found)


@pytest.mark.parametrize(("commit", "origin"), [("one", None), (None, "https://example.org/lantern.git")])
def test_a_moved_repository_keeps_its_key(
    journal: Journal, tmp_path: Path, commit: str | None, origin: str | None
) -> None:
    before = key(journal, repository(tmp_path / "lantern", commit=commit, origin=origin))
    (tmp_path / "lantern").rename(tmp_path / "lamp")
    assert key(journal, tmp_path / "lamp") == before
    assert key(journal, tmp_path / "lamp") == before


def test_a_mark_that_comes_later_counts(journal: Journal, tmp_path: Path) -> None:
    before = key(journal, repository(tmp_path / "lantern", commit=None))
    _git(tmp_path / "lantern", "remote", "add", "origin", "https://example.org/lantern.git")
    key(journal, tmp_path / "lantern")
    (tmp_path / "lantern").rename(tmp_path / "lamp")
    assert key(journal, tmp_path / "lamp") == before


def test_a_folder_that_was_given_the_inode_of_a_deleted_one_is_another_project(
    journal: Journal, tmp_path: Path
) -> None:
    acme = projects.find(str(repository(tmp_path / "acme", commit="acme")))
    assert acme is not None
    kept = journal.projects.key_of(acme)
    shutil.rmtree(tmp_path / "acme")
    for commit in ("zeta", None):
        zeta = projects.find(str(repository(tmp_path / f"zeta-{commit}", commit=commit)))
        assert zeta is not None
        same_inode = projects.Project(
            key=zeta.key, root=zeta.root, dev=acme.dev, ino=acme.ino, root_commit=zeta.root_commit, remote=zeta.remote
        )
        assert journal.projects.key_of(same_inode) != kept


def test_a_new_repository_where_a_moved_one_stood_starts_anew(journal: Journal, tmp_path: Path) -> None:
    moved = key(journal, repository(tmp_path / "lantern"))
    (tmp_path / "lantern").rename(tmp_path / "lamp")
    assert key(journal, tmp_path / "lamp") == moved
    fresh = key(journal, repository(tmp_path / "lantern", commit="another"))
    assert fresh != moved
    assert fresh.startswith(moved)
    assert key(journal, tmp_path / "lamp") == moved
