"""What is said to a sub-agent: by the agent that started it. Pure.

A host, and a program that publishes events, tells of a sub-agent's session as of any other; its "user" is an agent. So
its prompts are kept as texts of an assistant, and nothing there is due to be consolidated.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from memoryd.daemon.sessions import Triggers
from memoryd.ipc.events import Event, EventAdapter, Message, PostCompact, PreCompact, SessionEnd, Tier, Turn, UserPrompt

TRIGGERS = Triggers(interval_turns=2**62, on_compaction=False, on_session_end=False)


def matters(event: Event) -> bool:
    """Whether an event would mean another thing in the session of a sub-agent."""
    if isinstance(event, Message):
        return event.data.role == "user"
    return isinstance(event, UserPrompt | Turn | PreCompact | PostCompact | SessionEnd)


def as_told(event: Event) -> Event:
    """The event as it is kept when its session is a sub-agent's."""
    fields = event.model_dump()
    match event:
        case UserPrompt():
            return _event(fields, {"kind": "message", "data": _by_agent({**fields["data"], "role": "user"})})
        case Message():
            return _event(fields, {"data": _by_agent(fields["data"])})
        case Turn(data=data) | PreCompact(data=data) | PostCompact(data=data) if data.messages:
            return _event(fields, {"data": {**fields["data"], "messages": _all_by_agent(fields["data"]["messages"])}})
    return event


def _event(fields: Mapping[str, Any], changed: Mapping[str, Any]) -> Event:
    told: Event = EventAdapter.validate_python({**fields, **changed})
    return told


def _all_by_agent(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [_by_agent(message) for message in messages]


def _by_agent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**message, "role": "assistant", "tier": Tier.HOST} if message["role"] == "user" else message
