"""The session document: one session as one JSON object, to carry it elsewhere and back. Versioned.

It holds what was reported, in the order of arrival, and nothing that a daemon derives from it: no seq, no counter, no
watermark. So the document of an imported session is the document it came from.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from memoryd.clock import rfc3339
from memoryd.errors import BadEvent
from memoryd.ipc.events import ABSOLUTE, HOST_NAME, Event, EventAdapter, Identifier
from memoryd.ipc.faults import explain

VERSION = 1
MAX_DOCUMENT_BYTES = 32 * 1024 * 1024  #: of a file
MAX_INLINE_BYTES = 7 * 1024 * 1024  #: of a document in a request or an answer: it must fit in one line either way


def _milliseconds(moment: datetime) -> datetime:
    return datetime.fromisoformat(rfc3339(moment))


Moment = Annotated[AwareDatetime, AfterValidator(_milliseconds), PlainSerializer(rfc3339, return_type=str)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class DocumentSession(_Part):
    """The session itself. `memory_dir`: only where its events named one."""

    host: Annotated[str, Field(pattern=HOST_NAME)]
    session_id: Identifier
    cwd: str | None = Field(default=None, max_length=4096)
    memory_dir: str | None = Field(default=None, max_length=4096, pattern=ABSOLUTE)
    headless: bool = False
    parent_session_id: Identifier | None = None
    started_at: Moment


class DocumentEvent(_Part):
    """One event, as the journal holds it; what it shares with the others stands in the session."""

    id: Identifier
    kind: str
    at: Moment
    turn_id: Identifier | None = None
    data: dict[str, Any] = Field(default_factory=dict)


class SessionDocument(_Part):
    """One session. `events`: at least one, in the order of their arrival."""

    format: Literal["memoryd-session"] = "memoryd-session"
    v: Literal[1] = 1
    session: DocumentSession
    events: tuple[DocumentEvent, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _of_a_version_we_know(cls, found: Any) -> Any:
        version = found.get("v") if isinstance(found, dict) else None
        if isinstance(version, int) and version > VERSION:
            raise ValueError(f"version {version} is of a newer memoryd, this one reads {VERSION}; upgrade it")
        return found

    def as_events(self) -> list[Event]:
        """The events as a host would have published them.

        :raises BadEvent: one of them is none; it is named
        """
        return list(self._events())

    def _events(self) -> Iterator[Event]:
        shared = self.session.model_dump(include={"host", "session_id", "cwd", "memory_dir"})
        for number, event in enumerate(self.events):
            try:
                yield EventAdapter.validate_python({**shared, **event.model_dump()})
            except ValidationError as error:
                raise BadEvent(f"events.{number} of the document: {explain(error)}; nothing was imported") from None


def read(content: bytes) -> SessionDocument:
    """Read a document.

    :raises BadEvent: it is none; the sentence names the first fault
    """
    try:
        return SessionDocument.model_validate_json(content)
    except ValidationError as error:
        raise BadEvent(f"this is no session document: {explain(error)}; nothing was imported") from None
