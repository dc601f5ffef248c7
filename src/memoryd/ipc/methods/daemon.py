"""The process: health, pause, shutdown."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.base import AbsolutePath, Done, Method, NoParams, Params, Result

MAX_PAUSE_SECONDS = 10 * 366 * 86_400

HealthState = Literal["ok", "degraded", "stuck"]


class Health(Result):
    """ok: due work gets done; degraded: part of it; stuck: none. `reason` names the remedy."""

    state: HealthState
    reason: str | None = None
    version: str
    protocol: int = 1  #: that the daemon speaks; one that does not tell speaks the first
    uid: int
    data_dir: str
    pid: int
    uptime_seconds: float
    waiting: int = 0  #: proposals in the review inbox
    summary: str = ""  #: `repr` of the daemon, one line
    provider: str = ""  #: the external memory provider: its state and how far it was told; '': there is none
    index_behind: int = 0  #: events that the index does not hold yet; they are found by reading them
    passed_over: dict[str, int] = Field(default_factory=dict)  #: hook firings since the start not recorded, by reason


class LookedAt(Result):
    """The transcript of a session, as it is now. `fault`: why it cannot be read."""

    host: str
    session_id: str
    path: str
    state: Literal["ok", "missing", "refused"]
    fault: str = ""
    expected: bool = True  #: the session is a person's and had a turn: its host should have written by now


class Checked(Result):
    """What only the daemon can tell of the way of an event; a fault is a sentence, None: there is none."""

    journal_fault: str | None = None  #: tried with an event that was taken out again in its own commit
    index_fault: str | None = None
    newest_at: AwareDatetime | None = None  #: when the newest session says that it was last heard
    transcripts: tuple[LookedAt, ...] = ()  #: of the newest 20 sessions of a week, the newest first


class PauseParams(Params):
    cwd: AbsolutePath | None = None  #: None: everywhere
    seconds: int | None = Field(default=None, ge=1, le=MAX_PAUSE_SECONDS)  #: None: until resumed


class ResumeParams(Params):
    cwd: AbsolutePath | None = None


class Paused(Result):
    paused: bool
    until: AwareDatetime | None = None


class StoredPlace(Result):
    """Files of one kind below the data directory, or elsewhere by configuration."""

    what: str
    path: str
    files: int
    bytes: int


class Redacted(Result):
    """How often a kind was replaced before it could be written down."""

    label: str  #: `secret:<kind>` or `pii:<kind>`
    count: int
    last_at: AwareDatetime


class PauseInfo(Result):
    memory_dir: str | None  #: None: everywhere
    since: AwareDatetime
    until: AwareDatetime | None


class Outgoing(Result):
    """Something that sends text away from this machine."""

    what: str
    where: str


class Privacy(Result):
    """What is stored where, what is not, and what leaves the machine. No values."""

    data_dir: str
    stored: tuple[StoredPlace, ...]
    rows: dict[str, int]  #: of the journal, by table
    redacted: tuple[Redacted, ...]
    pii: Literal["keep", "mask"]
    scanner: Literal["off", "on", "not installed"]
    retention_days: int
    retention_max_bytes: int
    quarantine_days: int
    exclude: tuple[str, ...]
    record_headless: bool
    pauses: tuple[PauseInfo, ...]  #: that are on
    passed_over: dict[str, int]  #: hook firings since the start that were not recorded, by reason
    outgoing: tuple[Outgoing, ...]  #: empty: nothing leaves the machine


class HandedOver(Result):
    """The listening socket went ahead of this answer, with a space; the process `pid` ends."""

    pid: int


class MaintenanceParams(Params):
    #: index: the search index is removed and built again; reflect, merge, daily, forget: what the sweep does once a
    #: day; dream: what it does by `[dreaming] schedule`
    task: Literal["index", "reflect", "merge", "daily", "forget", "dream"]
    cwd: AbsolutePath | None = None  #: of `dream`: only the memory of this project; None: everywhere
    backfill: bool = False  #: of `dream`: replay old notes and summaries into candidates, and promote nothing
    since: AwareDatetime | None = None  #: of a backfill; None: as far back as there is anything


class Maintained(Result):
    runs: tuple[str, ...] = ()  #: that changed memory
    staged: int = 0  #: of `dream`: candidates that are new
    waiting: int = 0  #: and how many wait
    promoted: int = 0


METHODS: dict[str, Method] = {
    "daemon.health": Method(NoParams, Health),
    "daemon.check": Method(NoParams, Checked),
    "daemon.pause": Method(PauseParams, Paused),
    "daemon.resume": Method(ResumeParams, Paused),
    "daemon.shutdown": Method(NoParams, Done),
    "daemon.handover": Method(NoParams, HandedOver),
    "maintenance.run": Method(MaintenanceParams, Maintained),
    "privacy.get": Method(NoParams, Privacy),
}
