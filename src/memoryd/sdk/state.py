"""What a session takes along from one process to the next."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryd.errors import UsageError
from memoryd.ipc.events import Identifier
from memoryd.ipc.faults import explain
from memoryd.ipc.methods.events import HookDeliver

VERSION: Literal[1] = 1

Start = Literal["startup", "compact"]


class State(BaseModel):
    """Holds the texts of `unsent`, as they were said: keep it as you keep the conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = VERSION
    session_id: Identifier
    turn_count: int = Field(default=0, ge=0)  #: turns that this session ended
    turn_id: Identifier | None = None  #: of a turn that has begun and not ended
    generation: int | None = None  #: of the memory that the snapshot was taken from; None: there is none yet
    starts_with: Start | None = "startup"  #: how the session starts at its next call; None: it has started
    unsent: tuple[HookDeliver, ...] = ()  #: what no daemon has taken yet, the oldest first


def of_session(session_id: str) -> State:
    """The state of a session that is new in this process. :raises UsageError: no name for a session"""
    try:
        return State(session_id=session_id)
    except ValidationError as error:
        raise UsageError(explain(error)) from None


def read(saved: State | Mapping[str, Any] | str | bytes) -> State:
    """:raises UsageError: another version, or no state at all"""
    if isinstance(saved, State):
        return saved
    try:
        if isinstance(saved, Mapping):
            return State.model_validate(_of_this_version(saved))
        return State.model_validate(_of_this_version(_Any.model_validate_json(saved).model_dump()))
    except ValidationError as error:
        raise UsageError(f"cannot load the state: {explain(error)}; start a new session") from None


class _Any(BaseModel):
    model_config = ConfigDict(extra="allow")


def _of_this_version(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    version = saved.get("version")
    if version != VERSION:
        raise UsageError(
            f"cannot load a state of version {version!r}, this memoryd reads version {VERSION}: use the memoryd that "
            "saved it, or start a new session"
        )
    return saved
