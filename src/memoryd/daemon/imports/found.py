"""What an import finds: sources that it can read, and what it passes over with the reason."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memoryd.ipc.events import Event, Tier
from memoryd.memory.model import EntryType


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A file as it was when it was looked at: the same stamp again means the same bytes."""

    dev: int
    ino: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A regular file of our uid whose name may be that of a source."""

    path: Path
    stamp: Stamp
    named: bool = False  #: a person named it, it was not found in a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    path: Path
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One recorded conversation of a host."""

    path: Path
    stamp: Stamp
    host: str
    session_id: str
    cwd: str | None
    headless: bool
    began_at: datetime | None  #: of its first record that tells a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Chats:
    """A file in which a host keeps conversations that its hooks tell in other words: a database, or one of Cursor's."""

    path: Path
    stamp: Stamp
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """One file of another memory: rules, notes, an export, a database."""

    path: Path
    stamp: Stamp
    form: str  #: a key of `notebooks.FORMS`, and the host of the sessions that keep what it says
    cwd: str | None = None  #: of the project that it belongs to; None: the user's, or each memory says it
    mine: bool = False  #: rules that the user keeps by hand, outside of any repository


class Talk(NamedTuple):
    """One conversation out of a host's database; those of sub-agents are none."""

    session_id: str
    cwd: str | None
    events: list[Event]


Source = Transcript | Chats | Notebook


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing that a notebook says."""

    text: str  #: as it stands there: the evidence
    tier: Tier  #: user: a person wrote it by hand and says so; host: an agent kept it; repository: a file of one
    at: datetime  #: when it was written, as far as the notebook knows
    place: str  #: where in the notebook: `line 12`, `observations 7`
    gist: str = ""  #: what would be remembered of it; '' for all of the text
    name: str = ""
    description: str = ""
    kind: EntryType | None = None
    project: str | None = None  #: the name of a project, where the notebook knows no path
    cwd: str | None = None  #: of its project, where memories of one notebook belong to several
    tags: tuple[str, ...] = ()
    doubted: bool = False  #: a line of the user's own rules that shows signs of an attack: they have to see it first
