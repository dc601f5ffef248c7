from typing import Any

import pytest
from pydantic import ValidationError

from memoryd.daemon.provider.settings import VALUES, Provider

SYNC = {
    "tool": "create",
    "arguments": {"entities": [{"name": "{id}", "parts": ["{user}", "plain {assistant}"], "n": 1}]},
}


def provider(**settings: Any) -> Provider:
    return Provider.model_validate({"command": ["serve"], **settings})


def test_arguments_are_json_in_whose_strings_values_stand() -> None:
    call = provider(sync=SYNC).call("sync")
    assert call is not None
    values = {"id": "a/b#1", "user": 'say "{assistant}"\n', "assistant": "ok"}
    assert call.filled(values) == {
        "entities": [{"name": "a/b#1", "parts": ['say "{assistant}"\n', "plain ok"], "n": 1}]
    }
    assert call.filled({})["entities"][0]["parts"] == ["", "plain "]


def test_nothing_is_called_without_a_tool_or_without_a_server() -> None:
    assert provider().calls == {}
    assert provider(command=[], sync=SYNC).calls == {}
    assert list(provider(sync=SYNC).calls) == ["sync"]


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_that_a_call_does_not_know_is_refused_with_those_that_it_knows(kind: Any) -> None:
    with pytest.raises(ValidationError, match=rf"{kind} knows no \{{usr\}}; it knows \{{"):
        provider(**{kind: {"tool": "t", "arguments": {"a": ["{usr}"]}}})
    known = {name: f"{{{name}}}" for name in VALUES[kind]}
    call = provider(**{kind: {"tool": "t", "arguments": known}}).call(kind)
    assert call is not None
    assert call.names == set(VALUES[kind])


def test_a_key_among_the_settings_is_refused_and_not_quoted() -> None:
    key = "gh" + "p_" + "a1B2" * 9
    with pytest.raises(ValidationError, match="pass_env") as raised:
        provider(env={"TOKEN": key})
    assert "name the variable" in str(raised.value)
    assert provider(env={"MEMORY_FILE_PATH": "/home/me/graph.jsonl"}).env
    with pytest.raises(ValidationError):
        provider(pass_env=["not a name"])
