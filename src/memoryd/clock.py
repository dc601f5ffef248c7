"""Time: aware UTC for what is written down, monotonic seconds for deadlines. Tests inject their own clock."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]  #: returns aware UTC


def utc_now() -> datetime:
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """Format an aware datetime as RFC 3339 UTC with milliseconds, e.g. `2026-11-30T06:25:41.810Z`.

    The fixed width makes the text sort as the time does.
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_rfc3339(text: str) -> datetime:
    """Parse RFC 3339; a time without an offset is taken as UTC.

    :raises ValueError: no RFC 3339 time
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def mono() -> float:
    """Monotonic seconds, for deadlines only."""
    return time.monotonic()
