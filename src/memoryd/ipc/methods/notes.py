"""Daily notes: short lines of a day, by people and agents."""

import datetime as dt

from pydantic import Field

from memoryd.ipc.methods.base import AbsolutePath, Author, Method, Page, Params, Result, ScopeName


class NoteInfo(Result):
    date: dt.date
    index: int  #: from 1, in the order of the file
    text: str
    scope: ScopeName


class NoteAddParams(Params):
    cwd: AbsolutePath | None = None
    text: str = Field(min_length=1, max_length=400)
    author: Author = "person"
    host: str | None = None
    session_id: str | None = None


class NoteAdded(NoteInfo):
    run: str
    warnings: tuple[str, ...] = ()  #: what was replaced in what was given


class NoteListParams(Params):
    """`date` None: today, by the daemon's calendar."""

    cwd: AbsolutePath | None = None
    date: dt.date | None = None


class NoteList(Page):
    items: tuple[NoteInfo, ...] = ()


class NoteRemoveParams(Params):
    cwd: AbsolutePath | None = None
    date: dt.date
    index: int = Field(ge=1)


class NoteRemoved(Result):
    run: str
    text: str


METHODS: dict[str, Method] = {
    "note.add": Method(NoteAddParams, NoteAdded),
    "note.list": Method(NoteListParams, NoteList),
    "note.remove": Method(NoteRemoveParams, NoteRemoved),
}
