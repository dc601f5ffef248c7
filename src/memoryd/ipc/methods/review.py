"""The review inbox: what no user said, what did not come through memoryd, and a person's word on it."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.events import Tier
from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result, ScopeName


class ReviewListParams(PageParams):
    cwd: AbsolutePath | None = None  #: None: every directory


class ReviewItem(Result):
    id: str
    at: AwareDatetime
    scope: ScopeName
    kind: Literal["save", "supersede", "lines", "archive", "contradiction", "dream", "outside", "draft"]
    text: str  #: what would be written or taken away; a diff for `outside`, both memories for `contradiction`
    reason: str
    tier: Tier  #: of the text that it rests on
    flags: tuple[str, ...] = ()  #: classes of threat that it shows signs of: read it twice
    words: str | None = None  #: what an edit starts from; None: nothing of it can be worded otherwise
    quotes: tuple[str, ...] = ()  #: `<tier>: <words>` of the cited events
    sources: tuple[str, ...] = ()  #: `host/session#seq` of each quote
    memory_dir: str = ""
    run: str | None = None


class ReviewList(Page):
    items: tuple[ReviewItem, ...] = ()
    waiting: int = 0  #: proposals that wait for a decision, on all pages


class ReviewDecideParams(Params):
    id: str = Field(max_length=40)
    decision: Literal["accept", "reject", "undo"]  #: undo: what was decided is taken back, and waits again
    text: str | None = Field(default=None, min_length=1, max_length=20_000)  #: to be written instead; accept only
    keep: Literal["first", "second", "both"] | None = None  #: of a contradiction, with accept; None: the first


class ReviewDecided(Result):
    decision: Literal["accept", "reject", "undo"]
    run: str | None = None  #: the run that wrote memory; None: nothing had to change
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()  #: of an undo: lines that changed since and stay
    warnings: tuple[str, ...] = ()  #: what was replaced in what was given


METHODS: dict[str, Method] = {
    "review.list": Method(ReviewListParams, ReviewList),
    "review.decide": Method(ReviewDecideParams, ReviewDecided),
}
