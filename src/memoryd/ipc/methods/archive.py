"""Everything out and in: export, import, backup, a git history."""

from typing import Annotated

from pydantic import Field

from memoryd.ipc.methods.base import AbsolutePath, Method, Params, Result


class ArchiveParams(Params):
    file: Annotated[AbsolutePath, Field(description="outside of the data directory")]


class ArchiveWriteParams(ArchiveParams):
    force: bool = False  #: in place of a file that stands there


class ArchiveWritten(Result):
    file: str
    size: int  #: bytes
    sha256: str
    members: int  #: files in it


class ArchiveImported(Result):
    run: str | None = None  #: None: there was nothing new
    events: int = 0
    duplicates: int = 0  #: events that are known here, or were purged here
    sessions: int = 0
    versions: int = 0
    files: tuple[str, ...] = ()  #: of memory that changed
    left: tuple[str, ...] = ()  #: of memory that differ and stay as they are here


class GitParams(Params):
    dir: AbsolutePath


class GitExported(Result):
    dir: str
    commits: int
    head: str = ""  #: the newest commit


METHODS: dict[str, Method] = {
    "archive.export": Method(ArchiveWriteParams, ArchiveWritten),
    "archive.backup": Method(ArchiveWriteParams, ArchiveWritten),
    "archive.import": Method(ArchiveParams, ArchiveImported),
    "archive.git": Method(GitParams, GitExported),
}
