"""What every method has: parameters that refuse unknown keys, results that ignore them, pages."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memoryd.ipc.events import ABSOLUTE


class Params(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, hide_input_in_errors=True)


class Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True, hide_input_in_errors=True)


class PageParams(Params):
    limit: int = Field(default=50, ge=1, le=1000)
    cursor: str | None = None  #: `next_cursor` of the page before


class Page(Result):
    next_cursor: str | None = None  #: None: this was the last page


class Done(Result):
    """Nothing to say beyond that it is done."""


AbsolutePath = Annotated[str, Field(max_length=4096, pattern=ABSOLUTE)]
ScopeName = Literal["user", "project", "team"]
Author = Literal["person", "host"]  #: host: an agent by its own tool, not by the user's word
Stale = Literal["gone", "changed"]  #: what became of a file that a text came from
EntryTypeName = Literal["user", "feedback", "project", "reference"]
FactTypeName = Literal["project", "reference"]  #: what an agent may save in its own name


class Where(Params):
    """Whose memory: a directory that events named as their `memory_dir`, else that of the project of `cwd`."""

    cwd: AbsolutePath | None = None
    memory_dir: AbsolutePath | None = None


class NoParams(Params):
    pass


@dataclass(frozen=True, slots=True)
class Method:
    params: type[Params]
    result: type[Result]
