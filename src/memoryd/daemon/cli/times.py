"""Times as people write and read them: `10m`, `2h`, `1d`, a date; "3 min ago"."""

import re
from datetime import UTC, datetime, timedelta

from memoryd.errors import UsageError

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PARTS = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.IGNORECASE)
MAX_SECONDS = 100 * 365 * 86_400


def seconds(text: str) -> int:
    """Whole seconds of a duration such as `90s`, `10m`, `1h30m`, `2d`; at least one.

    :raises UsageError: no duration
    """
    words = text.strip()
    if not words or _PARTS.sub("", words).strip():
        raise UsageError(f"{text!r} is no duration; write 90s, 10m, 2h, 1d or 1h30m")
    total = sum(float(number) * _UNITS[unit.lower()] for number, unit in _PARTS.findall(words))
    if not 1 <= total <= MAX_SECONDS:
        raise UsageError(f"{text!r} is too short or too long; write between 1s and 36500d")
    return int(total)


def since(text: str, now: datetime) -> datetime:
    """The moment that a duration ago, a date (its local midnight) or a date and time stands for; aware UTC.

    :raises UsageError: none of them
    """
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except ValueError:
        pass
    try:
        return now - timedelta(seconds=seconds(text))
    except UsageError:
        raise UsageError(
            f"{text!r} is no time; write a duration such as 2h or 1d, or a date such as 2026-11-30"
        ) from None


def ago(moment: datetime, now: datetime) -> str:
    """How long ago in one unit: `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`; older than a month as a local date."""
    passed = (now - moment).total_seconds()
    if passed < 0:
        return f"in {span(-passed)}"
    return f"{span(passed)} ago" if passed < 30 * 86_400 else moment.astimezone().date().isoformat()


def local(moment: datetime) -> str:
    """`2026-11-30 09:15`, in the time zone of this machine."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def span(length_seconds: float) -> str:
    """A length of time in its largest unit."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if length_seconds >= size:
            return f"{int(length_seconds // size)} {unit}"
    return f"{int(length_seconds)} s"
