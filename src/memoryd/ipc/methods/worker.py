"""The consolidation worker and its jobs. `WorkerStats` has the names of the original project."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result


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


METHODS: dict[str, Method] = {
    "worker.stats": Method(WorkerStatsParams, WorkerStats),
    "consolidation.run": Method(ConsolidationParams, Consolidated),
    "job.list": Method(PageParams, JobList),
    "job.retry": Method(JobRetryParams, JobsRetried),
}
