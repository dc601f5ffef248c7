"""What a program printed -> its answer, what it has cost, and what it says went wrong."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memoryd.worker.agents.brief import Cost
from memoryd.worker.agents.command.programs import Prints
from memoryd.worker.budget import MAX_TOKENS, MAX_USD

Json = Mapping[str, Any]
MAX_AMOUNT = MAX_TOKENS // 1000  #: of one number: sums stay within bounds, whatever is printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The same for every program."""

    text: str = ""  #: of the model
    error: str = ""  #: of the program; '' is none
    status: int | None = None  #: of HTTP, as far as it tells
    refused: bool = False  #: the model's maker stopped it
    cost: Cost | None = None  #: None: it tells nothing


def read(prints: Prints, out: str, err: str) -> Told:
    """Read what was printed. What is not in the program's form is taken as plain text."""
    return _READERS[prints](out, err)


def _claude(out: str, err: str) -> Told:
    """One object, the last of a list or of lines: `result`, `is_error`, `usage`, `total_cost_usd`."""
    told = next((one for one in _objects(out) if one.get("type") == "result"), None)
    if told is None:
        return _text(out, err)
    text = str(told.get("result") or "")
    failed = bool(told.get("is_error")) or str(told.get("subtype", "")).startswith("error")
    return Told(
        text="" if failed else text, error=(text or str(told.get("subtype"))) if failed else "",
        status=_number(told.get("api_error_status")), refused=told.get("stop_reason") == "refusal",
        cost=_claude_cost(told),
    )  # fmt: skip


def _claude_cost(told: Json) -> Cost | None:
    usage = told.get("usage")
    if not isinstance(usage, Mapping):
        return None
    cached = _amount(usage.get("cache_read_input_tokens"))
    fresh = _amount(usage.get("input_tokens")) + _amount(usage.get("cache_creation_input_tokens"))
    usd = told.get("total_cost_usd")
    return Cost(
        tokens_in=fresh + cached, tokens_out=_amount(usage.get("output_tokens")), tokens_cached=cached,
        usd=min(float(usd), MAX_USD) if isinstance(usd, int | float) and usd >= 0 else 0.0,
    )  # fmt: skip


def _codex(out: str, err: str) -> Told:
    """Events, one a line: the last message of the agent, `turn.completed` with its usage, else `turn.failed`."""
    events = list(_objects(out))  # the newest first
    if not events:
        return _text(out, err)
    done = next((one for one in events if one.get("type") in ("turn.completed", "turn.failed")), {})
    failed = done.get("type") != "turn.completed"
    complaint = done.get("error") or next((one for one in events if one.get("type") == "error"), {})
    items = (one["item"] for one in events if isinstance(one.get("item"), Mapping))
    text = next((str(item.get("text") or "") for item in items if item.get("type") == "agent_message"), "")
    return Told(
        text="" if failed else text, error=_message(complaint) or "no turn was completed" if failed else "",
        cost=_codex_cost(done.get("usage")),
    )  # fmt: skip


def _codex_cost(usage: Any) -> Cost | None:
    if not isinstance(usage, Mapping):
        return None
    return Cost(
        tokens_in=_amount(usage.get("input_tokens")), tokens_out=_amount(usage.get("output_tokens")),
        tokens_cached=min(_amount(usage.get("cached_input_tokens")), _amount(usage.get("input_tokens"))),
    )  # fmt: skip


def _gemini(out: str, err: str) -> Told:
    """One object: `response` and `stats`; when it fails, `error`, on its other output."""
    told = next((one for one in _objects(out) if "response" in one or "error" in one), None)
    told = told or next((one for one in _objects(err) if "error" in one), None)
    if told is None:
        return _text(out, err)
    error = told.get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    return Told(
        text="" if error else str(told.get("response") or ""), error=_message(error) or "an error" if error else "",
        status=_number(code), cost=_gemini_cost(told.get("stats")),
    )  # fmt: skip


def _gemini_cost(stats: Any) -> Cost | None:
    models = stats.get("models") if isinstance(stats, Mapping) else None
    if not isinstance(models, Mapping) or not models:
        return None
    tokens = [one.get("tokens", {}) for one in models.values() if isinstance(one, Mapping)]
    total = {name: sum(_amount(one.get(name)) for one in tokens) for name in ("prompt", "total", "cached")}
    return Cost(
        tokens_in=total["prompt"], tokens_out=max(0, total["total"] - total["prompt"]),
        tokens_cached=min(total["cached"], total["prompt"]),
    )  # fmt: skip


def _text(out: str, err: str) -> Told:
    return Told(text=out.strip())


_READERS: Mapping[Prints, Callable[[str, str], Told]] = {
    "claude": _claude, "codex": _codex, "gemini": _gemini, "text": _text,
}  # fmt: skip


def _objects(text: str) -> Iterator[Json]:
    """The JSON objects of a text, the newest first: the whole of it, a list, one a line, one after some words."""
    at = text.find("{")
    for candidate in (text, text[at:] if at >= 0 else ""):
        if (whole := _parsed(candidate)) is not None:
            yield from reversed([one for one in (whole if isinstance(whole, list) else [whole]) if _is_object(one)])
            return
    yield from (one for one in map(_parsed, reversed(text.splitlines())) if _is_object(one))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _message(error: Any) -> str:
    return str(error.get("message") or "") if isinstance(error, Mapping) else str(error or "")


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _amount(value: Any) -> int:
    return min(max(0, _number(value) or 0), MAX_AMOUNT)
