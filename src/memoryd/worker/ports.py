"""What the worker needs from outside: a queue, a record of runs, a memory agent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memoryd.memory.acceptance import Refused
from memoryd.memory.changes import Cited
from memoryd.memory.model import MemoryView, Root
from memoryd.memory.ports import Author, Evidence, FileChange, Rejected, Versions
from memoryd.memory.proposals import Proposal
from memoryd.worker.budget import Cost, Need
from memoryd.worker.projection import Projection


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One project directory, due up to `due_seq`: a range of the journal, never a copy of messages."""

    dir: Path  #: the project memory directory, or the user's when there is no project
    roots: Mapping[Root, Path]  #: the directories that the run may write; no project root: all is the user's
    due_seq: int  #: last event included; later ones join the next job
    attempts: int  #: raised at claim, so that a job that kills the daemon still ends
    run_id: str  #: the token: checked before apply and at commit
    reason: str  #: interval, compaction, session_end, idle, manual


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    run_id: str
    to_seq: int
    files: tuple[str, ...]  #: `<root>/<path>` of each file changed
    refused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoChange:
    to_seq: int
    partial: bool = False  #: as of the projection: the watermark stays


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    reason: str
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    reason: str


Outcome = Applied | NoChange | Conflict | Deferred | Rejection | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    proposals: tuple[Proposal, ...]
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    """(host, session_id) -> session projection for the next run, at most 2 000 characters."""
    to_seq: int | None = None  #: as far as it has read, where that is not the whole range: the rest stays due


class MemoryAgent(Protocol):
    """Reads a projection and the current memory, returns proposals."""

    name: str

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        """
        :param run_id: of the job's run, for what the agent pays
        :raises MemorydError: the run fails with that code and is tried again
        :raises AgentFault: no answer; `worker.policy` says what follows
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution of a job, or one change by a person's command: everything that writes memory is a run."""

    id: str  #: of a job's run: the token, checked before apply and at commit
    dir: Path
    roots: Mapping[Root, Path]
    author: Author
    action: str  #: consolidate, save, forget, edit, undo
    agent: str  #: rules, model, command; "person" for a command
    job: Job | None = None

    @property
    def has_project(self) -> bool:
        return Root.PROJECT in self.roots


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """All that becomes true at a run's commit point, in one transaction."""

    run: Run
    changes: tuple[FileChange, ...]
    citations: tuple[Cited, ...] = ()
    refused: tuple[Refused, ...] = ()
    rejected: tuple[Rejected, ...] = ()  #: facts taken back by this run (undo, forget)
    projection: Projection | None = None  #: of a job: its range becomes consolidated
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  #: classes of threat that accepted text shows signs of: a person said it
    duration_ms: int = 0


class Runs(Protocol):
    """The record of runs. Blocking calls from a worker thread; each return means durable."""

    @property
    def versions(self) -> Versions: ...

    @property
    def evidence(self) -> Evidence: ...

    def project(self, job: Job) -> Projection: ...

    def rejected(self, roots: Iterable[Path]) -> Sequence[Rejected]: ...

    def ours(self, root: Path, path: str, line: str) -> Sequence[int] | None:
        """The seqs that a line of memoryd's rests on; None for a line that a person wrote."""
        ...

    def sources(self, seqs: Iterable[int]) -> list[str]:
        """`host/session#seq` of each seq that exists: the copies for readers in the frontmatter."""
        ...

    def begin(self, run: Run, changes: Sequence[FileChange]) -> None:
        """Write the intent: paths, old and new hashes, blobs. :raises Conflict: the token is not this run's"""
        ...

    def commit(self, commit: Commit) -> None:
        """The commit point. :raises Conflict: the token is not this run's; nothing was written"""
        ...

    def abandon(self, run_id: str) -> None:
        """Drop the intent of an apply that was put back."""
        ...

    def refuse(self, run: Run, refused: Sequence[Refused], rejection: str | None = None) -> None:
        """Note what a run without changes was refused, so that `memoryd log` and the review inbox can show it.

        :param rejection: why its whole draft was refused

        :raises Conflict: the token is not this run's
        """
        ...


class Queue(Protocol):
    """`enqueue_latest`: at most one running and one waiting job a directory."""

    def claim(self, now: datetime) -> Job | None:
        """Take the job that is due the longest; its attempts rise before it runs."""
        ...

    def settle(self, job: Job, outcome: Outcome, *, now: datetime, duration_ms: int, give_up: bool) -> None:
        """Record an outcome other than Applied (that one is settled by the commit itself).

        `give_up`: the last attempt failed; the range is kept as skipped and the watermark moves over it.
        """
        ...

    def next_due(self) -> datetime | None:
        """When the earliest waiting job may run; None when nothing waits."""
        ...


class Ledger(Protocol):
    """What agents that ask a model pay from. Blocking calls from a worker thread; each return means durable."""

    def reserve(self, run_id: str, need: Need, now: datetime) -> str:
        """Set aside what a call may cost at most; returns the reservation's id. One that is never settled stays spent.

        :raises BudgetSpent: less than that is left; nothing is set aside and no call may be made
        """
        ...

    def settle(self, reservation: str, cost: Cost) -> None:
        """Note what the call has cost, its reservation above or below. A second time changes nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Why no agent that asks a model is started, and until when."""

    code: str  #: of the last fault
    reason: str  #: a sentence for people
    until: datetime


class Breaker(Protocol):
    """Keeps agents that ask a model from running while an outage lasts; it survives a restart. Blocking calls."""

    def paused(self, now: datetime) -> Outage | None:
        """The outage that keeps runs from starting now; None when one may try. A person's own job tries anyway."""
        ...

    def failed(
        self, code: str, reason: str, now: datetime, retry_after_seconds: float | None = None, *, counts: bool = True
    ) -> Outage:
        """Note an outage: the pause is `retry_after_seconds`, else one that doubles with each outage in a row.

        :param counts: it is one of a row; else it makes no pause longer
        """
        ...

    def succeeded(self) -> None:
        """A provider has answered, with whatever: the outage is over, and what waited for its end may run."""
        ...
