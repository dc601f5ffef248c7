"""Purge: forget for good. Steps as in docs/durability.md, "Purge"; each may be cut by a crash, and all be run again."""

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.clock import Clock, mono
from memoryd.daemon.journal import purge
from memoryd.daemon.journal import selection as selecting
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.purge import Counted, Removal
from memoryd.daemon.journal.recorded import RecordedSessions
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.selection import Found, Selection
from memoryd.daemon.purge_plan import Plan, Planner
from memoryd.daemon.recalling import ANSWER_SECONDS
from memoryd.errors import Conflict, MemorydError, NotFound, RestartNeeded, UsageError
from memoryd.ipc.events import Tier
from memoryd.ipc.places import Places
from memoryd.ipc.spool import Spool
from memoryd.memory.apply import Raced, apply
from memoryd.memory.model import Root
from memoryd.memory.ports import Author
from memoryd.memory.shelf import Shelf
from memoryd.worker.ports import Run

MAX_ROUNDS = 3  #: how often it is tried again when somebody saved meanwhile

#: drops from memory and disk a copy of what the journal and the files no longer hold, e.g. an index; may be done twice
Forget = Callable[[], Awaitable[None]]

log = structlog.get_logger("purge")


def select(
    recorded: RecordedSessions, *, session: str | None, source: str | None, before: datetime | None, everything: bool
) -> Selection:
    """What a person names: a session (its sub-agents with it), a host or a tier, a time, or everything. Blocking.

    :raises UsageError: nothing is named, or something besides everything
    :raises NotFound: no such session or host
    """
    if everything == any((session, source, before)):
        raise UsageError("name what to purge: `session`, `source` and `before`, one or more, or `all` by itself")
    tier = Tier(source) if source in tuple(Tier) else None
    host = source if source and tier is None else None
    if host is not None and host not in (known := recorded.hosts()):
        raise NotFound(f"no source {host!r}; there are the tiers {', '.join(Tier)} and the hosts {', '.join(known)}")
    sessions = recorded.journal.read(lambda c: selecting.named(c, session)) if session else ()
    if session and not sessions:
        raise NotFound(f"no session {session}; `memoryd sessions list` shows them")
    return Selection(sessions=sessions, host=host, tier=tier, before=before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """A place that may hold what was purged and that memoryd does not touch."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    run: str | None  #: None: a dry run, or nothing was found
    events: int
    sessions: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]  #: (`<scope>/<path>`, text) of the lines of memory that go
    files: tuple[str, ...]  #: that changed and stay
    removed: int  #: files that went
    versions: int = 0
    snapshots: int = 0
    quarantined: int = 0
    spooled: int = 0
    goals: int = 0
    notes: int = 0
    unreached: tuple[Unreached, ...] = ()

    @property
    def nothing(self) -> bool:
        return not (
            self.events or self.lines or self.quarantined or self.spooled or self.sessions or self.goals or self.notes
        )


@dataclass(slots=True, kw_only=True)
class Purger:
    """Removes what a selection names from everything that memoryd keeps."""

    places: Places
    planner: Planner
    runs: JournalRuns
    history: History
    shelf: Shelf
    spool: Spool
    drain_spool: Callable[[], Awaitable[None]]
    clock: Clock
    forgetters: Sequence[Forget] = ()
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  #: one at a time

    async def purge(self, selection: Selection, *, dry_run: bool = False) -> Purged:
        """Remove it, or say what would be removed.

        :raises Conflict: files were saved, or a run wrote, three times meanwhile; nothing was removed
        """
        async with self._lock:
            # 1. what hooks have spooled comes in, so that it can go; what cannot come in goes from the spool
            await self.drain_spool()
            spooled = await asyncio.to_thread(self._of_spool, selection, remove=not dry_run)
            paths = await asyncio.to_thread(self.planner.paths)
            for _ in range(MAX_ROUNDS):
                # 2. every directory is locked: no run can write what it has read before
                async with self.shelf.locked_paths(paths):
                    done = await asyncio.to_thread(self._attempt, selection, paths, dry_run, spooled)
                if done is not None:
                    break
            else:
                raise Conflict(f"files were saved by someone else {MAX_ROUNDS} times during the purge; purge again")
            if done.run is not None:
                # 7. the catalogues follow; recall that began before may still answer from the old ones
                await self.shelf.refresh(paths)
                await asyncio.sleep(ANSWER_SECONDS)
                log.info("purge.committed", run=done.run, events=done.events, lines=len(done.lines))
            if not dry_run:
                await self._finish_or_say()
            return done

    async def _finish_or_say(self) -> None:
        try:
            await self.finish()
        except MemorydError as error:
            raise type(error)(
                f"it is purged, but the bytes that it freed are not overwritten yet: {error}; then purge again"
            ) from error

    async def finish(self) -> None:
        """Overwrite what a committed purge has freed; at start, when a crash came before. May be run again."""
        if not await asyncio.to_thread(self.history.journal.read, purge.unfinished):
            return
        # 8. snapshots taken meanwhile, files moved aside, copies elsewhere, empty folders
        for path in await asyncio.to_thread(self.planner.paths):
            async with self.shelf.locked_paths([path]):
                await asyncio.to_thread(self._tidy, path)
        for forget in self.forgetters:
            await forget()
        # 9. the database is written anew and its WAL emptied
        await asyncio.to_thread(self.history.journal.write, purge.forget_recent_snapshots)
        await asyncio.to_thread(self.history.journal.vacuum)
        await asyncio.to_thread(self.history.journal.write, purge.end)

    def _attempt(self, selection: Selection, paths: Sequence[Path], dry_run: bool, spooled: int) -> Purged | None:
        """Steps 3 to 6, in a thread, under the locks; None: somebody saved meanwhile."""
        started = mono()
        # 3. what is selected, and the files without the lines that rest on it
        plan = self.planner.plan(selection, paths)
        told = self._told(None, selection, plan, spooled)
        if dry_run or told.nothing:
            return told
        run = _run(self.places.user_memory)
        self.runs.start(run)
        removal = Removal(
            run=run, selection=selection, found=plan.found, rewrite=plan.rewrite, changes=plan.changes,
            seeds=plan.seeds, duration_ms=round((mono() - started) * 1000),
        )  # fmt: skip
        counted = self._apply(removal)
        if counted is None:
            return None
        return self._told(run, selection, plan, spooled, counted)

    def _apply(self, removal: Removal) -> Counted | None:
        """4. intent, 5. the files change places, 6. the commit point: the journal is rid of it, in one transaction."""
        counted: list[Counted] = []
        try:
            outcome = apply(
                removal.changes,
                run_id=removal.run.id,
                begin=lambda: self.runs.begin(removal.run, removal.changes),
                commit=lambda: counted.append(
                    self.history.journal.write(lambda c: purge.commit(c, removal, self.clock()))
                ),
                clock=self.clock,
            )
        except RestartNeeded:
            raise
        except MemorydError as error:
            with contextlib.suppress(MemorydError):
                self.runs.abandon(removal.run.id)
                self.runs.end(removal.run, "failed", error.code)
            raise
        if isinstance(outcome, Raced):
            self.runs.abandon(removal.run.id)
            self.runs.versions.record(outcome.found)
            self.runs.end(removal.run, "conflict", None)
            return None
        return counted[0]

    # what else there is

    def _tidy(self, path: Path) -> None:
        self.shelf.sweep_aside(path)
        if path != self.places.user_memory and path.is_relative_to(self.places.data) and path.is_dir():
            for folder in sorted((p for p in path.rglob("*") if p.is_dir()), reverse=True):
                _remove_if_empty(folder)
            _remove_if_empty(path)
            _remove_if_empty(path.parent)

    def _of_spool(self, selection: Selection, *, remove: bool) -> int:
        """Payloads in the spool that may belong to the selection; what was drained is not there any more."""
        return self.spool.discard(
            lambda at, line: selection.may_hold(at, line.decode("utf-8", "replace")), remove=remove
        )

    def _told(
        self, run: Run | None, selection: Selection, plan: Plan, spooled: int, counted: Counted | None = None
    ) -> Purged:
        found, stay = plan.found, [c for c in plan.changes if c.new is not None]
        names = {self.places.user_memory: "user"}
        return Purged(
            run=run.id if run else None,
            events=counted.events if counted else found.events,
            sessions=found.sessions,
            lines=plan.lines,
            files=tuple(sorted(f"{names.get(c.root, 'project')}/{c.path}" for c in stay)),
            removed=len(plan.changes) - len(stay),
            versions=counted.versions if counted else 0,
            snapshots=found.snapshots if plan.changes else 0,
            quarantined=found.quarantined,
            spooled=spooled,
            goals=found.goals,
            notes=found.notes,
            unreached=tuple(self._unreached(selection, found)),
        )

    def _unreached(self, selection: Selection, found: Found) -> list[Unreached]:
        kept = [Unreached(what="a backup from before an upgrade; remove it by hand", where=str(path))
                for path in sorted(self.places.data.glob("state.db.v*.bak"))]  # fmt: skip
        kept += [Unreached(what="the host's own transcript", where=path) for path in found.transcripts]
        kept += [Unreached(what="a session that goes on from it or that it copies; purge it as well", where=session)
                 for session in found.followers]  # fmt: skip
        outside = [path for path in self.planner.paths() if not path.is_relative_to(self.places.data)]
        if found.untold:
            kept.append(Unreached(what="lines whose events retention removed before it kept who said them"))
        if selection.everything:
            logs = self.places.data / "logs.db"
            kept += (
                [Unreached(what="the logs: ids, sizes and paths, no text", where=str(logs))] if logs.exists() else []
            )
            kept += [Unreached(what="what people wrote in a memory directory of their own", where=str(path))
                     for path in outside]  # fmt: skip
        else:
            kept.append(Unreached(what="lines that a person wrote or changed, and names of files that stay"))
        return [
            *kept,
            Unreached(what="exports, backups and git histories made before"),
            Unreached(what="what hosts were given and sent to their model providers, what an external memory was told"),
        ]


def _run(directory: Path) -> Run:
    return Run(
        id=uuid.uuid4().hex, dir=directory, roots={Root.USER: directory}, author=Author.PERSON, action="purge",
        agent="person",
    )  # fmt: skip


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
