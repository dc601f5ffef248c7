"""Where a conversation belongs whose folder may be gone."""

from pathlib import Path

from memoryd.daemon import projects
from memoryd.daemon.slow_disk import SlowDisk
from memoryd.errors import FolderSilent

LOOK_SECONDS = 2.0  #: for the disk to say whether a folder stands


async def place_of(cwd: str | None, disk: SlowDisk) -> str | None:
    """The same as `standing`, with a deadline.

    :raises FolderSilent: the disk does not answer
    """
    try:
        return await disk.ask(cwd, lambda: standing(cwd), seconds=LOOK_SECONDS)
    except TimeoutError:
        raise FolderSilent(f"the disk of {cwd} does not answer; import it again when it does") from None


def standing(cwd: str | None) -> str | None:
    """A working directory that stands, else the nearest folder above it that stands and is in a repository.

    A worktree or a folder that was removed belongs to the repository that it was in; None: nothing tells whose what was
    said there is. Blocking.
    """
    if cwd is None or not cwd.startswith("/") or "\0" in cwd:
        return None
    path = Path(cwd)
    if path.is_dir():
        return cwd
    above = next((folder for folder in path.parents if folder.is_dir()), None)
    project = projects.find(str(above)) if above else None
    return str(above) if project is not None and (project.root / ".git").exists() else None
