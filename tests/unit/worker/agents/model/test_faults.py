"""What a provider may do wrong, over real sockets: each has its code, its cost, and a reason that tells nothing."""

import json
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.fake_model import Reply, error, serving

from memoryd.worker.agents.brief import AgentFault, Fault, FaultCode, Settings
from memoryd.worker.agents.model import work

SECRET = "the garden is behind the blue door"
SAID = projection(*talk(f"please remember: {SECRET}"))
UNSPENT = (0, 0)
NO_CHOICES = json.dumps({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}})


async def fault(given: Settings, purse: CountingPurse | None = None) -> Fault:
    with pytest.raises(AgentFault) as caught:
        await work(brief(given, SAID), purse or CountingPurse())
    found = caught.value.fault
    assert SECRET not in found.reason
    assert not given.key or given.key not in found.reason
    return found


def _anthropic(status: int, kind: str, **headers: str) -> Reply:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": SECRET}})
    return Reply(status=status, raw=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def _google(status: int, message: str) -> Reply:
    return Reply(status=status, raw=json.dumps([{"error": {"code": status, "message": message, "status": "X"}}]))


OPENAI: list[tuple[str, Reply, FaultCode]] = [
    ("429", error(429, "rate_limit_exceeded", SECRET), "rate-limited"),
    ("nothing left", error(429, "insufficient_quota", SECRET), "quota"),
    ("402", error(402, "payment_required", SECRET), "quota"),
    ("wrong key", error(401, "invalid_api_key", SECRET), "login"),
    ("forbidden", error(403, "forbidden", SECRET), "login"),
    ("no such model", error(404, "model_not_found", SECRET), "configuration"),
    ("500", error(500, "server_error", SECRET), "provider-down"),
    ("503", error(503, "overloaded", SECRET), "provider-down"),
    ("a page with 200", Reply(raw=f"<html>{SECRET}</html>", content_type="text/html"), "provider-down"),
    ("a redirect to a login", Reply(status=302, raw="", headers={"location": "https://x/"}), "provider-down"),
    ("no JSON after all", Reply(raw="{", tokens=None), "provider-down"),
    ("hangs up", Reply(hangs_up=True), "provider-down"),
    ("bad request", error(400, "invalid_request_error", SECRET), "bad-answer"),
    ("too long", error(400, "context_length_exceeded", SECRET), "bad-answer"),
    ("filtered", Reply(text="", finish="content_filter"), "refused"),
    ("a wrong key as Google says it", _google(400, "API key not valid. Please pass a valid API key."), "login"),
    ("429 as Google says it", _google(429, "Resource has been exhausted"), "rate-limited"),
    ("empty", Reply(text=""), "bad-answer"),
    ("talk instead", Reply(text=f"I would say {SECRET}"), "bad-answer"),
    ("malformed call", Reply(call=("propose", '{"items": [')), "bad-answer"),
    ("choices that are none", Reply(raw='{"choices": [null]}', tokens=None), "bad-answer"),
    ("a message that is none", Reply(raw='{"choices": [{"message": 7}]}', tokens=None), "bad-answer"),
    ("a list", Reply(raw="[]", tokens=None), "bad-answer"),
    ("a refusal in words", Reply(text="I can\u2019t help with that."), "refused"),
    ("a refusal in other words", Reply(text="I'm sorry, but I cannot work on this."), "refused"),
    ("a refusal in Chinese", Reply(text="抱歉，我不能帮助完成这个请求。"), "refused"),
    ("another tool", Reply(call=("delete_everything", {})), "bad-answer"),
]
ANTHROPIC: list[tuple[str, Reply, FaultCode]] = [
    ("429", _anthropic(429, "rate_limit_error"), "rate-limited"),
    ("nothing left", _anthropic(400, "billing_error"), "quota"),
    ("wrong key", _anthropic(401, "authentication_error"), "login"),
    ("no such model", _anthropic(404, "not_found_error"), "configuration"),
    ("overloaded", _anthropic(529, "overloaded_error"), "provider-down"),
    ("refusal", Reply(text="", finish="refusal"), "refused"),
]


@pytest.mark.parametrize(("reply", "code"), [case[1:] for case in OPENAI], ids=[case[0] for case in OPENAI])
async def test_each_failure_of_an_openai_like_provider_has_its_code(reply: Reply, code: FaultCode) -> None:
    purse = CountingPurse()
    async with serving(reply) as fake:
        assert (await fault(settings(fake.url), purse)).code == code
    assert len(fake.asked) <= (4 if code == "bad-answer" else 2)
    assert purse.tokens == fake.tokens
    assert len(purse.reserved) == len(fake.asked)


@pytest.mark.parametrize(("reply", "code"), [case[1:] for case in ANTHROPIC], ids=[case[0] for case in ANTHROPIC])
async def test_each_failure_of_anthropic_has_its_code(reply: Reply, code: FaultCode) -> None:
    purse = CountingPurse()
    async with serving(reply) as fake:
        found = await fault(settings(fake.url.removesuffix("/v1"), model="anthropic:claude-haiku-4-5"), purse)
    assert found.code == code
    assert purse.tokens == fake.tokens


async def test_a_refused_connection_is_a_provider_that_is_down_and_costs_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        purse = CountingPurse()
        found = await fault(settings(f"http://127.0.0.1:{unused.getsockname()[1]}/v1"), purse)
    assert found.code == "provider-down"
    assert purse.tokens == UNSPENT
    assert set(purse.settled) == {"r1"}


async def test_a_name_that_nobody_knows_is_a_provider_that_is_down() -> None:
    found = await fault(settings("http://models.invalid/v1"))
    assert found.code == "provider-down"
    assert "models.invalid" in found.reason


async def test_a_provider_that_does_not_answer_in_time_is_slow_and_is_charged_what_was_reserved() -> None:
    async with serving(Reply(items=[], seconds=60)) as fake:
        purse = CountingPurse()
        found = await fault(settings(fake.url, timeout_seconds=0.5), purse)
    assert found.code == "provider-slow"
    assert (len(purse.reserved), purse.settled) == (1, {})


RETRY: list[tuple[Callable[[datetime], dict[str, str]], float]] = [
    (lambda now: {"retry_after": "17"}, 17),
    (lambda now: {"retry_after": format_datetime(now + timedelta(seconds=600), usegmt=True)}, 600),
    (lambda now: {"x_ratelimit_reset_requests": "1s", "x_ratelimit_reset_tokens": "6m1.5s"}, 361.5),
    (
        lambda now: {
            "x_ratelimit_remaining_tokens": "7", "x_ratelimit_reset_tokens": "1h", "x_ratelimit_reset_requests": "9s",
        },
        9,
    ),
    (lambda now: {"anthropic_ratelimit_tokens_reset": (now + timedelta(seconds=300)).isoformat()}, 300),
    (lambda now: {"retry_after": "31536000"}, 31_536_000),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "seconds"), RETRY, ids=[" ".join(make(datetime.now(UTC))) for make, _ in RETRY])
async def test_when_to_ask_again_is_read_from_what_the_provider_says(
    headers: Callable[[datetime], dict[str, str]], seconds: float
) -> None:
    async with serving(error(429, "rate_limit_exceeded", **headers(datetime.now(UTC)))) as fake:
        found = await fault(settings(fake.url))
    assert found.retry_after_seconds == pytest.approx(seconds, abs=90)


async def test_a_fault_is_told_to_the_daemon_at_once_and_no_call_is_repeated_by_itself() -> None:
    async with serving(error(503, "overloaded", retry_after="1")) as fake:
        await fault(settings(fake.url))
    assert len(fake.asked) == 1


async def test_a_model_that_never_proposes_ends_with_its_calls() -> None:
    async with serving(Reply(call=("look", {}))) as fake:
        found = await fault(settings(fake.url, max_steps=5))
    assert found.code in ("no-end", "bad-answer")
    assert len(fake.asked) <= 5


async def test_a_run_stops_before_the_call_that_would_be_over_its_tokens() -> None:
    async with serving(Reply(items=[])) as fake:
        found = await fault(settings(fake.url, tokens_per_run=1000))
    assert found.code == "no-end"
    assert fake.asked == []


async def test_what_the_daemon_refuses_is_not_asked() -> None:
    async with serving(Reply(items=[])) as fake:
        found = await fault(settings(fake.url), CountingPurse(grants=0))
    assert found.code == "budget"
    assert fake.asked == []


@pytest.mark.parametrize("model", ["", "gpt-5", "nobody:x", "openai:"])
async def test_a_model_that_is_not_provider_and_name_is_a_configuration_error(model: str) -> None:
    found = await fault(settings("http://127.0.0.1:9/v1", model=model))
    assert found.code == "configuration"
    assert "anthropic, openai, gemini, deepseek, ollama" in found.reason


async def test_a_malformed_answer_is_charged_as_it_says() -> None:
    purse = CountingPurse()
    async with serving(Reply(raw=NO_CHOICES)) as fake:
        assert (await fault(settings(fake.url, way="text"), purse)).code == "bad-answer"
    assert purse.tokens == (900 * len(fake.asked), 40 * len(fake.asked))


async def test_a_refusal_in_words_ends_the_run_at_once_also_in_the_probe() -> None:
    async with serving(Reply(text="I'm sorry, but I can't help with that.")) as fake:
        assert (await fault(settings(fake.url, way=None))).code == "refused"
    assert len(fake.asked) == 1


async def test_a_refused_key_is_named_as_it_is_configured_and_one_that_is_not_sent_is_not_named() -> None:
    async with serving(error(401, "invalid_api_key")) as fake:
        named = await fault(settings(fake.url, key_name="MY_GATEWAY_KEY"))
        unsent = await fault(Settings(kind="model", model="openai:m", base_url=fake.url, key="", way="tools"))
    assert "MY_GATEWAY_KEY" in named.reason
    assert "none is sent" in unsent.reason
    assert "OPENAI_API_KEY" not in named.reason + unsent.reason
