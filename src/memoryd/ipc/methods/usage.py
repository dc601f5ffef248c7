"""What calls to a model have cost, and what is left of the budget."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.agent import AgentKind
from memoryd.ipc.methods.base import Method, Params, Result

By = Literal["day", "model", "project"]


class UsageParams(Params):
    days: int = Field(default=14, ge=1, le=400)  #: today included; local dates
    by: By = "day"


class Spent(Result):
    """Of a day, a model, a project, or all of them."""

    key: str = ""  #: a local date; the model, or the command's name; the memory directory
    calls: int = 0
    failed_calls: int = 0  #: no answer came of them
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0  #: of `tokens_in`
    usd: float = 0.0
    unsettled_calls: int = 0  #: they run, were cut, or their provider does not tell
    unsettled_tokens: int = 0  #: set aside for those; it counts against the budget
    unsettled_usd: float = 0.0
    calls_above: int = 0  #: that cost more than was set aside for them
    memories: int = 0  #: lines of core files and entries that the runs wrote


class LimitState(Result):
    setting: str  #: of `[budget]`
    limit: float
    used: float  #: unsettled calls with all that was set aside
    frees_at: AwareDatetime


class Usage(Result):
    agent: AgentKind  #: the one that is configured
    by: By
    rows: tuple[Spent, ...]  #: of every day, else of what has cost something
    total: Spent
    limits: tuple[LimitState, ...]
    memories_of_rules: int  #: they cost nothing
    unpriced: tuple[str, ...] = ()  #: models whose price is not known, or that have none


METHODS: dict[str, Method] = {"usage.get": Method(UsageParams, Usage)}
