"""memoryd history."""

import json

from unit.daemon.cli.conftest import Cli, World


def emit(cli: Cli, session: str, text: str) -> None:
    cli("emit", "user_prompt", "--session", session, "--json", "-", stdin=json.dumps({"text": text}))


def test_prompts_of_every_session_by_prefix_as_a_table_and_as_lines(cli: Cli, world: World) -> None:
    secret = "gh" + "p_" + "x8N" * 12
    emit(cli, "one", f"fix the deploy, the token is {secret}")
    emit(cli, "two", "write the\nrelease notes")
    emit(cli, "two", "fix the typo <private>my salary</private>")
    shown = cli("history")
    assert shown.out.index("fix the typo") < shown.out.index("release notes") < shown.out.index("fix the deploy")
    lines = cli("history", "--prefix", "fix the", "--jsonl").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert [list(line) for line in found] == [["session_id", "ts", "text"]] * 2
    assert [line["session_id"] for line in found] == ["two", "one"]
    assert found[0]["ts"] >= found[1]["ts"] > 1_700_000_000
    assert not any(hidden in shown.out + str(found) for hidden in (secret, "salary"))


def test_pages_and_sessions_can_be_chosen(cli: Cli, world: World) -> None:
    for number in range(5):
        emit(cli, "paged", f"prompt {number}")
    first = cli("history", "--session", "paged", "--limit", "2", "--json")
    page = json.loads(first.out)
    assert [item["text"] for item in page["items"]] == ["prompt 4", "prompt 3"]
    rest = json.loads(cli("history", "--session", "paged", "--cursor", page["next_cursor"], "--json").out)
    assert [item["text"] for item in rest["items"]] == ["prompt 2", "prompt 1", "prompt 0"]
    assert cli("history", "--prefix", "no such words").out.startswith("no such prompt")
    assert cli("history", "--json", "--jsonl").status == 2
