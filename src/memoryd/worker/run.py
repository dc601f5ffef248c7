"""A run: a range of the journal, or a person's command, becomes files. Steps as in docs/durability.md, "A run"."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.clock import Clock, mono, utc_now
from memoryd.errors import MemorydError, RestartNeeded
from memoryd.memory import acceptance, draft
from memoryd.memory.acceptance import Refused
from memoryd.memory.apply import Committed, Raced, apply
from memoryd.memory.case import LastSaid
from memoryd.memory.changes import Cited
from memoryd.memory.model import EntryType, FileKey, MemoryView
from memoryd.memory.ports import Author, FileChange, Rejected
from memoryd.memory.proposals import Proposal
from memoryd.memory.quality import TYPE_TOTALS
from memoryd.memory.ranking import WEIGHTS, Weights
from memoryd.memory.shelf import Shelf
from memoryd.worker import policy, second_net
from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.policy import MAX_ATTEMPTS
from memoryd.worker.ports import (
    AgentResult,
    Applied,
    Breaker,
    Commit,
    Conflict,
    Deferred,
    Failed,
    Job,
    MemoryAgent,
    NoChange,
    Outcome,
    Rejection,
    Run,
    Runs,
)
from memoryd.worker.projection import Projection

MAX_ROUNDS = 3  #: how often an apply is tried again when a person saved a file meanwhile
CATCH_UP_SECONDS = 5.0

log = structlog.get_logger("run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run wants to write, computed on the bytes of now."""

    changes: Mapping[FileKey, tuple[bytes | None, bytes | None]]
    citations: tuple[Cited, ...] = ()
    refused: tuple[Refused, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    rejection: str | None = None  #: the whole draft may not be applied
    flags: tuple[str, ...] = ()  #: classes of threat that accepted text shows signs of
    notes: tuple[str, ...] = ()  #: for the person who asked: what was dropped or was so already


Planner = Callable[[Mapping[FileKey, bytes]], Plan]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much memory may hold after a run."""

    core_chars: int = draft.CORE_CHARS  #: of a core file
    type_totals: Mapping[EntryType, int] = field(default_factory=lambda: TYPE_TOTALS)
    weights: Weights = WEIGHTS  #: of what makes room for others


@dataclass(slots=True, kw_only=True)
class Runner:
    """Carries runs out."""

    runs: Runs
    shelf: Shelf
    agent: MemoryAgent
    breaker: Breaker
    fallback: MemoryAgent | None = None  #: of an agent that asks a model: takes the ranges on which it has failed
    catch_up: Callable[[Path], Awaitable[None]]
    bounds: Callable[[], Bounds] = Bounds
    net: second_net.Net = field(default_factory=second_net.NoNet)
    clock: Clock = utc_now
    after_apply: Callable[[Run], None] = field(default=lambda run: None)

    async def consolidate(self, job: Job) -> Outcome:
        """Run a job's range through the memory agent."""
        started = mono()
        agent = self._agent_for(job)
        run = Run(
            id=job.run_id, dir=job.dir, roots=job.roots, author=Author.RUN, action="consolidate",
            agent=agent.name, job=job,
        )  # fmt: skip
        # 1. claimed; catch the transcripts of the job's sessions up
        await self.catch_up(job.dir)
        # 2. the projection: (watermark, to_seq] of every dirty session, each text once
        projection = await asyncio.to_thread(self.runs.project, job)
        # 3. nothing worth reading
        if not projection.worth_reading:
            return NoChange(to_seq=projection.to_seq, partial=projection.partial)
        # 4. observe: what a person changed becomes a version before the agent reads it
        view = await self.shelf.view(run.roots)
        # 5. the agent, which sees no secret that the second net knows
        shown, view = await asyncio.to_thread(second_net.screened, self.net, projection, view)
        result = await self._answer(agent, job, shown, view)
        if not isinstance(result, AgentResult):
            return result
        # 6. to 12., for as much as the agent has read; the rest stays due
        read = projection if result.to_seq is None else projection.until(result.to_seq)
        return await self._write(run, self._planner(run, result.proposals), read, result, started)

    @property
    def attempts(self) -> int:
        """How often a range is tried in all, before it is skipped."""
        return MAX_ATTEMPTS + (self.fallback is not None)

    def _agent_for(self, job: Job) -> MemoryAgent:
        return self.fallback if self.fallback is not None and job.attempts > MAX_ATTEMPTS else self.agent

    async def _answer(
        self, agent: MemoryAgent, job: Job, projection: Projection, memory: MemoryView
    ) -> AgentResult | Deferred | Failed:
        """Ask an agent. An outage holds up those that ask a model, unless a person asked for this run."""
        asks_a_model = self.fallback is not None and agent is not self.fallback
        held_up = asks_a_model and job.reason != "manual"
        if held_up and (outage := await asyncio.to_thread(self.breaker.paused, self.clock())):
            return Deferred(reason=f"{outage.code}: {outage.reason}", not_before=outage.until)
        try:
            result = await agent.propose(projection, memory, job.run_id)
        except AgentFault as error:
            asked = job.reason == "manual"
            return await asyncio.to_thread(policy.after, error.fault, self.breaker, self.clock(), asked=asked)
        if asks_a_model:
            await asyncio.to_thread(self.breaker.succeeded)
        return result

    async def change(self, run: Run, plan: Planner) -> tuple[Outcome, Plan]:
        """Carry out a person's command; returns its outcome and the last plan."""
        plans: list[Plan] = []

        def remember(base: Mapping[FileKey, bytes]) -> Plan:
            plans.append(plan(base))
            return plans[-1]

        outcome = await self._write(run, remember, None, AgentResult(proposals=()), mono())
        return outcome, plans[-1]

    def propose(self, run: Run, proposals: Sequence[Proposal], rejected: tuple[Rejected, ...] = ()) -> Planner:
        """The plan of a person's command that is made of proposals."""
        return self._planner(run, proposals, taken_back=rejected)

    async def _write(
        self, run: Run, plan: Planner, projection: Projection | None, result: AgentResult, started: float
    ) -> Outcome:
        for _ in range(MAX_ROUNDS):
            try:
                async with self.shelf.locked(run.roots):
                    outcome = await asyncio.to_thread(self._attempt, run, plan, projection, result, started)
            finally:
                # whatever the outcome, what was moved aside is looked at once more later
                self.after_apply(run)
            if not isinstance(outcome, Raced):
                break
            log.info("run.raced", run=run.id, files=len(outcome.found))
            await asyncio.to_thread(self.runs.versions.record, outcome.found)
        else:
            return Conflict(reason=f"files were saved by someone else {MAX_ROUNDS} times during the apply")
        if isinstance(outcome, Applied):
            # 12. the catalogue follows
            await self.shelf.refresh(run.roots.values())
        return outcome

    def _attempt(
        self, run: Run, plan: Planner, projection: Projection | None, result: AgentResult, started: float
    ) -> Outcome | Raced:
        """Steps 6 to 11, in a thread, under the directory locks."""
        # 8. the bytes of now
        base = self.shelf.read(run.roots)
        # 6., 7. draft and acceptance
        planned = plan(base)
        to_seq = projection.to_seq if projection else 0
        if planned.rejection is not None:
            self.runs.refuse(run, planned.refused, planned.rejection)
            return Rejection(reason=planned.rejection)
        self.shelf.check_plain(run.roots, planned.changes)
        changes = self._file_changes(run, planned)
        if not changes:
            self.runs.refuse(run, planned.refused)
            return _without_changes(run, planned, projection)
        if second_net.catches(self.net, changes):
            return Rejection(reason="scan-rejected: a file would hold what the secret scanner takes for a secret")
        commit = Commit(
            run=run, changes=changes, citations=planned.citations, refused=planned.refused,
            rejected=planned.rejected, flags=planned.flags, projection=projection, notes=result.notes,
            duration_ms=round((mono() - started) * 1000),
        )  # fmt: skip
        # 9. to 11. intent, exchange, commit point
        applied = self._apply(run, changes, commit)
        if isinstance(applied, Raced):
            return applied
        files = tuple(sorted(f"{key.root}/{key.path}" for key in planned.changes))
        return Applied(run_id=run.id, to_seq=to_seq, files=files, refused=len(planned.refused))

    def _apply(self, run: Run, changes: Sequence[FileChange], commit: Commit) -> Committed | Raced:
        """Apply; when the files were put back their intent is dropped, else the next start needs it."""
        try:
            applied = apply(
                changes,
                run_id=run.id,
                begin=lambda: self.runs.begin(run, changes),
                commit=lambda: self.runs.commit(commit),
                clock=self.clock,
            )
        except RestartNeeded:
            raise
        except MemorydError:
            self.runs.abandon(run.id)
            raise
        if isinstance(applied, Raced):
            self.runs.abandon(run.id)
        return applied

    def _planner(self, run: Run, proposals: Sequence[Proposal], *, taken_back: tuple[Rejected, ...] = ()) -> Planner:
        person = run.author is not Author.RUN

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            bounds = self.bounds()
            accepted, refused = acceptance.judge(
                proposals, evidence=self.runs.evidence, base=base, person=person,
                rejected=self.runs.rejected(run.roots.values()), last_said=self._last_said(run),
            )  # fmt: skip
            made = draft.build(
                base, accepted, now=self.clock(), has_project=run.has_project, sources=self.runs.sources,
                ours=lambda key, line: self.runs.ours(run.roots[key.root], key.path, line),
                core_chars=bounds.core_chars, type_totals=None if person else bounds.type_totals,
                weights=bounds.weights,
            )  # fmt: skip
            refusal = acceptance.check_draft(made, base, person=person)
            return Plan(
                changes=made.changes, citations=made.citations, refused=refused, rejected=taken_back,
                rejection=f"{refusal.code}: {refusal.reason}" if refusal else None,
                notes=tuple(d.reason for d in made.dropped), flags=acceptance.flags(accepted),
            )  # fmt: skip

        return plan

    def _last_said(self, run: Run) -> LastSaid:
        """When the newest turn was that a line rests on."""

        def look(key: FileKey, line: str) -> datetime | None:
            seqs = self.runs.ours(run.roots[key.root], key.path, line) if key.root in run.roots else None
            return max((span.at for span in self.runs.evidence.spans(seqs or ()).values()), default=None)

        return look

    def _file_changes(self, run: Run, plan: Plan) -> tuple[FileChange, ...]:
        """The plan's files and the index that follows from them."""
        wanted = [*plan.changes.items(), *self.shelf.index_changes(run.roots, plan.changes).items()]
        return tuple(
            FileChange(root=run.roots[key.root], path=key.path, base=old, new=new)
            for key, (old, new) in wanted
            if old != new
        )


_TOO_LATE = ("taken-back", "outdated")


def _without_changes(run: Run, plan: Plan, projection: Projection | None) -> Outcome:
    """A run that wrote nothing. The rules say the same again to the same words: only other agents get another try.

    What waits for a person, or was taken back by one, is no fault of the agent's.
    """
    faults = [one for one in plan.refused if not one.for_review and one.code not in _TOO_LATE]
    if faults and run.agent != "rules":
        return Rejection(reason=f"every proposal was refused, the first: {faults[0].reason}")
    return NoChange(to_seq=projection.to_seq, partial=projection.partial) if projection else NoChange(to_seq=0)
