from pathlib import Path

import pytest

from memoryd.daemon.config import Config, load, places_of, sources
from memoryd.daemon.tuning import type_totals, weights
from memoryd.errors import ConfigError
from memoryd.ipc import places as placing
from memoryd.memory import quality
from memoryd.memory.model import EntryType
from memoryd.memory.ranking import WEIGHTS, Weights


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    config = load(tmp_path / "none.toml", {})
    assert (config.consolidation.interval_turns, config.recall.budget_tokens, config.agent.kind) == (3, 2500, "rules")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "[consolidation]\ninterval_turns = 5\nidle_seconds = 60\n")
    config = load(path, {"MEMORYD_CONSOLIDATION__INTERVAL_TURNS": "1", "MEMORYD_DAEMON__LOG_FORMAT": "json"})
    assert (config.consolidation.interval_turns, config.consolidation.idle_seconds) == (1, 60)
    assert config.daemon.log_format == "json"


def test_a_list_may_come_from_the_environment(tmp_path: Path) -> None:
    assert load(tmp_path / "x", {"MEMORYD_PRIVACY__EXCLUDE": '["~/private/*"]'}).privacy.exclude == ("~/private/*",)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("[consolidation]\ninterval_turn = 3\n", "consolidation.interval_turns"),
        ("[retentions]\ndays = 3\n", "retention"),
        ("[recall.blocks]\nsesions = false\n", "sessions"),
        ("[recall.blocks]\ngoals = {ordr = 3}\n", r"recall\.blocks\.goals\.order"),
        ("[recall.weights]\nrecent = 0.3\n", r"recall\.weights\.recency"),
        ("[memory.type_totals]\nprojects = 9000\n", r"memory\.type_totals\.project"),
    ],
)
def test_an_unknown_key_names_the_nearest(tmp_path: Path, text: str, near: str) -> None:
    with pytest.raises(ConfigError, match=f"the nearest is {near}"):
        load(write(tmp_path, text), {})


def test_blocks_of_recall_are_switched_moved_and_bounded(tmp_path: Path) -> None:
    path = write(tmp_path, "[recall.blocks]\nsessions = false\ngoals = { order = 5, budget = 0.1 }\n")
    blocks = load(path, {}).recall.blocks
    assert (blocks["sessions"].on, blocks["goals"].on, blocks["goals"].order, blocks["goals"].budget) == (
        False, True, 5, 0.1,
    )  # fmt: skip
    assert not load(tmp_path / "x", {"MEMORYD_RECALL__BLOCKS": "{goals = false}"}).recall.blocks["goals"].on
    with pytest.raises(ConfigError, match=r"recall\.blocks\.goals\.budget"):
        load(write(tmp_path, "[recall.blocks]\ngoals = { budget = 2 }\n"), {})


def test_ranking_and_room_are_settings(tmp_path: Path) -> None:
    path = write(tmp_path, "[recall]\nmode = 'tools'\nweights = {relevance = 1, recency = 0, importance = 0}\n")
    config = load(path, {"MEMORYD_MEMORY__TYPE_TOTALS": "{user = 9000}", "MEMORYD_RECALL__HALF_LIFE_DAYS": "7"})
    assert config.recall.mode == "tools"
    assert weights(config) == Weights(relevance=1, recency=0, importance=0, half_life_days=7)
    assert type_totals(config) == {**quality.TYPE_TOTALS, EntryType.USER: 9000}
    assert (weights(Config()), type_totals(Config())) == (WEIGHTS, quality.TYPE_TOTALS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recall]\nmode = 'all'\n", "'hybrid', 'context' or 'tools'"),
        ("[recall]\nhalf_life_days = 0\n", "at least 1"),
        ("[recall]\nweights = {recency = 0.5}\n", "must add up to 1, not { relevance = 0.5, recency = 0.5"),
        ("[memory]\ntype_totals = {user = 10}\n", "at least 200"),
    ],
)
def test_a_wrong_rank_or_room_is_told_with_what_to_write(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(write(tmp_path, text), {})
    assert said in str(refused.value)


def test_an_unknown_variable_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"recall\.budget_tokens"):
        load(tmp_path / "x", {"MEMORYD_RECALL__BUDGET_TOKEN": "3"})


def test_a_value_out_of_range_is_told_with_its_key(tmp_path: Path) -> None:
    path = write(tmp_path, "[consolidation]\ninterval_turns = 0\n")
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    assert str(caught.value) == f"consolidation.interval_turns must be at least 1, not 0 (in {path})"


def test_what_a_section_lacks_is_told_with_where_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"wants base_url and model \(in MEMORYD_SEARCH__EMBEDDER\)"):
        load(tmp_path / "x", {"MEMORYD_SEARCH__EMBEDDER": "openai"})


def test_broken_toml_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 1"):
        load(write(tmp_path, "[consolidation\n"), {})


def test_reserved_names_are_no_configuration(tmp_path: Path) -> None:
    assert load(tmp_path / "x", {"MEMORYD_SOCKET": "/s", "MEMORYD_CHILD": "1"}) == Config()


def test_the_origin_of_a_setting_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "[recall]\nlanguage = 'zh'\n")
    found = sources(path, {"MEMORYD_RECALL__BUDGET_TOKENS": "900"})
    assert found == {"recall.language": str(path), "recall.budget_tokens": "MEMORYD_RECALL__BUDGET_TOKENS"}


@pytest.mark.parametrize(
    "name", ["sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "MY KEY", "../x"]
)
@pytest.mark.parametrize("section", ["agent", "search"])
def test_what_is_no_name_of_a_variable_is_refused_and_not_quoted(tmp_path: Path, section: str, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{section}.api_key_env: is no name of a variable") as caught:
        load(tmp_path / "config.toml", {f"MEMORYD_{section.upper()}__API_KEY_ENV": name})
    assert name not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["not a url", "127.0.0.1:8080/v1", "localhost:8080", "ftp://host/v1", "http://", "https:///v1", "http://h:x/"],
)
def test_a_base_url_that_is_none_is_refused_with_what_one_looks_like(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match=r"agent\.base_url: .* http://127\.0\.0\.1:11434/v1"):
        load(tmp_path / "config.toml", {"MEMORYD_AGENT__BASE_URL": url})
    good = {"MEMORYD_AGENT__BASE_URL": "https://models.example/v1", "MEMORYD_AGENT__API_KEY_ENV": "MY_GATEWAY_KEY"}
    assert load(tmp_path / "config.toml", good).agent.base_url == "https://models.example/v1"


def test_a_place_is_absolute_for_every_process_that_reads_it(tmp_path: Path, home: Path) -> None:
    path = write(tmp_path, '[daemon]\ndata_dir = "~/mine"\nsocket = "run/s"\n')
    with pytest.raises(ConfigError, match=r"daemon\.socket: is no absolute path; write all of it"):
        load(path, {})
    config = load(write(tmp_path, '[daemon]\ndata_dir = "~/mine"\n'), {})
    assert places_of(config).data == home / "mine"
    env = {"HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / "memoryd").mkdir()
    for text, data in (
        ('data_dir = "~/mine"', home / "mine"),
        ('data_dir = "mine"', home / ".local" / "share" / "memoryd"),
        ("data_dir = 3", home / ".local" / "share" / "memoryd"),
    ):
        (tmp_path / "memoryd" / "config.toml").write_text(f"[daemon]\n{text}\n")
        assert placing.configured(env).data == data
