import json
from datetime import UTC, datetime

import pytest

from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptState, Translated, TranslationError

GENERIC = hosts.get("generic")
AT = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


def translate(value: object, event: str | None = None) -> Translated:
    raw = value if isinstance(value, str) else json.dumps(value)
    return GENERIC.translate(RawHook(id="e" * 32, at=AT, host="generic", event=event, raw=raw, cwd="/cwd"))


def test_an_envelope_is_completed_from_the_hook() -> None:
    (event,) = translate({"kind": "user_prompt", "session_id": "s", "data": {"text": "hi", "extra": 1}}).events
    assert (event.id, event.host, event.at, event.cwd) == ("e" * 32 + "/0", "generic", AT, "/cwd")
    assert event.model_dump()["data"] == {"text": "hi", "extra": 1}


def test_a_list_is_several_events_and_own_times_are_kept() -> None:
    first = {"kind": "session_start", "session_id": "s", "at": "2026-11-30T07:00:00Z", "cwd": "/own"}
    translated = translate([first, {"kind": "turn", "session_id": "s"}])
    assert [event.id[-2:] for event in translated.events] == ["/0", "/1"]
    assert (translated.events[0].at.hour, translated.events[0].cwd) == (7, "/own")
    assert (translated.recall, translated.event_name) == (Recall.SNAPSHOT, "session_start")


def test_the_event_of_the_command_line_names_the_kind() -> None:
    assert translate({"session_id": "s"}, event="session_end").events[0].kind == "session_end"


@pytest.mark.parametrize(
    "bad",
    ["no json", "7", {"kind": "nap", "session_id": "s"}, {"kind": "turn"}, [{"kind": "turn", "session_id": "s"}, 7]],
)
def test_what_is_no_event_is_a_translation_error(bad: object) -> None:
    with pytest.raises(TranslationError):
        translate(bad)


def test_memory_comes_back_as_plain_text_and_there_is_no_transcript() -> None:
    assert GENERIC.reply("user_prompt", "remember") == "remember"
    found = GENERIC.read_transcript(b"x\n", session_id="s", cwd=None, state=TranscriptState(), final=True)
    assert (found.events, found.consumed) == ((), 2)
