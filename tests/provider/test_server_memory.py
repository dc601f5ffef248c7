"""The reference memory server of the Model Context Protocol, as released, is the one external memory provider."""

import asyncio
import json
import os
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent
from support.daemons import until
from support.installation import Installation, installed
from support.talk import LATER, deliver

from memoryd.ipc.client import AsyncClient

PAGE = Path(__file__).parents[2] / "docs" / "provider.md"
PROGRAM = Path(os.environ.get("MEMORYD_PROGRAMS", ".programs")) / "node_modules" / ".bin" / "mcp-server-memory"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(
    not (PROGRAM.exists() and NODE), reason=f"npm has not installed {PROGRAM}, or there is no node"
)


def settings(graph: Path) -> dict[str, str]:
    """What docs/provider.md tells people to write, with the program that is installed here."""
    rows = PAGE.read_text("utf-8").partition("in `config.toml`:\n")[2].partition("\n`memoryd doctor`")[0]
    told = tomllib.loads("\n".join(row.removeprefix("    ") for row in rows.splitlines()))["provider"]
    told |= {"command": [str(PROGRAM.absolute())], "env": {"MEMORY_FILE_PATH": str(graph)}}
    return {f"PROVIDER__{name}".upper(): inline(value) for name, value in told.items()}


def inline(value: object) -> str:
    """A value as it may stand in a variable: TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {inline(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


async def turn(one: AsyncClient, cwd: Path, prompt: str, answer: str) -> str:
    told = await deliver(one, "UserPromptSubmit", cwd=str(cwd), at=LATER, prompt=prompt, prompt_id="p1")
    await deliver(one, "Stop", cwd=str(cwd), at=LATER, prompt_id="p1", last_assistant_message=answer)
    return str(told.stdout)


async def test_a_turn_is_in_its_file_a_later_prompt_is_told_of_it_quoted_and_agents_use_its_tools(
    tmp_path: Path,
) -> None:
    graph, cwd = tmp_path / "graph.jsonl", tmp_path / "lantern"
    cwd.mkdir()
    with installed(tmp_path / "i") as daemon:
        daemon.settings |= settings(graph)
        await asyncio.to_thread(daemon.start)
        async with AsyncClient(daemon.places.socket) as one:
            await told(daemon, one, graph, cwd)
        await used(daemon, cwd)
        assert await asyncio.to_thread(daemon.stop) == 0


async def told(daemon: Installation, one: AsyncClient, graph: Path, cwd: Path) -> None:
    await deliver(one, "SessionStart", cwd=str(cwd), at=LATER, source="startup")
    await turn(one, cwd, "The otters moved to the north pond.", "Noted: north pond.")

    async def synced() -> bool:
        return await asyncio.to_thread(lambda: graph.exists() and "north pond" in graph.read_text("utf-8"))

    await until(synced, seconds=60)
    (row,) = map(json.loads, (await asyncio.to_thread(graph.read_text, "utf-8")).splitlines())
    assert row["observations"] == ["The otters moved to the north pond.", "Noted: north pond."]
    assert row["name"].startswith("claude-code/s1#")

    async def recalled() -> str:
        shown = await turn(one, cwd, "Where are the otters now?", "In the pond.")
        return shown if "north pond" in shown else ""

    shown = await until(recalled, seconds=60)
    text = json.loads(shown)["hookSpecificOutput"]["additionalContext"]
    assert text.startswith("<memory-context>")
    assert text.endswith("</memory-context>")
    assert "> (external memory, unverified) “" in text
    info = await one.call("provider.get", {"check": True})
    assert (info.state, info.missing, info.failures) == ("ready", (), 0)


async def used(daemon: Installation, cwd: Path) -> None:
    child = StdioServerParameters(command=sys.executable, args=["-m", "memoryd", "mcp"], env=daemon.env, cwd=cwd)
    async with Client(child, mode="auto", read_timeout_seconds=60) as agent:
        listed = {tool.name for tool in (await agent.list_tools()).tools}
        assert {name for name in listed if name.startswith("provider_")} == {
            "provider_search_nodes", "provider_open_nodes",
        }  # fmt: skip
        answer = await agent.call_tool("provider_search_nodes", {"query": "north pond"})
        assert not answer.is_error
        assert "otters" in "".join(part.text for part in answer.content if isinstance(part, TextContent))
