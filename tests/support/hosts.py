"""What the tests of hosts share: one firing, a transcript's lines, what was told, reading piece by piece."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.ipc.events import Event
from memoryd.ipc.hosts.base import Host, RawHook, TranscriptRead, TranscriptState, Translated
from memoryd.ipc.hosts.plans import codex


def fire(host: Host, payload: object, *, event: str | None = None, env: Mapping[str, str] | None = None) -> Translated:
    """Translate one firing; a text goes in as it is."""
    raw = payload if isinstance(payload, str) else json.dumps(payload)
    at = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    hook = RawHook(id="f" * 32, at=at, host=host.name, event=event, raw=raw, cwd="/hook/cwd", env=env or {})
    return host.translate(hook)


def codex_trust(folder: Path) -> list[str]:
    """What Codex writes into config.toml when the person trusts our hooks, a table each."""
    hooks, rows = folder / "hooks.json", []
    for event, [group] in json.loads(hooks.read_text())["hooks"].items():
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")
        digest = codex.trusted_hash(name, None, group["hooks"][0])
        rows.append(f'[hooks.state."{hooks}:{name}:0:0"]\ntrusted_hash = "{digest}"\n')
    return rows


def jsonl(*records: object) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def messages(events: Sequence[Event], role: str) -> list[str]:
    return [event.data.text for event in events if event.kind == "message" and event.data.role == role]


def tool_uses(events: Sequence[Event]) -> list[Any]:
    return [event for event in events if event.kind == "tool_use"]


@dataclass
class Pieces:
    """Reads a transcript as a daemon does that comes by at some places, and at last when the session has ended."""

    read: Callable[..., TranscriptRead]

    def over(self, chunk: bytes, cuts: Sequence[int]) -> list[str]:
        """The ids that were told, each once, in the order of their telling."""
        told: dict[str, None] = {}
        offset, state = 0, TranscriptState()
        for end, final in [*((cut, False) for cut in sorted(cuts)), (len(chunk), True)]:
            found = self.read(chunk[offset:end], state=state, final=final)
            offset, state = offset + found.consumed, found.state
            told |= dict.fromkeys(event.id for event in found.events)
        return list(told)
