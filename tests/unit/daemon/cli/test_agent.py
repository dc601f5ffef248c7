"""`memoryd config agent`: what would be used and why, what a run may cost, never a key."""

import json
from pathlib import Path
from typing import Any

import pytest

Cli = Any
KEY = "sk-not-a-key-at-all"
SECRET = "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_AGENT__KIND", "model")
    monkeypatch.setenv("MEMORYD_AGENT__MODEL", "anthropic:claude-haiku-4-5")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def test_by_default_the_rules_work_and_cost_nothing(world: object, cli: Cli) -> None:
    ran = cli("config", "agent")
    assert (ran.status, ran.err) == (0, "")
    assert "the default: nothing is configured" in ran.out
    assert "no model is asked" in ran.out


@pytest.mark.usefixtures("model")
def test_without_a_daemon_it_says_what_this_environment_would_give(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    ran = cli("config", "agent")
    assert "no daemon runs" in ran.err
    for told in (
        "anthropic:claude-haiku-4-5 at https://api.anthropic.com", "the variable ANTHROPIC_API_KEY", "at most 8 calls",
        "60000 tokens", "$0.30", "cage",
    ):  # fmt: skip
        assert told in ran.out
    assert KEY not in ran.out + cli("config", "agent", "--json").out


@pytest.mark.usefixtures("model")
def test_a_missing_key_is_named_with_where_it_may_be_put(cli: Cli, home: Path) -> None:
    found = json.loads(cli("config", "agent", "--json").out)
    assert found["kind"] == "model"
    assert f"{home}/.config/memoryd/keys/ANTHROPIC_API_KEY with mode 600" in found["problem"]


def test_a_broken_configuration_is_said_once_and_no_daemon_is_spoken_of_that_is_not_there(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_AGENT__API_KEY_ENV", SECRET)
    ran = cli("config", "agent")
    assert (ran.status, ran.err.count("is no name of a variable")) == (78, 1)
    assert "old settings" not in ran.err
    assert SECRET not in ran.err + ran.out + cli("doctor").out + cli("doctor").err


@pytest.mark.usefixtures("model")
def test_a_key_that_is_missing_is_not_said_to_be_one_that_is_not_needed(cli: Cli) -> None:
    out = cli("config", "agent").out
    assert "no key for anthropic" in out
    assert "none is sent" not in out
