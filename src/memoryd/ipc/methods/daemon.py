"""The process: health, pause, shutdown."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.base import AbsolutePath, Done, Method, NoParams, Params, Result


class Health(Result):
    """ok: due work gets done; degraded: part of it; stuck: none. `reason` names the remedy."""

    state: Literal["ok", "degraded", "stuck"]
    reason: str | None = None
    version: str
    uid: int
    data_dir: str
    pid: int
    uptime_seconds: float
    summary: str = ""  #: `repr` of the daemon, one line
    index_behind: int = 0  #: events that the index does not hold yet; they are found by reading them


class PauseParams(Params):
    cwd: AbsolutePath | None = None  #: None: everywhere
    seconds: int | None = Field(default=None, ge=1)  #: None: until resumed


class ResumeParams(Params):
    cwd: AbsolutePath | None = None


class Paused(Result):
    paused: bool
    until: AwareDatetime | None = None


METHODS: dict[str, Method] = {
    "daemon.health": Method(NoParams, Health),
    "daemon.pause": Method(PauseParams, Paused),
    "daemon.resume": Method(ResumeParams, Paused),
    "daemon.shutdown": Method(NoParams, Done),
}
