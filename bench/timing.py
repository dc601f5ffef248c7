"""Rounds: every variant once, then again, so that noise of the machine meets all of them alike."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """Samples of one variant, in any unit."""

    samples: Sequence[float]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        return min(self.samples)

    @property
    def spread(self) -> float:
        """From the 10th to the 90th hundredth, as a share of the median: how noisy it was."""
        return (quantile(self.samples, 0.9) - quantile(self.samples, 0.1)) / self.median if self.median else 0.0

    def over(self, floor: "Times") -> float:
        """The ratio of the medians."""
        return self.median / floor.median

    def ms(self) -> str:
        return f"{self.median * 1000:.2f} ms (least {self.least * 1000:.2f})"


def quantile(samples: Sequence[float], share: float) -> float:
    """The sample that `share` of all do not exceed."""
    ranked = sorted(samples)
    return ranked[min(int(len(ranked) * share), len(ranked) - 1)]


def in_turn(variants: Mapping[str, Callable[[], float]], rounds: int, *, warm: int = 1) -> dict[str, Times]:
    """Measure round-robin, each round from another variant on; the first `warm` rounds are not kept."""
    samples: dict[str, list[float]] = {name: [] for name in variants}
    names = list(variants)
    for n in range(-warm, rounds):
        start = n % len(names)
        for name in names[start:] + names[:start]:
            taken = variants[name]()
            if n >= 0:
                samples[name].append(taken)
    return {name: Times(found) for name, found in samples.items()}
