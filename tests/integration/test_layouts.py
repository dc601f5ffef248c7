"""Layouts of repositories: who writes (a hook's event) and who reads (recall, lists, MCP) mean one memory.

Each layout is made on the disk by git itself. `same` are folders that have the memory of the first; `apart` are folders
that must not have it.
"""

import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.daemons import client, running
from support.talk import turn

from memoryd.daemon import binding, projects
from memoryd.ipc.client import AsyncClient

WHO = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")


@dataclass(frozen=True)
class Layout:
    same: tuple[Path, ...]
    apart: tuple[Path, ...] = ()
    later: Callable[[], Path] = lambda: Path()  #: done after the first folder was used: one more that is the same


def git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *WHO, *words], cwd=cwd, check=True, capture_output=True)


def made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def repository(path: Path) -> Path:
    git(made(path), "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", path.name)
    return path


def moved(old: Path, new: Path) -> Path:
    old.rename(new)
    return new


def folders_of_a_repository(place: Path) -> Layout:
    root = repository(place / "lantern")
    return Layout((made(root / "src" / "deep"), root, made(root / "docs")), (repository(place / "other"),))


def monorepo(place: Path) -> Layout:
    root = repository(place / "mono")
    return Layout((made(root / "packages" / "web"), made(root / "packages" / "api"), root))


def linked_worktree(place: Path) -> Layout:
    root = repository(place / "lantern")
    git(root, "worktree", "add", "-q", str(place / "hotfix"))
    return Layout((place / "hotfix", root, made(root / "src")))


def bare_repository_with_worktrees(place: Path) -> Layout:
    git(place, "clone", "-q", "--bare", str(repository(place / "seed")), "lantern.git")
    for name in ("main-tree", "other-tree"):
        git(place / "lantern.git", "worktree", "add", "-q", "-b", name, str(place / name))
    return Layout((place / "main-tree", place / "other-tree", place / "lantern.git"))


def submodule(place: Path) -> Layout:
    root, library = repository(place / "lantern"), repository(place / "library")
    git(root, "submodule", "--quiet", "add", str(library), "vendor")
    return Layout((root / "vendor", made(root / "vendor" / "src")), (root, library))


def repository_in_a_repository(place: Path) -> Layout:
    root = repository(place / "lantern")
    return Layout((made(repository(root / "inner") / "src"), root / "inner"), (root,))


def separate_git_folder(place: Path) -> Layout:
    root = made(place / "lantern")
    git(root, "init", "-q", "--separate-git-dir", str(place / "elsewhere.git"))
    return Layout((made(root / "src"), root))


def git_file_that_leads_nowhere(place: Path) -> Layout:
    root = made(place / "lantern")
    (root / ".git").write_text("gitdir: /nowhere/lantern/.git/worktrees/lantern\n")
    return Layout((root, made(root / "src")))


def symlink_to_a_checkout(place: Path) -> Layout:
    root = repository(place / "lantern")
    (place / "link").symlink_to(root)
    return Layout((place / "link", root, made(root / "src"), place / "link" / "src"))


def moved_repository(place: Path) -> Layout:
    root = repository(place / "lantern")
    return Layout((root,), later=lambda: moved(root, made(place / "work") / "lantern"))


def renamed_repository(place: Path) -> Layout:
    root = repository(place / "lantern")
    return Layout((root,), later=lambda: moved(root, place / "lamp"))


def clone(place: Path) -> Layout:
    root = repository(place / "lantern")
    git(place, "clone", "-q", str(root), "copy")
    return Layout((root,), (place / "copy",))


def fork_with_another_origin(place: Path) -> Layout:
    root = repository(place / "lantern")
    git(place, "clone", "-q", str(root), "fork")
    git(place / "fork", "remote", "set-url", "origin", "https://example.org/fork.git")
    return Layout((root,), (place / "fork",))


def copy_on_another_disk(place: Path) -> Layout:
    """As in a container: other device and inode, another path, the same commits."""
    root = repository(place / "lantern")
    shutil.copytree(root, place / "mnt" / "lantern")
    return Layout((root,), (place / "mnt" / "lantern",))


def jujutsu_and_mercurial(place: Path) -> Layout:
    made(place / "lantern" / ".jj")
    made(place / "old" / ".hg")
    return Layout((made(place / "lantern" / "src"), place / "lantern"), (place / "old",))


def folder_without_a_repository(place: Path) -> Layout:
    return Layout((made(place / "notes"),), (made(place / "letters"), made(place / "notes" / "2026")))


def folder_marked_as_a_project(place: Path) -> Layout:
    made(place / "notes" / ".memoryd")
    return Layout((made(place / "notes" / "2026"), place / "notes"), (made(place / "letters"),))


LAYOUTS = (
    folders_of_a_repository, monorepo, linked_worktree, bare_repository_with_worktrees, submodule,
    repository_in_a_repository, separate_git_folder, git_file_that_leads_nowhere, symlink_to_a_checkout,
    moved_repository, renamed_repository, clone, fork_with_another_origin, copy_on_another_disk, jujutsu_and_mercurial,
    folder_without_a_repository, folder_marked_as_a_project,
)  # fmt: skip


async def read(one: AsyncClient, cwd: Path) -> str:
    items = (await one.call("scope.list", {"cwd": str(cwd)}, timeout=5)).items
    return next((item.memory_dir for item in items if item.here and item.kind == "project"), "not its own yet")


async def written(one: AsyncClient, cwd: Path) -> str:
    session = str(cwd).replace("/", "-")
    await turn(one, "Hello.", cwd=str(cwd), session=session)
    found = (await one.call("session.list", {"limit": 100}, timeout=5)).items
    return str(next(item.memory_dir for item in found if item.session_id == session))


async def test_each_layout_gives_one_memory_for_reader_and_writer(home: Path, tmp_path: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for make in LAYOUTS:
            place = made(tmp_path / make.__name__)
            layout = make(place)
            memory = await written(one, layout.same[0])
            assert "/projects/" in memory, make.__name__
            for folder in layout.same:
                assert await read(one, folder) == memory, f"{make.__name__}: {folder}"
            for folder in layout.apart:
                assert await written(one, folder) == await read(one, folder) != memory, f"{make.__name__}: {folder}"
            if (then := layout.later()) != Path():
                assert await read(one, then) == await written(one, then) == memory, make.__name__


async def test_what_is_learned_in_the_home_directory_is_the_persons(home: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        assert await written(one, home) == str(daemon.places.user_memory)
        assert await written(one, made(home / "notes")) == await read(one, home / "notes")


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_the_documentation_names_each_layout(layout: Callable[[Path], Layout]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
    assert f"| {layout.__name__.replace('_', ' ')} |" in page.partition("### Which memory a folder has")[2]


async def test_a_moment_of_load_takes_neither_a_session_nor_a_command_from_its_project(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, slow = projects.find, threading.Event()

    def find(cwd: str | None, hint: str | None = None) -> projects.Project | None:
        slow.wait(0.3)
        return found(cwd, hint)

    monkeypatch.setattr(projects, "find", find)
    root = repository(tmp_path / "lantern")
    async with running(home) as daemon, client(daemon) as one:
        assert await written(one, root) == await read(one, root) != str(daemon.places.user_memory)


async def test_a_file_system_that_does_not_answer_leaves_the_session_to_the_user(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = threading.Event()
    monkeypatch.setattr(projects, "find", lambda cwd, hint=None: hung.wait(30) and None)
    monkeypatch.setattr(binding, "PROJECT_SECONDS", 0.05)
    async with running(home) as daemon, client(daemon) as one:
        assert await written(one, tmp_path) == str(daemon.places.user_memory)
        hung.set()
