"""`memoryd privacy`: places, kinds and counts; never a value."""

import json
from typing import Any

from support.secrets import samples
from unit.daemon.cli.conftest import Cli, World

from memoryd.daemon import privacy
from memoryd.daemon.config import Config

TOKEN = samples()["github classic"][1]


def test_it_says_what_is_stored_what_is_kept_out_and_that_nothing_leaves(cli: Cli, world: World) -> None:
    prompt = json.dumps({"text": f"deploy with {TOKEN}"})
    assert cli("emit", "user_prompt", "--session", "s1", "--json", "-", stdin=prompt).status == 0
    assert cli("pause", "--for", "1h", "--cwd", str(world.home)).status == 0
    told = cli("privacy")
    assert told.status == 0
    for words in (
        "journal", "memory of all projects", str(world.places.data), "1 events", "1 x secret:github",
        "kept for 400 days", "nothing is excluded", "recording is paused for", "nothing: no model",
    ):  # fmt: skip
        assert words in told.out, words
    assert TOKEN not in told.out


def test_its_json_is_the_result_of_the_method(cli: Cli, world: World) -> None:
    found = json.loads(cli("privacy", "--json").out)
    assert found["outgoing"] == []
    assert (found["pii"], found["scanner"]) == ("keep", "off")
    journal = next(place for place in found["stored"] if place["what"].startswith("journal"))
    assert journal["bytes"] >= (world.places.data / "state.db").stat().st_size


def test_what_a_setting_sends_away_is_named_and_nothing_is_by_default() -> None:
    assert list(privacy.outgoing(Config().model_dump(mode="json"))) == []
    settings: dict[str, dict[str, Any]] = {
        "agent": {"kind": "model", "model": "openai:gpt", "base_url": "https://llm.example.org/v1", "command": None},
        "search": {"embedder": "none", "model": "left over"},
        "recall": {"budget_tokens": 2500},
    }
    found = [(way.what, way.where) for way in privacy.outgoing(settings)]
    assert found == [("agent", "model openai:gpt, base_url https://llm.example.org/v1")]
    command = {"agent": {"kind": "command", "command": ["claude", "-p"]}}
    assert [way.where for way in privacy.outgoing(command)] == ["command claude -p"]
    sync = {"tool": "create_entities", "arguments": {"text": "{user}"}}
    provider = Config.model_validate({"provider": {"command": ["npx", "memory"], "sync": sync}}).model_dump(mode="json")
    told = [(way.what, way.where) for way in privacy.outgoing(provider)]
    assert told == [("provider", "command npx memory, sync create_entities")]
    without = Config.model_validate({"provider": {"sync": sync}}).model_dump(mode="json")
    assert list(privacy.outgoing(without)) == []
