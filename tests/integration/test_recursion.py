"""What an agent's own session fires is never recorded: two guards, each alone, with the real hook script."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from support.daemons import client, places, running
from support.talk import turn

from memoryd.daemon.agents import PLACES
from memoryd.daemon.daemon import Daemon
from memoryd.ipc import hookscript
from memoryd.worker.agents.child.tree import MARK


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "memoryd-hook"
    hookscript.write(path, hookscript.generate(places(tmp_path), Path(sys.executable)))
    return path


async def fire(script: Path, event: str, *, cwd: Path, marked: bool, told_cwd: Path | None = None) -> None:
    """Run the hook as a host does that works in `cwd`."""
    env = {"HOME": os.environ["HOME"]} | ({MARK: "a-run"} if marked else {})
    said = {"session_id": "inner", "hook_event_name": event, "cwd": str(told_cwd or cwd), "prompt": "I like tea."}
    child = await asyncio.create_subprocess_exec(
        script, "claude-code", event, stdin=-1, stdout=-1, stderr=-1, cwd=cwd, env=env
    )
    assert await child.communicate(json.dumps(said).encode()) == (b"", b"")
    assert child.returncode == 0


async def recorded(daemon: Daemon) -> int:
    return await asyncio.to_thread(daemon.history.newest_seq)


def place_of_a_run(tmp_path: Path) -> Path:
    place = places(tmp_path).data / PLACES / "a-run"
    place.mkdir(parents=True)
    return place


async def test_the_mark_alone_ends_the_hook_before_it_asks_or_spools(tmp_path: Path, script: Path) -> None:
    """Wherever it works: as if the daemon knew no folders of runs."""
    async with running(tmp_path) as daemon:
        await fire(script, "UserPromptSubmit", cwd=tmp_path, marked=True)
        assert (await recorded(daemon), daemon.ingest.counted.excluded) == (0, 0)
        await fire(script, "Stop", cwd=tmp_path, marked=False)
        assert await recorded(daemon) == 1
    await fire(script, "UserPromptSubmit", cwd=tmp_path, marked=True)
    assert await asyncio.to_thread(daemon.spool.count) == 0


async def test_the_folder_alone_keeps_its_session_out_wherever_it_goes_later(tmp_path: Path, script: Path) -> None:
    """As if a host started its hooks with an empty environment."""
    async with running(tmp_path) as daemon, client(daemon) as one:
        place = place_of_a_run(tmp_path)
        await fire(script, "SessionStart", cwd=place, marked=False)
        await fire(script, "UserPromptSubmit", cwd=place / "..", told_cwd=tmp_path, marked=False)
        await fire(script, "Stop", cwd=place, marked=False)
        assert (await recorded(daemon), daemon.ingest.counted.excluded) == (0, 3)
        await turn(one, "I like tea.", cwd=str(tmp_path))  # a person's, meanwhile
        assert await recorded(daemon) == 2


async def test_what_was_spooled_from_the_folder_is_not_recorded_either(tmp_path: Path, script: Path) -> None:
    await fire(script, "UserPromptSubmit", cwd=place_of_a_run(tmp_path), marked=False)
    await fire(script, "UserPromptSubmit", cwd=tmp_path, told_cwd=tmp_path / "elsewhere", marked=False)
    async with running(tmp_path) as daemon:
        await daemon.drainer.drain()
        assert await asyncio.to_thread(daemon.spool.count) == 0
        assert await recorded(daemon) == 0


async def test_a_data_directory_behind_a_link_is_known_by_both_its_names(tmp_path: Path, script: Path) -> None:
    real = tmp_path / "disk"
    real.mkdir()
    places(tmp_path).data.symlink_to(real)
    async with running(tmp_path) as daemon:
        place = place_of_a_run(tmp_path)
        await fire(script, "UserPromptSubmit", cwd=place, told_cwd=place.resolve(), marked=False)
        assert (await recorded(daemon), daemon.ingest.counted.excluded) == (0, 1)
