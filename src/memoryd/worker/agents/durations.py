"""How long something lasts, as programs and headers write it -> seconds."""

import re

_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)[a-z]*", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def seconds_of(text: str) -> float | None:
    """Return the sum of all that is written; None when nothing is.

    >>> seconds_of("6m0s"), seconds_of("1 hour and 20 minutes"), seconds_of("soon")
    (360.0, 4800.0, None)
    """
    pieces = _PIECE.findall(text)
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in pieces) if pieces else None
