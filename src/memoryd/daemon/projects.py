"""Which project a working directory belongs to: one key a repository, its worktrees included.

No git process: `.git`, its `gitdir:` and `commondir` files are followed; `.jj` and `.hg` mark a repository too. Without
one, the nearest folder above that holds `.memoryd`, else the directory itself, is the project. The home directory, `/`
and the temporary directory are no project; what is learned there is the user's.
"""

import hashlib
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

_MAX_LEVELS = 64
_OTHERS = (".jj", ".hg")  #: folders at the root of repositories that are not git's
_MAX_HEAD_BYTES = 64 * 1024
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_ORIGIN = re.compile(r'^\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project root. `dev` and `ino` find a repository again after it was moved, if a mark of it agrees: a deleted
    folder's inode is given to the next one."""

    key: str  #: readable slug and 8 hex digits of the hash of the root's real path
    root: Path
    dev: int
    ino: int
    root_commit: str | None = None  #: the oldest commit that its reflog knows
    remote: str | None = None  #: hash of the URL of `origin`


def find(cwd: str | None, hint: str | None = None, *, home: Path | None = None) -> Project | None:
    """Return the project of a working directory, None for the user scope. Blocking: stats up the tree."""
    start = _existing(hint) or _existing(cwd)
    if start is None:
        return None
    root = _repository(start) or _without_one(start, home or Path.home())
    if root is None:
        return None
    status = root.stat()
    git = _git_folder(root)
    return Project(
        key=make_key(root), root=root, dev=status.st_dev, ino=status.st_ino,
        root_commit=_oldest_commit(git), remote=_origin(git),
    )  # fmt: skip


def digest_of(origin: str) -> str:
    """What is kept of an origin's URL: it may hold a password."""
    return hashlib.sha256(origin.encode(errors="surrogateescape")).hexdigest()[:16]


def make_key(root: Path) -> str:
    slug = re.sub(r"[^\w-]+", "-", root.name.lower()).strip("-_")[:40] or "root"
    return f"{slug}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}"


def _existing(path: str | None) -> Path | None:
    real = real_path(path) if path and path.startswith("/") else ""
    return Path(real) if os.path.isdir(real) else None


def real_path(path: str) -> str:
    """A path, its links followed; as it stands where they may not be, or where no path is like that. Blocking."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _without_one(start: Path, home: Path) -> Path | None:
    """The project of a directory that is in no repository."""
    nobody = {Path("/"), Path(os.path.realpath(home)), Path(os.path.realpath(tempfile.gettempdir()))}
    for folder in [start, *start.parents][:_MAX_LEVELS]:
        if folder in nobody:
            break
        if os.path.isdir(folder / ".memoryd"):
            return folder
    return None if start in nobody else start


def _repository(start: Path) -> Path | None:
    for level, folder in enumerate([start, *start.parents]):
        if level > _MAX_LEVELS:
            return None
        mark = folder / ".git"
        if os.path.isdir(mark):
            return folder
        if os.path.isfile(mark):
            return _main_worktree(folder, mark)
        if any(os.path.isdir(folder / name) for name in _OTHERS):
            return folder
    return None


def _main_worktree(folder: Path, mark: Path) -> Path:
    """A linked worktree leads to its main repository; a submodule (no commondir) is a project of its own."""
    gitdir = _pointer(mark, "gitdir:", folder)
    if gitdir is None:
        return folder
    common = _pointer(gitdir / "commondir", "", gitdir)
    if common is None:
        return folder
    return common.parent if common.name == ".git" else common


def _git_folder(root: Path) -> Path:
    mark = root / ".git"
    return (_pointer(mark, "gitdir:", root) if os.path.isfile(mark) else None) or mark


def _oldest_commit(git: Path) -> str | None:
    """A line of a reflog: the commit before, the commit after, who, when."""
    words = _head(git / "logs" / "HEAD").split(maxsplit=2)
    return words[1] if len(words) > 1 and _COMMIT.fullmatch(words[1]) else None


def _origin(git: Path) -> str | None:
    url = _ORIGIN.search(_head(git / "config"))
    return digest_of(url[1]) if url else None


def _head(path: Path) -> str:
    """The beginning of a regular file; nothing of another: who unpacked the folder may have made them."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        plain = stat.S_ISREG(os.fstat(fd).st_mode)
        return os.read(fd, _MAX_HEAD_BYTES).decode("utf-8", "replace") if plain else ""
    except OSError:
        return ""
    finally:
        os.close(fd)


def _pointer(path: Path, prefix: str, base: Path) -> Path | None:
    text = _head(path)[:4096].strip()
    if not text or not text.startswith(prefix):
        return None
    return Path(real_path(str(base / text.removeprefix(prefix).strip())))
