"""Memory and its past."""

import asyncio
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.errors import BadEvent, MemorydError, NotFound, PathRefused
from memoryd.ipc.methods import memory as m
from memoryd.ipc.sanitise import strip_invisible
from memoryd.memory import entries, lines, quality, ranking
from memoryd.memory.model import EntryType
from memoryd.memory.path_rules import broken_rule
from memoryd.memory.proposals import Save
from memoryd.memory.recall import clean

READ_TOKENS = 20_000  #: of `memory.read`


class Memory(Handlers):
    async def memory_save(self, params: m.MemorySaveParams) -> m.MemorySaved:
        roots = await self.roots(params.cwd)
        proposal = Save(
            root=answers.root_of(params.scope), slug=params.slug or entries.make_slug(params.name),
            name=strip_invisible(params.name), description=strip_invisible(params.description),
            type=EntryType(params.type), content=strip_invisible(params.content),
        )  # fmt: skip
        saved = await self.daemon.commands.save(roots, proposal)
        if params.session_id and params.host and saved.run:
            await self.daemon.note_written(params.host, params.session_id, saved.slug)
        catalogue = self.daemon.shelf.joined(roots)
        return m.MemorySaved(
            status=saved.status, slug=saved.slug, run=saved.run, warnings=saved.warnings,
            duplicate_of=saved.duplicate_of, manifest=answers.manifest(catalogue),
            totals=answers.totals(saved.totals),
        )  # fmt: skip

    async def memory_list(self, params: m.MemoryQuery) -> m.MemoryListed:
        catalogue = await self.catalogue(params)
        items = answers.items(catalogue)
        start = answers.offset_of(params.cursor) or params.offset
        page = items[start : start + params.limit + 1]
        dirs = answers.only(await self.roots(params.cwd), params.scopes).values()
        return m.MemoryListed(
            items=await asyncio.to_thread(answers.flagged, catalogue, page[: params.limit]),
            next_cursor=answers.next_cursor(page, params.limit, start),
            totals=answers.totals(quality.totals(known.entry for known in catalogue.entries)),
            waiting=await asyncio.to_thread(self.daemon.inbox.reviews.waiting, dirs),
        )

    async def memory_read(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self.catalogue(params)
        if not params.name:
            raise BadEvent("memory.read wants a name: an entry's slug or a core file, e.g. preferences.md")
        wanted = (params.name, f"{params.name}.md", entries.path_of(params.name))
        named = [key for key in sorted(catalogue.files) if key.path in wanted]
        found = max(
            named, key=lambda key: len(lines.texts(catalogue.files[key])), default=None
        )  # the one that says most
        if found is None:
            raise await self._why_not(params, wanted)
        text = clean(catalogue.files[found])
        short = answers.at_most(text, READ_TOKENS)
        file = (await self.roots(params.cwd))[found.root] / found.path
        item = answers.item(catalogue, found).model_copy(
            update={"text": short, "truncated": short != text, "file": str(file)}
        )
        return m.MemoryItems(items=(item,))

    async def _why_not(self, params: m.MemoryQuery, wanted: tuple[str, ...]) -> MemorydError:
        """Why nothing of that name is read: no name of memory, something that is no plain file, or nothing there."""
        path = wanted[0] if wanted[0].endswith(".md") else wanted[1]
        if broken := broken_rule(path):
            return PathRefused(f"cannot read {params.name!r}: {broken}")
        for root in (await self.roots(params.cwd)).values():
            for skipped in self.daemon.shelf.place(root).directory.skipped:
                if skipped.path in wanted:
                    return PathRefused(f"cannot read {skipped.path!r}: {skipped.reason}")
        return NotFound(f"no entry or core file {params.name!r}; `memoryd list` shows what there is")

    async def memory_search(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self.catalogue(params)
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
        roots = await self.roots(params.cwd)
        run, said = await self.daemon.commands.forget(roots, params.name, params.scopes)
        items = tuple(answers.forgotten(text) for text in said)
        return m.MemoryForgotten(run=run, items=items)

    async def memory_log(self, params: m.MemoryLogParams) -> m.MemoryLog:
        since = rfc3339(params.since) if params.since else None
        directory = Path(params.memory_dir) if params.memory_dir else None
        if directory is None and params.cwd:
            directory = await self.binding(params.cwd)
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
        roots = await self.roots(params.cwd)
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
