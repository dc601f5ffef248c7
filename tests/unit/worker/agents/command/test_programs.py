"""The rows of the released programs: their words, and what they need of the machine."""

from pathlib import Path

import pytest

from memoryd.worker.agents.brief import Settings
from memoryd.worker.agents.child import outfit
from memoryd.worker.agents.command import programs

PLACE = Path("/place")


def words(*command: str, home: str = "/nowhere") -> list[str]:
    return programs.argv(command, PLACE, {"HOME": home})


def test_what_a_person_wrote_stays_and_stands_before_what_is_added() -> None:
    written = ["/opt/bin/claude", "--model", "haiku", "-p", "--max-turns", "3"]
    found = words(*written)
    assert found[: len(written)] == written
    assert found.count("--max-turns") == found.count("-p") == 1


@pytest.mark.parametrize(
    ("command", "added"),
    [(["claude"], "-p"), (["claude", "--print"], None), (["codex", "-m", "x"], "exec"), (["codex", "e"], None)],
)
def test_the_word_for_no_screen_is_added_where_none_was_written(command: list[str], added: str | None) -> None:
    assert (words(*command)[len(command)] in ("-p", "exec")) == bool(added)


def test_an_option_that_was_written_by_another_name_is_not_added_again() -> None:
    assert "--sandbox" not in words("codex", "exec", "-s", "read-only")
    assert "--output-format" not in words("gemini", "-o", "text", "-p", "")
    assert "--max-turns" not in words("claude", "-p", "--max-turns=3")


def test_hooks_are_off_whatever_a_person_wrote() -> None:
    claude = words("claude", "-p", "--settings", '{"model": "opus"}', "--settings=x.json")
    assert claude[len(claude) - claude[::-1].index("--settings")] == '{"disableAllHooks": true}'  # the last one counts
    codex = words("codex", "exec", "--disable", "apps")
    assert ["--disable", "hooks"] in [codex[at : at + 2] for at in range(len(codex))]


def test_a_bare_prompt_option_of_gemini_gets_its_value() -> None:
    assert words("gemini", "-p")[:3] == ["gemini", "-p", ""]
    assert words("gemini", "-p", "say it in JSON")[:3] == ["gemini", "-p", "say it in JSON"]


def test_the_servers_of_codex_are_switched_off_one_by_one(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.one]\ncommand = "x"\n[mcp_servers.two]\nurl = "y"\n')
    found = words("codex", "exec", home=str(tmp_path))
    assert {"mcp_servers.one.enabled=false", "mcp_servers.two.enabled=false"} < set(found)


def test_settings_that_codex_cannot_read_either_are_left_to_it(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text("mcp_servers = [[[")
    assert words("codex", "exec", home=str(tmp_path)) == words("codex", "exec")


def test_a_program_of_ones_own_is_run_as_it_was_written() -> None:
    assert words("llm", "-m", "x") == ["llm", "-m", "x"]
    assert words("nice", "claude", "-p") == ["nice", "claude", "-p"]


def test_a_program_gets_its_own_names_of_the_environment_and_no_others() -> None:
    env = {
        "ANTHROPIC_API_KEY": "a", "CLAUDE_CODE_OAUTH_TOKEN": "b", "OPENAI_API_KEY": "c", "CLAUDE_CODE_SESSION_ID": "d",
        "CLAUDECODE": "1", "CLAUDE_CODE_MESSAGING_TOKEN": "e", "SSH_AUTH_SOCK": "f", "GITHUB_TOKEN": "g",
    }  # fmt: skip
    assert programs.needs(["claude"], env) == {"ANTHROPIC_API_KEY": "a", "CLAUDE_CODE_OAUTH_TOKEN": "b"}
    assert programs.needs(["codex", "exec"], env) == {"OPENAI_API_KEY": "c"}
    assert programs.needs(["llm"], env) == {}


@pytest.mark.parametrize(
    ("command", "env", "folders"),
    [
        ("claude", {}, ("/h/.claude", "/h/.claude.json")),
        ("claude", {"CLAUDE_CONFIG_DIR": "/c"}, ("/c/",)),
        ("codex", {"CODEX_HOME": "/x"}, ("/x/",)),
        ("gemini", {"GEMINI_CLI_HOME": "/g"}, ("/g/.gemini",)),
        ("llm", {}, ()),
    ],
)
def test_a_program_writes_its_own_settings_alone(command: str, env: dict[str, str], folders: tuple[str, ...]) -> None:
    assert programs.writes([command], {"HOME": "/h", **env}) == folders


def test_a_program_of_npm_is_read_with_its_packages_and_its_interpreter(tmp_path: Path) -> None:
    home, node = tmp_path / "home", tmp_path / "home/.nvm/v22"
    real = node / "lib/node_modules/@openai/codex/bin/codex.js"
    for file in (real, node / "bin/node"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o700)
    (node / "bin/codex").symlink_to(real)
    found = programs.reads(["codex"], {"HOME": str(home), "PATH": str(node / "bin")})
    assert {str(node), str(node / "lib/node_modules")} < set(found)


def test_no_place_of_a_program_opens_the_persons_home(tmp_path: Path) -> None:
    (tmp_path / "claude").touch(mode=0o700)
    found = programs.reads(["claude"], {"HOME": str(tmp_path), "PATH": str(tmp_path)})
    assert found == (str(tmp_path / "claude"),)
    assert programs.reads(["not-there"], {"HOME": "/h", "PATH": "/usr/bin"}) == ()


def test_the_cage_and_the_environment_of_a_command_are_its_programs(tmp_path: Path) -> None:
    (tmp_path / "claude").touch(mode=0o700)
    env = {"HOME": "/h", "PATH": str(tmp_path), "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b"}
    given = Settings(kind="command", command=("claude", "-p"))
    order = outfit.order(given, PLACE, env, allow_uncaged=False)
    assert str(tmp_path / "claude") in order.reads
    assert order.writes == ("/h/.claude", "/h/.claude.json")
    names = outfit.environment(given, PLACE, env)
    assert names["ANTHROPIC_API_KEY"] == "a"
    assert "OPENAI_API_KEY" not in names
