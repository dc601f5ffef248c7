"""What a memory agent reads: a range of the journal as sessions of utterances, each text once.

The types; `worker.project` builds them from the journal's rows.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from memoryd.ipc.events import EndStatus, FileTouch, Role, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One text of the conversation."""

    seq: int
    at: datetime
    role: Role
    tier: Tier
    text: str
    turn_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    seq: int
    at: datetime
    name: str
    summary: str
    ok: bool | None  #: None: interrupted
    files: tuple[FileTouch, ...] = ()
    turn_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    seq: int
    at: datetime
    status: EndStatus
    turn_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSlice:
    """What is new of one session, in `(at, seq)` order."""

    host: str
    session_id: str
    started_at: datetime
    cwd: str | None
    utterances: tuple[Utterance, ...]
    tools: tuple[ToolCall, ...] = ()
    turns: tuple[TurnEnd, ...] = ()
    ended: bool = False
    projection: str = ""  #: what earlier runs noted for later ones, at most 2 000 characters

    def until(self, seq: int) -> "SessionSlice":
        """What of it was there up to a seq."""
        utterances = tuple(one for one in self.utterances if one.seq <= seq)
        tools = tuple(one for one in self.tools if one.seq <= seq)
        turns = tuple(one for one in self.turns if one.seq <= seq)
        whole = (utterances, tools, turns) == (self.utterances, self.tools, self.turns)
        return replace(self, utterances=utterances, tools=tools, turns=turns, ended=self.ended and whole)

    def user_texts(self) -> tuple[Utterance, ...]:
        return tuple(u for u in self.utterances if u.role == "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """A range of the journal for one directory."""

    from_seq: int  #: first seq that is new to some session
    to_seq: int  #: last seq included
    sessions: tuple[SessionSlice, ...]
    partial: bool = False  #: texts were cut for a compaction run; they are read whole again later
    instructions: str = ""  #: the project's own instruction files, so that they are not learned again

    def until(self, seq: int) -> "Projection":
        """The same range, cut short: what came after a seq is left to another run."""
        if seq >= self.to_seq:
            return self
        cut = (session.until(seq) for session in self.sessions)
        kept = tuple(session for session in cut if session.utterances or session.tools or session.turns)
        return replace(self, to_seq=max(seq, self.from_seq), sessions=kept)

    @property
    def worth_reading(self) -> bool:
        return any(s.utterances or s.tools or s.turns for s in self.sessions)
