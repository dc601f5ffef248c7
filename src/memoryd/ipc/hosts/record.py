"""Foreign JSON, read leniently: hook payloads and transcript lines of hosts."""

import json
from typing import Any

from pydantic_core import from_json

from memoryd.ipc.sanitise import within

MAX_TEXT_BYTES = 64 * 1024  #: of one message; the rest is cut
SUMMARY_CHARS = 500  #: of a tool's input


def parse(text: str | bytes) -> Any:
    """Parse JSON; bad UTF-8 and lone surrogates become U+FFFD. Of its strings the parser keeps keys alone.

    :raises ValueError: no JSON, or nested deeper than any host nests
    """
    try:
        return from_json(text, cache_strings="keys")
    except ValueError:
        return _parse_leniently(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


def _parse_leniently(text: str) -> Any:
    try:
        again = json.dumps(json.loads(text), ensure_ascii=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return from_json(again.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), cache_strings="keys")


def cut(text: str) -> str:
    """The start of a text, at most MAX_TEXT_BYTES as UTF-8."""
    if len(text) * 4 <= MAX_TEXT_BYTES:
        return text
    kept = text.encode("utf-8", "replace")[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
    return within(text, len(kept))


def text_of(value: object) -> str | None:
    """A string with something in it, cut; else None."""
    return cut(value) if isinstance(value, str) and value.strip() else None


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def summary_of(given: object, *, interrupted: bool = False) -> str:
    """A tool's input as `tool_use` tells it."""
    return within(("[interrupted] " if interrupted else "") + compact(given), SUMMARY_CHARS)
