"""The first records of a file of JSON lines."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import parse_rfc3339
from memoryd.daemon.imports.walking import Refusal, head_of
from memoryd.ipc.hosts.record import parse

HEAD_BYTES = 256 * 1024  #: that are looked at
MAX_RECORDS = 200

Records = list[dict[str, Any]]

_TIME = re.compile(r'"(?:timestamp|startTime)"\s*:\s*"([^"]{1,40})"')


def head(path: Path) -> str:
    """:raises Refusal: it cannot be read"""
    return head_of(path, HEAD_BYTES).decode("utf-8", "replace")


def cwd_of(path: Path) -> str | None:
    """The first working directory that a transcript names."""
    try:
        return first(list(records(head(path))), "cwd")
    except (Refusal, OSError):
        return None


def records(text: str) -> Iterator[dict[str, Any]]:
    """The whole JSON objects at the start of a file, one a line."""
    return _objects(text.split("\n", MAX_RECORDS)[:MAX_RECORDS])


def lines(text: str) -> Iterator[dict[str, Any]]:
    """All of them."""
    return _objects(text.split("\n"))


def _objects(rows: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in rows:
        try:
            record = parse(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def began(text: str) -> datetime | None:
    for match in _TIME.finditer(text):
        try:
            return parse_rfc3339(match[1])
        except (ValueError, OverflowError):
            continue
    return None


def first(records: Records, *keys: str) -> str | None:
    """The first text under these nested keys."""
    for record in records:
        value: Any = record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return value
    return None
