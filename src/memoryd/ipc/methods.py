"""The methods of the socket: parameters and results, frozen (docs/protocol.md, "Methods").

Parameters refuse unknown keys, so that a misspelt one is told. Results ignore them, so that an older client reads a
newer daemon. Lists answer `{items, next_cursor}`. `WorkerStats` has the names of the original project.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from memoryd.ipc.events import Event, Tier


class Params(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class PageParams(Params):
    limit: int = Field(default=50, ge=1, le=1000)
    cursor: str | None = None  #: `next_cursor` of the page before


class Page(Result):
    next_cursor: str | None = None  #: None: this was the last page


class Done(Result):
    """Nothing to say beyond that it is done."""


AbsolutePath = Annotated[str, Field(max_length=4096, pattern=r"^/[^\x00]*$")]
ScopeName = Literal["user", "project", "team"]
EntryTypeName = Literal["user", "feedback", "project", "reference"]


# --- events in ------------------------------------------------------------------------------------------------------


class HookDeliver(Params):
    """One hook firing, word for word."""

    id: str = Field(pattern=r"^[0-9a-f]{32}$")  #: made once by the hook, the same in the spool
    at: AwareDatetime
    host: str = Field(max_length=32)
    event: str | None = Field(default=None, max_length=100)
    raw: str  #: stdin
    cwd: str | None = None
    env: dict[str, str] = Field(default_factory=dict)


class HookDelivered(Result):
    """`stdout` stays the first field: the hook finds it at a fixed place of the reply."""

    stdout: str = ""
    exit_code: Literal[0] = 0
    seq: int | None = None  #: of the first event recorded; None: nothing to record


class EventPublish(Params):
    event: Event


class EventPublished(Result):
    seq: int
    duplicate: bool
    turn_count: int
    due: Literal["interval", "compaction", "session_end", "idle", "manual"] | None = None
    job: Literal["queued", "coalesced"] | None = None


# --- sessions -------------------------------------------------------------------------------------------------------


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


# --- memory ---------------------------------------------------------------------------------------------------------


class MemorySaveParams(Params):
    """`scope` wins; else the scope follows from type and text, and `cwd` names the project."""

    cwd: AbsolutePath | None = None
    scope: ScopeName | None = None
    slug: str | None = None
    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=500)
    type: EntryTypeName
    content: str = Field(min_length=1, max_length=20_000)
    host: str | None = None
    session_id: str | None = None


class TypeTotal(Result):
    used: int  #: characters
    limit: int


class MemorySaved(Result):
    status: Literal["saved", "updated", "unchanged"]
    slug: str
    run: str | None = None
    warnings: tuple[str, ...] = ()
    duplicate_of: str | None = None
    manifest: str = ""  #: MEMORY.md as it is now
    totals: dict[str, TypeTotal] = Field(default_factory=dict)


class MemoryQuery(PageParams):
    """One shape for list, read, search and forget."""

    cwd: AbsolutePath | None = None
    scopes: tuple[ScopeName, ...] = ()  #: empty: all that hold for cwd
    name: str | None = None
    query: str | None = Field(default=None, max_length=2000)
    match: Literal["words", "any", "phrase", "literal", "prefix"] = "words"
    offset: int = Field(default=0, ge=0)


class MemoryItem(Result):
    scope: ScopeName
    path: str  #: inside the memory directory
    file: str | None = None  #: absolute; of `memory.read`
    name: str
    description: str = ""
    type: EntryTypeName | None = None  #: None: a core file
    status: Literal["active", "historical"] = "active"
    updated_at: AwareDatetime | None = None
    text: str | None = None  #: whole for read, a snippet for search, absent for list
    truncated: bool = False
    score: float | None = None


class MemoryItems(Page):
    items: tuple[MemoryItem, ...] = ()


class MemoryForgotten(MemoryItems):
    run: str | None = None


class MemoryLogParams(PageParams):
    cwd: AbsolutePath | None = None
    memory_dir: AbsolutePath | None = None
    since: AwareDatetime | None = None
    writes: bool = False  #: only runs that changed a file


class RefusedInfo(Result):
    code: str
    reason: str


class RunInfo(Result):
    run: str
    at: AwareDatetime
    author: Literal["run", "person", "host", "outside"]
    agent: str = ""
    outcome: str = "applied"
    reason: str = ""
    memory_dir: str = ""
    files: tuple[str, ...] = ()
    from_seq: int = 0
    to_seq: int = 0
    refused: tuple[RefusedInfo, ...] = ()
    duration_ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class MemoryLog(Page):
    items: tuple[RunInfo, ...] = ()


class RunParams(Params):
    """`run` None: the newest run that changed a file."""

    run: str | None = None


class FileDiff(Result):
    scope: ScopeName
    path: str
    diff: str  #: unified


class MemoryDiff(Page):
    run: str
    items: tuple[FileDiff, ...] = ()


class MemoryUndone(Result):
    run: str | None
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()  #: files a person changed since; left as they are


class MemoryWhyParams(Params):
    name: str  #: path, entry or core file
    line: int | None = Field(default=None, ge=1)
    cwd: AbsolutePath | None = None


class WhyItem(Result):
    line: str = ""  #: the line of memory
    host: str = ""
    session: str
    seq: int
    at: AwareDatetime
    tier: Tier
    quote: str


class MemoryWhy(Page):
    items: tuple[WhyItem, ...] = ()


# --- recall ---------------------------------------------------------------------------------------------------------


class RecallParams(Params):
    """`host` and `session_id` say who asks; no answer depends on them yet."""

    cwd: AbsolutePath | None = None
    host: str | None = None
    session_id: str | None = None
    query: str | None = Field(default=None, max_length=20_000)
    scopes: tuple[ScopeName, ...] = ()
    budget_tokens: int | None = Field(default=None, ge=1, le=100_000)


class RecallItem(Result):
    scope: ScopeName
    path: str
    name: str


class Recalled(Result):
    text: str
    items: tuple[RecallItem, ...] = ()
    left_out: int = 0  #: memories that had no room
    generation: int = 0  #: of the catalogue


# --- the worker -----------------------------------------------------------------------------------------------------


class WorkerStatsParams(Params):
    memory_dir: AbsolutePath | None = None


class WorkerStats(Result):
    """Counters that survive a restart, of one memory directory or of all."""

    total_completed: int = 0
    total_failed: int = 0
    queued: int = 0
    coalesced_dropped: int = 0
    running: int = 0
    total_no_change: int = 0
    total_rejected: int = 0
    total_conflict: int = 0
    last_completed_at: AwareDatetime | None = None
    last_error: str | None = None
    last_duration_ms: int | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    paused_until: AwareDatetime | None = None
    directories: "dict[str, WorkerStats]" = Field(default_factory=dict)  #: filled when no directory was named


class ConsolidationParams(Params):
    cwd: AbsolutePath | None = None
    memory_dir: AbsolutePath | None = None
    wait: bool = False


class Consolidated(Result):
    outcome: Literal["queued", "applied", "no_change", "conflict", "deferred", "rejected", "failed"]
    run: str | None = None
    reason: str = ""
    to_seq: int | None = None
    files: tuple[str, ...] = ()


class JobInfo(Result):
    id: str
    memory_dir: str
    state: Literal["waiting", "running", "deferred", "skipped"]
    due_seq: int
    from_seq: int = 0
    attempts: int = 0
    reason: str = ""
    not_before: AwareDatetime | None = None
    last_error: str | None = None


class JobList(Page):
    items: tuple[JobInfo, ...] = ()


class JobRetryParams(Params):
    id: str | None = None  #: None: all


class JobsRetried(Result):
    retried: int


# --- the daemon -----------------------------------------------------------------------------------------------------


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


class PauseParams(Params):
    cwd: AbsolutePath | None = None  #: None: everywhere
    seconds: int | None = Field(default=None, ge=1)  #: None: until resumed


class ResumeParams(Params):
    cwd: AbsolutePath | None = None


class Paused(Result):
    paused: bool
    until: AwareDatetime | None = None


class NoParams(Params):
    pass


@dataclass(frozen=True, slots=True)
class Method:
    params: type[Params]
    result: type[Result]


METHODS: dict[str, Method] = {
    "hook.deliver": Method(HookDeliver, HookDelivered),
    "event.publish": Method(EventPublish, EventPublished),
    "worker.stats": Method(WorkerStatsParams, WorkerStats),
    "session.list": Method(SessionListParams, SessionList),
    "session.get": Method(SessionGetParams, SessionDetail),
    "memory.save": Method(MemorySaveParams, MemorySaved),
    "memory.list": Method(MemoryQuery, MemoryItems),
    "memory.read": Method(MemoryQuery, MemoryItems),
    "memory.search": Method(MemoryQuery, MemoryItems),
    "memory.forget": Method(MemoryQuery, MemoryForgotten),
    "memory.log": Method(MemoryLogParams, MemoryLog),
    "memory.diff": Method(RunParams, MemoryDiff),
    "memory.undo": Method(RunParams, MemoryUndone),
    "memory.why": Method(MemoryWhyParams, MemoryWhy),
    "recall.snapshot": Method(RecallParams, Recalled),
    "recall.prefetch": Method(RecallParams, Recalled),
    "consolidation.run": Method(ConsolidationParams, Consolidated),
    "job.list": Method(PageParams, JobList),
    "job.retry": Method(JobRetryParams, JobsRetried),
    "daemon.health": Method(NoParams, Health),
    "daemon.pause": Method(PauseParams, Paused),
    "daemon.resume": Method(ResumeParams, Paused),
    "daemon.shutdown": Method(NoParams, Done),
}
