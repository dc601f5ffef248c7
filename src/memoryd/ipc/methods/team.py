"""Team memory: looked at and trusted by a person, file by file."""

from typing import Literal

from memoryd.ipc.methods.base import AbsolutePath, Method, Params, Result

TeamState = Literal["trusted", "new", "changed", "gone"]


class MemoryTrustParams(Params):
    """`seen`: path -> digest of every file, as an answer without it showed them: from now on trusted. None: only look.

    `revoke`: trust nothing of this team memory any more.
    """

    cwd: AbsolutePath
    seen: dict[str, str] | None = None
    revoke: bool = False


class TeamFileInfo(Result):
    path: str  #: below the folder
    state: TeamState
    digest: str  #: '' when it is gone
    diff: str = ""  #: unified, against what was trusted; without secrets
    flags: tuple[str, ...] = ()  #: signs of an attack: the file is never shown to an agent


class MemoryTrusted(Result):
    folder: str | None = None  #: None: the project has no team memory
    items: tuple[TeamFileInfo, ...] = ()
    revoked: int = 0  #: files that were trusted before


METHODS: dict[str, Method] = {"memory.trust": Method(MemoryTrustParams, MemoryTrusted)}
