"""Events for tests, with ids that count up."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.daemon.journal.journal import Arrival, Binding
from memoryd.ipc.events import Event, EventAdapter

START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
_numbers = itertools.count(1)


def event(kind: str, *, session: str = "s1", minute: float = 0, turn: str | None = None, id: str | None = None,
          **data: Any) -> Event:  # fmt: skip
    """Build an event; `minute` counts from START."""
    value: Event = EventAdapter.validate_python(
        {
            "id": id or f"e{next(_numbers)}", "kind": kind, "host": "claude-code", "session_id": session,
            "cwd": "/somewhere", "at": START + timedelta(minutes=minute), "turn_id": turn, "data": data,
        }
    )  # fmt: skip
    return value


def arrival(kind: str, *, dir: Path = Path("/memory"), **rest: Any) -> Arrival:
    return Arrival(event=event(kind, **rest), binding=Binding(dir=dir, kind="project", project="p"))
