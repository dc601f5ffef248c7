"""Canaries enter by every channel and are found nowhere afterwards: not in a byte below the data directory, not in what
a command prints, not in what the agent was shown. The spool while the daemon is down is the one documented exception.

A new way in is a row of `CHANNELS` with a function that plants `flock.text` through it.
"""

import asyncio
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from support.canaries import Flock, bytes_below
from support.installation import Installation, installed, until

from memoryd.ipc import hookscript

pytestmark = pytest.mark.timeout(400)  # the stage is set up once for all, with a dozen processes

COMMANDS = (
    "log", "log --json", "diff", "why user/preferences", "recall", "recall --query deploy", "doctor", "stats", "status",
    "list", "search deploy", "search postgresql --json", "sessions list --json", "jobs --json", "privacy",
    "show user/preferences.md", "note list",
    "goals", "logs --limit 1000", "history --jsonl", "review list", "sessions export generic/g2",
)  # fmt: skip


@dataclass(slots=True)
class Stage:
    """An installation, what its agent was shown, and what its commands printed."""

    one: Installation
    project: Path
    transcript: Path
    shown: list[bytes] = field(default_factory=list)
    spooled: bytes = b""

    @property
    def script(self) -> Path:
        return self.one.places.data / "bin" / "memoryd-hook"

    def hook(self, event: str, **stdin: Any) -> None:
        """Fire the real hook script as Claude Code does."""
        payload = {
            "session_id": "s1", "hook_event_name": event, "cwd": str(self.project),
            "transcript_path": str(self.transcript), **stdin,
        }  # fmt: skip
        self.raw_hook(event, json.dumps(payload))

    def raw_hook(self, event: str, raw: str) -> None:
        done = subprocess.run(
            [str(self.script), "claude-code", event], input=raw.encode(), capture_output=True, timeout=30,
            env={"PATH": os.defpath, "HOME": str(self.one.home)}, cwd=self.project, check=True,
        )  # fmt: skip
        self.shown.append(done.stdout + done.stderr)

    def publish(self, kind: str, **data: Any) -> None:
        event = {
            "id": uuid.uuid4().hex, "kind": kind, "host": "generic", "session_id": "g1", "cwd": str(self.project),
            "at": "2026-11-30T08:00:00Z", "data": data,
        }  # fmt: skip
        self.one.call("event.publish", {"event": event})

    def run(self, *args: str, stdin: str = "") -> int:
        done = subprocess.run(
            [sys.executable, "-m", "memoryd", *args], input=stdin.encode(), capture_output=True, timeout=60,
            env={**self.one.env, "COLUMNS": "300"}, cwd=self.project, check=False,
        )  # fmt: skip
        self.shown.append(done.stdout + done.stderr)
        return done.returncode

    def run_all(self, commands: Sequence[str]) -> None:
        """The same in one process, which costs its start once."""
        code = (
            "import sys; from memoryd.daemon.cli import app\n"
            "for command in list(sys.argv[1:]): sys.argv = ['memoryd', *command.split()]; app._run()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *commands], capture_output=True, timeout=120,
            env={**self.one.env, "COLUMNS": "300"}, cwd=self.project, check=True,
        )  # fmt: skip
        self.shown.append(done.stdout + done.stderr)


def by_prompt(stage: Stage, flock: Flock) -> None:
    stage.hook("UserPromptSubmit", prompt_id="p1", prompt=flock.text)


def by_answer(stage: Stage, flock: Flock) -> None:
    stage.hook("Stop", prompt_id="p1", stop_hook_active=False, last_assistant_message=flock.text)


def by_tool_result(stage: Stage, flock: Flock) -> None:
    stage.publish("message", role="tool", text=flock.text)
    stage.publish("tool_use", name="Bash", summary=flock.text, ok=True)


def by_file_name(stage: Stage, flock: Flock) -> None:
    files = [{"path": f"{stage.project}/{flock.short}.txt", "action": "write"}]
    stage.publish("tool_use", name="Write", summary="", ok=True, files=files)


def by_unknown_field(stage: Stage, flock: Flock) -> None:
    stage.publish("user_prompt", text="I prefer tabs", extra={flock.short: [flock.text], "api_token": flock.word})


def by_pre_compaction_text(stage: Stage, flock: Flock) -> None:
    stage.publish("pre_compact", trigger="auto", messages=[{"role": "user", "text": flock.text}], summary=flock.text)


def by_transcript(stage: Stage, flock: Flock) -> None:
    """As a prompt, an answer, a tool's input, and a tool's result that is cut in the middle of a secret."""
    command = {"command": f"deploy --token {flock.word}", "file_path": f"/x/{flock.short}"}
    call = {"type": "tool_use", "id": "t1", "name": "Write", "input": command}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x " * 485 + flock.short + "\n" + flock.text}
    talk: list[tuple[str, Any]] = [
        ("user", flock.text), ("assistant", [{"type": "text", "text": flock.text}, call]), ("user", [result]),
    ]  # fmt: skip
    with stage.transcript.open("a") as file:
        for role, content in talk:
            record = {
                "type": role, "uuid": str(uuid.uuid4()), "timestamp": "2026-11-30T08:00:00.000Z", "isSidechain": False,
                "promptId": "p9", "message": {"id": str(uuid.uuid4()), "role": role, "content": content},
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
    stage.hook("Stop", prompt_id="p9", stop_hook_active=False, last_assistant_message="done")


def by_payload_nobody_understands(stage: Stage, flock: Flock) -> None:
    stage.raw_hook("UserPromptSubmit", '{"broken": ' + json.dumps(flock.text))


def by_event_that_is_refused(stage: Stage, flock: Flock) -> None:
    assert (
        stage.run("emit", "no_such_kind", "--session", "s9", "--json", "-", stdin=json.dumps({"text": flock.text})) != 0
    )
    assert (
        stage.run("emit", "user_prompt", "--session", "s9", "--json", "-", stdin=json.dumps({"text": [flock.text]}))
        != 0
    )


def by_command_line_save(stage: Stage, flock: Flock) -> None:
    assert stage.run("save", "--name", "Deploy", "--type", "project", flock.text) == 0
    assert stage.run("save", "--name", flock.short, "--type", "project", "by hand") == 0


def by_session_document(stage: Stage, flock: Flock) -> None:
    events = [
        {"id": f"d{n}", "kind": kind, "at": "2026-11-30T08:00:00Z", "data": {"text": flock.text, **data}}
        for n, (kind, data) in enumerate([("user_prompt", {}), ("message", {"role": "tool"})])
    ]
    session = {"host": "generic", "session_id": "g2", "cwd": str(stage.project), "started_at": "2026-11-30T08:00:00Z"}
    document = {"format": "memoryd-session", "v": 1, "session": session, "events": events}
    assert stage.run("sessions", "import", "-", stdin=json.dumps(document)) == 0


def by_spool(stage: Stage, flock: Flock) -> None:
    """While the daemon is down the hook writes what it received as it is; then it is taken in."""
    stage.one.stop()
    stage.hook("UserPromptSubmit", prompt_id="p2", prompt=flock.text)
    stage.spooled = b"".join(bytes_below(stage.one.places.spool).values())
    stage.one.start()
    until(lambda: not any(name.is_file() for name in stage.one.places.spool.glob("[0-9]*")))


def by_mcp_save(stage: Stage, flock: Flock) -> None:
    """Through the SDK's own client of a real child."""

    async def save() -> None:
        child = StdioServerParameters(
            command=sys.executable, args=["-m", "memoryd", "mcp"], env=stage.one.env, cwd=stage.project
        )
        async with Client(child, read_timeout_seconds=30) as client:
            for arguments in (
                {"name": "Deploy", "type": "project", "content": flock.text},
                {"name": flock.short, "type": "project", "content": "how we deploy", "description": flock.short},
            ):
                stage.shown.append(repr(await client.call_tool("memory_save", arguments)).encode())
            stage.shown.append(repr(await client.call_tool("note_write", {"text": flock.text})).encode())

    asyncio.run(save())


def by_note_and_goal(stage: Stage, flock: Flock) -> None:
    stage.run("note", "add", " ".join(flock.text.split()))
    stage.run("goals", "add", " ".join(flock.text.split()))
    stage.run("note", "add", flock.text, "--kind", "working")
    stage.run("note", "add", flock.short, "--kind", "plan", "--step", " ".join(flock.text.split())[:200])


def by_archive(stage: Stage, flock: Flock) -> None:
    """An export of this installation, a prompt and a memory of which somebody changed."""
    made, planted = stage.project.parent / "made.tar", stage.project.parent / "planted.tar"
    assert stage.run("export", str(made)) == 0
    said = json.dumps(flock.text)[1:-1].encode()
    with tarfile.open(made) as tar:
        members = {one.name: _content(tar, one).replace(b"I prefer tabs", said) for one in tar.getmembers()}
    members = {name: c.replace(said, flock.text.encode()) if name.endswith(".md") else c for name, c in members.items()}
    members.pop("SHA256SUMS")
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in members.items())
    with tarfile.open(planted, "w") as tar:
        for name, content in {**members, "SHA256SUMS": sums.encode()}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    assert flock.found_in(planted.read_bytes())
    with installed(stage.one.home.parent / "other") as other:
        other.start()
        one, stage.one = stage.one, other
        assert stage.run("import-archive", str(planted)) == 0
        stage.run("recall")
        stage.run("list", "--json")
        other.stop()
        stage.one = one
        kept = bytes_below(other.home).values()
        assert any(b"for archive, the database is" in content for content in kept)
        stage.shown += kept


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return file.read() if file else b""


Plant = Callable[[Stage, Flock], None]
CHANNELS: dict[str, Plant] = {
    "prompt": by_prompt,
    "answer": by_answer,
    "tool result": by_tool_result,
    "file name": by_file_name,
    "unknown field": by_unknown_field,
    "pre-compaction text": by_pre_compaction_text,
    "transcript": by_transcript,
    "payload nobody understands": by_payload_nobody_understands,
    "event that is refused": by_event_that_is_refused,
    "command line save": by_command_line_save,
    "session document": by_session_document,
    "spool": by_spool,
    "MCP save": by_mcp_save,
    "note and goal": by_note_and_goal,
    "archive": by_archive,
}
FLOCKS = {channel: Flock(channel) for channel in CHANNELS}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Every channel used, everything consolidated, a new session told, every command run, the daemon stopped."""
    folder = tmp_path_factory.mktemp("canaries")
    (folder / "project").mkdir()
    with installed(folder / "home", LOGS__FILE=f'"{folder}/home/memoryd.log"') as one:
        made = Stage(one, folder / "project", folder / "transcript.jsonl")
        one.start()
        hookscript.write(made.script, hookscript.generate(one.places, Path(sys.executable)))
        for channel, plant in CHANNELS.items():
            plant(made, FLOCKS[channel])
        made.hook("UserPromptSubmit", prompt_id="p3", prompt="I prefer tabs to spaces for every deploy")
        made.hook("SessionEnd", reason="other")
        made.publish("session_end", reason="other")
        assert made.run("consolidate", "--wait") in (0, 1)
        one.idle()
        made.hook("SessionStart", session_id="s2", source="startup")
        made.hook("UserPromptSubmit", session_id="s2", prompt_id="q1", prompt="how do we deploy to the database?")
        made.run_all(COMMANDS)
        for command in ("export", "backup", "export --git"):
            assert made.run(*command.split(), str(folder / f"{command[-6:]}.out")) == 0
        made.shown += (content for name, content in bytes_below(folder).items() if ".out" in name)
        made.shown += bytes_below(one.home).values()  # with the WAL of a running daemon
        one.stop()
        yield made


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_canary_is_found_nowhere(stage: Stage, channel: str) -> None:
    kept = bytes_below(stage.one.home)
    assert any(name.endswith("state.db") for name in kept)
    assert {name: found for name, content in kept.items() if (found := FLOCKS[channel].found_in(content))} == {}
    assert [found for shown in stage.shown if (found := FLOCKS[channel].found_in(shown))] == []


def test_the_canaries_did_come_in_and_what_is_left_of_them_says_their_kind(stage: Stage) -> None:
    journal = b"".join(content for name, content in bytes_below(stage.one.home).items() if "state.db" in name)
    for label in (b"[secret:github:", b"[secret:url-password:", b"[secret:private-key:", b"[secret:assigned:"):
        assert label in journal
    for channel in (
        "prompt",
        "answer",
        "tool result",
        "pre-compaction text",
        "transcript",
        "session document",
        "spool",
    ):
        assert b"for " + channel.encode() + b", the database is" in journal


def test_the_search_finds_a_canary_where_there_is_one(stage: Stage) -> None:
    assert FLOCKS["spool"].found_in(stage.spooled), "the documented exception: the spool holds what the hook received"
    assert FLOCKS["transcript"].found_in(stage.transcript.read_bytes()), "the host's own file is not ours"


def test_the_commands_and_the_agent_were_shown_something(stage: Stage) -> None:
    shown = b"".join(stage.shown)
    assert b"tabs" in shown
    assert b"<project-memory-context>" in shown
