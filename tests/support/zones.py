"""The time zone of this process, for a while."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def zone(rule: str) -> Iterator[None]:
    """Live in a time zone, given as POSIX writes it, so that no zone data is needed: `CET-1CEST,M3.5.0,M10.5.0/3`."""
    before = os.environ.get("TZ")
    _live_in(rule)
    try:
        yield
    finally:
        _live_in(before)


def _live_in(rule: str | None) -> None:
    os.environ.pop("TZ", None)
    if rule is not None:
        os.environ["TZ"] = rule
    time.tzset()
