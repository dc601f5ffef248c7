"""Dreaming: what keeps coming back is staged as candidates, and what passes the gates becomes memory.

Collect, gather, stage, promote, write the diary; nothing asks a model. A promotion is a run of memoryd's own, one a
candidate, through the gates of every write: what no user said becomes a dated fact at best. A crash between a run and
its row leaves the candidate open; the next pass finds that memory holds it, and takes the row out.
"""

import asyncio
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from memoryd.clock import rfc3339
from memoryd.daemon import schedule, wishing
from memoryd.daemon.config import Dreaming
from memoryd.daemon.journal import dreams
from memoryd.daemon.journal.dreams import BACKFILL, LIVE
from memoryd.daemon.journal.store import Row
from memoryd.daemon.maturing import Maturer
from memoryd.daemon.mentions import Collector
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
MAX_STAGED = 20  #: candidates of a directory and lane that wait, the best ones
KEPT_WITHIN_DAYS = 10  #: a dated fact that is wanted is kept on when it would expire so soon

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
        now = self.maturer.clock()
        roots = await asyncio.to_thread(self.maturer.runs.roots_of, path)
        await self.maturer.shelf.refresh_existing(roots)
        from_when = since or (datetime.min.replace(tzinfo=UTC) if backfill else now - timedelta(days=LOOK_BACK_DAYS))
        lane = BACKFILL if backfill else LIVE
        found = await asyncio.to_thread(self._gathered, path, roots, from_when, backfill=backfill)
        before = {row["id"] for row in await asyncio.to_thread(dreams.candidates, self.maturer.journal, [path])}
        rows = await asyncio.to_thread(self._stage, path, roots, found, lane)
        promoted = [] if backfill else [await self._promote(path, roots, *pair) for pair in rows]
        runs = tuple(filter(None, promoted))
        written = await self._write_diary(path, [one for _, one in rows])
        staged = sum(row["id"] not in before for row, _ in rows)
        log.info("dreaming.done", dir=str(path), found=len(found), staged=staged, runs=len(runs))
        waiting = await asyncio.to_thread(self._open, path)
        return Dreamt(
            staged=staged, waiting=len(waiting), promoted=runs, runs=(*runs, *filter(None, [written]))
        )  # fmt: skip

    def _gathered(self, path: Path, roots: Mapping[Root, Path], since: datetime, *, backfill: bool) -> list[Recurring]:
        """The candidates of a directory, the best first."""
        from memoryd.worker.agents.rules.contradicting import difference  # an idle daemon holds no patterns

        role = next(root for root, one in roots.items() if one == path)
        place, now = self.maturer.shelf.place(path), self.maturer.clock()
        collector = Collector(
            journal=self.maturer.journal, runs=self.maturer.runs, path=path, root=role, since=since,
            files={FileKey(role, name): content for name, content in place.directory.read_all().items()},
            catalogue=self.maturer.shelf.joined(roots),
        )  # fmt: skip
        made = dreaming.gather(
            collector.statements(backfill=backfill), collector.known(),
            lambda one, other: difference(one, other) is not None,
        )  # fmt: skip
        least = 1 if backfill else LEAST_COUNT
        found = [one for one in (*made, *([] if backfill else collector.wanted())) if one.count >= least]
        return sorted(found, key=lambda one: -one.score(now))[:MAX_STAGED]

    def _stage(
        self, path: Path, roots: Mapping[Root, Path], found: Sequence[Recurring], lane: str
    ) -> list[tuple[Row, Recurring]]:
        """Bring the rows up to what was found, drop those that nothing speaks for; returns what waits with its row."""
        rows = dreams.candidates(self.maturer.journal, [path])
        known = [(row, next((one for one in found if _is(row, one)), None)) for row in rows]
        decided = [one for row, one in known if one and row["status"] != "open" and not _is_kept(row)]
        stale = [row["id"] for row, one in known if one is None and _is_open(row, lane)]
        if stale:
            dreams.drop(self.maturer.journal, stale)
        for one in found:
            if one in decided:
                continue
            row = next((row for row, other in known if other is one), None)
            detail, reason = self._detail(path, roots, one, lane, row["detail"] if row else {})
            if row is None:
                dreams.stage(self.maturer.journal, path, _scope(path, roots), one.text, detail, reason)
            elif row["status"] == "open":
                dreams.refresh(self.maturer.journal, row["id"], detail, reason)
        now = dreams.candidates(self.maturer.journal, [path])
        pairs = [(row, next((one for one in found if one not in decided and _is(row, one)), None)) for row in now]
        return [(row, one) for row, one in pairs if one is not None]

    def _detail(
        self, path: Path, roots: Mapping[Root, Path], one: Recurring, lane: str, before: Mapping[str, Any]
    ) -> tuple[dict[str, Any], str]:
        """What a row keeps of a candidate, and the sentence that tells where it stands."""
        now = self.maturer.clock()
        proposals = wishing.wishes(one, self.maturer.shelf.joined(roots), has_project=Root.PROJECT in roots)
        unmet = [
            *one.unmet(now),
            *(["it rests on nothing that a user or an agent said"] if not (one.cites or one.entry) else []),
        ]
        detail = {
            "text": one.text, "tier": str(one.tier), "lane": before.get("lane", lane), "entry": one.entry,
            "score": one.score(now), "signals": {k: round(v, 3) for k, v in one.signals(now).items()},
            "count": one.count, "contexts": one.contexts, "sessions": one.sessions, "days": one.days,
            "first_at": rfc3339(one.mentions[0].at), "last_at": rfc3339(one.mentions[-1].at),
            "sources": sorted({str(mention.source) for mention in one.mentions}), "unmet": unmet,
            "cites": list(one.cites), "proposals": [json.loads(p.model_dump_json()) for p in proposals],
            "held": before.get("held", False), "refused": before.get("refused"),
        }  # fmt: skip
        seen = f"{one.count} times in {one.sessions} sessions on {one.days} days, score {one.score(now):.2f}"
        return detail, "; ".join([seen, *unmet])

    # promotion

    async def _promote(self, path: Path, roots: Mapping[Root, Path], row: Row, one: Recurring) -> str | None:
        """Make memory of a candidate that passes the gates, if no person took it back; returns the run."""
        detail = row["detail"]
        if detail["unmet"] or detail["held"] or detail["lane"] != LIVE or detail["refused"] == one.count:
            return None
        if one.entry:
            return await self._keep(path, row, one)
        run = Run(
            id=uuid.uuid4().hex,
            dir=directory_of(roots),
            roots=roots,
            author=Author.RUN,
            action="dream",
            agent="memoryd",
        )
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

    def _open(self, path: Path) -> list[Row]:
        return dreams.candidates(self.maturer.journal, [path], decided=False)


_LAST = "dreamt_at"


def _is(row: Row, one: Recurring) -> bool:
    """Whether a row is of this candidate: the same entry, or a statement near its own."""
    detail = row["detail"]
    if detail["entry"] or one.entry:
        return bool(detail["entry"] == one.entry)
    return dreaming.same(detail["text"], one.text)


def _is_open(row: Row, lane: str) -> bool:
    return row["status"] == "open" and row["detail"]["lane"] == lane == LIVE and not row["detail"]["held"]


def _is_kept(row: Row) -> bool:
    """Whether a row is of a dated fact that was let stay: it may be let stay again."""
    return bool(row["detail"]["entry"]) and row["status"] == "accepted"


def _scope(path: Path, roots: Mapping[Root, Path]) -> str:
    return str(next(root for root, one in roots.items() if one == path))


def _told(row: Row) -> str:
    detail = row["detail"]
    word = "waits" if row["status"] == "open" else "promoted" if dreams.promoted(row) else "accepted"
    said = cut(detail["text"].replace("“", "'").replace("”", "'"), 160)
    return (
        f"{word}: “{said}” ({detail['count']} times, score {detail['score']:.2f}; `memoryd dream explain {row['id']}`)"
    )
