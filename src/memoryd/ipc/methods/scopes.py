"""Whose memory there is: the user's, each project's, each directory that an event named; which one a project shares."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.base import AbsolutePath, Method, Page, Params, Result

#: the same first commit; the same origin; one was cloned from the other
Likeness = Literal["commit", "origin", "clone"]


class ScopeInfo(Result):
    kind: Literal["user", "project", "explicit"]
    key: str  #: of a project, to adopt it by; '' for the others
    path: str  #: of the project; '' for the others
    memory_dir: str
    exists: bool  #: whether `path` is there
    here: bool  #: the memory of the `cwd` that was asked about
    shared_with: tuple[str, ...] = ()  #: paths that adopted it
    like_here: Likeness | None = None  #: what says that the project of `cwd`, which has another memory, is the same
    sessions: int = 0
    last_at: AwareDatetime | None = None


class ScopeListParams(Params):
    cwd: AbsolutePath | None = None


class ScopeList(Page):
    items: tuple[ScopeInfo, ...] = ()


class ScopeAdoptParams(Params):
    """`name`: a project's key or path; None: the one that `cwd` is a copy of."""

    cwd: AbsolutePath
    name: str | None = Field(default=None, min_length=1, max_length=4096)
    dry_run: bool = False


class ScopeAdopted(Result):
    path: str  #: the project of `cwd`
    key: str  #: whose memory it has from now on
    memory_dir: str
    before: str  #: the memory directory that it had; nothing in it was changed
    mark: Likeness | None = None  #: None: a person named it, nothing else says that the two are one
    dry_run: bool = False


class ScopeReleaseParams(Params):
    cwd: AbsolutePath


METHODS: dict[str, Method] = {
    "scope.list": Method(ScopeListParams, ScopeList),
    "scope.adopt": Method(ScopeAdoptParams, ScopeAdopted),
    "scope.release": Method(ScopeReleaseParams, ScopeAdopted),
}
