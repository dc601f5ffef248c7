"""The command agent as it runs: the whole daemon, the caged child, a program that prints what a released one prints."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import script
from support.daemons import client, idle, running, until
from support.talk import turn

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon

SAID = "I always want commit messages in the imperative mood."
FACT: dict[str, Any] = {"kind": "preference", "text": "Wants commit messages in the imperative mood", "cites": ["u1"]}
LIMIT = "You've hit your limit · resets 3pm (UTC)"


def printed(text: str, **more: object) -> str:
    usage = {"input_tokens": 900, "output_tokens": 40}
    told = {"type": "result", "is_error": False, "result": text, "usage": usage, "total_cost_usd": 0.01}
    return json.dumps(told | more)


def config(program: Path) -> Config:
    agent = {"kind": "command", "command": [str(program), "-p"]}
    return Config.model_validate({"agent": agent, "consolidation": {"interval_turns": 1}})


async def jobs(daemon: Daemon, state: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await asyncio.to_thread(daemon.history.jobs)
    return [job for job in found if job["state"] == state]


async def remembered(daemon: Daemon) -> str:
    paths = await asyncio.to_thread(lambda: sorted(daemon.places.data.rglob("memory/**/*.md")))
    return "\n".join([await asyncio.to_thread(path.read_text) for path in paths if path.name != "SKILL.md"])


async def test_a_conversation_becomes_memory_and_the_stats_are_what_the_program_tells(tmp_path: Path) -> None:
    program = script(tmp_path / "bin", "claude", out=printed(json.dumps({"items": [FACT]})), keeps=False)
    async with running(tmp_path, config=config(program.path)) as daemon, client(daemon) as one:
        await turn(one, SAID, cwd=str(tmp_path))
        await idle(daemon)
        assert FACT["text"] in await remembered(daemon)
        counted = await one.call("worker.stats", timeout=5)
    assert (counted.total_completed, counted.tokens_in, counted.tokens_out, counted.cost_usd) == (1, 900, 40, 0.01)


@pytest.mark.parametrize(
    ("text", "more", "code"),
    [
        (LIMIT, {}, "rate-limited"),
        (LIMIT, {"is_error": True}, "rate-limited"),
        ("Credit balance is too low", {}, "quota"),
        ("Not logged in · Please run /login", {"is_error": True}, "login"),
    ],
)
async def test_a_notice_is_no_memory_and_what_was_said_is_consolidated_later_once(
    tmp_path: Path, text: str, more: dict[str, Any], code: str
) -> None:
    """Whatever its exit status; here it is 0."""
    program = script(tmp_path / "bin", "claude", out=printed(text, **more), keeps=False)
    async with running(tmp_path, config=config(program.path)) as daemon, client(daemon) as one:
        await turn(one, SAID, cwd=str(tmp_path))
        await until(lambda: jobs(daemon, "deferred"))
        assert code in str((await daemon.health()).reason)
        assert text not in await remembered(daemon)
        await asyncio.to_thread((tmp_path / "bin" / "out").write_text, printed(json.dumps({"items": [FACT]})))
        await one.call("consolidation.run", {"cwd": str(tmp_path), "wait": True}, timeout=30)
        assert (await remembered(daemon)).count(f"- {FACT['text']}") == 1
        assert (await daemon.health()).state == "ok"


async def test_a_program_in_the_cage_reads_no_file_of_a_person_and_writes_its_own_settings_alone(
    tmp_path: Path, home: Path
) -> None:
    (home / "secret").write_text("not for you")
    (home / ".claude").mkdir()
    tries = (
        f"cat {home}/secret >{home}/.claude/stolen 2>/dev/null; echo new >{home}/.claude/login; "
        f"echo x >{home}/planted 2>/dev/null"
    )
    out = printed(json.dumps({"items": []}))
    program = script(tmp_path / "bin", "claude", out=out, then=tries, keeps=False)
    async with running(tmp_path, config=config(program.path)) as daemon, client(daemon) as one:
        await turn(one, SAID, cwd=str(tmp_path))
        await idle(daemon)
    assert (home / ".claude" / "login").read_text() == "new\n"
    assert (home / ".claude" / "stolen").read_text() == ""
    assert not (home / "planted").exists()
