"""A daemon in memory, for the tests of a program that uses the SDK: `Memory(daemon=FakeDaemon())`.

It takes what a daemon takes and answers in the same shapes. It consolidates nothing: what a session is told is what
was saved. `tests/integration/test_sdk.py` holds it against the real one.
"""

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from memoryd.errors import Busy, NoDaemon, NotFound
from memoryd.ipc.client import Params
from memoryd.ipc.events import Event, EventAdapter, Turn
from memoryd.ipc.methods import METHODS
from memoryd.ipc.methods.events import EventPublish, EventPublished, HookDeliver, HookDelivered
from memoryd.ipc.methods.memory import MemoryItem, MemoryItems, MemoryQuery, MemorySaved, MemorySaveParams
from memoryd.ipc.methods.recall import Recalled, RecallParams
from memoryd.ipc.methods.sessions import SessionDetail, SessionGetParams
from memoryd.sdk.delivery import unpack


@dataclass(slots=True)
class FakeDaemon:
    """One memory for all sessions. `absent` and `slow` may be set at any time."""

    absent: bool = False  #: nobody listens
    slow: bool = False  #: no answer comes in time, though none is waited for
    events: list[Event] = field(default_factory=list)  #: what was recorded, in order, each id once
    saved: dict[str, MemorySaveParams] = field(default_factory=dict)  #: by name
    calls: list[str] = field(default_factory=list)  #: the methods that were asked for, answered or not
    _snapshots: dict[str, Recalled] = field(default_factory=dict)
    _told: dict[str, set[str]] = field(default_factory=dict)  #: names that a session has been shown

    def data_of(self, kind: str) -> list[Any]:
        """The data of what was recorded of a kind, in order: `data_of("turn")[0].last_assistant_message`."""
        return [event.data for event in self.events if event.kind == kind]

    def call(self, method: str, params: Params, *, timeout: float) -> Any:
        self.calls.append(method)
        if self.absent:
            raise NoDaemon("no daemon answers: the fake one is absent")
        if self.slow:
            raise Busy(f"the daemon did not answer {method} within {timeout:g} s: the fake one is slow")
        given = params if isinstance(params, BaseModel) else METHODS[method].params.model_validate(params or {})
        match given:
            case HookDeliver():
                return self._deliver(given)
            case EventPublish(event=event):
                return EventPublished(
                    seq=self._record(event), duplicate=False, turn_count=self._turns(event.session_id)
                )
            case RecallParams():
                return self._snapshot(given.session_id or "")
            case MemorySaveParams():
                self.saved[given.name] = given
                return MemorySaved(status="saved", slug=given.name)
            case MemoryQuery():
                return MemoryItems(items=tuple(map(_item, self._found(given.query or ""))))
            case SessionGetParams():
                return self._session(given)
        raise NotImplementedError(f"the fake daemon does not answer {method}")

    def _deliver(self, delivery: HookDeliver) -> HookDelivered:
        events = [EventAdapter.validate_python(envelope) for envelope in unpack(delivery)]
        seq, *_ = [self._record(event) for event in events]
        return HookDelivered(seq=seq, stdout=self._recalled(events[0]))

    def _record(self, event: Event) -> int:
        known = next((n for n, other in enumerate(self.events, start=1) if other.id == event.id), None)
        if known is None:
            self.events.append(event)
        return known or len(self.events)

    def _recalled(self, event: Event) -> str:
        if event.kind == "session_start":
            self._snapshots.pop(event.session_id, None)
            return self._snapshot(event.session_id).text
        return self._prefetch(event.session_id, event.data.text) if event.kind == "user_prompt" else ""

    def _snapshot(self, session_id: str) -> Recalled:
        if session_id not in self._snapshots:
            self._told[session_id] = set(self.saved)
            text = _fenced("project-memory-context", list(self.saved.values()))
            self._snapshots[session_id] = Recalled(text=text, generation=len(self.saved))
        return self._snapshots[session_id]

    def _prefetch(self, session_id: str, prompt: str) -> str:
        told = self._told.setdefault(session_id, set())
        words = _words(prompt)
        found = [one for name, one in self.saved.items() if name not in told and words & _words(one.content)]
        told |= {one.name for one in found}
        return _fenced("memory-context", found)

    def _found(self, query: str) -> list[MemorySaveParams]:
        return [one for one in self.saved.values() if _words(query) <= _words(f"{one.name} {one.content}")]

    def _turns(self, session_id: str) -> int:
        ends = (event for event in self.events if isinstance(event, Turn) and event.session_id == session_id)
        return len({event.turn_id or event.id for event in ends})

    def _session(self, asked: SessionGetParams) -> SessionDetail:
        of_it = [event for event in self.events if event.session_id == asked.session_id]
        if not of_it:
            raise NotFound(f"no session {asked.host}/{asked.session_id}")
        return SessionDetail(
            host=asked.host, session_id=asked.session_id, started_at=of_it[0].at, last_at=of_it[-1].at,
            turn_count=self._turns(asked.session_id), event_count=len(of_it),
        )  # fmt: skip


def _item(one: MemorySaveParams) -> MemoryItem:
    return MemoryItem(
        scope=one.scope or "user", path=f"knowledge/{one.name}.md", name=one.name, description=one.description,
        type=one.type, text=one.content,
    )  # fmt: skip


def _fenced(tag: str, found: list[MemorySaveParams]) -> str:
    lines = "\n".join(f"- {one.content}" for one in found)
    return f"<{tag}>\n{lines}\n</{tag}>" if found else ""


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text.casefold()).split())
