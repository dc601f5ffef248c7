"""Conversations: which there are, and what is known of one."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.documents import SessionDocument
from memoryd.ipc.events import SESSION_NAME, Identifier, Role
from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result

GroupBy = Literal["none", "session", "thread"]
SessionKind = Literal["interactive", "headless", "sub-agent"]
#: a session in one word: `host/session_id`
SessionName = Annotated[str, Field(max_length=300, pattern=SESSION_NAME)]


class SessionKey(Result):
    host: str
    session_id: str


class SessionInfo(SessionKey):
    kind: SessionKind = "interactive"
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
    parent: SessionKey | None = None  #: what it goes on from; of a sub-agent, the session that started it
    children: tuple[SessionKey, ...] = ()  #: sub-agents that it started
    thread: tuple[SessionKey, ...] = ()  #: sessions joined by resume, fork or clear, oldest first
    transcript: Literal["none", "ok", "missing"] = "none"
    headless: bool = False
    files: tuple[SessionFile, ...] = ()


class SessionListParams(PageParams):
    cwd: AbsolutePath | None = None
    kind: SessionKind | None = None
    thread: SessionName | None = None  #: only what a resume, a fork or a clear joins with this session


class SessionList(Page):
    items: tuple[SessionInfo, ...] = ()


class SessionGetParams(Params):
    host: str
    session_id: str


class SessionSearchParams(PageParams):
    query: str = Field(min_length=1, max_length=2000)
    cwd: AbsolutePath | None = None  #: only conversations of this project
    group_by: GroupBy = "none"
    limit: int = Field(default=10, ge=1, le=200)
    summarise: bool = False  #: what the hits of the page tell together, by the configured model


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
    agent: str = ""  #: the type of the sub-agent whose report to this session it is


class SummarySentence(Result):
    text: str
    hits: tuple[int, ...]  #: that say it: places in `items`, from 0


class SessionHits(Page):
    items: tuple[SessionHit, ...] = ()
    summary: tuple[SummarySentence, ...] = ()
    unanswered: str = ""  #: why there is no summary where `summarise` asked for one


class DescendantsParams(PageParams):
    host: str
    session_id: str
    open: bool = False  #: only sub-agents that still run


class Descendant(SessionKey):
    parent: str  #: session id of what started it
    depth: int  #: 1: started by the session itself, or by one that it resumes
    agent_type: str = ""
    open: bool = False  #: neither has it stopped nor has a session above it ended
    recorded: bool = False  #: there are events of its own
    opened_at: AwareDatetime
    closed_at: AwareDatetime | None = None
    report: str | None = None  #: the beginning of what it said to its parent at its end
    report_seq: int | None = None  #: the event of the parent that holds it: `memory.read` of `event:<seq>`


class Descendants(Page):
    """Breadth first by depth."""

    items: tuple[Descendant, ...] = ()


class HistoryParams(PageParams):
    """`cwd`: only sessions of that project."""

    prefix: str = Field(default="", max_length=1000)
    host: str | None = None
    session_id: str | None = None
    cwd: AbsolutePath | None = None


class PromptLine(SessionKey):
    seq: int
    ts: int  #: seconds since 1970
    text: str  #: redacted as stored; at most 10 000 characters
    truncated: bool = False


class HistoryPage(Page):
    """Newest first. A page may hold fewer than `limit` prompts and yet go on."""

    items: tuple[PromptLine, ...] = ()


class SessionExportParams(Params):
    """`file`: the daemon writes the document there, 0600; without it the answer holds it, if it fits in a line."""

    host: str
    session_id: str
    file: AbsolutePath | None = None
    force: bool = False  #: in place of a file that is there


class SessionExported(Result):
    events: int
    bytes: int  #: of the document
    document: SessionDocument | None = None


class SessionImportParams(Params):
    """One of the two."""

    document: SessionDocument | None = None
    file: AbsolutePath | None = None


class SessionImported(SessionKey):
    added: int  #: events that are new here
    known: int = 0
    removed: int = 0  #: events that were removed here before; they stay out
    off_record: int = 0  #: events of a pause or an excluded folder; they stay out


class SessionCopyParams(Params):
    host: str
    session_id: str
    new_session_id: Identifier | None = None  #: None: a fresh one


class SessionCopied(SessionKey):
    events: int


METHODS: dict[str, Method] = {
    "session.list": Method(SessionListParams, SessionList),
    "session.get": Method(SessionGetParams, SessionDetail),
    "session.search": Method(SessionSearchParams, SessionHits),
    "session.descendants": Method(DescendantsParams, Descendants),
    "session.export": Method(SessionExportParams, SessionExported),
    "session.import": Method(SessionImportParams, SessionImported),
    "session.copy": Method(SessionCopyParams, SessionCopied),
    "history.list": Method(HistoryParams, HistoryPage),
}
