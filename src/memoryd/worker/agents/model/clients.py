"""An endpoint and its settings -> a model of pydantic-ai that makes no call of its own accord."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from typing import Any

import certifi
import httpx2
from pydantic_ai.models import Model

from memoryd.worker.agents.brief import AgentFault, Settings
from memoryd.worker.agents.providers import Endpoint
from memoryd.worker.budget import MAX_TOKENS

CONNECT_SECONDS = 10.0
MAX_BODY_BYTES = 8 * 1024 * 1024  #: of one answer as it is sent; the longest is a hundredth of that
NO_KEY = "none"  #: servers of one's own want no key, their client wants a word


class NotAnApi(Exception):
    """What answered with success is no interface of a model: a page of a proxy, of a login, of another server."""


class TooLong(Exception):
    """An answer of more than `MAX_BODY_BYTES`."""


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends, whatever is sent."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_BODY_BYTES
        async for piece in self._body:
            left -= len(piece)
            if left < 0:
                raise TooLong
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


class Malformed(Exception):
    """An API answered with success and with nothing that could be an answer; it may have charged for it."""

    def __init__(self, usage: Mapping[str, Any]) -> None:
        super().__init__("no answer in it")
        self.tokens_in = _count(usage, "prompt_tokens", "input_tokens")
        self.tokens_out = _count(usage, "completion_tokens", "output_tokens")


@contextlib.asynccontextmanager
async def connected(endpoint: Endpoint, settings: Settings) -> AsyncIterator[Model]:
    """A model that can be asked, over a connection that is closed afterwards. Nothing is sent yet.

    The environment is not looked at: proxy, authorities and key are those of the settings. No call is repeated by the
    client, since each is paid for by itself.

    :raises AgentFault: `configuration`: the certificate bundle cannot be read
    """
    timeout = httpx2.Timeout(settings.timeout_seconds, connect=min(CONNECT_SECONDS, settings.timeout_seconds))
    authorities = await asyncio.to_thread(_authorities, settings.ca_file)
    async with httpx2.AsyncClient(
        proxy=settings.proxy or None, verify=authorities, timeout=timeout, trust_env=False,
        event_hooks={"response": [_bound, _refuse_pages]}, follow_redirects=False,
    ) as client:  # fmt: skip
        make = _anthropic if endpoint.provider.interface == "anthropic" else _openai
        yield await asyncio.to_thread(make, endpoint, settings.key or NO_KEY, client)  # it loads an SDK


def _anthropic(endpoint: Endpoint, key: str, client: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    sdk = AsyncAnthropic(api_key=key, base_url=endpoint.base_url, http_client=client, max_retries=0)
    return AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=sdk))


def _openai(endpoint: Endpoint, key: str, client: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    sdk = AsyncOpenAI(api_key=key, base_url=endpoint.base_url, http_client=client, max_retries=0)
    own = {"openai": OpenAIProvider, "deepseek": DeepSeekProvider}.get(endpoint.provider.name)
    if own and endpoint.is_own:
        return OpenAIChatModel(endpoint.model, provider=own(openai_client=sdk))
    #: what is said to work is tried; the older name of the limit is known to every server
    every_way = OpenAIModelProfile(
        supports_json_schema_output=True, supports_json_object_output=True,
        openai_chat_supports_max_completion_tokens=False,
    )  # fmt: skip
    provider = OpenAICompatibleProvider(endpoint.provider.name, openai_client=sdk)
    return OpenAIChatModel(endpoint.model, provider=provider, profile=every_way)


def _authorities(ca_file: str) -> ssl.SSLContext:
    """The public authorities, and those of a bundle of one's own."""
    context = ssl.create_default_context(cafile=certifi.where())
    try:
        if ca_file:
            context.load_verify_locations(ca_file)
    except OSError as error:
        raise AgentFault(
            "configuration", "cannot read the certificate bundle that SSL_CERT_FILE names; correct its path"
        ) from error
    return context


async def _bound(response: httpx2.Response) -> None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


async def _refuse_pages(response: httpx2.Response) -> None:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.is_success and not kind.endswith(("json", "event-stream")):
        await response.aread()
        raise NotAnApi(kind)
    if response.is_redirect:
        raise NotAnApi("redirect")
    if response.is_success and kind.endswith("json"):
        _refuse_nothing(await response.aread())


def _refuse_nothing(body: bytes) -> None:
    """:raises Malformed: what is JSON and holds no list of choices (OpenAI) or of contents (the others)"""
    try:
        told = json.loads(body)
    except ValueError:  # its client says so
        return
    told = told if isinstance(told, dict) else {}
    choices = told.get("choices")
    chosen = isinstance(choices, list) and choices and all(isinstance(one, dict) for one in choices)
    if not chosen and not any(isinstance(told.get(name), list) for name in ("content", "output")):
        usage = told.get("usage")
        raise Malformed(usage if isinstance(usage, dict) else {})


def _count(usage: Mapping[str, Any], *names: str) -> int:
    found = [usage[name] for name in names if type(usage.get(name)) is int]
    return min(max(0, *found), MAX_TOKENS) if found else 0
