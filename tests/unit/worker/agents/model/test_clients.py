"""The way to a provider: through a proxy, with a certificate authority of one's own, and past nothing else."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.fake_model import Reply, serving

from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.model import work
from memoryd.worker.agents.providers import PROVIDERS, Provider, endpoint

ENDLESS_BYTES = 128 * 1024 * 1024  #: more than any buffers on the way take
SAID = projection(*talk("please keep commit messages short"))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


@contextlib.asynccontextmanager
async def proxy() -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that tunnels; yields its address and the places it was asked for."""
    asked: list[str] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.splitlines()[0])
        host, _, port = head.split(" ")[1].partition(":")
        there, back = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(pump(reader, back), pump(there, writer))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


async def test_a_provider_behind_an_authority_of_ones_own_is_reached_through_a_proxy(
    tls: ssl.SSLContext, ca_file: Path
) -> None:
    async with serving(Reply(items=[]), tls=tls) as fake, proxy() as (address, asked):
        await work(brief(settings(fake.url, proxy=address, ca_file=str(ca_file)), SAID), CountingPurse())
    assert len(fake.asked) == 1
    assert [line.split(" ")[0] for line in asked] == ["CONNECT"]


async def test_an_authority_that_nobody_named_is_not_trusted(tls: ssl.SSLContext) -> None:
    async with serving(Reply(items=[]), tls=tls) as fake:
        with pytest.raises(AgentFault) as caught:
            await work(brief(settings(fake.url), SAID), CountingPurse())
    assert caught.value.fault.code == "provider-down"
    assert fake.asked == []


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_without_end_is_read_no_further(status: int) -> None:
    sent = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\n\r\n" % status)
        with contextlib.suppress(ConnectionError):
            while sent < ENDLESS_BYTES:
                writer.write(b" " * 65_536)
                await writer.drain()
                sent += 65_536
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        with pytest.raises(AgentFault) as caught:
            await work(brief(settings(url), SAID), CountingPurse())
    assert (caught.value.fault.code, "without end" in caught.value.fault.reason) == ("provider-down", True)
    assert sent < ENDLESS_BYTES


async def test_a_bundle_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(AgentFault) as caught:
        await work(brief(settings("https://127.0.0.1:9", ca_file=str(tmp_path / "none")), SAID), CountingPurse())
    assert caught.value.fault.code == "configuration"


async def test_the_environment_of_the_child_sends_a_key_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(Reply(items=[])) as elsewhere, serving(Reply(items=[])) as fake:
        for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url.removesuffix("/v1"))
        await work(brief(settings(fake.url), SAID), CountingPurse())
    assert len(fake.asked) == 1
    assert elsewhere.asked == []


@pytest.mark.parametrize("row", PROVIDERS.values(), ids=PROVIDERS)
async def test_each_provider_of_the_table_can_be_asked_at_its_own_address(row: Provider) -> None:
    target = endpoint(f"{row.name}:{row.host_model or 'qwen3'}")
    from memoryd.worker.agents.model import clients  # not at collection: it loads the library

    async with clients.connected(target, settings(target.base_url)) as model:
        assert str(model.base_url).rstrip("/") == target.base_url
        assert model.model_name == target.model


@pytest.mark.parametrize(
    ("model", "base_url", "grade"),
    [
        ("openai:gpt-5", "", "large"), ("openai:gpt-5", "http://127.0.0.1:1/v1", "small"),
        ("ollama:llama3.3:70b", "", "large"),
        ("ollama:qwen2.5:1.5b", "", "tiny"), ("openai:Qwen2.5-Coder-1.5B", "http://x/v1", "tiny"),
        ("openai:qwen3-30b-a3b", "http://x/v1", "large"), ("anthropic:claude-haiku-4-5", "http://x", "large"),
        ("gemini:gemini-3.5-flash-lite", "", "large"), ("ollama:phi4", "", "small"), ("ollama:qwen3:8b", "", "small"),
        ("ollama:smollm2:135m", "", "tiny"),
    ],
)  # fmt: skip
def test_a_model_is_as_large_as_its_name_says_or_else_small_where_anybody_may_serve_it(
    model: str, base_url: str, grade: str
) -> None:
    assert endpoint(model, base_url).grade == grade
