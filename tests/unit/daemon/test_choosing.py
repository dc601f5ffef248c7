"""Which agent works is what is configured, else what the host's key allows, else the rules; a key is read with care."""

from pathlib import Path

import pytest
from support.purses import MemoryLedger

from memoryd.daemon import choosing, keys
from memoryd.daemon.agents import Agents
from memoryd.daemon.config import Agent, Config
from memoryd.daemon.ways import NAME, Ways
from memoryd.errors import ConfigError
from memoryd.worker.agents.brief import Learnt, Settings

KEY = "not-a-key-at-all"
ANTHROPIC = {"ANTHROPIC_API_KEY": KEY}


def agent(**settings: object) -> Agent:
    return Agent.model_validate(settings)


@pytest.mark.parametrize(
    ("given", "env", "kind", "model"),
    [
        ({}, ANTHROPIC, "rules", ""),
        ({"use_host_credentials": True}, ANTHROPIC, "model", "anthropic:claude-haiku-4-5"),
        ({"use_host_credentials": True}, {"OPENAI_API_KEY": KEY}, "model", "openai:gpt-5.6-luna"),
        ({"use_host_credentials": True}, {}, "rules", ""),
        ({"use_host_credentials": True, "kind": "rules"}, ANTHROPIC, "rules", ""),
        ({"use_host_credentials": True, "kind": "model", "model": "ollama:x"}, ANTHROPIC, "model", "ollama:x"),
        ({"use_host_credentials": True, "kind": "model"}, {}, "rules", ""),
        ({"kind": "command", "command": ("a",)}, ANTHROPIC, "command", ""),
    ],
)
def test_the_agent_is_the_configured_one_else_the_hosts_else_the_rules(
    given: dict[str, object], env: dict[str, str], kind: str, model: str
) -> None:
    choice = choosing.choose(agent(**given), env)
    assert (choice.agent.kind, choice.agent.model) == (kind, model)
    assert KEY not in choice.why


def settings_of(config_dir: Path, env: dict[str, str], **given: object) -> Settings:
    config = choosing.in_force(Config(agent=agent(kind="model", **given)), env)
    return choosing.settings(config, env, config_dir, {})


def test_a_key_comes_from_the_environment_a_systemd_credential_or_a_private_file(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    file = keys.file_of("MINE", tmp_path)
    file.write_text("from-file\n")
    file.chmod(0o600)
    credential = tmp_path / "credentials" / "MINE"
    credential.parent.mkdir()
    credential.write_text("from-systemd\n")
    env = {"CREDENTIALS_DIRECTORY": str(credential.parent)}
    found = [keys.find("MINE", given, tmp_path) for given in ({"MINE": "from-env", **env}, env, {})]
    assert [one.value for one in found if one] == ["from-env", "from-systemd", "from-file"]
    assert "from-env" not in repr(found)


def test_a_key_file_that_others_can_read_is_refused_with_the_mend(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    file = keys.file_of("OPENAI_API_KEY", tmp_path)
    file.write_text(KEY)
    file.chmod(0o640)
    with pytest.raises(ConfigError, match=f"chmod 600 {file}") as caught:
        settings_of(tmp_path, {}, model="openai:gpt-5")
    assert KEY not in str(caught.value)


def test_a_key_file_is_no_link_to_somewhere_else(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    secret = tmp_path / "elsewhere"
    secret.write_text(KEY)
    secret.chmod(0o600)
    keys.file_of("OPENAI_API_KEY", tmp_path).symlink_to(secret)
    with pytest.raises(ConfigError):
        settings_of(tmp_path, {}, model="openai:gpt-5")


@pytest.mark.parametrize("name", ["../MINE", "sk-abc/def", "a b", "x" * 200])
def test_what_is_no_name_of_a_key_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="api_key_env"):
        keys.find(name, {}, tmp_path)


def test_a_missing_key_says_where_it_may_be_put(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY.*keys/OPENAI_API_KEY with mode 600"):
        settings_of(tmp_path, {}, model="openai:gpt-5")


def test_a_providers_key_goes_to_no_other_address_unless_it_is_named(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": KEY}
    elsewhere = "http://127.0.0.1:8080/v1/"
    assert settings_of(tmp_path, env, model="openai:x", base_url=elsewhere).key == ""
    named = settings_of(tmp_path, env, model="openai:x", base_url=elsewhere, api_key_env="OPENAI_API_KEY")
    assert (named.key, named.base_url) == (KEY, "http://127.0.0.1:8080/v1")
    assert KEY not in repr(named)


def test_a_server_of_ones_own_needs_no_key_and_is_tried_first(tmp_path: Path) -> None:
    found = settings_of(tmp_path, {}, model="ollama:qwen2.5:1.5b")
    assert (found.key, found.base_url, found.way) == ("", "http://127.0.0.1:11434/v1", None)
    assert settings_of(tmp_path, {"OPENAI_API_KEY": KEY}, model="openai:gpt-5").way == "tools"


@pytest.mark.parametrize("model", ["", "gpt-5", "nobody:x"])
def test_a_model_that_is_not_named_by_its_provider_is_refused(tmp_path: Path, model: str) -> None:
    with pytest.raises(ConfigError, match="PROVIDER:NAME"):
        settings_of(tmp_path, {}, model=model)


@pytest.mark.parametrize(
    ("url", "env", "proxy"),
    [
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://api.openai.com/v1", {"https_proxy": "http://p:2", "HTTPS_PROXY": "http://p:1"}, "http://p:2"),
        ("https://api.openai.com/v1", {"ALL_PROXY": "http://p:3"}, "http://p:3"),
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "x, .openai.com"}, ""),
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, ""),
        ("https://api.openai.com/v1", {"HTTP_PROXY": "http://p:1"}, ""),
        ("http://gpu.lan:8000/v1", {"HTTP_PROXY": "http://p:1", "NO_PROXY": "notgpu.lan"}, "http://p:1"),
        ("http://127.0.0.1:11434/v1", {"HTTP_PROXY": "http://p:1"}, ""),
    ],
)
def test_the_proxy_is_the_one_that_the_environment_names(url: str, env: dict[str, str], proxy: str) -> None:
    assert choosing.proxy_of(url, env) == proxy


def test_what_works_at_an_endpoint_is_remembered_and_a_broken_file_is_nothing(tmp_path: Path) -> None:
    ways = Ways(data=tmp_path)
    assert ways.all() == {}
    for n in range(60):
        ways.keep(f"openai:m{n} http://x", "text")
    ways.keep("openai:m59 http://x", "json-object")
    assert list(ways.all().items())[-1] == ("openai:m59 http://x", "json-object")
    assert len(ways.all()) == 50
    ways.keep("openai:m59 http://x", None)
    assert "openai:m59 http://x" not in ways.all()
    (tmp_path / NAME).write_text('{"x": "by magic"}')
    assert ways.all() == {}


def test_what_a_run_learnt_is_kept_or_forgotten_but_never_of_a_providers_own_address(tmp_path: Path) -> None:
    agents = Agents(config=Config, data=tmp_path, config_dir=tmp_path, ledger=MemoryLedger(), env={})
    mine = Settings(kind="model", model="openai:x", base_url="http://127.0.0.1:8080/v1")
    theirs = Settings(kind="model", model="anthropic:x", base_url="https://api.anthropic.com")
    for given in (mine, theirs):
        agents.heard(given, Learnt(way="json-object"))
    assert agents.ways.all() == {"openai:x http://127.0.0.1:8080/v1": "json-object"}
    agents.heard(mine, Learnt(forget=True))
    assert agents.ways.all() == {}


def test_what_is_shown_of_an_address_holds_no_password(tmp_path: Path) -> None:
    given = agent(kind="model", model="openai:x", base_url="http://me:secret@gpu.lan:8000/v1")
    env = {"HTTP_PROXY": "http://me:secret@proxy:1"}
    found = choosing.report(Config(agent=given), env, tmp_path, dict)
    assert (found.base_url, found.proxy) == ("http://gpu.lan:8000/v1", "http://proxy:1")
    assert "secret" not in found.model_dump_json()


def test_a_command_that_the_daemon_does_not_find_is_a_problem_with_its_mend(tmp_path: Path) -> None:
    (tmp_path / "claude").touch(mode=0o700)
    given = Config(agent=agent(kind="command", command=("claude", "-p"), allow_uncaged=True))
    assert choosing.report(given, {"PATH": str(tmp_path)}, tmp_path, dict).problem is None
    assert "absolute path" in str(choosing.report(given, {"PATH": "/nowhere"}, tmp_path, dict).problem)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "the rules"),
        ({"kind": "command", "command": ("claude",)}, ""),
        ({"kind": "model"}, "names none"),
        ({"kind": "model", "model": "openai:qwen-1.5b"}, "too small"),
        ({"kind": "model", "model": "openai:qwen-7b"}, ""),
    ],
)
def test_only_what_can_fill_in_a_form_is_asked_about_memory(given: dict[str, object], why: str) -> None:
    found = choosing.unfit_to_answer(agent(**given))
    assert why in found
    assert bool(found) == bool(why)
