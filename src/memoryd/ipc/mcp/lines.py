"""What passes between the daemon and the bridge to another memory server: one JSON object a line, each way."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

MAX_LINE_BYTES = 1024 * 1024
MAX_TEXT_CHARS = 64 * 1024  #: of an answer
MAX_TOOLS, MAX_DESCRIPTION_CHARS, MAX_SCHEMA_CHARS = 64, 2_000, 8_000  #: of a server; a larger tool is not told


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class Begin(_Line):
    """The first line: the server that is to be started."""

    kind: Literal["begin"] = "begin"
    command: tuple[str, ...]
    env: Mapping[str, str]  #: beside PATH, HOME and what a shell needs


class Call(_Line):
    """One tool is to be called; several may be under way at once."""

    kind: Literal["call"] = "call"
    id: int
    tool: str
    arguments: Mapping[str, Any]
    seconds: float  #: to answer within


class Bye(_Line):
    """The last line: the server is to end by itself."""

    kind: Literal["bye"] = "bye"


class ToolInfo(_Line):
    """A tool of the server, as it describes itself."""

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = Field(default_factory=dict)
    reads_only: bool = False


class Ready(_Line):
    """The handshake is done."""

    kind: Literal["ready"] = "ready"
    tools: tuple[ToolInfo, ...] = ()


class Answer(_Line):
    """What a tool said."""

    kind: Literal["answer"] = "answer"
    id: int
    text: str = ""  #: at most MAX_TEXT_CHARS
    is_error: bool = False  #: the tool says that it failed; `text` says why


class Fault(_Line):
    """There is no answer: to one call, or to none any more."""

    kind: Literal["fault"] = "fault"
    id: int | None = None  #: None: the server cannot be used, and the bridge ends
    reason: str = ""  #: a sentence; never what was asked or answered


Asked = Annotated[Call | Bye, Field(discriminator="kind")]
Told = Annotated[Ready | Answer | Fault, Field(discriminator="kind")]

ASKED: TypeAdapter[Call | Bye] = TypeAdapter(Asked)
TOLD: TypeAdapter[Ready | Answer | Fault] = TypeAdapter(Told)
