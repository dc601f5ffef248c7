"""What passes between the daemon and the child process of a memory agent that asks a model: lines of JSON.

In: one `Brief`, then a `Grant` to each `Reserve`. Out: `Reserve` before a call that costs, `Spent` after it, and at
the end one `Done` or one `Fault`. A `question.Question` may stand in place of the brief. End of input means that the
daemon is gone: the child ends, whatever it does.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from memoryd.memory.model import CoreLine, Entry, MemoryView, Root
from memoryd.memory.proposals import Proposal
from memoryd.worker.budget import Cost as Cost
from memoryd.worker.budget import Need as Need
from memoryd.worker.projection import Projection

MAX_COMPARED = 300  #: texts
MAX_NOTE_CHARS = 2000  #: of what a session hands on to later runs


class Line(BaseModel):
    """Of the protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, hide_input_in_errors=True)


Way = Literal["tools", "json-schema", "json-object", "text"]
"""How a model is made to answer in a form; the daemon remembers what works at an endpoint."""


class Learnt(Line):
    """What a run has found out about its endpoint: worth keeping, whatever came of the run."""

    way: Way | None = None  #: to begin with from now on
    forget: bool = False  #: the way that was remembered is none any more, and none was found in its place


NOTHING = Learnt()


class Settings(Line):
    """How an agent is to work: `[agent]` of the configuration, resolved. It may hold a key, so it is never logged."""

    kind: Literal["model", "command"]
    model: str = ""  #: `provider:name`
    base_url: str = ""
    key: str = Field(default="", repr=False)
    key_name: str = ""  #: of the variable, credential or file that holds it; '': none is sent
    command: tuple[str, ...] = ()  #: argv
    max_steps: int = 8  #: calls in one run
    compaction_max_steps: int = 3  #: in a run on texts cut for a compaction
    timeout_seconds: float = 120.0  #: of one run
    tokens_per_run: int = 60_000
    proxy: str = ""  #: HTTPS_PROXY of the daemon
    ca_file: str = ""  #: a certificate bundle of one's own
    way: Way | None = None  #: in which this endpoint is known to answer; None: it has not been tried
    compares: bool = False  #: there is an embedder that can be asked


class Brief(Line):
    """All that an agent gets."""

    task: Literal["consolidate"] = "consolidate"
    settings: Settings
    projection: Projection
    core: tuple[CoreLine, ...] = ()
    entries: tuple[tuple[Root, Entry], ...] = ()
    language: Literal["en", "zh"] = "en"
    has_project: bool = True
    now: datetime  #: for absolute dates; aware UTC

    @classmethod
    def of(cls, settings: Settings, projection: Projection, memory: MemoryView, now: datetime) -> "Brief":
        return cls(
            settings=settings, projection=projection, core=memory.core, entries=memory.entries,
            language="zh" if memory.language == "zh" else "en", has_project=memory.has_project, now=now,
        )  # fmt: skip


class Reserve(Line):
    kind: Literal["reserve"] = "reserve"
    need: Need


class Grant(Line):
    """To a `Reserve`: the reservation's id, or why there is none."""

    reservation: str | None = None
    refusal: str = ""


class Spent(Line):
    kind: Literal["spent"] = "spent"
    reservation: str
    cost: Cost


class Note(Line):
    """What a session hands on to later runs: open points, what was decided."""

    host: str
    session_id: str
    text: str = Field(max_length=MAX_NOTE_CHARS)


class Done(Line):
    kind: Literal["done"] = "done"
    proposals: tuple[Proposal, ...] = ()
    notes: tuple[Note, ...] = ()
    to_seq: int | None = None  #: as far as it has read, where that is not the whole range
    learnt: Learnt = NOTHING

    @classmethod
    def of(cls, proposals: Iterable[Proposal], notes: Mapping[tuple[str, str], str], read: Projection) -> "Done":
        """
        :param notes: (host, session_id) -> text, as of an `AgentResult`
        :param read: what was read
        """
        told = tuple(Note(host=host, session_id=session, text=text) for (host, session), text in notes.items())
        return cls(proposals=tuple(proposals), notes=told, to_seq=read.to_seq)

    def noted(self) -> dict[tuple[str, str], str]:
        """The notes as an `AgentResult` has them."""
        return {(note.host, note.session_id): note.text for note in self.notes}


FaultCode = Literal[
    "provider-down",  # no connection, 5xx, an answer that is no API's
    "provider-slow",  # no answer in time
    "rate-limited",  # 429, or a subscription's limit: `retry_after_seconds` says how long, where it is known
    "quota",  # the account has nothing left
    "login",  # no key, a wrong one, or a command that wants its login renewed
    "configuration",  # no such model, no such program, an extra that is not installed
    "budget",  # our own: nothing is asked for
    "refused",  # the model will not
    "bad-answer",  # not what was asked for, after every repair
    "no-end",  # the calls of a run are used up without an answer
    "cage",  # no cage can be had here
    "crashed",  # the child ended without a word
]


class Fault(Line):
    """Why there is no answer. Nothing of the conversation or of the model's text stands in `reason`."""

    kind: Literal["fault"] = "fault"
    code: FaultCode
    reason: str  #: a sentence for people that says what to do
    retry_after_seconds: float | None = None
    learnt: Learnt = NOTHING  #: before the run failed


class AgentFault(Exception):
    """Raised in a child for what ends as its `Fault`."""

    def __init__(
        self, code: FaultCode, reason: str, retry_after_seconds: float | None = None, *, learnt: Learnt = NOTHING
    ) -> None:
        super().__init__(reason)
        self.fault = Fault(code=code, reason=reason, retry_after_seconds=retry_after_seconds, learnt=learnt)

    def having(self, learnt: Learnt) -> "AgentFault":
        """The same of a run that has found something out."""
        return AgentFault(self.fault.code, self.fault.reason, self.fault.retry_after_seconds, learnt=learnt)


class Purse(Protocol):
    """What a child pays from. The daemon has committed a reservation when `reserve` returns."""

    async def reserve(self, need: Need) -> str:
        """Return the reservation's id. :raises AgentFault: `budget`: no call may be made"""
        ...

    async def spent(self, reservation: str, cost: Cost) -> None: ...


class Compare(Line):
    """How near texts are to others by their meaning: what an embedder is asked, where there is one."""

    kind: Literal["compare"] = "compare"
    texts: tuple[str, ...] = Field(max_length=MAX_COMPARED)
    others: tuple[str, ...] = Field(max_length=MAX_COMPARED)


class Near(Line):
    """A row for each text: 0 to 1 for each of the others, 1 for the same; no rows where nothing can be said."""

    rows: tuple[tuple[float, ...], ...] = ()


Comparing = Callable[[Compare], Coroutine[Any, Any, Near]]


async def incomparable(_: Compare) -> Near:
    """Where there is no embedder."""
    return Near()


class Work(Protocol):
    """What the module of an agent offers as `work`. It raises `AgentFault` for all that can go wrong outside."""

    def __call__(
        self, brief: Brief, purse: Purse, comparing: Comparing = incomparable
    ) -> Coroutine[Any, Any, Done]: ...
