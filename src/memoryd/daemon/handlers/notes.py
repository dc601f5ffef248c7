"""Daily notes."""

from memoryd.daemon import noting
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.ipc.methods import notes as m
from memoryd.memory import daily
from memoryd.memory.ports import Author
from memoryd.memory.recall import clean


class Notes(Handlers):
    async def note_add(self, params: m.NoteAddParams) -> m.NoteAdded:
        roots, author, given = await self.roots(params.cwd), Author(params.author), Given()
        text = given.line(params.text)
        if author is Author.HOST:
            self.daemon.permits.note(text)
        note = await self.daemon.notes.add(roots, text, author)
        if params.session_id and params.host:
            await self.daemon.note_written(params.host, params.session_id, daily.path_of(note.day), params.cwd)
        return m.NoteAdded(**_note(note).model_dump(), run=note.run, warnings=await self.told(given))

    async def note_list(self, params: m.NoteListParams) -> m.NoteList:
        notes = await self.daemon.notes.of(await self.roots(params.cwd), params.date)
        return m.NoteList(items=tuple(map(_note, notes)))

    async def note_remove(self, params: m.NoteRemoveParams) -> m.NoteRemoved:
        note = await self.daemon.notes.remove(await self.roots(params.cwd), params.date, params.index)
        return m.NoteRemoved(run=note.run, text=clean(note.text))


def _note(note: noting.Note) -> m.NoteInfo:
    return m.NoteInfo(date=note.day, index=note.index, text=clean(note.text), scope=note.root.value)
