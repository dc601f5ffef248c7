"""What a host file gives: raw hook JSON -> events, reply -> what the host prints, transcript lines -> events.

A host is one module with a `HOST: Host` in it; `ipc.hosts` finds it by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from memoryd.ipc.events import Event


class Recall(StrEnum):
    """Which memory the host wants back in its reply to this hook."""

    NONE = "none"
    SNAPSHOT = "snapshot"
    PREFETCH = "prefetch"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawHook:
    """One hook firing, as `hook.deliver` brings it."""

    id: str  #: 32 hex digits made once by the hook; event ids are `<id>/<n>`
    at: datetime  #: aware UTC, when the hook ran
    host: str
    event: str | None  #: the event named at install; payloads may lack it
    raw: str  #: stdin, whatever it was
    cwd: str | None
    env: Mapping[str, str] = field(default_factory=dict)  #: allow-listed names only


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """What one hook firing means. No events: acknowledged and counted, nothing recorded."""

    events: tuple[Event, ...] = ()
    event_name: str = ""  #: the host's own name of the hook event, for logs and replies
    transcript_path: str | None = None
    child_transcript_path: str | None = None  #: of the sub-agent that a `subagent_stop` among the events tells of
    project_hint: str | None = None  #: e.g. CLAUDE_PROJECT_DIR; wins over cwd when the session is bound
    headless: bool = False
    recall: Recall = Recall.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptState:
    """What a reader carries from one read to the next besides the offset."""

    turn_id: str | None = None  #: the turn that the last line read belongs to
    ordinal: int = 0  #: lines read so far that carry no record id of the host; makes their ids stable


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptRead:
    """Events of a run of complete lines.

    `consumed` bytes need not be read again: it stops before the first tool call that still waits for its result,
    because reading a line twice is harmless (ids) and forgetting one is not.
    """

    events: tuple[Event, ...]
    consumed: int
    state: TranscriptState
    bad_lines: int = 0


class TranslationError(Exception):
    """The payload could not be understood; the text says which part. The daemon quarantines it."""


class Host(Protocol):
    """One coding agent."""

    name: str
    hook_events: Sequence[str]  #: the host's hook events that `install` registers
    max_context_chars: int  #: the most characters of injected text that the host passes on whole
    replays_context: bool  #: a session that is resumed or forked still holds what was injected into it
    tells_compacted: bool  #: that a compaction has ended, not only that one begins

    def translate(self, hook: RawHook) -> Translated:
        """:raises TranslationError: the payload is not what this host sends"""
        ...

    def reply(self, event_name: str, context: str) -> str:
        """Return what the hook prints on stdout so that the host injects `context`; '' when it is empty."""
        ...

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        """Translate the complete lines at the start of `chunk`; a partial last line is left for the next read.

        `final`: the session ended, so tool calls without a result are `[interrupted]`.
        Never raises for content: lines that cannot be read are counted in `bad_lines`.
        """
        ...

    def agent_transcript(self, path: str, session_id: str, child: str) -> str | None:
        """Where the transcript of a sub-agent lies whose end the transcript at `path` tells of, and no hook does."""
        ...
