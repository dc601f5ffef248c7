"""The methods of the socket: parameters in, results out; thin over the daemon's parts."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from memoryd import __version__
from memoryd.clock import mono, parse_rfc3339, rfc3339
from memoryd.daemon import answers
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal.history import Row
from memoryd.errors import BadEvent, Busy, NotFound
from memoryd.ipc import methods as m
from memoryd.ipc.server import Handler, Peer
from memoryd.memory import entries, lines, ranking
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposals import Save
from memoryd.memory.recall import clean

ACK_SECONDS = 0.9  #: to drain the spool before a live event of the same hook; then the hook spools it in order
READ_TOKENS = 20_000  #: of `memory.read`
WAIT_SECONDS = 600.0  #: of `consolidation.run` with `wait`


def table(daemon: Daemon) -> dict[str, Handler]:
    """Every method of this release."""
    serve = _Handlers(daemon)
    return {name: _handler(getattr(serve, name.replace(".", "_"))) for name in m.METHODS}


def _handler(method: Callable[[Any], Coroutine[Any, Any, m.Result]]) -> Handler:
    async def handle(params: Any, _: Peer) -> m.Result:
        return await method(params)

    return handle


class _Handlers:
    """One method of the socket a function, the dot as an underscore."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon

    # events in

    async def hook_deliver(self, params: m.HookDeliver) -> m.HookDelivered:
        await self._spool_first()
        return await self.daemon.ingest.deliver(params)

    async def event_publish(self, params: m.EventPublish) -> m.EventPublished:
        return await self.daemon.ingest.publish(params)

    async def _spool_first(self) -> None:
        """What hooks spooled comes before later live events."""
        if not await asyncio.to_thread(self.daemon.spool.count):
            return
        try:
            async with asyncio.timeout(ACK_SECONDS):
                await self.daemon.drain_spool()
        except TimeoutError as error:
            raise Busy("spooled events are being taken in first; this one may be spooled behind them") from error

    # sessions

    async def session_list(self, params: m.SessionListParams) -> m.SessionList:
        offset = answers.offset_of(params.cursor)
        directory = (await self._binding(params.cwd)) if params.cwd else None
        rows = await asyncio.to_thread(
            self.daemon.history.sessions, limit=params.limit + 1, offset=offset, directory=directory
        )
        return m.SessionList(
            items=tuple(answers.session(row) for row in rows[: params.limit]),
            next_cursor=answers.next_cursor(rows, params.limit, offset),
        )

    async def session_get(self, params: m.SessionGetParams) -> m.SessionDetail:
        row = await asyncio.to_thread(self.daemon.history.session, params.host, params.session_id)
        parent = row["parent_session_id"]
        return m.SessionDetail(
            **answers.session(row).model_dump(),
            parent=m.SessionKey(host=row["host"], session_id=parent) if parent else None,
            children=tuple(m.SessionKey(host=row["host"], session_id=c["child"]) for c in row["children"]),
            thread=tuple(m.SessionKey(host=row["host"], session_id=s["session_id"]) for s in row["thread"]),
            transcript=row["transcript_state"] if row["transcript_state"] in ("ok", "missing") else "none",
            headless=bool(row["headless"]),
            files=tuple(m.SessionFile(**touch) for touch in row["files"]),
        )

    # memory

    async def memory_save(self, params: m.MemorySaveParams) -> m.MemorySaved:
        roots = await self._roots(params.cwd)
        proposal = Save(
            root=answers.root_of(params.scope), slug=params.slug or entries.make_slug(params.name), name=params.name,
            description=params.description, type=EntryType(params.type), content=params.content,
        )  # fmt: skip
        saved = await self.daemon.commands.save(roots, proposal)
        if params.session_id and params.host and saved.run:
            await self.daemon.note_written(params.host, params.session_id, saved.slug)
        catalogue = self.daemon.shelf.joined(roots)
        return m.MemorySaved(
            status=saved.status, slug=saved.slug, run=saved.run, warnings=saved.warnings,
            duplicate_of=saved.duplicate_of, manifest=answers.manifest(catalogue),
            totals={str(kind): m.TypeTotal(used=t.used, limit=t.limit) for kind, t in saved.totals.items()},
        )  # fmt: skip

    async def memory_list(self, params: m.MemoryQuery) -> m.MemoryItems:
        items = answers.items(await self._catalogue(params))
        start = answers.offset_of(params.cursor) or params.offset
        page = items[start : start + params.limit + 1]
        return m.MemoryItems(
            items=tuple(page[: params.limit]), next_cursor=answers.next_cursor(page, params.limit, start)
        )

    async def memory_read(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self._catalogue(params)
        if not params.name:
            raise BadEvent("memory.read wants a name: an entry's slug or a core file, e.g. preferences.md")
        wanted = (params.name, f"{params.name}.md", entries.path_of(params.name))
        named = [key for key in sorted(catalogue.files) if key.path in wanted]
        found = max(
            named, key=lambda key: len(lines.texts(catalogue.files[key])), default=None
        )  # the one that says most
        if found is None:
            raise NotFound(f"no entry or core file {params.name!r}; `memoryd list` shows what there is")
        text = clean(catalogue.files[found])
        short = answers.at_most(text, READ_TOKENS)
        file = (await self._roots(params.cwd))[found.root] / found.path
        item = answers.item(catalogue, found).model_copy(
            update={"text": short, "truncated": short != text, "file": str(file)}
        )
        return m.MemoryItems(items=(item,))

    async def memory_search(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self._catalogue(params)
        start = answers.offset_of(params.cursor) or params.offset
        hits = ranking.search(catalogue, params.query or "", params.match, limit=start + params.limit + 1)
        page = hits[start : start + params.limit + 1]
        items = tuple(
            answers.item(catalogue, hit.key).model_copy(
                update={"text": clean(hit.snippet), "score": round(hit.score, 4)}
            )
            for hit in page[: params.limit]
        )
        return m.MemoryItems(items=items, next_cursor=answers.next_cursor(page, params.limit, start))

    async def memory_forget(self, params: m.MemoryQuery) -> m.MemoryForgotten:
        if not params.name:
            raise BadEvent("memory.forget wants a name: an entry's slug, or words of a core line")
        roots = await self._roots(params.cwd)
        run, said = await self.daemon.commands.forget(roots, params.name, params.scopes)
        items = tuple(answers.forgotten(text) for text in said)
        return m.MemoryForgotten(run=run, items=items)

    async def memory_log(self, params: m.MemoryLogParams) -> m.MemoryLog:
        since = rfc3339(params.since) if params.since else None
        directory = Path(params.memory_dir) if params.memory_dir else None
        if directory is None and params.cwd:
            directory = await self._binding(params.cwd)
        start = answers.offset_of(params.cursor)
        rows = await asyncio.to_thread(
            self.daemon.history.runs,
            since=since, limit=params.limit + 1, offset=start, writes=params.writes, directory=directory,
        )  # fmt: skip
        return m.MemoryLog(
            items=tuple(map(answers.run, rows[: params.limit])),
            next_cursor=answers.next_cursor(rows, params.limit, start),
        )

    async def memory_diff(self, params: m.RunParams) -> m.MemoryDiff:
        run, diffs = await asyncio.to_thread(self.daemon.commands.diff, params.run)
        files = (
            m.FileDiff(scope=answers.scope_of(name), path=name.partition("/")[2], diff=diff) for name, diff in diffs
        )
        return m.MemoryDiff(run=run, items=tuple(files))

    async def memory_undo(self, params: m.RunParams) -> m.MemoryUndone:
        undone = await self.daemon.commands.undo(params.run)
        return m.MemoryUndone(run=undone.run, files=undone.files, conflicts=undone.conflicts)

    async def memory_why(self, params: m.MemoryWhyParams) -> m.MemoryWhy:
        roots = await self._roots(params.cwd)
        rows = await asyncio.to_thread(self.daemon.commands.why, roots, params.name, params.line)
        return m.MemoryWhy(
            items=tuple(
                m.WhyItem(
                    line=row["line"], host=row["session"].partition("/")[0], session=row["session"], seq=row["seq"],
                    at=parse_rfc3339(row["at"]), tier=row["tier"], quote=row["quote"],
                )
                for row in rows
            )
        )  # fmt: skip

    # recall

    async def recall_snapshot(self, params: m.RecallParams) -> m.Recalled:
        roots = answers.only(await self._roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.snapshot(
            roots, budget_tokens=params.budget_tokens, query=params.query or ""
        )
        return answers.recalled(recalled)

    async def recall_prefetch(self, params: m.RecallParams) -> m.Recalled:
        roots = answers.only(await self._roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.prefetch(roots, params.query or "", budget_tokens=params.budget_tokens)
        return answers.recalled(recalled)

    # the worker

    async def worker_stats(self, params: m.WorkerStatsParams) -> m.WorkerStats:
        history = self.daemon.history
        if params.memory_dir:
            return answers.stats(await asyncio.to_thread(history.stats, Path(params.memory_dir)))
        total = answers.stats(await asyncio.to_thread(history.stats))
        rows = await asyncio.to_thread(history.directories)
        each = {row["path"]: answers.stats(await asyncio.to_thread(history.stats, Path(row["path"]))) for row in rows}
        return total.model_copy(update={"directories": each})

    async def consolidation_run(self, params: m.ConsolidationParams) -> m.Consolidated:
        directory = Path(params.memory_dir) if params.memory_dir else await self._binding(params.cwd)
        queued = await asyncio.to_thread(self.daemon.upkeep.make_due, directory, self.daemon.clock())
        if not queued:
            return m.Consolidated(
                outcome="no_change", reason="nothing is recorded for this directory that is not consolidated"
            )
        self.daemon.worker.wake()
        if not params.wait:
            return m.Consolidated(outcome="queued")
        row = await self._finished(directory)
        return m.Consolidated(
            outcome=row["outcome"], run=row["id"], reason=row["reason"] or "", to_seq=row["to_seq"],
            files=tuple(row["files"]),
        )  # fmt: skip

    async def _finished(self, directory: Path) -> Row:
        """Wait until no job of the directory is due."""
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                settled = asyncio.ensure_future(self.daemon.worker.settled())
                await asyncio.sleep(0)
                if not await asyncio.to_thread(self.daemon.history.is_due, directory):
                    settled.cancel()
                    return await asyncio.to_thread(self.daemon.history.last_run, directory)
                await settled

    async def job_list(self, params: m.PageParams) -> m.JobList:
        start = answers.offset_of(params.cursor)
        rows = (await asyncio.to_thread(self.daemon.history.jobs))[start:]
        return m.JobList(
            items=tuple(map(answers.job, rows[: params.limit])),
            next_cursor=answers.next_cursor(rows, params.limit, start),
        )

    async def job_retry(self, params: m.JobRetryParams) -> m.JobsRetried:
        count = await asyncio.to_thread(self.daemon.upkeep.retry, params.id, self.daemon.clock())
        self.daemon.worker.wake()
        return m.JobsRetried(retried=count)

    # the daemon

    async def daemon_health(self, params: m.NoParams) -> m.Health:
        report = await self.daemon.health()
        summary = await asyncio.to_thread(repr, self.daemon)
        return m.Health(
            state=report.state, reason=report.reason, version=__version__, uid=os.getuid(), summary=summary,
            data_dir=str(self.daemon.places.data), pid=os.getpid(),
            uptime_seconds=round(mono() - self.daemon.started_mono, 3),
        )  # fmt: skip

    async def daemon_pause(self, params: m.PauseParams) -> m.Paused:
        directory = await self._binding(params.cwd) if params.cwd else None
        until = self.daemon.clock() + timedelta(seconds=params.seconds) if params.seconds else None
        await asyncio.to_thread(self.daemon.upkeep.pause, directory, self.daemon.clock(), until)
        await self.daemon.refresh_pauses()
        return m.Paused(paused=True, until=until)

    async def daemon_resume(self, params: m.ResumeParams) -> m.Paused:
        directory = await self._binding(params.cwd) if params.cwd else None
        await asyncio.to_thread(self.daemon.upkeep.resume, directory, self.daemon.clock())
        await self.daemon.refresh_pauses()
        now = self.daemon.clock()
        return m.Paused(paused=any(pause.is_on(now) for pause in self.daemon.ingest.pauses))

    async def daemon_shutdown(self, params: m.NoParams) -> m.Done:
        asyncio.get_running_loop().call_soon(self.daemon.stop)
        return m.Done()

    # where

    async def _binding(self, cwd: str | None) -> Path:
        return (await self.daemon.ingest.binding_of(cwd)).dir

    async def _roots(self, cwd: str | None) -> Mapping[Root, Path]:
        directory = await self._binding(cwd)
        if directory == self.daemon.places.user_memory:
            return {Root.USER: directory}
        return {Root.USER: self.daemon.places.user_memory, Root.PROJECT: directory}

    async def _catalogue(self, params: m.MemoryQuery) -> Catalogue:
        roots = answers.only(await self._roots(params.cwd), params.scopes)
        await self.daemon.shelf.refresh_existing(roots)
        return self.daemon.shelf.joined(roots)
