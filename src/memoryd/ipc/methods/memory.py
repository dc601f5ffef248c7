"""Memory: saved, listed, read, searched, forgotten; its runs, undone and explained."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.events import Tier
from memoryd.ipc.methods.base import (
    Author,
    EntryTypeName,
    Method,
    Page,
    PageParams,
    Params,
    Result,
    ScopeName,
    Stale,
    Where,
)

Match = Literal["words", "any", "phrase", "literal", "prefix"]


class MemorySaveParams(Where):
    """`scope` wins; else the scope follows from type and text, and `cwd` names the project."""

    scope: ScopeName | None = None
    slug: str | None = None
    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=500)
    type: EntryTypeName
    content: str = Field(min_length=1, max_length=20_000)
    author: Author = "person"
    host: str | None = None
    session_id: str | None = None


class TypeTotal(Result):
    used: int  #: characters
    limit: int


class MemorySaved(Result):
    status: Literal["saved", "updated", "unchanged"]
    slug: str
    run: str | None = None
    warnings: tuple[str, ...] = ()
    duplicate_of: str | None = None
    manifest: str = ""  #: MEMORY.md as it is now
    totals: dict[str, TypeTotal] = Field(default_factory=dict)


class MemoryQuery(Where, PageParams):
    """One shape for list, read, search and forget."""

    scopes: tuple[ScopeName, ...] = ()  #: empty: all that hold for cwd
    name: str | None = None  #: of `memory.read` also a descriptor's id, such as note:3, whose text comes in pages
    query: str | None = Field(default=None, max_length=2000)
    match: Match = "words"
    offset: int = Field(default=0, ge=0)
    rerank: bool = False  #: of `memory.search`: the page in the order of the configured model
    check: bool = False  #: of `memory.list`: look for signs of attacks, of little worth and of duplicates


class MemoryItem(Result):
    scope: ScopeName
    path: str  #: inside the memory directory
    file: str | None = None  #: absolute; of `memory.read`
    name: str
    description: str = ""
    type: EntryTypeName | None = None  #: None: a core file
    status: Literal["active", "historical"] = "active"
    replaced: str = ""  #: of a historical entry: what took its place, in the memory's language, e.g. [updated→deploy]
    updated_at: AwareDatetime | None = None
    text: str | None = None  #: whole for read, a snippet for search, absent for list
    tier: Tier | None = None  #: of an entry; below user it is a dated fact
    expires_at: AwareDatetime | None = None  #: of a dated fact
    flags: tuple[str, ...] = ()  #: signs of an attack that a person voiced, and of little worth; of `memory.list`
    truncated: bool = False
    stale: Stale | None = None  #: of a descriptor: what became of the file that it came from
    score: float | None = None
    facts: int = 0  #: lines of a core file, 1 for an active entry


class MemoryItems(Page):
    items: tuple[MemoryItem, ...] = ()


class MemorySearched(MemoryItems):
    unanswered: str = ""  #: why the order is the search's own where `rerank` asked for another


class MemoryForgetParams(MemoryQuery):
    every: bool = False  #: all lines that hold the words of `name`; else several are told and none is forgotten
    author: Author = "person"


class MemoryListed(MemoryItems):
    totals: dict[str, TypeTotal] = Field(default_factory=dict)
    waiting: int = 0  #: proposals in the review inbox of these scopes


class MemoryForgotten(MemoryItems):
    run: str | None = None


class MemoryLogParams(Where, PageParams):
    since: AwareDatetime | None = None
    writes: bool = False  #: only what changed a file; what hosts and editors wrote included


class RefusedInfo(Result):
    code: str
    reason: str


class RunInfo(Result):
    run: str  #: `v<N>`: files that a host or an editor wrote, no run
    at: AwareDatetime
    author: Literal["run", "person", "host", "outside"]
    action: str = ""  #: consolidate, save, forget, undo, purge, ...; seen: found changed on disk
    agent: str = ""
    outcome: str = "applied"
    reason: str = ""
    memory_dir: str = ""
    projects: tuple[str, ...] = ()  #: that it belongs to or changed; none: the user's memory alone; `*`: every one
    files: tuple[str, ...] = ()
    from_seq: int = 0
    to_seq: int = 0
    refused: tuple[RefusedInfo, ...] = ()
    flags: tuple[str, ...] = ()  #: classes of threat that it kept because a person said it
    duration_ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class MemoryLog(Page):
    items: tuple[RunInfo, ...] = ()


class RunParams(Where):
    """A run's id or its beginning, or a `v<N>` of the log.

    `run` None: the newest run that changed a file here; without `cwd` and `memory_dir` anywhere.
    """

    run: str | None = None


class FileDiff(Result):
    scope: ScopeName
    path: str
    diff: str  #: unified


class MemoryDiff(Page):
    run: str
    items: tuple[FileDiff, ...] = ()


class MemoryUndone(Result):
    run: str | None
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()  #: files a person changed since; left as they are


class MemoryWhyParams(Where):
    name: str = Field(min_length=1, max_length=1000)  #: path, entry or core file; else words of a line
    line: int | None = Field(default=None, ge=1)


class WhyItem(Result):
    """A turn that a line came from, or, with `seq` 0, who wrote it and when: `note` says it in words."""

    line: str = ""  #: the line of memory
    file: str = ""  #: `<scope>/<path>`
    host: str = ""
    session: str = ""
    seq: int = 0
    at: AwareDatetime | None = None  #: of the turn, else of the writing
    tier: Tier | None = None
    quote: str = ""  #: word for word from the event
    source: str = ""  #: of what was imported: the file of another tool, and the place in it
    author: Literal["run", "person", "host", "outside", "seed"] = "run"
    run: str | None = None
    written_at: AwareDatetime | None = None
    active: bool = True  #: false: forgotten, undone or replaced since
    note: str = ""


class MemoryWhy(Page):
    items: tuple[WhyItem, ...] = ()


class MemoryPurgeParams(Params):
    """Events that fit all that is given; `all` stands alone."""

    session: str | None = Field(default=None, min_length=1, max_length=300)  #: `host/id` or the id; sub-agents with it
    source: str | None = Field(default=None, min_length=1, max_length=32)  #: a tier or a host
    before: AwareDatetime | None = None
    all: bool = False
    dry_run: bool = False


class PurgedLine(Result):
    file: str  #: `<scope>/<path>`
    line: str


class UnreachedPlace(Result):
    """What may hold a copy and is not touched."""

    what: str
    where: str = ""


class MemoryPurged(Result):
    run: str | None = None  #: None: a dry run, or there was nothing
    dry_run: bool = False
    events: int = 0
    sessions: tuple[str, ...] = ()
    lines: tuple[PurgedLine, ...] = ()  #: of memory; told by a dry run only
    line_count: int = 0
    files: tuple[str, ...] = ()  #: that lost lines and stay
    files_removed: int = 0
    versions: int = 0  #: written anew without the lines, or removed
    snapshots: int = 0
    quarantined: int = 0
    spooled: int = 0
    goals: int = 0
    notes: int = 0  #: priority, working and plan
    unreached: tuple[UnreachedPlace, ...] = ()


METHODS: dict[str, Method] = {
    "memory.save": Method(MemorySaveParams, MemorySaved),
    "memory.list": Method(MemoryQuery, MemoryListed),
    "memory.read": Method(MemoryQuery, MemoryItems),
    "memory.search": Method(MemoryQuery, MemorySearched),
    "memory.forget": Method(MemoryForgetParams, MemoryForgotten),
    "memory.log": Method(MemoryLogParams, MemoryLog),
    "memory.diff": Method(RunParams, MemoryDiff),
    "memory.undo": Method(RunParams, MemoryUndone),
    "memory.why": Method(MemoryWhyParams, MemoryWhy),
    "memory.purge": Method(MemoryPurgeParams, MemoryPurged),
}
