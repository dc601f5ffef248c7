"""Any program: stdin is one event envelope or a list of them, without `id` and `host`; memory comes back as text."""

from typing import Any

from pydantic import ValidationError

from memoryd.ipc.events import KINDS, Event, EventAdapter
from memoryd.ipc.faults import explain
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptRead, TranscriptState, Translated, TranslationError
from memoryd.ipc.hosts.record import parse

_RECALL = {"session_start": Recall.SNAPSHOT, "user_prompt": Recall.PREFETCH}


class Generic:
    name = "generic"
    hook_events = KINDS
    max_context_chars = 9_500  #: the smallest cap of the hosts we know
    replays_context = True
    tells_compacted = False  #: not every program does

    def translate(self, hook: RawHook) -> Translated:
        try:
            found = parse(hook.raw)
        except ValueError as error:
            raise TranslationError(f"stdin is no JSON: {error}") from error
        envelopes = found if isinstance(found, list) else [found]
        events = tuple(_event(hook, n, envelope) for n, envelope in enumerate(envelopes))
        kinds = [event.kind for event in events]
        return Translated(
            events=events,
            event_name=hook.event or (kinds[0] if kinds else ""),
            recall=next((_RECALL[kind] for kind in kinds if kind in _RECALL), Recall.NONE),
        )

    def reply(self, event_name: str, context: str) -> str:
        return context

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        """A generic program has no transcript of ours to read."""
        return TranscriptRead(events=(), consumed=len(chunk), state=state)


def _event(hook: RawHook, n: int, envelope: Any) -> Event:
    if not isinstance(envelope, dict):
        raise TranslationError(f"event {n} is no JSON object")
    defaults = {"at": hook.at, "cwd": hook.cwd, "kind": hook.event}
    fields = {**defaults, **envelope, "id": f"{hook.id}/{n}", "host": hook.host}
    try:
        event: Event = EventAdapter.validate_python(fields)
    except ValidationError as error:
        raise TranslationError(f"event {n}: {explain(error)}") from error
    return event


HOST = Generic()
