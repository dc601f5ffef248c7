"""Events: immutable facts that a host reports. The wire shape is fixed (docs/protocol.md, "Events").

An event is one of eleven kinds; `data` is typed by kind. Unknown fields of published events are kept.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

MAX_EVENT_BYTES = 1024 * 1024  #: an event as JSON, after translation; longer text becomes several messages

# Forms of text; `ipc.faults` says in words what each wants.
ABSOLUTE = r"^/[^\x00]*$"
DELIVERY_ID = r"^[0-9a-f]{32}$"
HOST_NAME = r"^[a-z0-9][a-z0-9-]{0,31}$"
PRINTABLE = r"^[^\x00-\x1f\x7f]+$"
SESSION_NAME = r"^[a-z0-9][a-z0-9-]{0,31}/.+$"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)


class EndStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Tier(StrEnum):
    """Who said it. The lowest tier among the cited spans decides what a memory may become."""

    USER = "user"
    HOST = "host"  #: the assistant
    REPOSITORY = "repository"
    TOOL = "tool"
    WEB = "web"

    @property
    def rank(self) -> int:
        """4 for user down to 0 for web."""
        return _RANKS[self]


_RANKS = {Tier.USER: 4, Tier.HOST: 3, Tier.REPOSITORY: 2, Tier.TOOL: 1, Tier.WEB: 0}

Role = Literal["user", "assistant", "tool"]
Trigger = Literal["manual", "auto"]  #: of a compaction
#: of a text whose host says nothing else
TIER_OF_ROLE: Mapping[Role, Tier] = {"user": Tier.USER, "assistant": Tier.HOST, "tool": Tier.TOOL}


class FileTouch(_Frozen):
    path: str
    action: Literal["read", "write", "delete"] = "read"


class TextMessage(_Frozen):
    role: Role
    text: str
    tier: Tier | None = None  #: default: user for role user, host for assistant, tool for tool


class Original(_Frozen):
    """The whole of a text of which an event holds the beginning, and where it stands."""

    chars: int = Field(ge=0)
    sha256: str = Field(max_length=64)
    path: str | None = Field(default=None, max_length=4096)  #: the transcript; None: nowhere that can be read again
    start: int = Field(default=0, ge=0)  #: bytes of it that hold the record
    size: int = Field(default=0, ge=0)


class SessionStartData(_Frozen):
    source: Literal["startup", "resume", "fork", "clear", "compact"] = "startup"
    parent_session_id: str | None = None


class UserPromptData(_Frozen):
    text: str


class MessageData(TextMessage):
    original: Original | None = None  #: of a large result of a tool


class ToolUseData(_Frozen):
    name: str
    summary: str = ""  #: up to 500 characters of the input; "[interrupted]" when no result came
    ok: bool | None = None  #: None: no result seen
    duration_ms: int | None = Field(default=None, ge=0)
    files: tuple[FileTouch, ...] = ()


class TurnData(_Frozen):
    status: EndStatus = EndStatus.OK
    messages: tuple[TextMessage, ...] = ()
    last_assistant_message: str | None = None
    tool_calls: int | None = Field(default=None, ge=0)
    duration_ms: int | None = Field(default=None, ge=0)


class CompactData(_Frozen):
    trigger: Trigger = "auto"
    messages: tuple[TextMessage, ...] = ()
    summary: str | None = None


class SubagentStartData(_Frozen):
    child_session_id: str
    agent_type: str = ""


class SubagentStopData(SubagentStartData):
    last_message: str | None = None


class MemoryWrittenData(_Frozen):
    names: tuple[str, ...] = ()


class SessionEndData(_Frozen):
    reason: str = "other"


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


Identifier = Annotated[str, Field(min_length=1, max_length=256, pattern=PRINTABLE)]


class _Envelope(_Frozen):
    v: Literal[1] = 1
    id: Identifier  #: the same id twice changes nothing
    host: Annotated[str, Field(pattern=HOST_NAME)]
    session_id: Identifier
    cwd: str | None = Field(default=None, max_length=4096)
    memory_dir: str | None = Field(default=None, max_length=4096)  #: absolute; binds the session to this directory
    at: Annotated[AwareDatetime, AfterValidator(_utc)]
    turn_id: Identifier | None = None


class SessionStart(_Envelope):
    kind: Literal["session_start"] = "session_start"
    data: SessionStartData = SessionStartData()


class UserPrompt(_Envelope):
    kind: Literal["user_prompt"] = "user_prompt"
    data: UserPromptData


class Message(_Envelope):
    kind: Literal["message"] = "message"
    data: MessageData


class ToolUse(_Envelope):
    kind: Literal["tool_use"] = "tool_use"
    data: ToolUseData


class Turn(_Envelope):
    kind: Literal["turn"] = "turn"
    data: TurnData = TurnData()


class PreCompact(_Envelope):
    kind: Literal["pre_compact"] = "pre_compact"
    data: CompactData = CompactData()


class PostCompact(_Envelope):
    kind: Literal["post_compact"] = "post_compact"
    data: CompactData = CompactData()


class SubagentStart(_Envelope):
    kind: Literal["subagent_start"] = "subagent_start"
    data: SubagentStartData


class SubagentStop(_Envelope):
    kind: Literal["subagent_stop"] = "subagent_stop"
    data: SubagentStopData


class MemoryWritten(_Envelope):
    kind: Literal["memory_written"] = "memory_written"
    data: MemoryWrittenData = MemoryWrittenData()


class SessionEnd(_Envelope):
    kind: Literal["session_end"] = "session_end"
    data: SessionEndData = SessionEndData()


Event = Annotated[
    SessionStart
    | UserPrompt
    | Message
    | ToolUse
    | Turn
    | PreCompact
    | PostCompact
    | SubagentStart
    | SubagentStop
    | MemoryWritten
    | SessionEnd,
    Field(discriminator="kind"),
]

KINDS: tuple[str, ...] = (
    "session_start", "user_prompt", "message", "tool_use", "turn", "pre_compact", "post_compact",
    "subagent_start", "subagent_stop", "memory_written", "session_end",
)  # fmt: skip

EventAdapter: TypeAdapter[Any] = TypeAdapter(Event)
