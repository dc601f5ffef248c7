"""Which memory agent works, with what, and why."""

from typing import Literal

from memoryd.ipc.methods.base import Method, NoParams, Result

AgentKind = Literal["rules", "model", "command"]


class AgentInfo(Result):
    """Never a key."""

    kind: AgentKind
    why: str
    model: str = ""  #: `provider:name`
    base_url: str = ""
    command: tuple[str, ...] = ()
    key: str | None = None  #: where it comes from; None: none is sent
    proxy: str = ""
    way: str | None = None  #: in which the endpoint has answered; None: not asked yet
    cage: str = ""  #: what keeps its process in; '' for the rules
    problem: str | None = None  #: why it cannot work now, with the mend
    max_steps: int = 0
    timeout_seconds: float = 0.0  #: of a run
    tokens_per_run: int = 0
    usd_per_day: float = 0.0


METHODS: dict[str, Method] = {"agent.get": Method(NoParams, AgentInfo)}
