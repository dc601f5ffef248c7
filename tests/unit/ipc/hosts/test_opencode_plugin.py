"""The plugin that `install` puts into opencode, run by node against a socket of ours."""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.conformance import Firing, Record, Recording, Said, translate
from support.installation import until
from support.recordings import shared_hosts

from memoryd.ipc.hosts import opencode_plugin
from memoryd.ipc.places import Places

DRIVE = Path(__file__).parents[3] / "support" / "opencode_drive.mjs"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not on PATH")


@dataclass
class Listener:
    """A daemon that writes down what is delivered, and answers with the name of the event; `mute`: not at all."""

    path: Path
    mute: bool = False
    takes_seconds: float = 0.0  #: before it answers
    received: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._held: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._held:
            connection.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with suppress(BrokenPipeError), connection.makefile("rwb") as stream:  # it may not have waited
                request = json.loads(stream.readline())
                self.received.append(request["params"])
                if self.mute:
                    self._held.append(connection)
                    continue
                time.sleep(self.takes_seconds)
                result = {"stdout": f"<memory>{request['params']['event']}</memory>", "exit_code": 0, "seq": 1}
                stream.write(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
            connection.close()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(data=tmp_path / "data", socket=tmp_path / "s", config=tmp_path / "c")


@pytest.fixture
def listener(places: Places) -> Iterator[Listener]:
    one = Listener(places.socket)
    yield one
    one.close()


def play(
    places: Places, steps: list[Any], env: dict[str, str] | None = None, *, patient: bool = True
) -> dict[str, Any]:
    """Let node play steps. `patient`: with deadlines that a busy machine keeps too."""
    folder, plugin = places.data.parent, opencode_plugin.generate(places)
    if patient:
        plugin = re.sub(r"const (ANSWER|ACK|EXIT)_MS = \d+", r"const \1_MS = 20_000", plugin)
    (folder / "memoryd.mjs").write_text(plugin, encoding="utf-8")
    (folder / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    done = subprocess.run(
        [str(NODE), str(DRIVE), str(folder / "memoryd.mjs"), str(folder / "steps.json")],
        capture_output=True, text=True, timeout=30, check=False, env={"PATH": os.environ["PATH"], **(env or {})},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- what opencode does ---------------------------------------------------------------------------------------------


def happens(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}]


def created(session: str, parent: str | None = None) -> list[Any]:
    return happens("session.created", info={"id": session, "directory": "/w", "parentID": parent})


def prompt(session: str, message: str, text: str, *, agent: str = "build") -> list[Any]:
    parts = [
        {"id": f"prt_{message}", "sessionID": session, "messageID": message, "type": "text", "text": text},
        {"id": f"prt_{message}_f", "type": "text", "text": "a file that was attached", "synthetic": True},
    ]
    return [
        "chat.message",
        {"sessionID": session, "agent": agent},
        {"message": {"id": message, "sessionID": session, "role": "user"}, "parts": parts},
    ]


def reply(session: str, message: str, parent: str, **more: Any) -> list[Any]:
    info = {"id": message, "sessionID": session, "role": "assistant", "parentID": parent, **more}
    return happens("message.updated", sessionID=session, info=info)


def part(session: str, message: str, **fields: Any) -> list[Any]:
    base = {"id": f"prt_{message}_{fields.get('callID', 'text')}", "sessionID": session, "messageID": message}
    return happens("message.part.updated", sessionID=session, part={**base, **fields})


def says(session: str, message: str, text: str) -> list[Any]:
    return part(session, message, type="text", text=text, time={"start": 1, "end": 2})


def tool(session: str, message: str, call: str, name: str, **state: Any) -> list[Any]:
    whole = {"status": "completed", "input": {}, "output": "out", "time": {"start": 10, "end": 22}, **state}
    return part(session, message, type="tool", tool=name, callID=call, state=whole)


TALK = [
    created("s1"),
    prompt("s1", "m1", "Make the tests pass, please."),
    reply("s1", "m2", "m1"),
    part("s1", "m2", type="text", text="I run", time={"start": 1}),
    says("s1", "m2", "I run them first."),
    tool("s1", "m2", "c1", "bash", status="running", input={"command": "make test"}),
    tool("s1", "m2", "c1", "bash", status="error", error="1 failed", input={"command": "make test"}, output=None),
    created("s2", parent="s1"),
    prompt("s2", "m3", "inner prompt", agent="explore"),
    reply("s2", "m4", "m3"),
    tool("s2", "m4", "c2", "grep", input={"pattern": "def"}),
    says("s2", "m4", "One test fails."),
    happens("session.idle", sessionID="s2"),
    reply("s1", "m5", "m1"),
    tool("s1", "m5", "c3", "edit", input={"filePath": "/w/a.py"}),
    reply("s1", "m6", "m1"),
    says("s1", "m6", "The tests pass now."),
    happens("session.idle", sessionID="s1"),
    ["experimental.session.compacting", {"sessionID": "s1"}, {"context": []}],
    reply("s1", "m7", "m1", summary=True),
    says("s1", "m7", "a summary for the host"),
    happens("session.compacted", sessionID="s1"),
    happens("session.idle", sessionID="s1"),
    tool("s1", "m2", "c1", "bash", time={"start": 10, "end": 22, "compacted": 30}),
    prompt("s1", "m8", "And now the linter"),
    reply("s1", "m9", "m8"),
    tool("s1", "m9", "c4", "bash", status="running", input={"command": "sleep 20"}, output=None),
    happens("session.error", sessionID="s1", error={"name": "MessageAbortedError"}),
    happens("session.idle", sessionID="s1"),
    created("s3"),  # a fork: its copies are told again
    tool("s3", "m2", "c1", "bash"),
    says("s3", "m6", "The tests pass now."),
    happens("session.updated", info={"id": "s3"}),
]


def told(listener: Listener) -> list[tuple[str, dict[str, Any]]]:
    return [(params["event"], json.loads(params["raw"])) for params in listener.received]


def test_a_talk_is_told_in_order_and_its_events_are_those_of_a_person_who_listened(
    places: Places, listener: Listener
) -> None:
    played = play(places, TALK)
    assert played["exports"] == ["Memoryd"], "opencode would call any other export as a plugin"
    assert [event for event, _ in told(listener)] == [
        *("start", "prompt", "text", "tool", "agent_start", "tool", "agent_stop", "tool", "turn"),
        *("pre_compact", "post_compact", "start", "prompt", "tool", "turn", "end"),
    ]
    firings = tuple(Firing(event=event, stdin=payload) for event, payload in told(listener))
    recording = Recording(host="opencode", firings=firings, said={"s1": Said()})
    record = Record()
    for n in range(len(firings)):
        record.take(translate(recording, n).events)
    heard = record.read("s1")
    assert [u.text for u in heard.user_texts()] == ["Make the tests pass, please.", "And now the linter"]
    assert [u.text for u in heard.utterances if u.role == "assistant"] == [
        "I run them first.", "One test fails.", "The tests pass now.",
    ]  # fmt: skip
    assert [(t.name, t.ok, [f.path for f in t.files]) for t in heard.tools] == [
        *(("bash", False, []), ("edit", True, ["/w/a.py"]), ("bash", None, [])),
    ]
    assert (record.counters["s1"].turn_count, record.counters["s1"].interrupted_turns) == (2, 1)
    stops = [e.data for e in record.events.values() if e.kind == "subagent_stop"]
    assert [(s.child_session_id, s.agent_type, s.last_message) for s in stops] == [("s2", "explore", "One test fails.")]


def test_what_is_answered_after_a_compaction_in_a_turn_and_to_a_queued_prompt_is_told(
    places: Places, listener: Listener
) -> None:
    said = {"id": "m4", "sessionID": "s1", "role": "user"}
    play(
        places,
        [
            *(created("s1"), prompt("s1", "m1", "one"), reply("s1", "m2", "m1"), says("s1", "m2", "I begin.")),
            *(happens("session.compacted", sessionID="s1"), happens("message.updated", sessionID="s1", info=said)),
            *(reply("s1", "m5", "m4"), says("s1", "m5", "I go on."), prompt("s1", "m6", "two")),
            *(reply("s1", "m7", "m6"), says("s1", "m7", "Both done."), happens("session.idle", sessionID="s1")),
        ],
    )
    heard = [(event, payload.get("text") or payload.get("answer")) for event, payload in told(listener)]
    assert [one for one in heard if one[1]] == [("text", "I begin."), ("text", "I go on."), ("turn", "Both done.")]
    assert [event for event, _ in heard if event in ("start", "prompt")] == ["start", "prompt", "start", "prompt"]


def test_a_session_that_begins_with_messages_older_than_itself_is_a_fork(places: Places, listener: Listener) -> None:
    def begins(session: str, message_at: int) -> list[list[Any]]:
        message = {"id": "m1", "sessionID": session, "role": "user", "time": {"created": message_at}}
        return [
            happens("session.created", info={"id": session, "directory": "/w", "time": {"created": 5}}),
            happens("message.updated", sessionID=session, info=message),
            prompt(session, f"{session}m", "go on"),
        ]

    play(places, [*begins("s1", 4), *begins("s2", 6)])  # s2: of the person, who ran a command in it first
    assert [payload["source"] for event, payload in told(listener) if event == "start"] == ["fork", "startup"]


def test_the_answer_stands_behind_the_prompt_and_only_where_it_is_new(places: Places, listener: Listener) -> None:
    steps = [
        created("s1"),
        prompt("s1", "m1", "one"),
        happens("session.idle", sessionID="s1"),
        prompt("s1", "m2", "two"),
    ]
    first, second = (output["parts"] for output in play(places, steps)["outputs"] if output)
    assert [p["text"] for p in first[2:]] == ["<memory>start</memory>\n\n<memory>prompt</memory>"]
    assert [p["text"] for p in second[2:]] == ["<memory>prompt</memory>"]
    added = first[2]
    assert (added["type"], added["synthetic"], added["sessionID"], added["messageID"]) == ("text", True, "s1", "m1")
    assert added["id"] > first[1]["id"], "parts are sorted by their ids"


def test_without_a_daemon_all_is_spooled_in_order_and_a_tool_leaves_its_outcome_alone(places: Places) -> None:
    played = play(places, TALK[:7])
    assert [len(output["parts"]) for output in played["outputs"] if output] == [2]
    lines = [path.read_text() for path in sorted(places.spool.iterdir())]
    params = [json.loads(line)["params"] for line in lines]
    assert [one["event"] for one in params] == ["start", "prompt", "text", "tool", "end"]
    assert json.loads(params[1]["raw"])["prompt"] == "Make the tests pass, please."
    assert "make test" not in params[3]["raw"]
    assert json.loads(params[3]["raw"])["ok"] is False
    assert {path.stat().st_mode & 0o777 for path in places.spool.iterdir()} == {0o600}
    assert all(line.endswith("}\n") for line in lines)


def test_without_a_daemon_it_starts_one_where_that_is_wanted_once_and_never_after_a_stop(places: Places) -> None:
    starter, tries = places.data / "bin" / "memoryd-start", places.data / "tries"
    starter.parent.mkdir(parents=True)
    starter.write_text(f"#!/bin/sh\necho in $(pwd) with $(env | grep -c HOME) >>{tries}\n")
    starter.chmod(0o700)
    play(places, TALK[:7])
    until(tries.exists)
    until(lambda: tries.read_text() == "in / with 0\n")
    (places.spool / ".starting").unlink()
    (places.spool / ".stopped").touch()
    play(places, TALK[:7])
    assert not (places.spool / ".starting").exists()


def test_a_daemon_that_does_not_answer_holds_nothing_up_for_long(places: Places, listener: Listener) -> None:
    listener.mute = True
    play(places, TALK, patient=False)
    assert [one["event"] for one in listener.received] == ["start"], "after one deadline all goes to the spool"
    assert (places.spool / ".slow").exists()
    assert len([path for path in places.spool.iterdir() if path.name != ".slow"]) == 16


def test_what_still_waits_for_a_busy_daemon_when_opencode_ends_is_spooled(places: Places, listener: Listener) -> None:
    listener.takes_seconds = 0.2  # in time, each; not all of them before the end
    play(places, [*TALK[:3], *(tool("s1", "m2", f"c{n}", "bash") for n in range(10))], patient=False)
    spooled = [json.loads(path.read_text())["params"] for path in places.spool.iterdir() if path.stat().st_size]
    kept = {one["id"]: one["event"] for one in (*listener.received, *spooled)}
    assert len(listener.received) < len(kept)
    assert Counter(kept.values()) == Counter(start=1, prompt=1, tool=10, end=1)


def test_an_agent_of_the_daemons_own_is_not_listened_to(places: Places, listener: Listener) -> None:
    assert play(places, TALK, env={"MEMORYD_CHILD": "a-run"})["hooks"] == []
    assert (listener.received, places.spool.exists()) == ([], False)


def test_nothing_that_opencode_hands_over_makes_a_hook_fail(places: Places, listener: Listener) -> None:
    odd: list[Any] = [None, 5, [], {}, "", {"info": None}, {"part": {"type": "text"}}, {"sessionID": {}}]
    kinds = sorted({step[1]["event"]["type"] for step in TALK if step[0] == "event"})
    steps = [["event", {"event": {"type": kind, "properties": one}}] for kind in kinds for one in odd]
    steps += [[hook, one, one] for hook in ("event", "chat.message", "experimental.session.compacting") for one in odd]
    assert len(play(places, [*steps, *TALK])["outputs"]) == len(steps) + len(TALK)
    assert "turn" in [event for event, _ in told(listener)]


def test_what_opencode_really_sent_is_one_turn_with_its_tool(places: Places, listener: Listener) -> None:
    rows = (shared_hosts() / "sessions" / "opencode-1.18.33" / "plugin-events.jsonl").read_text().splitlines()
    steps = []
    for kind, given in ((row["k"], row["o"]) for row in map(json.loads, rows)):
        if kind.startswith("event:"):
            steps.append(happens(kind.removeprefix("event:"), **given))
        elif kind == "chat.message":
            steps.append([kind, given["i"], given["o"]])
    play(places, steps)
    assert [event for event, _ in told(listener)] == ["start", "prompt", "tool", "turn", "end"]
    assert told(listener)[3][1]["answer"] == "FINAL ANSWER"
