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
