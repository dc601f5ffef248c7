"""Memory and its past."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon import answers, descriptors, purging, teaming, unfolding
from memoryd.daemon.assisting import Unanswered
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.errors import BadEvent, MemorydError, NotFound, PathRefused
from memoryd.ipc.methods import memory as m
from memoryd.ipc.redaction import redact
from memoryd.memory import entries, labels, lines, quality, team
from memoryd.memory.blocks import item_id
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import EntryType, FileKey, MemoryView, Root, directory_of
from memoryd.memory.path_rules import broken_rule
from memoryd.memory.ports import Author
from memoryd.memory.proposals import Proposal, Save
from memoryd.memory.recall import clean
from memoryd.memory.text import head
from memoryd.worker.agents.question import Row

READ_TOKENS = 20_000  #: of `memory.read`
COUNTED = 5  #: first hits of a search that count as wanted


class Memory(Handlers):
    async def memory_save(self, params: m.MemorySaveParams) -> m.MemorySaved:
        roots = await self.roots(params.cwd, params.memory_dir)
        given = Given()
        proposal = await asyncio.to_thread(_proposal, params, given)
        author = Author(params.author)
        if author is Author.HOST:
            view = await self.daemon.shelf.view(roots)
            proposal = await asyncio.to_thread(self.daemon.permits.save, roots, proposal, view)
        saved = await self.daemon.commands.save(roots, proposal, author)
        if params.session_id and saved.run:
            await self.tell_written(params.host, params.session_id, saved.slug, params.cwd)
        if saved.run:
            directory = roots.get(Root.PROJECT, roots[Root.USER])
            self.daemon.feeder.saved(directory, params.cwd, proposal.name, proposal.content)
        catalogue = self.daemon.shelf.joined(roots)
        return m.MemorySaved(
            status=saved.status, slug=saved.slug, run=saved.run, warnings=(*await self.told(given), *saved.warnings),
            duplicate_of=saved.duplicate_of, manifest=answers.manifest(catalogue),
            totals=answers.totals(saved.totals),
        )  # fmt: skip

    async def memory_list(self, params: m.MemoryQuery) -> m.MemoryListed:
        catalogue = await self.catalogue(params)
        items = answers.items(catalogue)
        start = answers.offset_of(params.cursor) or params.offset
        page = items[start : start + params.limit + 1]
        shown = self._labelled(catalogue, page[: params.limit])
        dirs = answers.only(await self.roots(params.cwd, params.memory_dir), params.scopes).values()
        return m.MemoryListed(
            items=await asyncio.to_thread(answers.flagged, catalogue, shown) if params.check else shown,
            next_cursor=answers.next_cursor(page, params.limit, start),
            totals=answers.totals(
                quality.totals(answers.own_entries(catalogue), self.daemon.runner.bounds().type_totals)
            ),
            waiting=await asyncio.to_thread(self.daemon.inbox.reviews.waiting, dirs),
        )

    async def memory_read(self, params: m.MemoryQuery) -> m.MemoryItems:
        catalogue = await self.catalogue(params)
        if not params.name:
            raise BadEvent(
                "name a memory: an entry's slug or a core file, e.g. preferences.md; `memoryd list` shows them"
            )
        if ident := descriptors.parse(params.name):
            return await self._described(ident, params, catalogue)
        wanted = (params.name, f"{params.name}.md", entries.path_of(params.name))
        texts = catalogue.texts
        named = [key for key in sorted(texts) if key.path in wanted or key.path.endswith(f"/{params.name}.md")]
        found = max(named, key=lambda key: len(lines.texts(texts[key])), default=None)  # the one that says most
        if found is None:
            raise await self._why_not(params, wanted)
        text = clean(texts[found])
        short = answers.at_most(text, READ_TOKENS)
        file = await self._file(await self.roots(params.cwd, params.memory_dir), found)
        item = answers.item(catalogue, found).model_copy(
            update={"text": short, "truncated": short != text, "file": str(file)}
        )
        return m.MemoryItems(items=self._labelled(catalogue, [item]))

    def _labelled(self, catalogue: Catalogue, items: Sequence[m.MemoryItem]) -> tuple[m.MemoryItem, ...]:
        return answers.labelled(catalogue, items, lambda: self.daemon.recaller.language_of(catalogue))

    async def _described(self, ident: tuple[str, int], params: m.MemoryQuery, catalogue: Catalogue) -> m.MemoryItems:
        """A page of what a descriptor stands for."""
        roots = answers.only(await self.roots(params.cwd, params.memory_dir), params.scopes)
        words = labels.of(self.daemon.recaller.language_of(catalogue))
        provider = self.daemon.feeder.before_compaction
        found = await asyncio.to_thread(unfolding.unfold, self.daemon.journal, ident, roots, words, provider)
        start = answers.offset_of(params.cursor) or params.offset
        page, more = await asyncio.to_thread(_page, found.text, start)
        item = m.MemoryItem(
            scope=found.root.value, path=params.name or "", name=found.name, description=found.kind, text=page,
            truncated=more, stale=found.state or None,
        )  # fmt: skip
        return m.MemoryItems(items=(item,), next_cursor=str(start + len(page)) if more else None)

    async def _file(self, roots: Mapping[Root, Path], key: FileKey) -> Path:
        if key.root is not Root.TEAM:
            return roots[key.root] / key.path
        folder = await asyncio.to_thread(self.daemon.teams.folder, teaming.key_of(roots))
        return (folder or team.FOLDER) / key.path

    async def _why_not(self, params: m.MemoryQuery, wanted: tuple[str, ...]) -> MemorydError:
        """Why nothing of that name is read: no name of memory, something that is no plain file, or nothing there."""
        path = wanted[0] if wanted[0].endswith(".md") else wanted[1]
        if broken := broken_rule(path):
            return PathRefused(f"cannot read {params.name!r}: {broken}")
        for root in (await self.roots(params.cwd, params.memory_dir)).values():
            for skipped in self.daemon.shelf.place(root).directory.skipped:
                if skipped.path in wanted:
                    return PathRefused(f"cannot read {skipped.path!r}: {skipped.reason}")
        return NotFound(f"no entry or core file {params.name!r}; `memoryd list` shows what there is")

    async def memory_search(self, params: m.MemoryQuery) -> m.MemorySearched:
        if not (params.query or "").strip():
            raise BadEvent("give some words to search for, in any language")
        every = await self.roots(params.cwd, params.memory_dir)
        roots = answers.only(every, params.scopes)
        start = answers.offset_of(params.cursor) or params.offset
        catalogue, hits = await self.daemon.memory_search.find_now(
            params.query or "", roots, await self.team(every, params.scopes),
            match=params.match, limit=start + params.limit + 1,
        )  # fmt: skip
        page = hits[start : start + params.limit + 1]
        items = self._labelled(catalogue, [answers.hit(catalogue, hit) for hit in page[: params.limit]])
        found = [item_id(hit.key, "") for hit in page[:COUNTED] if hit.key.root is not Root.TEAM]
        self.daemon.spawn(self._count(found, roots, params.query or ""))
        order, why = await self._order(params, roots, items) if params.rerank else (range(len(items)), "")
        return m.MemorySearched(
            items=tuple(items[n] for n in order), unanswered=why,
            next_cursor=answers.next_cursor(page, params.limit, start),
        )  # fmt: skip

    async def _count(self, found: Sequence[str], roots: Mapping[Root, Path], query: str) -> None:
        await asyncio.to_thread(self.daemon.recaller.found, found, roots, query)

    async def _order(
        self, params: m.MemoryQuery, roots: Mapping[Root, Path], items: Sequence[m.MemoryItem]
    ) -> tuple[Sequence[int], str]:
        """Places in a page, the best first by the model's word; or as they are, and why."""
        as_found = range(len(items))
        if len(items) < 2:
            return as_found, ""
        rows = [Row(id=f"h{n}", text=f"{item.name}: {item.text}") for n, item in enumerate(items, start=1)]
        directory = roots.get(Root.PROJECT, self.daemon.places.user_memory)
        ids = await self.daemon.assistant.order(params.query or "", rows, str(directory))
        return (as_found, ids.why) if isinstance(ids, Unanswered) else ([int(id[1:]) - 1 for id in ids], "")

    async def memory_forget(self, params: m.MemoryForgetParams) -> m.MemoryForgotten:
        if not params.name:
            raise BadEvent("name what to forget: an entry's slug, or words of a line of a core file")
        roots = await self.roots(params.cwd, params.memory_dir)
        author = Author(params.author)

        def permit(proposals: Sequence[Proposal], view: MemoryView) -> None:
            if author is Author.HOST:
                self.daemon.permits.forget(proposals, view, directory_of(roots))

        run, said = await self.daemon.commands.forget(
            roots, params.name, params.scopes, every=params.every, author=author, permit=permit
        )  # fmt: skip
        items = tuple(answers.forgotten(text) for text in said)
        return m.MemoryForgotten(run=run, items=items)

    async def memory_log(self, params: m.MemoryLogParams) -> m.MemoryLog:
        since = rfc3339(params.since) if params.since else None
        directory = Path(params.memory_dir) if params.memory_dir else None
        if directory is None and params.cwd:
            directory = await self.binding(params.cwd)
        start = answers.offset_of(params.cursor)
        rows = await asyncio.to_thread(
            self.daemon.runlog.page,
            since=since, limit=params.limit + 1, offset=start, writes=params.writes, directory=directory,
        )  # fmt: skip
        return m.MemoryLog(
            items=tuple(map(answers.run, rows[: params.limit])),
            next_cursor=answers.next_cursor(rows, params.limit, start),
        )

    async def memory_diff(self, params: m.RunParams) -> m.MemoryDiff:
        run, diffs = await asyncio.to_thread(self.daemon.commands.diff, params.run, await self._dirs(params))
        files = (
            m.FileDiff(scope=answers.scope_of(name), path=name.partition("/")[2], diff=redact(diff))
            for name, diff in diffs
        )
        return m.MemoryDiff(run=run, items=tuple(files))

    async def memory_undo(self, params: m.RunParams) -> m.MemoryUndone:
        undone = await self.daemon.commands.undo(params.run, await self._dirs(params))
        return m.MemoryUndone(run=undone.run, files=undone.files, conflicts=undone.conflicts)

    async def _dirs(self, params: m.RunParams) -> list[Path] | None:
        """The directories whose newest run is meant; None: any."""
        if params.run is not None or (params.cwd is None and params.memory_dir is None):
            return None
        return list((await self.roots(params.cwd, params.memory_dir)).values())

    async def memory_why(self, params: m.MemoryWhyParams) -> m.MemoryWhy:
        roots = await self.roots(params.cwd, params.memory_dir)
        reasons = await asyncio.to_thread(self.daemon.explainer.why, roots, params.name, params.line)
        return m.MemoryWhy(items=tuple(map(answers.why, reasons)))

    async def memory_purge(self, params: m.MemoryPurgeParams) -> m.MemoryPurged:
        selection = await asyncio.to_thread(
            purging.select, self.daemon.recorded,
            session=params.session, source=params.source, before=params.before, everything=params.all,
        )  # fmt: skip
        return answers.purged(await self.daemon.purger.purge(selection, dry_run=params.dry_run), params.dry_run)


def _page(text: str, start: int) -> tuple[str, bool]:
    """What may be shown of a text from a character on, as much as one answer holds, and whether more follows."""
    rest = clean(text)[start:]
    page = head(rest, READ_TOKENS)
    return page, len(page) < len(rest)


def _proposal(params: m.MemorySaveParams, given: Given) -> Save:
    name = given.line(params.name)
    slug = params.slug if params.slug and redact(params.slug) == params.slug else entries.make_slug(name)
    return Save(
        root=answers.root_of(params.scope), slug=slug, name=name, description=given.maybe(params.description),
        type=EntryType(params.type), content=given.text(params.content),
    )  # fmt: skip
