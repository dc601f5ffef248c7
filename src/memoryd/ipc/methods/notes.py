"""Notes: short lines of a day in memory, and those that are kept beside it: priority, working, plan."""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from memoryd.ipc.methods.base import AbsolutePath, Author, Method, Page, Params, Result, ScopeName, Stale

MAX_DAILY_CHARS = 400
MAX_KEPT_CHARS = 200_000  #: of any other note; a long one is told by its descriptor
MAX_STEPS = 30

NoteKind = Literal["daily", "priority", "working", "plan"]
NoteId = Annotated[int, Field(ge=1, le=2**62)]
StepText = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class NoteStep(Result):
    text: str
    done: bool = False


class NoteInfo(Result):
    """A daily note is named by `date` and `index`, another one by `id`."""

    date: dt.date
    index: int = 0  #: from 1, in the order of the file; 0: no daily note
    text: str  #: the beginning of a long one
    scope: ScopeName
    kind: NoteKind = "daily"
    id: int | None = None  #: `memory.read` of `note:<id>` gives the text whole
    author: Author = "person"
    steps: tuple[NoteStep, ...] = ()  #: of a plan
    session_id: str | None = None  #: told to this session alone
    expires_at: AwareDatetime | None = None
    chars: int = 0  #: of the whole text
    file: str | None = None  #: that the text came from
    stale: Stale | None = None  #: what became of that file since


class NoteAddParams(Params):
    """`host` and `session_id`: a daily note starts that session's count of turns again, another one is its alone."""

    cwd: AbsolutePath | None = None
    text: str = Field(min_length=1, max_length=MAX_KEPT_CHARS)
    kind: NoteKind = "daily"
    steps: tuple[StepText, ...] = Field(default=(), max_length=MAX_STEPS)
    expires_seconds: int | None = Field(default=None, ge=1, le=100 * 366 * 86_400)
    file: AbsolutePath | None = None  #: that `text` was read from
    author: Author = "person"
    host: str | None = None
    session_id: str | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind == "daily":
            if len(self.text) > MAX_DAILY_CHARS:
                raise ValueError(f"a daily note has at most {MAX_DAILY_CHARS} characters; kind working takes more")
            if self.expires_seconds or self.file:
                raise ValueError("a daily note has no expiry and no file; kind working has")
        if bool(self.steps) != (self.kind == "plan"):
            raise ValueError("steps belong to kind plan, and a plan has at least one")
        return self


class NoteAdded(NoteInfo):
    run: str = ""  #: of a daily note
    warnings: tuple[str, ...] = ()  #: what was replaced in what was given


class NoteListParams(Params):
    """`date` None: today, by the daemon's calendar. `kind` None: daily notes and, without a date, all the others."""

    cwd: AbsolutePath | None = None
    date: dt.date | None = None
    kind: NoteKind | None = None


class NoteList(Page):
    items: tuple[NoteInfo, ...] = ()


class NoteRemoveParams(Params):
    cwd: AbsolutePath | None = None
    date: dt.date | None = None
    index: int | None = Field(default=None, ge=1)
    id: NoteId | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        given = (self.date is not None, self.index is not None, self.id is not None)
        if given not in ((True, True, False), (False, False, True)):
            raise ValueError("name one note: date and index of a daily one, id of another")
        return self


class NoteRemoved(Result):
    run: str = ""  #: of a daily note
    text: str


class NoteTickParams(Params):
    id: NoteId
    step: int = Field(ge=1, le=MAX_STEPS)
    done: bool = True
    cwd: AbsolutePath | None = None  #: only a plan of this project or of the user


METHODS: dict[str, Method] = {
    "note.add": Method(NoteAddParams, NoteAdded),
    "note.list": Method(NoteListParams, NoteList),
    "note.remove": Method(NoteRemoveParams, NoteRemoved),
    "note.tick": Method(NoteTickParams, NoteInfo),
}
