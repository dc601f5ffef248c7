"""What can go wrong with a provider -> the fault that the daemon acts on. One table; the first row that fits."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pydantic_ai import exceptions as e

from memoryd.worker.agents.brief import AgentFault, FaultCode
from memoryd.worker.agents.durations import seconds_of
from memoryd.worker.agents.model.clients import NotAnApi, TooLong
from memoryd.worker.agents.model.paying import caused_by
from memoryd.worker.agents.providers import Endpoint

_WRONG_KEY = re.compile(r"API_KEY_INVALID|api[ -]key (?:is )?(?:not valid|invalid|expired)", re.IGNORECASE)


def _is(*kinds: type[BaseException]) -> Callable[[BaseException], bool]:
    return lambda error: isinstance(error, kinds)


#: error -> code and what to do; {model}, {host} and {key} are filled in, nothing that the provider or the model said
_TABLE: tuple[tuple[Callable[[BaseException], bool], FaultCode, str], ...] = (
    (
        lambda error: caused_by(error, NotAnApi), "provider-down",
        "{host} answered with a page, not as a model's API does; see base_url, a proxy or a login of the network",
    ),
    (
        lambda error: caused_by(error, TooLong), "provider-down",
        "{host} sent an answer without end; see base_url, and the server there",
    ),
    (
        _is(e.ModelQuotaExceededError), "quota",
        "the account at {host} has nothing left; add credit there, or choose another model",
    ),
    (_is(e.ModelRateLimitError), "rate-limited", "{host} wants fewer calls; nothing needs to be done"),
    (
        lambda error: isinstance(error, e.ModelAuthenticationError) or _says_key_is_wrong(error), "login",
        "{host} refused {key}",
    ),
    (
        _is(e.ModelNotFoundError), "configuration",
        "{host} knows no model {model}, or base_url is not the root of its API; correct [agent] model or base_url",
    ),
    (
        _is(e.ModelContextWindowExceededError), "bad-answer",
        "the conversation does not fit into the context of {model}; choose a model with a longer one",
    ),
    (
        _is(e.ModelTimeoutError, e.ModelRequestTimeout, TimeoutError), "provider-slow",
        "{host} did not answer in time; nothing needs to be done, or raise [agent] timeout_seconds",
    ),
    (_is(e.ContentFilterError), "refused", "{model} refused to work on this conversation"),
    (
        _is(e.ModelConnectionError), "provider-down",
        "no connection to {host}; see that it runs, that base_url is right, and the network",
    ),
    (
        _is(e.ModelUnavailableError, e.ModelServerError), "provider-down",
        "{host} failed on its side; nothing needs to be done",
    ),
    (_is(e.ModelRequestRejectedError), "bad-answer", "{host} refused the request; {model} may not be able to do this"),
    (_is(e.UsageLimitExceeded), "no-end", "{model} used all its calls without an answer; raise max_steps"),
    (
        _is(e.UnexpectedModelBehavior, e.UserError), "bad-answer",
        "{model} did not answer in the form that was asked for; a larger model may",
    ),
    (_is(e.ModelAPIError), "provider-down", "{host} failed; see that it runs and that base_url is right"),
)  # fmt: skip


def _says_key_is_wrong(error: BaseException) -> bool:
    """Google says so with a 400."""
    return isinstance(error, e.ModelRequestRejectedError) and bool(_WRONG_KEY.search(error.message))


def fault_of(error: Exception, endpoint: Endpoint, key_name: str) -> AgentFault | None:
    """Return the fault of an error, None for one that is nobody's but ours.

    Its reason holds nothing of the conversation, of the answer or of a key.

    :param key_name: of the key that was sent, '' for none
    """
    for fits, code, reason in _TABLE:
        if fits(error):
            words = reason.format(
                model=endpoint.model, host=urlsplit(endpoint.base_url).netloc.rpartition("@")[2],
                key=_key(key_name),
            )  # fmt: skip
            return AgentFault(code, words, _retry_after(error) if code in ("rate-limited", "quota") else None)
    return None


def _key(name: str) -> str:
    if name:
        return f"the key; put a valid one into {name}"
    return "to answer without a key, and none is sent; name the variable that holds one in [agent] api_key_env"


def _retry_after(error: BaseException) -> float | None:
    """Seconds until the provider wants to be asked again: Retry-After, else the last of its limits' resets.

    As it says; `worker.policy` keeps them within reason.
    """
    if not isinstance(error, e.ModelAPIError):
        return None
    headers = getattr(error, "headers", None) or {}
    return error.retry_after if error.retry_after is not None else _last_reset(headers)


def _last_reset(headers: Mapping[str, str]) -> float | None:
    """`x-ratelimit-reset-*: 6m0s`, `anthropic-ratelimit-*-reset: 2026-11-30T08:00:00Z`: the last of those used up."""
    found = []
    for name, value in headers.items():
        openai = name.startswith("x-ratelimit-reset-")
        if openai or (name.startswith("anthropic-ratelimit-") and name.endswith("-reset")):
            left = headers.get(name.replace("-reset", "-remaining"), "0")
            seconds = seconds_of(value) if openai else _until(value)
            found += [seconds] if left.strip() in ("0", "") and seconds is not None else []
    return max(found, default=None)


def _until(value: str) -> float | None:
    try:
        return (datetime.fromisoformat(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
