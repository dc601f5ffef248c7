"""Between translation and the journal: strip what is ours or private, drop invisible text, redact secrets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from memoryd.ipc.events import Event, Message, MessageData, Turn, UserPrompt
from memoryd.ipc.sanitise import sanitise_value

MAX_TEXT_CHARS = 200_000  #: of one event; at most 800 000 bytes of UTF-8, under the limit of an event

E = TypeVar("E", bound=Any)


def clean(event: E) -> tuple[E, Mapping[str, int]]:
    """Return the event with every string of its data sanitised, and what was replaced in it, by label."""
    data, counted = event.data, Counter[str]()
    before = data.model_dump(exclude_defaults=True)
    after = sanitise_value(before, counted)
    if after == before:
        return event, counted
    return event.model_copy(update={"data": type(data).model_validate(after)}), counted


def clean_all(events: Sequence[Event]) -> list[tuple[Event, Mapping[str, int]]]:
    """Clean events and split those that are too long; what was replaced is told with the first part."""
    found: list[tuple[Event, Mapping[str, int]]] = []
    for event in events:
        cleaned, redacted = clean(event)
        head, *rest = split(cleaned)
        found += [(head, redacted), *((part, {}) for part in rest)]
    return found


def split(event: Event) -> list[Event]:
    """Split a text that is too long for one event: the rest follows as messages of the same turn."""
    match event:
        case UserPrompt(data=data):
            first, rest = data.text[:MAX_TEXT_CHARS], data.text[MAX_TEXT_CHARS:]
            head: Event = event.model_copy(update={"data": data.model_copy(update={"text": first})})
            return [head, *_parts(event, "user", rest)]
        case Turn(data=data):
            answer = data.last_assistant_message or ""
            update = {"last_assistant_message": answer[:MAX_TEXT_CHARS] or None}
            head = event.model_copy(update={"data": data.model_copy(update=update)})
            return [head, *_parts(event, "assistant", answer[MAX_TEXT_CHARS:])]
        case _:
            return [event]


def _parts(event: UserPrompt | Turn, role: Any, rest: str) -> list[Event]:
    envelope = event.model_dump(include={"host", "session_id", "cwd", "memory_dir", "at", "turn_id"})
    return [
        Message(
            id=f"{event.id}+{number}",
            data=MessageData(role=role, text=rest[start : start + MAX_TEXT_CHARS]),
            **envelope,
        )
        for number, start in enumerate(range(0, len(rest), MAX_TEXT_CHARS), start=1)
    ]
