"""What is wrong with a request is said in plain words, whatever was sent."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import BadEvent, MemorydError
from memoryd.ipc.methods import METHODS
from memoryd.ipc.protocol import Envelope, parse_params

VALIDATORS_WORDS = (
    "Input should", "Value error", "String should", "Field required", "validation error", "pydantic", "valid string",
    "Extra inputs", "Unable to", "Assertion", "of another form", "something else", "what it is", "[type=",
)  # fmt: skip


def said(method: str, **params: Any) -> str:
    with pytest.raises(BadEvent) as caught:
        parse_params(Envelope(jsonrpc="2.0", id=1, method=method, params=params))
    return str(caught.value)


def event(**changes: Any) -> dict[str, Any]:
    at = "2026-11-30T08:00:00Z"
    return {"id": "e1", "kind": "user_prompt", "host": "generic", "session_id": "s", "at": at, "data": {}, **changes}


def test_a_fault_names_its_place_what_it_must_be_and_what_it_was() -> None:
    assert said("goal.add", text="") == "text must not be empty"
    assert said("goal.add") == "text is missing"
    assert said("goal.add", text="x" * 501) == "text must be at most 500 characters long, not 501"
    assert said("goal.list", limit=0) == "limit must be at least 1, not 0"
    assert said("goal.list", limit="ten") == "limit must be a whole number, not 'ten'"
    assert said("goal.list", status="late") == "status must be 'open', 'done' or 'dropped', not 'late'"
    assert said("goal.list", cwd="here") == "cwd must be an absolute path, not 'here'"
    assert said("note.list", date="soon") == "date must be a date such as 2026-11-30, not 'soon'"
    assert said("memory.search", qery="x") == "qery is unknown; the nearest is query"
    assert said("memory.log", since="2026-11-30").startswith("since must be a time with its zone")


def test_a_fault_of_an_event_is_named_as_its_sender_wrote_it() -> None:
    assert said("event.publish", event=event(data={"text": 5})) == "data.text must be text, not 5"
    assert said("event.publish", event=event()) == "data.text is missing"
    assert said("event.publish", event=event(session_id="")) == "session_id must not be empty (and 1 more)"
    host = said("event.publish", event=event(data={"text": "x"}, host="My Host"))
    assert host == "host must be lower-case letters, digits and dashes, at most 32, not 'My Host'"
    assert said("event.publish", event=event(kind="lunch")).endswith("not 'lunch'")


def test_no_secret_and_nothing_long_is_repeated() -> None:
    secret = "gh" + "p_" + "q7W" * 12
    assert secret not in said("goal.list", limit=secret)
    assert len(said("goal.list", limit="9" * 10_000)) < 120
    assert "\n" not in said("goal.list", cwd="a\nb\n")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("2026-11-30"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(METHODS)), st.data())
def test_nobody_reads_the_validators_words(method: str, data: st.DataObject) -> None:
    fields = sorted(METHODS[method].params.model_fields)
    keys = st.sampled_from(fields) if fields else st.text(max_size=8)
    params = data.draw(st.dictionaries(keys, JSON, max_size=4))
    if method == "event.publish" and data.draw(st.booleans()):
        params = {"event": event(**data.draw(st.dictionaries(st.sampled_from(sorted(event())), JSON, max_size=3)))}
    told = refusal(method, params)
    assert not [words for words in VALIDATORS_WORDS if words in told], json.dumps(params)
    assert "\n" not in told
    assert len(told) < 500


def refusal(method: str, params: dict[str, Any]) -> str:
    """What is said of parameters that do not fit, '' of those that do."""
    try:
        parse_params(Envelope(jsonrpc="2.0", id=1, method=method, params=params))
    except MemorydError as error:
        return str(error)
    return ""
