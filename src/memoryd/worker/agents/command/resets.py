"""When a limit ends, as programs word it -> seconds from now."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from memoryd.worker.agents.durations import seconds_of

MIN_SECONDS = 60.0  #: of a limit that is over by the time it is read

_EPOCH = re.compile(r"limit reached\s*\|\s*(\d{10})\b")
_IN = re.compile(
    r"\b(?:try again|retry|resets?|reset)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_AT = re.compile(
    r"\b(?:try again|resets?)\s+(?:at\s+|on\s+)?"
    r"(?:(?P<month>[a-z]{3})[a-z]*\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap])\.?m\b(?:\s*\((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def seconds_until(text: str, now: datetime) -> float | None:
    """Return how long a limit lasts that a text tells of; None when it does not say.

    At least `MIN_SECONDS`; `worker.policy` says how much is too much. A clock time is the next one of its zone, or of
    the machine's when none is named.

    >>> seconds_until("You've hit your limit · resets 3pm (UTC)", datetime(2026, 11, 30, 14, tzinfo=UTC))
    3600.0
    """
    found = _of_epoch(text, now) or _of_duration(text) or _of_clock(text, now)
    return None if found is None else max(found, MIN_SECONDS)


def _of_epoch(text: str, now: datetime) -> float | None:
    found = _EPOCH.search(text)
    return float(found[1]) - now.timestamp() if found else None


def _of_duration(text: str) -> float | None:
    found = _IN.search(text)
    return seconds_of(found[1]) if found else None


def _of_clock(text: str, now: datetime) -> float | None:
    if (found := _AT.search(text)) is None:
        return None
    try:
        return (_moment(found, now.astimezone(_zone(found["zone"]))) - now).total_seconds()
    except ValueError:  # the 31st of February, 25pm, minute 75, a word that is no month
        return None


def _moment(found: re.Match[str], here: datetime) -> datetime:
    hour = int(found["hour"])
    if not 1 <= hour <= 12:
        raise ValueError(f"{hour} is no hour of a half day")
    hour = hour % 12 + (12 if found["half"].lower() == "p" else 0)
    at = here.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
    if found["month"]:
        month = _MONTHS.index(found["month"].lower()) + 1
        at = at.replace(year=int(found["year"] or here.year), month=month, day=int(found["day"]))
        return at.replace(year=at.year + 1) if not found["year"] and at < here - timedelta(days=30) else at
    return at if at > here else at + timedelta(days=1)


def _zone(name: str | None) -> tzinfo | None:
    """The zone of a name; None is the machine's."""
    if not name:
        return None
    try:
        return UTC if name.upper() == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown here
        return None
