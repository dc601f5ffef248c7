"""The versions as a git history: one commit for each run, and for each look that found files changed by others.

By the git command line alone (`fast-import`: one process for the whole history). A repository that exists is
continued on its branch; its own files are left alone.
"""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from memoryd import fsio
from memoryd.clock import Clock, parse_rfc3339, rfc3339
from memoryd.daemon.archive import container
from memoryd.daemon.archive.exporting import Names
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.store import Row
from memoryd.daemon.journal.versions import JournalVersions
from memoryd.errors import CannotWrite, ConfigError, Conflict, PathRefused
from memoryd.ipc.places import Places

GIT_SECONDS = 600.0
SEEDING_SECONDS = 10.0  #: between two seeds of a directory that was made at once; each is synced to the disk
_TOPS = ("user/", "projects/", "explicit/")  #: where our files are in the repository
#: no setting of the machine or the person, no hook, no signature: the same history everywhere
_SETTINGS = ("core.hooksPath=/dev/null", "gc.auto=0", "commit.gpgsign=false", "core.quotePath=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    commits: int
    head: str  #: the newest commit


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHistory:
    """Writes to a repository of the person's. Blocking: calls from a thread."""

    places: Places
    history: History
    versions: JournalVersions
    clock: Clock

    def export(self, target: Path, names: Names) -> Told:
        """Commit every version that the repository does not have yet.

        :raises PathRefused: inside the data directory, or a folder that holds something else
        :raises Conflict: it has changes that are not committed, or comes from another data directory
        :raises ConfigError: git is not installed
        """
        container.check_outside(target, self.places.data)
        _prepare(target)
        if _git(target, "status", "--porcelain"):
            raise Conflict(f"{target} has changes that are not committed; commit or remove them, then export again")
        installation = self.history.installation()
        rows = self.history.versions_since(_last(target, installation))
        commits = _import(target, lambda stream: self._write(stream, rows, names, installation))
        commits += _import(target, lambda stream: self._level(stream, target, names))
        if commits:
            _git(target, "reset", "--hard", "-q")
        return Told(commits=commits, head=_try(target, "rev-parse", "--verify", "-q", "HEAD"))

    def _write(self, stream: "Stream", rows: Sequence[Row], names: Names, installation: str) -> int:
        commits = 0
        for changed in _changes(rows):
            last = changed[-1]
            marks = {
                "Memoryd-Run": last["run_id"],
                "Memoryd-Installation": installation,
                "Memoryd-Version": last["id"],
            }
            trailers = "".join(f"{name}: {value}\n" for name, value in marks.items() if value)
            stream.commit(last["author"], last["at"], f"{_subject(last, len(changed))}\n\n{trailers}")
            for row in changed:
                stream.file(f"{names.of(row['root'])}/{row['path']}", self._content(row["digest"]))
            commits += 1
        return commits

    def _content(self, digest: str | None) -> bytes | None:
        return self.versions.content(digest) if digest else None

    def _level(self, stream: "Stream", target: Path, names: Names) -> int:
        """After a purge the tree may hold what no version holds any more: one commit makes them the same."""
        present = dict(_tree(target))
        wanted = {
            f"{names.of(row['root'])}/{row['path']}": self._content(row["digest"]) or b""
            for row in self.history.newest_files()
        }
        gone = [path for path in present if path.startswith(_TOPS) and path not in wanted]
        other = [path for path, content in wanted.items() if present.get(path) != _object(content, present.values())]
        if gone or other:
            stream.commit("person", rfc3339(self.clock()), "Follow a purge\n")
        for path in gone:
            stream.file(path, None)
        for path in other:
            stream.file(path, wanted[path])
        return int(bool(gone or other))


@dataclass(slots=True, kw_only=True)
class Stream:
    """What `git fast-import` reads."""

    out: IO[bytes]
    branch: str
    parent: str  #: of the first commit; '': none

    def commit(self, author: str, at: str, message: str) -> None:
        who = f"memoryd ({author}) <{author}@memoryd.invalid> {int(parse_rfc3339(at).timestamp())} +0000"
        text = message.encode()
        self.out.write(
            f"commit {self.branch}\nauthor {who}\ncommitter {who}\ndata {len(text)}\n".encode() + text + b"\n"
        )
        if self.parent:
            self.out.write(f"from {self.parent}\n".encode())
            self.parent = ""

    def file(self, path: str, content: bytes | None) -> None:
        """Memory paths begin with no quote and hold no line end (`memory.path_rules`), so none needs quoting."""
        if content is None:
            self.out.write(f"D {path}\n".encode())
        else:
            self.out.write(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")


def _changes(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The versions that belong to one commit: of one run, of one look, or the seeds of one directory."""
    changed: list[Row] = []
    for row in rows:
        if changed and not _together(changed[-1], row):
            yield changed
            changed = []
        changed.append(row)
    if changed:
        yield changed


def _together(one: Row, other: Row) -> bool:
    if one["run_id"] or other["run_id"] or one["author"] != other["author"]:
        return bool(one["run_id"]) and one["run_id"] == other["run_id"]
    between = parse_rfc3339(other["at"]) - parse_rfc3339(one["at"])
    seeded = one["author"] == "run" and one["root"] == other["root"] and between.total_seconds() <= SEEDING_SECONDS
    return seeded or one["at"] == other["at"]


def _import(target: Path, write: Callable[[Stream], int]) -> int:
    """Let git read what `write` writes; returns how many commits that were."""
    head = _try(target, "rev-parse", "--verify", "-q", "HEAD")
    with tempfile.TemporaryFile() as out:
        commits = write(Stream(out=out, branch=_git(target, "symbolic-ref", "HEAD"), parent=head))
        out.seek(0)
        if commits:
            _git(target, "fast-import", "--quiet", stdin=out)
    return commits


def _tree(target: Path) -> Iterator[tuple[str, str]]:
    """(path, object) of every file of the newest commit."""
    for row in filter(None, _try(target, "ls-tree", "-r", "-z", "HEAD").split("\0")):
        head, _, path = row.partition("\t")
        yield path, head.split()[2]


def _object(content: bytes, others: Collection[str]) -> str:
    """The name that git gives a content, by the hash that this repository uses."""
    kind = "sha256" if any(len(name) == 64 for name in others) else "sha1"
    return hashlib.new(kind, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _subject(row: Row, count: int) -> str:
    what = row["action"] or ("seeds" if row["author"] == "run" else "changed")
    return f"{what} by {row['author']}: {count} file{'' if count == 1 else 's'}"


def _prepare(target: Path) -> None:
    if (target / ".git").exists():
        return
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise PathRefused(f"cannot use {target}: it holds something, and is no git repository; name an empty folder")
    fsio.make_dirs(target)
    _git(target, "init", "-q", "--initial-branch=main")


def _last(target: Path, installation: str) -> int:
    """The newest version that the branch has, 0 for none.

    :raises Conflict: it was made from another data directory
    """
    log = _try(target, "log", "-1", "--format=%B", "--grep=^Memoryd-Version: ")
    found = dict(line.split(": ", 1) for line in log.splitlines() if line.startswith("Memoryd-"))
    if found and found.get("Memoryd-Installation") != installation:
        raise Conflict(f"{target} was made from another data directory; name another folder")
    return int(found.get("Memoryd-Version", "0"))


def _try(target: Path, *arguments: str) -> str:
    """Of a repository without a commit: ''."""
    try:
        return _git(target, *arguments)
    except CannotWrite:
        return ""


def _git(target: Path, *arguments: str, stdin: IO[bytes] | None = None) -> str:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", *settings, "-C", str(target), *arguments], env=_environment(os.environ), check=False,
            stdin=stdin or subprocess.DEVNULL, capture_output=True, timeout=GIT_SECONDS,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise ConfigError("git is not installed; install it, then export again") from error
    if done.returncode:
        raise CannotWrite(
            f"git {arguments[0]} failed in {target}: {done.stderr.decode('utf-8', 'replace').strip()[:500]}"
        )
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def _environment(env: Mapping[str, str]) -> dict[str, Any]:
    kept = {name: env[name] for name in ("PATH", "HOME", "TMPDIR") if name in env}
    return {**kept, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
