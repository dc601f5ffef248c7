"""The external memory provider: how it is, and its tools."""

from typing import Any, Literal

from pydantic import Field

from memoryd.ipc.methods.base import Method, NoParams, Params, Result, Where

State = Literal["off", "resting", "starting", "ready", "paused"]


class ProviderParams(Params):
    check: bool = False  #: start it, and compare its tools with those that are configured


class ProviderInfo(Result):
    """off: none is configured; resting: the next call starts it; paused: it failed, and is left alone for a while."""

    state: State
    reason: str = ""  #: of the last fault, a sentence that begins with `it`
    calls: dict[str, str] = Field(default_factory=dict)  #: what is configured: when -> tool
    missing: tuple[str, ...] = ()  #: configured tools that it does not have; of a check
    answered: int = 0  #: since the start of the daemon
    failures: int = 0
    told: int = 0  #: events
    passed_over: int = 0  #: events and saves that it did not take in three attempts
    waiting: int = 0  #: events that it is still to be told of


class ProviderTool(Result):
    name: str
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    reads_only: bool = False


class ProviderTools(Result):
    items: tuple[ProviderTool, ...] = ()


class ProviderCallParams(Where):
    tool: str = Field(min_length=1, max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict)


class ProviderAnswer(Result):
    text: str
    is_error: bool = False  #: the tool says that it failed


METHODS: dict[str, Method] = {
    "provider.get": Method(ProviderParams, ProviderInfo),
    "provider.tools": Method(NoParams, ProviderTools),
    "provider.call": Method(ProviderCallParams, ProviderAnswer),
}
