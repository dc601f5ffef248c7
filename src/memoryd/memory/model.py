"""The nouns of a memory directory: roots, files, entries, lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from memoryd.ipc.events import Tier


class Root(StrEnum):
    """The scope a file belongs to; one run may change files of both."""

    USER = "user"
    PROJECT = "project"
    TEAM = "team"  #: read only, and only by recall, list, read and search


def directory_of(roots: Mapping[Root, Path]) -> Path:
    """The memory directory that roots are about: the project's, else the user's."""
    return roots.get(Root.PROJECT) or roots[Root.USER]


class FileKey(NamedTuple):
    """A file of a memory directory: its root and its path inside it, `/`-separated, e.g. `knowledge/db.md`."""

    root: Root
    path: str


CORE_FILES = ("identity.md", "user.md", "preferences.md", "constraints.md")
ENTRY_DIR = "knowledge"
SESSION_DIR = "sessions"
PROCEDURE_DIR = "procedures"
INSTINCT_DIR = "instincts"
DAILY_DIR = "daily"
LONG_TERM_DIR = "long-term"
REFLECTION_DIR = "reflections"
INDEX_FILE = "MEMORY.md"
SKILL_FILE = "SKILL.md"


class EntryType(StrEnum):
    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class EntryStatus(StrEnum):
    ACTIVE = "active"
    HISTORICAL = "historical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory: the frontmatter of `knowledge/<slug>.md`, read leniently, and its body."""

    slug: str
    name: str
    description: str = ""
    type: EntryType = EntryType.PROJECT
    status: EntryStatus = EntryStatus.ACTIVE
    superseded_by: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    sources: tuple[str, ...] = ()  #: `host/session#seq`, a copy for readers
    tier: Tier | None = None
    expires_at: datetime | None = None  #: of a dated fact
    importance: float = 0.4
    confidence: float | None = None
    uses: int = 0
    tags: tuple[str, ...] = ()
    body: str = ""
    malformed: bool = False  #: the frontmatter could not be read; nothing was dropped

    @property
    def active(self) -> bool:
        return self.status is EntryStatus.ACTIVE

    @property
    def dated(self) -> bool:
        """Whether it is a dated fact: no user said it, so it is only ever shown quoted, and expires."""
        return self.tier is not None and self.tier is not Tier.USER

    @property
    def matured(self) -> bool:
        """Whether memoryd learned it from work by itself; such entries have a bound of their own."""
        return self.dated and ("pattern" in self.tags or "lesson" in self.tags)

    def expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreLine:
    """One line of a core file that holds a fact: a list item `- text`, without the marker."""

    key: FileKey
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """The current memory as a memory agent sees it: both roots, redacted, parsed."""

    core: tuple[CoreLine, ...] = ()
    entries: tuple[tuple[Root, Entry], ...] = ()  #: active and historical
    language: str = "en"  #: en or zh, of the labels
    has_project: bool = True
    files: dict[FileKey, str] = field(default_factory=dict)  #: text of core files and entries
