"""Notes: daily ones are lines of memory, the others are kept beside it."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from memoryd.daemon import descriptors, keeping, noting, unfolding
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.daemon.journal.notes import KeptNote, KeptNotes, NewNote, NoteKind
from memoryd.errors import ScanRejected
from memoryd.ipc.methods import notes as m
from memoryd.memory import aside, daily
from memoryd.memory.model import Root, directory_of
from memoryd.memory.ports import Author
from memoryd.memory.recall import clean
from memoryd.memory.scan import threats
from memoryd.memory.text import cut

Roots = Mapping[Root, Path]


class Notes(Handlers):
    async def note_add(self, params: m.NoteAddParams) -> m.NoteAdded:
        if params.kind != "daily":
            return await self._keep(params)
        roots, author, given = await self.roots(params.cwd), Author(params.author), Given()
        text = given.line(params.text)
        if author is Author.HOST:
            self.daemon.permits.note(text)
        note = await self.daemon.notes.add(roots, text, author)
        if params.session_id and params.host:
            await self.tell_written(params.host, params.session_id, daily.path_of(note.day), params.cwd)
        return m.NoteAdded(**_note(note).model_dump(), run=note.run, warnings=await self.told(given))

    async def _keep(self, params: m.NoteAddParams) -> m.NoteAdded:
        roots, given, now = await self.roots(params.cwd), Given(), self.daemon.clock()
        text = given.text(params.text) if params.kind != "plan" else given.line(params.text)
        steps = tuple(given.line(step) for step in params.steps)
        await asyncio.to_thread(self._must_be_harmless, text, steps, params)
        new = NewNote(
            dir=directory_of(roots), kind=NoteKind(params.kind), text=text, steps=steps,
            author=Author(params.author), host=params.host, session_id=params.session_id, file=params.file,
            digest=aside.digest(params.text.encode()) if params.file else None,
            expires_at=now + timedelta(seconds=params.expires_seconds) if params.expires_seconds else None,
        )  # fmt: skip
        kept = await asyncio.to_thread(self._kept.add, keeping.dated(new, self.daemon.config.notes, now))
        info = await asyncio.to_thread(_kept, kept, roots)
        return m.NoteAdded(**info.model_dump(), warnings=await self.told(given))

    def _must_be_harmless(self, text: str, steps: tuple[str, ...], params: m.NoteAddParams) -> None:
        """:raises ScanRejected: it shows signs of an attack, or an agent wants an order told for good"""
        if found := threats("\n".join((text, *steps))):
            raise ScanRejected(
                f"refused: it reads like an attempt at {', '.join(sorted(found))}; put it in other words"
            )
        if params.author == "host" and params.kind == "priority":
            self.daemon.permits.lasting_note(text)

    async def note_list(self, params: m.NoteListParams) -> m.NoteList:
        roots = await self.roots(params.cwd)
        kinds = [kind for kind in NoteKind if params.kind in (None, kind)] if params.date is None else []
        kept = await asyncio.to_thread(self._listed, roots, kinds)
        days = await self.daemon.notes.of(roots, params.date) if params.kind in (None, "daily") else []
        return m.NoteList(items=(*map(_note, days), *kept))

    def _listed(self, roots: Roots, kinds: list[NoteKind]) -> list[m.NoteInfo]:
        return [_kept(note, roots) for note in self._kept.of(roots.values(), kinds)] if kinds else []

    async def note_remove(self, params: m.NoteRemoveParams) -> m.NoteRemoved:
        roots = await self.roots(params.cwd)
        if params.id is not None:
            await asyncio.to_thread(self._of_here, params.id, roots)
            gone = await asyncio.to_thread(self._kept.remove, params.id)
            return m.NoteRemoved(text=clean(cut(gone.text, keeping.INLINE_CHARS)))
        assert params.date is not None
        assert params.index is not None
        note = await self.daemon.notes.remove(roots, params.date, params.index)
        return m.NoteRemoved(run=note.run, text=clean(note.text))

    async def note_tick(self, params: m.NoteTickParams) -> m.NoteInfo:
        roots = await self.roots(params.cwd)
        await asyncio.to_thread(self._of_here, params.id, roots)
        ticked = await asyncio.to_thread(self._kept.tick, params.id, params.step, done=params.done)
        return await asyncio.to_thread(_kept, ticked, roots)

    def _of_here(self, note_id: int, roots: Roots) -> None:
        """:raises NotFound: no such note, or it is another project's"""
        unfolding.root_of(roots, self._kept.get(note_id).dir, (descriptors.NOTE, note_id))

    @property
    def _kept(self) -> KeptNotes:
        return KeptNotes(self.daemon.journal)


def _note(note: noting.Note) -> m.NoteInfo:
    text = clean(note.text)
    return m.NoteInfo(date=note.day, index=note.index, text=text, scope=note.root.value, chars=len(text))


def _kept(note: KeptNote, roots: Roots) -> m.NoteInfo:
    scope = next(root for root, path in roots.items() if path == note.dir)
    return m.NoteInfo(
        date=note.created_at.astimezone().date(), text=clean(cut(note.text, keeping.INLINE_CHARS)), scope=scope.value,
        kind=note.kind.value, id=note.id, author="host" if note.author is Author.HOST else "person",
        steps=tuple(m.NoteStep(text=clean(step.text), done=step.done) for step in note.steps),
        session_id=note.session_id, expires_at=note.expires_at, chars=len(note.text),
        file=note.file and clean(note.file), stale=keeping.state(note) or None,
    )  # fmt: skip
