"""Dreaming: the candidates, why each stands where it does, and a person's word on it."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.events import Tier
from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result, ScopeName
from memoryd.ipc.methods.review import ReviewDecided

Status = Literal["open", "accepted", "rejected"]


class DreamListParams(PageParams):
    cwd: AbsolutePath | None = None  #: None: every directory
    all: bool = False  #: also those that were promoted, accepted or rejected


class DreamInfo(Result):
    """A statement that keeps coming back, or a dated fact that keeps being wanted."""

    id: str  #: as in the review inbox
    text: str
    scope: ScopeName
    status: Status
    promoted: bool  #: accepted by a dream, not by a person
    lane: Literal["live", "backfill"]
    entry: str = ""  #: the path of a dated fact
    tier: Tier
    score: float
    count: int
    contexts: int  #: different prompts or queries
    sessions: int
    days: int
    first_at: AwareDatetime
    last_at: AwareDatetime
    unmet: tuple[str, ...]  #: the gates that it does not pass; empty: it passes all
    held: bool = False  #: a person took it back once: only a person lets it in
    memory_dir: str = ""
    run: str | None = None  #: that carried the decision out


class DreamList(Page):
    items: tuple[DreamInfo, ...] = ()
    enabled: bool = False
    schedule: str = ""
    idle_seconds: int = 0
    last_at: AwareDatetime | None = None  #: of a pass by the schedule
    next_at: AwareDatetime | None = None


class DreamParams(Params):
    id: str = Field(max_length=40)


class SignalInfo(Result):
    name: str
    value: float  #: 0 to 1
    weight: float


class GateInfo(Result):
    name: str
    value: float
    least: float
    passed: bool


class CitedTurn(Result):
    session: str  #: host/id
    seq: int
    at: AwareDatetime
    tier: Tier
    quote: str


class DreamExplained(Result):
    candidate: DreamInfo
    signals: tuple[SignalInfo, ...]
    gates: tuple[GateInfo, ...]
    sources: tuple[str, ...]  #: prompt, note, summary, recall
    would: str  #: what acceptance would write
    turns: tuple[CitedTurn, ...]


class DreamDecideParams(DreamParams):
    decision: Literal["accept", "reject", "undo"]
    text: str | None = Field(default=None, min_length=1, max_length=20_000)  #: to be written instead; accept only


METHODS: dict[str, Method] = {
    "dream.list": Method(DreamListParams, DreamList),
    "dream.explain": Method(DreamParams, DreamExplained),
    "dream.decide": Method(DreamDecideParams, ReviewDecided),
}
