"""What `make soak` judges by: a leak is found in noise, noise alone is none."""

import random

import pytest

from bench.soak.bounds import MEGABYTE, slope
from bench.soak.gauge import Sample
from bench.soak.times import Taken


def a_life(leak_mb_per_hour: float, noise_mb: float, seconds: int = 480) -> list[Sample]:
    dice = random.Random(7)
    megabytes = {at: 60 + leak_mb_per_hour * at / 3600 + dice.gauss(0, noise_mb) for at in range(0, seconds, 2)}
    return [
        Sample(
            at=at,
            life=0,
            rss=0,
            private=round(used * MEGABYTE),
            threads=9,
            descriptors=30,
            wakes=0,
            disk={},
            kept=0,
            events=0,
        )
        for at, used in megabytes.items()
    ]


@pytest.mark.parametrize(("leak", "noise"), [(0, 0.0), (0, 0.3), (6, 0.0), (6, 0.05), (30, 0.3)])
def test_a_slope_is_the_leak_give_or_take_its_margin(leak: float, noise: float) -> None:
    found = slope(a_life(leak, noise), lambda sample: sample.private / MEGABYTE)
    assert abs(found.per_hour - leak) <= 2 * found.margin + 0.01
    assert (found.per_hour - found.margin > 1) == (leak > 1)


def test_times_are_told_by_span_and_a_span_of_few_is_left_out() -> None:
    taken = Taken()
    taken.samples["x"] = [(second / 10, second / 1000) for second in range(100)] + [(60.0, 9.0)]
    assert taken.by_span("x", 0.5, 5.0) == [(2.5, 0.025), (7.5, 0.075)]
    assert taken.within("x", 9.9, 61.0) == [0.099, 9.0]
