"""Dreaming: what keeps coming back is staged as candidates, and what passes the gates becomes memory.

Collect, gather, stage, promote, write the diary; nothing asks a model. A promotion is a run of memoryd's own, one a
candidate, through the gates of every write: what no user said becomes a dated fact at best. A crash between a run and
its row leaves the candidate open; the next pass finds that memory holds it, and takes the row out.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from memoryd.clock import rfc3339
from memoryd.daemon import schedule, wishing
from memoryd.daemon.config import Dreaming
from memoryd.daemon.journal import dreams
from memoryd.daemon.journal.dreams import BACKFILL, LIVE
from memoryd.daemon.journal.store import Row
from memoryd.daemon.maturing import Maturer
from memoryd.daemon.mentions import Collector
from memoryd.daemon.staging import Stage, Staged
from memoryd.errors import MemorydError
from memoryd.memory import diary, dreaming, entries, frontmatter
from memoryd.memory.changes import Cited, decode, encode
from memoryd.memory.desk import DATED_DAYS
from memoryd.memory.dreaming import Recurring
from memoryd.memory.model import FileKey, Root, directory_of
from memoryd.memory.ports import Author
from memoryd.memory.text import cut
from memoryd.worker.ports import Applied, Run
from memoryd.worker.run import Plan

LOOK_BACK_DAYS = 30  #: of a pass that is not a backfill
LEAST_COUNT = 2  #: mentions of what is staged
KEPT_WITHIN_DAYS = 10  #: a dated fact that is wanted is kept on when it would expire so soon

_LAST = "dreamt_at"
_EVER = datetime.min.replace(tzinfo=UTC)

log = structlog.get_logger("dreaming")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """What one pass did in one directory."""

    staged: int = 0  #: candidates that are new
    waiting: int = 0  #: candidates that are open by now
    promoted: tuple[str, ...] = ()  #: runs
    runs: tuple[str, ...] = ()  #: all that changed memory, the diary's too


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamer:
    maturer: Maturer
    config: Callable[[], Dreaming]
    busy: Callable[[], bool]  #: whether a run works

    # when

    def due(self) -> bool:
        """Whether a time of the schedule has passed and nobody works. One pass makes up for all that were missed."""
        config, now = self.config(), self.maturer.clock()
        if not config.enabled or self.busy():
            return False
        last = dreams.remembered(self.maturer.journal, _LAST)
        if last is None or last > now:  # just switched on, or the clock was set back: from now on
            dreams.remember(self.maturer.journal, _LAST, now)
            return False
        newest = dreams.quiet_since(self.maturer.journal)
        quiet = newest is None or now - newest >= timedelta(seconds=config.idle_seconds)
        return quiet and schedule.next_after(config.schedule, last) <= now

    async def by_schedule(self) -> None:
        """Dream everywhere; noted at the end, so that a crash leaves it to be done again."""
        now = self.maturer.clock()
        for path in await asyncio.to_thread(self.maturer.directories, made=False):
            try:
                await self.dream(path)
            except MemorydError as error:
                log.warning("dreaming.failed", dir=str(path), error=error.code)
        await asyncio.to_thread(dreams.remember, self.maturer.journal, _LAST, now)

    def status(self) -> tuple[datetime | None, datetime | None]:
        """When the last pass by schedule was, and when the next is due. Blocking."""
        config, last = self.config(), dreams.remembered(self.maturer.journal, _LAST)
        due = schedule.next_after(config.schedule, last or self.maturer.clock()) if config.enabled else None
        return last, due

    # what

    async def dream(self, path: Path, *, backfill: bool = False, since: datetime | None = None) -> Dreamt:
        """Go over one directory.

        :param backfill: replay old daily notes and summaries into candidates; nothing is promoted
        :param since: how far a backfill goes back; None: as far as there is anything
        """
        roots = await asyncio.to_thread(self.maturer.runs.roots_of, path)
        await self.maturer.shelf.refresh_existing(roots)
        staged = await asyncio.to_thread(self._staged, path, roots, since, backfill=backfill)
        promoted = [] if backfill else [await self._promote(path, roots, one.row, one.one) for one in staged]
        runs, new = tuple(filter(None, promoted)), sum(one.new for one in staged)
        written = await self._write_diary(path, [one.one for one in staged])
        log.info("dreaming.done", dir=str(path), found=len(staged), staged=new, runs=len(runs))
        waiting = await asyncio.to_thread(dreams.candidates, self.maturer.journal, [path], decided=False)
        return Dreamt(staged=new, waiting=len(waiting), promoted=runs, runs=(*runs, *filter(None, [written])))

    def _staged(
        self, path: Path, roots: Mapping[Root, Path], since: datetime | None, *, backfill: bool
    ) -> list[Staged]:
        """Collect, gather and stage. Blocking."""
        now, role = self.maturer.clock(), next(root for root, one in roots.items() if one == path)
        lane, ever = (BACKFILL, _EVER) if backfill else (LIVE, now - timedelta(days=LOOK_BACK_DAYS))
        found = self._gathered(path, role, roots, since or ever, backfill=backfill)
        stage = Stage(
            journal=self.maturer.journal, path=path, scope=role, catalogue=self.maturer.shelf.joined(roots),
            has_project=Root.PROJECT in roots, now=now, lane=lane,
        )  # fmt: skip
        return stage.bring_up(sorted(found, key=lambda one: -one.score(now)))

    def _gathered(
        self, path: Path, role: Root, roots: Mapping[Root, Path], since: datetime, *, backfill: bool
    ) -> list[Recurring]:
        """The candidates of a directory; of a backfill those that came once, too."""
        from memoryd.worker.agents.rules.contradicting import difference  # an idle daemon holds no patterns

        collector = Collector(
            journal=self.maturer.journal, runs=self.maturer.runs, path=path, root=role, since=since,
            files=self._files(path, role), catalogue=self.maturer.shelf.joined(roots),
        )  # fmt: skip
        made = dreaming.gather(
            collector.statements(backfill=backfill), collector.known(),
            lambda one, other: difference(one, other) is not None,
        )  # fmt: skip
        return made if backfill else [one for one in (*made, *collector.wanted()) if one.count >= LEAST_COUNT]

    def _files(self, path: Path, role: Root) -> Mapping[FileKey, bytes]:
        found = self.maturer.shelf.place(path).directory.read_all()
        return {FileKey(role, name): content for name, content in found.items()}

    # promotion

    async def _promote(self, path: Path, roots: Mapping[Root, Path], row: Row, one: Recurring) -> str | None:
        """Make memory of a candidate that passes the gates, if no person took it back; returns the run."""
        detail = row["detail"]
        if detail["unmet"] or detail["held"] or detail["lane"] != LIVE or detail["refused"] == one.count:
            return None
        if one.entry:
            return await self._keep(path, row, one)
        run = Run(
            id=uuid.uuid4().hex, dir=directory_of(roots), roots=roots, author=Author.RUN, action="dream",
            agent="memoryd",
        )  # fmt: skip
        wished = wishing.loads(detail["proposals"])
        outcome, plan = await self.maturer.commands.attempt(run, self.maturer.commands.runner.propose(run, wished))
        if isinstance(outcome, Applied):
            await asyncio.to_thread(dreams.promote, self.maturer.journal, row["id"], run.id)
            log.info("dreaming.promoted", run=run.id, candidate=row["id"])
            return run.id
        why = plan.refused[0].reason if plan.refused else plan.rejection or "memory would be as it is"
        refused = {**detail, "refused": one.count, "unmet": [why]}
        await asyncio.to_thread(dreams.refresh, self.maturer.journal, row["id"], refused, f"{row['reason']}; {why}")
        return None

    async def _keep(self, path: Path, row: Row, one: Recurring) -> str | None:
        """Let a dated fact that is wanted stay: it stays quoted and dated, but expires later."""
        now, kept_until = self.maturer.clock(), self.maturer.clock() + timedelta(days=DATED_DAYS)

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            (root,) = {key.root for key in base} or {Root.PROJECT}
            key = FileKey(root, one.entry)
            entry = entries.parse("", decode(base.get(key, b"")))
            if not entry.expires_at or entry.expires_at - now > timedelta(days=KEPT_WITHIN_DAYS):
                return Plan(changes={})
            new = encode(frontmatter.splice(decode(base[key]), {"expires_at": entries.stamp(kept_until)}))
            cited = (Cited(key=key, line=one.text, seqs=one.cites),) if one.cites else ()
            return Plan(changes={key: (base[key], new)}, citations=cited)

        run = await self.maturer.carry_out(path, "dream", plan)
        if run:
            await asyncio.to_thread(dreams.promote, self.maturer.journal, row["id"], run)
        return run

    async def _write_diary(self, path: Path, found: Sequence[Recurring]) -> str | None:
        """Write what this day brought; nothing where it brought nothing."""
        today = self.maturer.clock().astimezone().date()
        rows = [row for row in await asyncio.to_thread(self._of_today, path) if row["status"] != "rejected"]
        if not rows:
            return None
        told = [(_told(row), row["detail"]["cites"]) for row in rows]

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            root = next(iter(base)).root if base else Root.PROJECT
            written = diary.write(base, root=root, day=today, rows=told, themes=dreaming.themes(found))
            return Plan(changes=written.changes, citations=tuple(written.citations))

        return await self.maturer.carry_out(path, "dream", plan)

    def _of_today(self, path: Path) -> list[Row]:
        """The candidates that this day staged or promoted, the promoted ones first. Blocking."""
        now = self.maturer.clock().astimezone()
        start = rfc3339(now.replace(hour=0, minute=0, second=0, microsecond=0))
        rows = dreams.candidates(self.maturer.journal, [path])
        of_today = [row for row in rows if row["at"] >= start or (row["decided_at"] or "") >= start]
        return sorted(of_today, key=lambda row: (row["status"] == "open", -row["detail"]["score"], row["id"]))


def _told(row: Row) -> str:
    detail = row["detail"]
    word = "waits" if row["status"] == "open" else "promoted" if dreams.promoted(row) else "accepted"
    said = cut(detail["text"].replace("“", "'").replace("”", "'"), 160)
    return (
        f"{word}: “{said}” ({detail['count']} times, score {detail['score']:.2f}; `memoryd dream explain {row['id']}`)"
    )
