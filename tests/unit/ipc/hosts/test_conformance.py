"""The conformance kit over our own recordings of each host."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import validate
from support.conformance import (
    CHECKS,
    CONTEXT,
    Agent,
    Recording,
    Said,
    load,
    read_whole,
    recordings,
    replies_are_accepted,
    translate,
)
from support.recordings import recording, shared_hosts

from memoryd.ipc import hookscript, hosts
from memoryd.ipc.hosts.base import TranscriptState
from memoryd.ipc.places import Places

FILES = recordings()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", FILES)
def test_a_host_keeps_the_contract(name: str, check: Callable[[Recording, Path], None]) -> None:
    check(load(FILES[name]), FILES[name].parent)


def test_every_host_has_a_recording_of_ours() -> None:
    assert {path.parent.name for path in FILES.values()} == set(hosts.names())
    assert all(load(path).host == path.parent.name for path in FILES.values())


@pytest.mark.parametrize("host", hosts.names())
def test_every_hook_that_is_registered_means_something(host: str) -> None:
    """An event without a meaning would cost a process for nothing."""
    meant = set()
    for whole in (load(path) for path in FILES.values() if path.parent.name == host):
        fired = [translate(whole, n) for n in range(len(whole.firings))]
        meant |= {one.event_name for one in fired if one.events}
    assert not set(hosts.get(host).hook_events) - meant


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Places]:
    """The hook of a daemon that is not there: what it is given goes to the spool."""
    home = tmp_path_factory.mktemp("hook")
    places = Places(data=home / "data", socket=home / "s", config=home / "c")
    hookscript.write(home / "memoryd-hook", hookscript.generate(places, Path(sys.executable)))
    return home / "memoryd-hook", places


@pytest.mark.parametrize("host", hosts.names())
def test_an_agent_of_the_daemons_own_is_not_listened_to(host: str, script: tuple[Path, Places]) -> None:
    firing = next(f for name, path in FILES.items() if name.startswith(f"{host}/") for f in load(path).firings)
    path, places = script
    for mark in ({"MEMORYD_CHILD": "a-run"}, {}):
        before = len(list(places.spool.glob("*-*"))) if places.spool.is_dir() else 0
        done = subprocess.run(
            [path, host, str(firing.event)], input=json.dumps(firing.stdin), capture_output=True, text=True, timeout=20,
            check=True, env=mark,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("", "")
        after = len(list(places.spool.glob("*-*"))) if places.spool.is_dir() else 0
        assert after - before == (0 if mark else 1)


# --- what released programs sent ------------------------------------------------------------------------------------

FINAL, TOOL = "FINAL ANSWER", "I will use a tool."

#: run -> host, and what was said in its sessions; transcripts also hold turns of other runs
SHARED: dict[str, tuple[str, dict[str, Said]]] = {
    "claude-interactive": (
        "claude-code",
        {
            "9131dded-1b29-4c31-927b-ec79ef671195": Said(prompts=("hello first prompt",), answers=(FINAL,), turns=1),
            "0253d813-a491-4f41-977a-a7ad2397d396": Said(prompts=("after clear prompt",), answers=(FINAL,), turns=1),
        },
    ),
    "claude-p-resume": (
        "claude-code",
        {
            "2ddfea7b-4072-4911-90fd-b8027e8cb3a2": Said(
                prompts=("USETOOL please", "again"), answers=(*[FINAL] * 2, *[TOOL] * 3), unheard=(FINAL, *[TOOL] * 3),
                turns=1, tools=("Bash",) * 3,
            )
        },
    ),
    "claude-p-fork": (
        "claude-code",
        {
            "4b7898e0-302b-4dcd-9b59-f39a154db352": Said(
                prompts=("USETOOL please", "again", "again", "again2"), answers=(*[FINAL] * 4, *[TOOL] * 10),
                unheard=(*[FINAL] * 3, *[TOOL] * 10), turns=1, tools=("Bash",) * 10,
            )
        },
    ),
    "claude-subagent": (
        "claude-code",
        {
            "cd7a387d-9d7e-4d1a-94c8-8a095ee960a5": Said(
                prompts=("USEAGENT go",), answers=(TOOL, FINAL), unheard=(TOOL,), turns=1, tools=("Agent",),
                agents=(Agent(id="a54e0cbe7b9e70de4", type="general-purpose", report=FINAL),),
            )
        },
    ),
    "codex-exec": (
        "codex",
        {
            "01a22b24-ac33-7241-992a-8906b8ad7458": Said(
                prompts=("USETOOL please", "hello again"), answers=(FINAL, FINAL), unheard=(FINAL,), turns=1,
                tools=("exec_command",),
            )
        },
    ),
    "codex-tui": (
        "codex",
        {
            "01a22b27-d8a9-7710-a4cd-b44adbc9cce2": Said(
                prompts=("USETOOL one", "after compact prompt"), answers=(FINAL, FINAL), turns=2,
                tools=("exec_command", "exec_command"),
            )
        },
    ),
    "codex-ephemeral": (
        "codex", {"01a22b25-1e4c-7643-be1f-faaf8161510a": Said(prompts=("hello",), answers=(FINAL,), turns=1)}
    ),
    "copilot": (
        "copilot",
        {
            "6a8038d2-1413-40b1-8ad7-c346a22dfddd": Said(
                prompts=("USETOOL please",), answers=(FINAL,), unheard=(FINAL,), turns=1, tools=("bash",)
            )
        },
    ),
    "gemini": (
        "gemini",
        {
            "0e63d8ba-7204-4938-b042-6db5d8ee8717": Said(
                prompts=("USETOOL please",), answers=(FINAL,), turns=1, tools=("run_shell_command",)
            )
        },
    ),
    "qwen": (
        "qwen",
        {
            "93af6212-f6ec-477f-b7be-e5b0d7fddf9d": Said(
                prompts=("USETOOL please",), answers=(FINAL,), turns=1, tools=("run_shell_command",)
            )
        },
    ),
}  # fmt: skip
_SAID_ELSEWHERE = (replies_are_accepted,)  #: about the host, not about a recording


@pytest.mark.parametrize("check", [c for c in CHECKS if c not in _SAID_ELSEWHERE], ids=lambda check: check.__name__)
@pytest.mark.parametrize("run", SHARED)
def test_what_a_released_program_sent_keeps_the_contract(run: str, check: Callable[[Recording, Path], None]) -> None:
    host, said = SHARED[run]
    check(recording(run, host, said, never=("MEMCTX", "<vendor text")), shared_hosts())


def test_every_payload_that_a_released_program_sent_is_accepted() -> None:
    runs = [path for path in (shared_hosts() / "hook-stdin").iterdir() if path.is_dir()]
    for run in runs:
        host = next(name for name in hosts.names() if name.startswith(run.name.partition("-")[0]))
        whole = recording(run.name, host, {})
        events = [event for n in range(len(whole.firings)) for event in translate(whole, n).events]
        assert {"user_prompt", "turn"} <= {event.kind for event in events}, run.name
    assert len(runs) >= 11


def test_every_transcript_that_a_released_program_left_is_read_to_its_end() -> None:
    folders = [path for path in (shared_hosts() / "sessions").iterdir() if not path.name.startswith("opencode")]
    for path in (path for folder in folders for path in folder.rglob("*.jsonl")):
        host = next(n for n in hosts.names() if path.relative_to(shared_hosts()).parts[1].startswith(n.split("-")[0]))
        chunk = path.read_bytes()
        read = hosts.get(host).read_transcript(
            chunk, session_id=path.stem, cwd=None, state=TranscriptState(), final=True
        )
        assert read.consumed == chunk.rfind(b"\n") + 1, path
        assert read.bad_lines == 0 or path.name == "edge_cases.jsonl", path
        assert len({event.id for event in read.events}) == len(read.events), path
    assert len(folders) >= 6


def test_codex_accepts_our_replies() -> None:
    schemas = json.loads((shared_hosts() / "codex-hook-schemas-0.171.0.json").read_text())
    named = {s["properties"]["hook_event_name"]["const"]: s for n, s in schemas.items() if n.endswith(".input")}
    codex = hosts.get("codex")
    assert set(codex.hook_events) <= set(named)
    for event, given in named.items():
        reply = codex.reply(event, CONTEXT)
        if reply:
            validate(json.loads(reply), schemas[given["title"].replace(".input", ".output")])


def test_of_codexs_doubled_messages_the_other_kind_says_the_same() -> None:
    for path in sorted((shared_hosts() / "sessions" / "codex-0.171.0").glob("*.jsonl")):
        session, host = path.stem[-36:], Recording(host="codex", firings=(), said={})
        events = [e for e in read_whole(host, session, path.read_bytes()) if e.kind == "message"]
        read = [(e.data.role, e.data.text) for e in events if e.data.role != "tool"]
        assert read == _items(path), path.name
        assert all(e.turn_id for e in events)


def _items(path: Path) -> list[tuple[str, str]]:
    """What was said, from the items for the model; that of turns which only compact is a summary."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    items = [r["payload"] for r in records if r["payload"].get("type") == "item_completed"]
    compacting = {item["turn_id"] for item in items if item["item"]["type"] == "ContextCompaction"}
    said = []
    for payload in (r["payload"] for r in records if r["payload"].get("type") == "message"):
        about = payload["internal_chat_message_metadata_passthrough"]
        typed = payload["role"] == "user" and about["content_item_kinds"] == ["user.text"]
        if typed or (payload["role"] == "assistant" and about["turn_id"] not in compacting):
            said.append((payload["role"], payload["content"][0]["text"]))
    return said
