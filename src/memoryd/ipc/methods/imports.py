"""What is there already, taken in: transcripts of hosts, memories of other tools."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from memoryd.ipc.events import HOST_NAME
from memoryd.ipc.methods.base import AbsolutePath, Method, Params, Result


class ImportParams(Params):
    """Begin with `paths`; then ask with the `id` of the answer until it is `finished`. Each call works for a moment."""

    paths: Annotated[tuple[AbsolutePath, ...], Field(max_length=1000)] = ()
    host: Annotated[str | None, Field(pattern=HOST_NAME)] = None  #: only what comes from it
    dry_run: bool = False
    mine: bool = False  #: the user's own rule files are the user's words
    consolidate: bool = True
    id: Annotated[str | None, Field(max_length=64)] = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.paths) == (self.id is not None):
            raise ValueError("give the paths to begin, or the id of an import to go on")
        return self


class ImportPassedOver(Result):
    path: str
    why: str


class ImportCost(Result):
    agent: str
    runs: int  #: of the memory agent
    calls: int = 0  #: to a model, at most
    tokens: int = 0  #: about
    days: int = 0  #: that `[budget]` stretches it over, at least


class ImportProgress(Result):
    id: str
    finished: bool = False
    dry_run: bool = False
    files: int = 0
    files_done: int = 0
    files_unchanged: int = 0  #: taken in by an earlier import
    bytes: int = 0
    bytes_done: int = 0
    added: int = 0  #: events that are new here
    sessions: int = 0
    gone: int = 0  #: sessions whose folder is gone: they are found, no memory is made of them
    messages: int = 0
    turns: int = 0
    known: int = 0  #: events that are here already
    removed: int = 0  #: events that were purged here; they stay out
    off_record: int = 0  #: events of a time or a folder that is not recorded
    memories: int = 0  #: found in files of other tools
    kept: int = 0
    waiting: int = 0  #: in the review inbox
    duplicates: int = 0
    refused: int = 0  #: memories that a gate refused
    unplaced: int = 0  #: memories of projects that are not known here
    left: int = 0  #: memories for which there was no room
    runs: tuple[str, ...] = ()
    passed_over: tuple[ImportPassedOver, ...] = ()  #: at most 100
    passed_over_count: int = 0
    cost: ImportCost | None = None  #: of a dry run


METHODS: dict[str, Method] = {
    "import.run": Method(ImportParams, ImportProgress),
}
