"""What tools answer where the daemon's own result says more than a model needs."""

from pydantic import AwareDatetime, BaseModel, ConfigDict


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Saved(_Answer):
    status: str  #: saved, updated or unchanged
    slug: str
    run: str | None = None
    warnings: tuple[str, ...] = ()
    duplicate_of: str | None = None


class Forgotten(_Answer):
    run: str | None = None
    names: tuple[str, ...] = ()


class Noted(_Answer):
    date: str
    index: int  #: of a daily note
    text: str
    run: str
    warnings: tuple[str, ...] = ()
    kind: str = "daily"
    id: int | None = None  #: of any other
    expires_at: AwareDatetime | None = None


class Ticked(_Answer):
    id: int
    text: str
    open: tuple[str, ...] = ()  #: the steps that are left


class SessionHit(_Answer):
    session: str  #: host/id
    seq: int
    role: str
    at: AwareDatetime
    snippet: str


class SessionHits(_Answer):
    items: tuple[SessionHit, ...] = ()
    next_cursor: str | None = None
