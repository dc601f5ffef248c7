"""The hook in OpenClaw on a real node, with a script that notes what it was told and prints what is in a file."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.hosts import fire

from memoryd.ipc import hosts
from memoryd.ipc.hosts import openclaw_hook
from memoryd.ipc.hosts.base import Recall

OPENCLAW = hosts.get("openclaw")
MAIN = "agent:main:main"
NODE = shutil.which("node")

_DRIVER = """
import handler from "./handler.mjs"
import { readFileSync } from "node:fs"
const left = []
for (const event of JSON.parse(readFileSync(0))) {
  await handler(event)
  left.push(event.context?.bootstrapFiles)
}
console.log(JSON.stringify(left))
"""
_SCRIPT = """#!/bin/sh
printf '%s\\t%s\\t' "$1" "$2" >> '{told}'
cat >> '{told}'
echo >> '{told}'
cat '{answer}'
"""


class Gateway:
    """What OpenClaw is to the hook: it imports the handler and awaits it for each event."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.answer, self._told = folder, folder / "answer", folder / "told"
        script = folder / "hook script"
        script.write_text(_SCRIPT.format(told=self._told, answer=self.answer))
        script.chmod(0o755)
        self.answer.write_text("MEMORY")
        (folder / "handler.mjs").write_text(openclaw_hook.generate(script)["handler.js"])
        (folder / "driver.mjs").write_text(_DRIVER)

    def run(self, *events: dict[str, Any]) -> list[Any]:
        """Fire events; returns the bootstrap files that each left."""
        if NODE is None:
            pytest.skip("no node on PATH")
        done = subprocess.run(
            [NODE, str(self.folder / "driver.mjs")], input=json.dumps(events), capture_output=True, text=True,
            timeout=30, check=True, env={**os.environ, "HOME": str(self.folder)},
        )  # fmt: skip
        assert done.stderr == ""
        found: list[Any] = json.loads(done.stdout)
        return found

    @property
    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """The event on the command line and the payload of each call."""
        lines = self._told.read_text().splitlines() if self._told.exists() else []
        assert all(line.startswith("openclaw\t") for line in lines)
        return [(line.split("\t")[1], json.loads(line.split("\t", 2)[2])) for line in lines]


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    return Gateway(tmp_path)


def event(name: str, key: str = MAIN, **context: Any) -> dict[str, Any]:
    kind, _, action = name.partition(":")
    return {"type": kind, "action": action, "sessionKey": key, "context": context, "messages": []}


def bootstrap(key: str = MAIN) -> dict[str, Any]:
    return event("agent:bootstrap", key, workspaceDir="/space", bootstrapFiles=[{"name": "AGENTS.md"}])


def test_a_conversation_is_told_in_order_and_its_memory_is_frozen(gateway: Gateway) -> None:
    left = gateway.run(
        event("message:received", content="hello"), bootstrap(), event("message:sent", content="hi", success=True),
        event("message:received", content="again"), bootstrap(), event("message:sent", content="yes", success=True),
        event("command:new"),
    )  # fmt: skip
    file = {"name": "MEMORYD.md", "path": "/space/MEMORYD.md", "content": "MEMORY", "missing": False}
    assert [left[1], left[4]] == [[{"name": "AGENTS.md"}, file]] * 2
    told = gateway.told
    assert [name for name, _ in told] == [
        *("message:received", "agent:bootstrap", "message:sent"),
        *("message:received", "message:sent", "command:new"),
    ]
    events = [fire(OPENCLAW, payload, event=name).events[0] for name, payload in told]
    assert [event.kind for event in events] == [
        *("user_prompt", "session_start", "turn", "user_prompt", "turn", "session_end"),
    ]
    first, _, answer, second, _, _ = events
    assert first.turn_id == answer.turn_id != second.turn_id
    assert {event.session_id for event in events} == {MAIN}
    assert second.cwd == "/space"


def test_after_a_compaction_the_memory_is_asked_for_anew(gateway: Gateway) -> None:
    gateway.run(bootstrap(), event("session:compact:before"), event("session:compact:after"), bootstrap())
    assert [(name, payload.get("source")) for name, payload in gateway.told] == [
        *(("agent:bootstrap", "startup"), ("session:compact:before", None)),
        *(("session:compact:after", None), ("agent:bootstrap", "compact")),
    ]


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:whatsapp:group:1", "agent:main:discord:channel:1", "agent:main:slack:room:1",
        "agent:main:subagent:1", "agent:main:cron:job", "agent:main:acp:1",
    ],
)  # fmt: skip
def test_where_not_one_person_talks_nothing_is_told(gateway: Gateway, key: str) -> None:
    left = gateway.run(event("message:received", key, content="I prefer tabs"), bootstrap(key))
    assert (gateway.told, left[1]) == ([], [{"name": "AGENTS.md"}])


def test_commands_failed_answers_and_unasked_ones_are_not_told(gateway: Gateway) -> None:
    gateway.run(
        event("message:sent", content="a reminder", success=True), event("message:received", content="/status"),
        event("message:received", content="/home/x is full"), event("message:sent", content="x", success=False),
        event("message:received", content=None), {"type": "agent", "action": "bootstrap", "sessionKey": MAIN},
    )  # fmt: skip
    assert [payload.get("text") for _, payload in gateway.told] == ["/home/x is full"]


def test_a_script_that_is_gone_breaks_nothing(gateway: Gateway) -> None:
    (gateway.folder / "hook script").unlink()
    assert gateway.run(event("message:received", content="hello"), bootstrap())[1] == [{"name": "AGENTS.md"}]


def test_the_page_of_the_hook_names_the_events_that_the_handler_knows() -> None:
    files = openclaw_hook.generate(Path("/x/memoryd-hook"))
    for name in ("gateway:startup", *OPENCLAW.hook_events):
        assert f'"{name}"' in files["HOOK.md"]
        assert f'"{name}": ' in files["handler.js"]


def test_memory_is_printed_as_it_is_and_at_the_bootstrap_alone() -> None:
    assert [OPENCLAW.reply("agent:bootstrap", "记住\nx"), OPENCLAW.reply("message:received", "x")] == ["记住\nx", ""]
    assert fire(OPENCLAW, {"session_id": "s", "hook_event_name": "agent:bootstrap"}).recall is Recall.SNAPSHOT
