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
    waiting: int = 0  #: proposals in the review inbox
    summary: str = ""  #: `repr` of the daemon, one line
    passed_over: dict[str, int] = Field(default_factory=dict)  #: hook firings since the start not recorded, by reason


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
