"""mem0's exports: a JSON list of memories, or the answer of its `get_all`, as mem0 1.0 and its platform write them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from memoryd.clock import parse_rfc3339
from memoryd.daemon.imports.found import Memory
from memoryd.daemon.imports.walking import Refusal
from memoryd.ipc.events import Tier
from memoryd.ipc.hosts.record import parse

MEM0 = "mem0"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOOKS_SO = re.compile(rb'\A\s*(?:\[|\{\s*"(?:results|memories|count|next)")[\s\S]*"memory"\s*:\s*"')


def is_mem0(head: bytes) -> bool:
    return bool(_LOOKS_SO.match(head))


def mem0(content: bytes) -> Iterator[Memory]:
    """:raises Refusal: no list of memories"""
    try:
        loaded = parse(content)
    except ValueError as error:
        raise Refusal(f"no JSON: {error}") from error
    rows = loaded if isinstance(loaded, list) else loaded.get("results") or loaded.get("memories") or []
    known = [_memory(row, number) for number, row in enumerate(rows, start=1) if _says(row)]
    return iter(sorted(known, key=lambda memory: memory.at))


def _says(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("memory"), str) and bool(row["memory"].strip())


def _memory(row: dict[str, Any], number: int) -> Memory:
    categories = row.get("categories")
    tags = tuple(str(one)[:64] for one in categories[:8]) if isinstance(categories, list) else ()
    place = f"memory {row.get('id') or number}"[:100]
    return Memory(text=row["memory"].strip(), tier=Tier.HOST, at=_at(row), place=place, tags=tags)


def _at(row: dict[str, Any]) -> datetime:
    for key in ("updated_at", "created_at"):
        try:
            return parse_rfc3339(str(row.get(key)))
        except (ValueError, OverflowError):
            continue
    return _EPOCH
