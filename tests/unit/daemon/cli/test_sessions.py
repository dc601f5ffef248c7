"""memoryd sessions: list, show, export, import, copy."""

import json

from unit.daemon.cli.conftest import Cli, World


def emit(cli: Cli, kind: str, session: str, **data: object) -> None:
    assert cli("emit", kind, "--session", session, "--json", "-", stdin=json.dumps(data)).status == 0


def test_a_session_goes_out_and_in_as_a_file_and_through_a_pipe(cli: Cli, world: World) -> None:
    emit(cli, "user_prompt", "carried", text="我喜欢制表符")
    file = world.home / "carried.json"
    assert cli("sessions", "export", "carried", str(file)).out.startswith("wrote 1 events of generic/carried to /")
    piped = cli("sessions", "export", "generic/carr").out
    assert piped == file.read_text("utf-8")
    assert json.loads(piped)["events"][0]["data"] == {"text": "我喜欢制表符"}
    again = cli("sessions", "import", str(file))
    assert again.out == "generic/carried: 0 events added, 1 known already\n"
    other = piped.replace('"carried"', '"taken"').replace(json.loads(piped)["events"][0]["id"], "new-id")
    assert cli("sessions", "import", "-", stdin=other).out == "generic/taken: 1 events added\n"
    assert json.loads(cli("sessions", "import", "-", "--json", stdin=other).out)["known"] == 1
    refused = cli("sessions", "import", "-", stdin=other.replace('"v":1', '"v":7'))
    assert (refused.status, refused.out) == (65, "")
    assert "upgrade" in refused.err


def test_a_copy_is_of_the_same_thread(cli: Cli, world: World) -> None:
    emit(cli, "user_prompt", "first", text="hello")
    assert cli("sessions", "copy", "first", "--as", "second").out == "generic/second: a copy of 1 events\n"
    assert cli("sessions", "copy", "first", "--as", "second").status == 76
    listed = json.loads(cli("sessions", "list", "--thread", "second", "--json").out)
    assert {item["session_id"] for item in listed["items"]} == {"first", "second"}
    assert "first -> second" in cli("sessions", "show", "second").out


def test_show_and_list_tell_kinds_and_sub_agents(cli: Cli, world: World) -> None:
    emit(cli, "subagent_start", "boss", child_session_id="helper", agent_type="Explore")
    emit(cli, "subagent_start", "helper", child_session_id="deeper", agent_type="Plan")
    emit(cli, "subagent_stop", "helper", child_session_id="deeper", agent_type="Plan")
    shown = cli("sessions", "show", "boss").out
    assert "helper (Explore, runs)" in shown
    assert "  deeper (Plan, done)" in shown
    listed = json.loads(cli("sessions", "list", "--kind", "sub-agent", "--json").out)
    assert [item["session_id"] for item in listed["items"]] == ["helper"]
    assert "sub-agent" in cli("sessions", "show", "helper").out
    assert cli("sessions", "list", "--kind", "novel").status == 2
