"""Conversations: which there are, and what is known of one."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.events import Role
from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result


class SessionKey(Result):
    host: str
    session_id: str


class SessionInfo(SessionKey):
    cwd: str | None = None
    memory_dir: str | None = None
    started_at: AwareDatetime
    last_at: AwareDatetime
    ended: bool = False
    turn_count: int = 0
    new_turns: int = 0  #: since the session was last due
    event_count: int = 0
    tool_calls: int = 0
    last_seq: int = 0
    watermark: int = 0  #: last seq that is consolidated


class SessionFile(Result):
    path: str
    action: Literal["read", "write", "delete"]
    by_session: str
    at: AwareDatetime


class SessionDetail(SessionInfo):
    parent: SessionKey | None = None
    children: tuple[SessionKey, ...] = ()
    thread: tuple[SessionKey, ...] = ()  #: sessions joined by resume, fork or clear, oldest first
    transcript: Literal["none", "ok", "missing"] = "none"
    headless: bool = False
    files: tuple[SessionFile, ...] = ()


class SessionListParams(PageParams):
    cwd: AbsolutePath | None = None


class SessionList(Page):
    items: tuple[SessionInfo, ...] = ()


class SessionGetParams(Params):
    host: str
    session_id: str


class SessionSearchParams(PageParams):
    query: str = Field(min_length=1, max_length=2000)
    cwd: AbsolutePath | None = None  #: only conversations of this project
    group_by: Literal["none", "session", "thread"] = "none"
    limit: int = Field(default=10, ge=1, le=200)


class SessionHit(Result):
    """A text that answers; grouped: the best one of its session or thread."""

    session: str  #: `host/id`
    seq: int
    role: Role
    at: AwareDatetime
    snippet: str
    score: float = 0.0
    hits: int = 1  #: texts of the group that answer, among those looked at
    thread: str | None = None  #: `host/id` of the session that a thread began with


class SessionHits(Page):
    items: tuple[SessionHit, ...] = ()


METHODS: dict[str, Method] = {
    "session.list": Method(SessionListParams, SessionList),
    "session.get": Method(SessionGetParams, SessionDetail),
    "session.search": Method(SessionSearchParams, SessionHits),
}
