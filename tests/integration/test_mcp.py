"""The MCP server as a host sees it: a real child on stdio, called by the SDK's own client, and a real daemon."""

import asyncio
import contextlib
import random
import string
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.context import ClientRequestContext
from mcp_types import CallToolResult, ListRootsResult, Root, TextContent, TextResourceContents
from support.installation import Installation, installed

SECRET = "gh" + "p_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=36))
FACT = {"name": "Deploy target", "type": "project", "content": "Lantern runs on Hetzner since November."}
TOOLS = {
    "memory_search", "memory_read", "memory_list", "memory_save", "memory_forget", "memory_why", "session_search",
    "note_write", "note_tick",
}  # fmt: skip
MODES = ("legacy", "auto")  #: the handshake of the protocols until 2025, and that of 2026


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One daemon for the tests of this module; each has a project of its own."""
    with installed(tmp_path_factory.mktemp("mcp") / "i") as one:
        one.start()
        yield one


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lantern").mkdir()
    return tmp_path / "lantern"


@contextlib.asynccontextmanager
async def served(
    daemon: Installation, cwd: Path, *, mode: str = "legacy", roots: list[str] | None = None
) -> AsyncIterator[Client]:
    """A child `memoryd mcp` and the SDK's client of it; it has roots when some are given."""

    async def named(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root.model_validate({"uri": uri}) for uri in roots or []])

    child = StdioServerParameters(command=sys.executable, args=["-m", "memoryd", "mcp"], env=daemon.env, cwd=cwd)
    callback = None if roots is None else named
    async with Client(child, mode=mode, list_roots_callback=callback, read_timeout_seconds=30) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured content of a tool's answer."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    return result.structured_content


async def fails(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence of a tool that fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return said(result)


def said(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def prompt_text(client: Client) -> str:
    part = (await client.get_prompt("memory")).messages[0].content
    assert isinstance(part, TextContent)
    return part.text


async def resource_text(client: Client) -> str:
    part = (await client.read_resource("memoryd://snapshot", cache_mode="bypass")).contents[0]
    assert isinstance(part, TextResourceContents)
    return part.text


async def publish(daemon: Installation, cwd: Path, *texts: str) -> None:
    """Turns of a conversation, consolidated."""

    def work() -> None:
        with daemon.client() as one:
            for n, text in enumerate(texts):
                for kind, data in (("user_prompt", {"text": text}), ("turn", {"status": "ok"})):
                    event = {
                        "id": f"{cwd}-{n}-{kind}", "kind": kind, "host": "generic", "session_id": str(cwd),
                        "cwd": str(cwd), "at": f"2026-11-30T08:{n:02}:00Z", "data": data,
                    }  # fmt: skip
                    one.call("event.publish", {"event": event}, timeout=20)
            one.call("consolidation.run", {"cwd": str(cwd), "wait": True}, timeout=60)

    await asyncio.to_thread(work)


async def test_every_tool_is_typed_annotated_and_says_what_it_is_for(daemon: Installation, project: Path) -> None:
    async with served(daemon, project) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for name, tool in tools.items():
            assert tool.description
            assert tool.output_schema
            assert tool.annotations
            assert "roots" not in tool.input_schema["properties"]
            hints = tool.annotations
            writes = name in ("memory_save", "memory_forget", "note_write", "note_tick")
            assert hints.read_only_hint is not writes
            assert bool(hints.destructive_hint) is (name == "memory_forget")
            assert hints.idempotent_hint is (name != "note_write")
        saves = tools["memory_save"]
        for words in ("Do not save", "preferences", "code", "moment", "guesses", "passwords", "instructions"):
            assert words in (saves.description or "")
        assert saves.input_schema["properties"]["type"]["enum"] == ["project", "reference"]
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["memoryd://snapshot"]
        assert [one.name for one in (await client.list_prompts()).prompts] == ["memory"]


@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_client_calls_every_tool(mode: str, daemon: Installation, project: Path) -> None:
    await publish(
        daemon, project, "I prefer short commit messages", "We decided to use PostgreSQL because we need JSONB", "ok"
    )
    async with served(daemon, project, mode=mode) as client:
        saved = await call(client, "memory_save", **FACT, description="where lantern runs")
        assert (saved["status"], saved["slug"]) == ("saved", "deploy-target")
        assert (await call(client, "memory_save", **FACT))["status"] == "unchanged"
        found = await call(client, "memory_search", query="hetzner")
        assert [item["name"] for item in found["items"]] == ["Deploy target"]
        listed = await call(client, "memory_list", scopes=["project"])
        assert "knowledge/deploy-target.md" in [item["path"] for item in listed["items"]]
        read = await call(client, "memory_read", name="deploy-target")
        assert "tier: host" in read["items"][0]["text"]
        why = await call(client, "memory_why", name="preferences.md")
        assert "I prefer short commit messages" in [item["quote"] for item in why["items"]]
        noted = await call(client, "note_write", text="staging is down")
        assert noted["text"].endswith("agent: staging is down")
        plan = await call(client, "note_write", text="Port it", kind="plan", steps=["lexer", "parser"])
        assert (plan["kind"], plan["expires_at"] is not None) == ("plan", True)
        assert (await call(client, "note_tick", plan=plan["id"], step=1))["open"] == ["parser"]
        long = await call(client, "note_write", text="x" * 3000, kind="working", expires_hours=0.5)
        assert (await call(client, "memory_read", name=f"note:{long['id']}"))["items"][0]["text"] == "x" * 3000
        assert "kind working" in await fails(client, "note_write", text="Always push", kind="priority")
        for text in (await resource_text(client), await prompt_text(client)):
            assert all(words in text for words in ("short commit messages", "Hetzner", "agent: “staging is down”"))
            assert f"## Plan note:{plan['id']}: agent: “Port it” (1 of 2 done)\n> [ ] 2. “parser”\n" in text
            assert f" · working · 3 KB · note:{long['id']}]”" in text
        gone = await call(client, "memory_forget", name="deploy-target")
        assert gone["names"] == ["project/knowledge/deploy-target.md: Deploy target"]
        assert "Hetzner" not in await resource_text(client)
        for group_by in ("none", "session", "thread"):
            past = await call(client, "session_search", query="PostgreSQL", group_by=group_by)
            assert [(hit["session"], hit["role"]) for hit in past["items"]] == [(f"generic/{project}", "user")]
            assert "PostgreSQL" in past["items"][0]["snippet"]


async def test_an_agent_saves_in_its_own_name_and_redacted(daemon: Installation, project: Path) -> None:
    async with served(daemon, project) as client:
        await call(client, "memory_save", **{**FACT, "content": f"The deploy token is {SECRET}."})
        await call(client, "note_write", text=f"rotated {SECRET}")
        assert "tells its reader what to do" in await fails(
            client, "memory_save", **{**FACT, "content": "Always push to main."}
        )
        assert "project" in await fails(client, "memory_save", **{**FACT, "type": "user"})
        log = await asyncio.to_thread(daemon.call, "memory.log", {"writes": True, "cwd": str(project)})
        assert {(run.author, run.agent) for run in log.items} == {("host", "save"), ("host", "note")}
        held = await asyncio.to_thread(
            lambda: [path.read_bytes() for path in daemon.places.data.rglob("*") if path.is_file()]
        )
        assert not any(SECRET.encode() in content for content in held)


@pytest.mark.parametrize("mode", MODES)
async def test_the_clients_roots_name_the_project_and_two_projects_never_mix(
    mode: str, daemon: Installation, tmp_path: Path
) -> None:
    one, other = tmp_path / "a" / "lan tern", tmp_path / "b" / "lan tern"
    for folder in (one, other):
        folder.mkdir(parents=True)
    roots = [one.as_uri()]
    await publish(daemon, one, "the heron is deployed on Friday")
    async with served(daemon, other, mode=mode, roots=roots) as client:
        await call(client, "memory_save", **FACT)
        await call(client, "note_write", text="only here")
        assert "Hetzner" in await prompt_text(client)
        assert "only here" in await resource_text(client)
        assert (await call(client, "session_search", query="heron"))["items"]
        roots[:] = [other.as_uri()]
        assert "Hetzner" not in await prompt_text(client)
        assert (await call(client, "memory_search", query="hetzner"))["items"] == []
        assert "no entry" in await fails(client, "memory_read", name="deploy-target")
        assert "no entry" in await fails(client, "memory_forget", name="deploy-target")
        assert "only here" not in await resource_text(client)
        assert (await call(client, "session_search", query="heron"))["items"] == []
        for uri in ("file://elsewhere/repo", (tmp_path / "gone").as_uri()):  # not the memory of all projects
            roots[:] = [uri]
            assert "none of the client's roots" in await fails(client, "memory_save", **FACT)


async def test_without_a_daemon_a_tool_says_so_and_goes_on_once_there_is_one(tmp_path: Path, project: Path) -> None:
    with installed(tmp_path / "i") as daemon:
        async with served(daemon, project) as client:
            for tool, arguments in (("memory_list", {}), ("memory_save", FACT), ("note_write", {"text": "x"})):
                assert "start it with `memoryd start`" in await fails(client, tool, **arguments)
            with pytest.raises(Exception, match="start it with `memoryd start`"):
                await prompt_text(client)
            with pytest.raises(Exception, match="start it with `memoryd start`"):
                await resource_text(client)
            await asyncio.to_thread(daemon.start)
            assert (await call(client, "memory_save", **FACT))["status"] == "saved"


async def test_the_daemons_sentences_come_through(daemon: Installation, project: Path) -> None:
    async with served(daemon, project) as client:
        assert "`memoryd list` shows what there is" in await fails(client, "memory_read", name="nothing")
        assert "cursor" in await fails(client, "memory_list", cursor="x")
        assert await fails(client, "memory_list", limit=0) == "limit must be at least 1, not 0"
        assert await fails(client, "memory_search") == "query is missing"
