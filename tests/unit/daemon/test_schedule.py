"""When dreaming is due, by the wall clock of a place that changes its clocks."""

from datetime import UTC, datetime, timedelta

import pytest
from support.zones import zone

from memoryd.daemon import schedule

BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_a_time_of_the_wall_clock_stays_one_when_the_offset_changes() -> None:
    with zone(BERLIN):
        assert schedule.next_after("0 3 * * *", at("2026-10-24T03:00+02:00")) == at("2026-10-25T03:00+01:00")
        assert schedule.next_after("0 4 * * *", at("2026-03-28T04:00+01:00")) == at("2026-03-29T04:00+02:00")


def test_an_hour_that_summer_time_skips_comes_an_hour_later_and_once() -> None:
    with zone(BERLIN):
        due = schedule.next_after("30 2 * * *", at("2026-03-28T02:30+01:00"))
        assert due == at("2026-03-29T03:30+02:00")
        assert schedule.next_after("30 2 * * *", due) == at("2026-03-30T02:30+02:00")


def test_an_hour_that_comes_twice_in_autumn_counts_once() -> None:
    with zone(BERLIN):
        due = schedule.next_after("30 2 * * *", at("2026-10-24T02:30+02:00"))
        assert due == at("2026-10-25T02:30+02:00")
        for later in (0, 20, 60, 80):
            again = schedule.next_after("30 2 * * *", due + timedelta(minutes=later))
            assert again == at("2026-10-26T02:30+01:00")


def test_an_expression_may_name_days_of_the_week() -> None:
    with zone(BERLIN):
        assert schedule.next_after("15 6 * * 1-5", at("2026-12-04T07:00+01:00")) == at("2026-12-07T06:15+01:00")


@pytest.mark.parametrize("bad", ["", "3", "0 25 * * *", "0 3 31 2 *", "* * * * * *", "every night"])
def test_what_is_no_expression_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="cron expression"):
        schedule.check(bad)
