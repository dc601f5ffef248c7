"""The methods of the socket: parameters in, results out; thin over the daemon's parts."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from memoryd import __version__
from memoryd.clock import mono, parse_rfc3339, rfc3339
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal.history import Row
from memoryd.errors import BadEvent, Busy, NotFound
from memoryd.ipc import methods as m
from memoryd.ipc.server import Handler, Peer
from memoryd.memory import entries, lines, ranking
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import CORE_FILES, SESSION_DIR, EntryType, FileKey, Root
from memoryd.memory.proposals import Save
from memoryd.memory.recall import Recalled, clean
from memoryd.memory.text import cut, tokens

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
        offset = _offset(params.cursor)
        directory = (await self._binding(params.cwd)) if params.cwd else None
        rows = await asyncio.to_thread(
            self.daemon.history.sessions, limit=params.limit + 1, offset=offset, directory=directory
        )
        return m.SessionList(
            items=tuple(_session(row) for row in rows[: params.limit]), next_cursor=_next(rows, params.limit, offset)
        )

    async def session_get(self, params: m.SessionGetParams) -> m.SessionDetail:
        row = await asyncio.to_thread(self.daemon.history.session, params.host, params.session_id)
        parent = row["parent_session_id"]
        return m.SessionDetail(
            **_session(row).model_dump(),
            parent=m.SessionKey(host=row["host"], session_id=parent) if parent else None,
            children=tuple(m.SessionKey(host=row["host"], session_id=c["child"]) for c in row["children"]),
            transcript=row["transcript_state"] if row["transcript_state"] in ("ok", "missing") else "none",
            headless=bool(row["headless"]),
            files=tuple(m.SessionFile(**touch) for touch in row["files"]),
        )

    # memory

    async def memory_save(self, params: m.MemorySaveParams) -> m.MemorySaved:
        roots = await self._roots(params.cwd)
        proposal = Save(
            root=_root(params.scope), slug=params.slug or entries.make_slug(params.name), name=params.name,
            description=params.description, type=EntryType(params.type), content=params.content,
        )  # fmt: skip
        saved = await self.daemon.commands.save(roots, proposal)
        if params.session_id and params.host and saved.run:
            await self.daemon.note_written(params.host, params.session_id, saved.slug)
        catalogue = self.daemon.shelf.joined(roots)
        return m.MemorySaved(
            status=saved.status, slug=saved.slug, run=saved.run, warnings=saved.warnings,
            duplicate_of=saved.duplicate_of, manifest=_manifest(catalogue),
            totals={str(kind): m.TypeTotal(used=t.used, limit=t.limit) for kind, t in saved.totals.items()},
        )  # fmt: skip

    async def memory_list(self, params: m.MemoryQuery) -> m.MemoryItems:
        items = _items(await self._catalogue(params))
        start = _offset(params.cursor) or params.offset
        page = items[start : start + params.limit + 1]
        return m.MemoryItems(items=tuple(page[: params.limit]), next_cursor=_next(page, params.limit, start))

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
        short = _at_most(text, READ_TOKENS)
        file = (await self._roots(params.cwd))[found.root] / found.path
        item = _item(catalogue, found).model_copy(update={"text": short, "truncated": short != text, "file": str(file)})
        return m.MemoryItems(items=(item,))

    async def memory_search(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self._catalogue(params)
        hits = ranking.search(catalogue, params.query or "", params.match, limit=params.offset + params.limit + 1)
        start = _offset(params.cursor) or params.offset
        page = hits[start : start + params.limit + 1]
        items = tuple(
            _item(catalogue, hit.key).model_copy(update={"text": clean(hit.snippet), "score": round(hit.score, 4)})
            for hit in page[: params.limit]
        )
        return m.MemoryItems(items=items, next_cursor=_next(page, params.limit, start))

    async def memory_forget(self, params: m.MemoryQuery) -> m.MemoryForgotten:
        if not params.name:
            raise BadEvent("memory.forget wants a name: an entry's slug, or words of a core line")
        roots = await self._roots(params.cwd)
        run, said = await self.daemon.commands.forget(roots, params.name)
        items = tuple(_forgotten(text) for text in said)
        return m.MemoryForgotten(run=run, items=items)

    async def memory_log(self, params: m.MemoryLogParams) -> m.MemoryLog:
        since = rfc3339(params.since) if params.since else None
        directory = Path(params.memory_dir) if params.memory_dir else None
        if directory is None and params.cwd:
            directory = await self._binding(params.cwd)
        rows = await asyncio.to_thread(
            self.daemon.history.runs, since=since, limit=params.limit, writes=params.writes, directory=directory
        )
        return m.MemoryLog(items=tuple(_run(row) for row in rows))

    async def memory_diff(self, params: m.RunParams) -> m.MemoryDiff:
        run, diffs = await asyncio.to_thread(self.daemon.commands.diff, params.run)
        files = (m.FileDiff(scope=_scope(name), path=name.partition("/")[2], diff=diff) for name, diff in diffs)
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
        roots = _only(await self._roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.snapshot(
            roots, budget_tokens=params.budget_tokens, query=params.query or ""
        )
        return _recalled(recalled)

    async def recall_prefetch(self, params: m.RecallParams) -> m.Recalled:
        roots = _only(await self._roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.prefetch(roots, params.query or "", budget_tokens=params.budget_tokens)
        return _recalled(recalled)

    # the worker

    async def worker_stats(self, params: m.WorkerStatsParams) -> m.WorkerStats:
        history = self.daemon.history
        if params.memory_dir:
            return _stats(await asyncio.to_thread(history.stats, Path(params.memory_dir)))
        total = _stats(await asyncio.to_thread(history.stats))
        rows = await asyncio.to_thread(history.directories)
        each = {row["path"]: _stats(await asyncio.to_thread(history.stats, Path(row["path"]))) for row in rows}
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
        rows = await asyncio.to_thread(self.daemon.history.jobs)
        return m.JobList(items=tuple(_job(row) for row in rows[: params.limit]))

    async def job_retry(self, params: m.JobRetryParams) -> m.JobsRetried:
        count = await asyncio.to_thread(self.daemon.upkeep.retry, params.id, self.daemon.clock())
        self.daemon.worker.wake()
        return m.JobsRetried(retried=count)

    # the daemon

    async def daemon_health(self, params: m.HealthParams) -> m.Health:
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
        await asyncio.to_thread(self.daemon.upkeep.pause, directory, until)
        await self.daemon.refresh_pauses()
        return m.Paused(paused=True, until=until)

    async def daemon_resume(self, params: m.ResumeParams) -> m.Paused:
        directory = await self._binding(params.cwd) if params.cwd else None
        await asyncio.to_thread(self.daemon.upkeep.resume, directory)
        await self.daemon.refresh_pauses()
        return m.Paused(paused=bool(self.daemon.ingest.pauses))

    async def daemon_shutdown(self, params: m.ShutdownParams) -> m.Done:
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
        roots = _only(await self._roots(params.cwd), params.scopes)
        await self.daemon.shelf.refresh_existing(roots)
        return self.daemon.shelf.joined(roots)


def _only(roots: Mapping[Root, Path], scopes: tuple[str, ...]) -> Mapping[Root, Path]:
    return {root: path for root, path in roots.items() if not scopes or root in scopes}


def _root(scope: str | None) -> Root | None:
    if scope == "team":
        raise BadEvent("team memory is read-only; save to user or project")
    return Root(scope) if scope else None


def _scope(name: str) -> Any:
    return name.partition("/")[0]


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdigit():
        raise BadEvent(f"cursor {cursor[:40]!r} is none of ours; start again without one")
    return int(cursor)


def _next(rows: list[Any], limit: int, offset: int) -> str | None:
    return str(offset + limit) if len(rows) > limit else None


def _session(row: Row) -> m.SessionInfo:
    return m.SessionInfo(
        host=row["host"], session_id=row["session_id"], cwd=row["cwd"], memory_dir=row["dir"],
        started_at=parse_rfc3339(row["started_at"]), last_at=parse_rfc3339(row["last_at"]),
        ended=row["ended_at"] is not None, turn_count=row["turn_count"],
        new_turns=row["turn_count"] - row["turns_at_enqueue"], event_count=row["event_count"],
        tool_calls=row["tool_calls"], last_seq=row["last_seq"], watermark=row["watermark"],
    )  # fmt: skip


def _items(catalogue: Catalogue) -> list[m.MemoryItem]:
    return [_item(catalogue, key) for key in sorted(catalogue.files, key=lambda key: (key.root, key.path))]


def _item(catalogue: Catalogue, key: FileKey) -> m.MemoryItem:
    known = next((k.entry for k in catalogue.entries if k.key == key), None)
    if known is None:
        held = len(lines.texts(catalogue.files.get(key, "")))
        about = f"{held} {'line' if held == 1 else 'lines'}" if key.path in CORE_FILES else SESSION_DIR.rstrip("s")
        return m.MemoryItem(scope=str(key.root), path=key.path, name=key.path, description=about)
    return m.MemoryItem(
        scope=str(key.root), path=key.path, name=clean(known.name), description=clean(known.description),
        type=str(known.type), status=str(known.status), updated_at=known.updated_at,
    )  # fmt: skip


def _forgotten(text: str) -> m.MemoryItem:
    place, _, words = text.partition(": ")
    scope, _, path = place.partition("/")
    return m.MemoryItem(scope=scope, path=path, name=words)


def _at_most(text: str, budget: int) -> str:
    if tokens(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= budget else (low, middle - 1)
    return f"{cut(text, low)}\n\n(cut at {budget} tokens of {tokens(text)}; the file holds the rest)"


def _manifest(catalogue: Catalogue) -> str:
    active = [known.entry for known in catalogue.entries if known.entry.active]
    return "\n".join(f"- {entry.slug} ({entry.type}): {entry.description or entry.name}" for entry in active)


def _run(row: Row) -> m.RunInfo:
    return m.RunInfo(
        run=row["id"], at=parse_rfc3339(row["started_at"]), author=row["author"], agent=_who(row),
        outcome=row["outcome"], reason=row["reason"] or "", memory_dir=row["dir"],
        files=tuple(row["files"]),
        from_seq=row["from_seq"] or 0, to_seq=row["to_seq"] or 0, duration_ms=row["duration_ms"] or 0,
        refused=tuple(m.RefusedInfo(code=r["code"], reason=r["reason"]) for r in row["refused"]),
        tokens_in=row["tokens_in"], tokens_out=row["tokens_out"], cost_usd=row["cost_usd"],
    )  # fmt: skip


def _recalled(recalled: Recalled) -> m.Recalled:
    items = []
    for identifier in recalled.items:
        root, _, rest = identifier.partition(":")
        path = rest.rpartition("#")[0]
        if path:
            items.append(m.RecallItem(scope=root, path=path, name=path))
    return m.Recalled(
        text=recalled.text, items=tuple(items), left_out=recalled.left_out, generation=recalled.generation
    )


def _stats(row: Row) -> m.WorkerStats:
    return m.WorkerStats.model_validate(row)


def _job(row: Row) -> m.JobInfo:
    state = {"retrying": "deferred"}.get(row["state"], row["state"])
    if state == "skipped":
        return m.JobInfo(
            id=str(row["id"]), memory_dir=row["dir"], state=state, due_seq=row["to_seq"], from_seq=row["from_seq"],
            last_error=row["error"],
        )  # fmt: skip
    return m.JobInfo(
        id=row["dir"], memory_dir=row["dir"], state=state, due_seq=row["due_seq"], from_seq=row["done_seq"] + 1,
        attempts=row["attempts"], reason=row["reason"], last_error=row["last_error"],
        not_before=parse_rfc3339(row["not_before"]) if row["not_before"] else None,
    )  # fmt: skip


def _who(row: Row) -> str:
    """The agent of a consolidation, the command of a person."""
    return str(row["action"] if row["author"] == "person" or not row["agent"] else row["agent"])
