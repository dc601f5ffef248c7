"""What a session is given, by a daemon: slices, settings, and the places where it works."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import client, running
from support.talk import deliver

from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.config import Config
from memoryd.errors import LimitExceeded
from memoryd.ipc.client import AsyncClient


async def snapshot(one: AsyncClient, **params: Any) -> str:
    return str((await one.call("recall.snapshot", params, timeout=5)).text)


async def save(one: AsyncClient, project: str, name: str, content: str, kind: str = "project") -> None:
    await one.call(
        "memory.save", {"cwd": project, "name": name, "content": content, "type": kind}, timeout=5
    )  # fmt: skip


async def test_scopes_slice_what_is_recalled(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "PostgreSQL 16")
        await save(one, project, "Taste", "short functions", "user")
        for scopes, held in ((["user"], (False, True)), (["project"], (True, False)), ([], (True, True))):
            text = await snapshot(one, cwd=project, scopes=scopes)
            assert ("PostgreSQL" in text, "short functions" in text) == held
        assert "PostgreSQL" not in await snapshot(one, cwd=project, scopes=["team"])


async def test_what_the_configuration_says_of_blocks_holds_for_the_next_snapshot(home: Path, project: str) -> None:
    said = {"recall": {"blocks": {"entries": False, "advert": {"order": 99}}}}
    config = await asyncio.to_thread(Config.model_validate, said)
    async with running(home, config=config) as daemon, client(daemon) as one:
        await save(one, project, "Database", "PostgreSQL 16")
        text = await snapshot(one, cwd=project)
        assert "PostgreSQL" not in text
        daemon.config = Config()
        assert "PostgreSQL" in await snapshot(one, cwd=project)


@pytest.mark.parametrize(
    ("mode", "injected", "advertised", "prefetched"),
    [("hybrid", True, True, True), ("context", True, False, True), ("tools", False, True, False)],
)
async def test_the_mode_says_what_a_session_is_told_unasked(
    home: Path, project: str, mode: str, injected: bool, advertised: bool, prefetched: bool
) -> None:
    config = await asyncio.to_thread(Config.model_validate, {"recall": {"mode": mode}})
    async with running(home, config=config) as daemon, client(daemon) as one:
        await save(one, project, "Database", "PostgreSQL 16 holds the ledger")
        started = (await deliver(one, "SessionStart", cwd=project, source="startup")).stdout
        assert ("PostgreSQL" in started, "memoryd search" in started) == (injected, advertised)
        assert "## Persistent memory" in started
        await save(one, project, "Ledger", "The ledger is closed on Friday")
        asked = (await deliver(one, "UserPromptSubmit", cwd=project, prompt="when is the ledger closed?")).stdout
        assert ("on Friday" in asked) == prefetched
        assert "PostgreSQL" in await snapshot(one, cwd=project)  # who asks is answered in any mode


async def test_the_totals_of_types_are_settings(home: Path, project: str) -> None:
    config = await asyncio.to_thread(Config.model_validate, {"memory": {"type_totals": {"project": 300}}})
    async with running(home, config=config) as daemon, client(daemon) as one:
        with pytest.raises(LimitExceeded):
            await save(one, project, "Long", "word " * 100)
        await save(one, project, "Short", "word " * 10)
        listed = await one.call("memory.list", {"cwd": project}, timeout=5)
        assert (listed.totals["project"].limit, listed.totals["user"].limit) == (300, 4000)


async def test_files_of_the_session_and_its_folder_bring_up_the_entries_that_name_them(
    home: Path, project: str
) -> None:
    folder = Path(project) / "services" / "pay"
    folder.mkdir(parents=True)
    (Path(project) / ".git").mkdir()
    async with running(home) as daemon, client(daemon) as one:
        for n in range(9):
            await save(one, project, f"A {n}", f"word {n} of nine, all of them newer")
        await save(one, project, "Z totals", "Totals are rounded once, in `app/totals.py`.")
        await save(one, project, "Z pay", "Everything in services/pay needs a review by two.")

        def first(text: str) -> str:
            return text.partition("## This project and its references\n")[2].partition("\n")[0]

        assert first(await snapshot(one, cwd=project)).startswith("[project] A")
        assert first(await snapshot(one, cwd=str(folder))).startswith("[project] Z pay")
        event = {
            "id": uuid.uuid4().hex, "kind": "tool_use", "host": "generic", "session_id": "s", "cwd": project,
            "at": rfc3339(utc_now()), "data": {
                "name": "Edit", "summary": "edit", "ok": True, "duration_ms": 1,
                "files": [{"path": f"{project}/app/totals.py", "action": "write"}],
            },
        }  # fmt: skip
        await one.call("event.publish", {"event": event}, timeout=5)
        text = await snapshot(one, cwd=project, host="generic", session_id="s")
        assert first(text).startswith("[project] Z totals")
