from datetime import UTC, datetime, timedelta

import pytest

from memoryd.daemon.cli.times import ago, seconds, since
from memoryd.errors import UsageError

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86_400), ("1h30m", 5400), ("1.5h", 5400), (" 2 H ", 7200)],
)
def test_durations_are_read(text: str, expected: int) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "10", "m", "ten minutes", "-2h", "0s", "9999999d", "2h!"])
def test_other_words_are_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match="write"):
        seconds(text)


def test_since_takes_a_duration_a_date_or_a_time() -> None:
    assert since("2h", NOW) == NOW - timedelta(hours=2)
    assert since("2026-11-29T10:00:00Z", NOW) == datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
    assert since("2026-11-29", NOW) == datetime(2026, 11, 29).astimezone(UTC)
    with pytest.raises(UsageError, match="a date"):
        since("yesterday", NOW)


def test_ages_are_told_in_one_unit() -> None:
    ages = [ago(NOW - timedelta(seconds=s), NOW) for s in (3, 200, 7300, 200_000)]
    assert ages == ["3 s ago", "3 min ago", "2 h ago", "2 d ago"]
    assert ago(NOW + timedelta(hours=2), NOW) == "in 2 h"
    assert ago(NOW - timedelta(days=40), NOW).startswith("2026-10-")
