"""When memory is held against the talk: each N turns since it was last written, also across a restart."""

import asyncio
from pathlib import Path

import pytest
from support.daemons import places, until
from support.turns import Talk, hook

from memoryd.daemon import nudging
from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon

RULE = "Never push to the release branch."
LINE = f"Memory check: the user said “{RULE}”, and no memory holds it. Save it if it is to last."


@pytest.fixture
async def nudged(talk: Talk) -> Talk:
    """A session that was told its snapshot, and is looked at each 3 turns."""
    talk.daemon.config = Config.model_validate({"nudge": {"every_turns": 3}})
    await hook(talk, "SessionStart", "s1", source="startup")
    return talk


async def reminded(talk: Talk, turns: int) -> list[bool]:
    """Have some turns, each looked back on; returns which of their prompts were told a line."""
    told = []
    for _ in range(turns):
        told.append(await hook(talk, "UserPromptSubmit", "s1", prompt=RULE))
        await talk.say("turn", status="ok")
        await talk.daemon.nudger.once()
    assert all(text.count("Memory check") <= 1 for text in told)
    return [LINE in text for text in told]


async def test_after_each_third_turn_the_next_prompt_is_told_one_line(nudged: Talk) -> None:
    assert await reminded(nudged, 8) == [False, False, False, True, False, False, True, False]


async def test_it_is_off_unless_it_is_configured(talk: Talk) -> None:
    await hook(talk, "SessionStart", "s1", source="startup")
    assert not any(await reminded(talk, 12))


async def test_memory_that_was_written_starts_the_count_again(nudged: Talk) -> None:
    assert not any(await reminded(nudged, 2))
    await nudged.say("memory_written", names=["release"])
    assert await reminded(nudged, 4) == [False, False, False, True]


async def test_after_a_restart_the_count_goes_on_with_the_turns_mod_n(nudged: Talk, home: Path) -> None:
    assert await reminded(nudged, 4) == [False, False, False, True]
    await nudged.daemon.close()
    nudged.daemon = await Daemon.open(places(home), nudged.daemon.config, clock=nudged.clock)
    assert await reminded(nudged, 3) == [False, False, True], "one of three was had before"


async def test_a_session_that_ended_or_in_which_nobody_speaks_is_told_nothing(nudged: Talk) -> None:
    await nudged.turn(RULE)
    await nudged.turn(RULE)
    await nudged.turn(RULE)
    await nudged.say("session_end", reason="exit")
    await nudged.daemon.nudger.once()
    assert nudged.daemon.nudger.take("claude-code", "s1") == ""


async def test_a_running_daemon_looks_by_itself(nudged: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nudging, "SETTLE_SECONDS", 0.0)
    serving = asyncio.create_task(nudged.daemon.nudger.serve())
    for _ in range(3):
        await nudged.turn(RULE)

    async def line() -> str:
        return nudged.daemon.nudger.take("claude-code", "s1")

    assert await until(line) == LINE
    serving.cancel()
