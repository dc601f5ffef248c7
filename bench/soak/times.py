"""How long things took, by minute."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter

from bench.timing import quantile

LEAST = 10  #: samples of a span that say anything


@dataclass(slots=True)
class Taken:
    """Samples of each kind: (when, how long), seconds since the beginning. Filled by several threads."""

    began: float = field(default_factory=perf_counter)
    samples: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def now(self) -> float:
        return perf_counter() - self.began

    @contextlib.contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        """Keep how long the block took; one that raises is not kept."""
        began = perf_counter()
        yield
        self.samples.setdefault(kind, []).append((began - self.began, perf_counter() - began))

    def within(self, kind: str, since: float, until: float) -> list[float]:
        return [took for at, took in list(self.samples.get(kind, ())) if since <= at < until]

    def by_span(self, kind: str, share: float, span_seconds: float) -> list[tuple[float, float]]:
        """The quantile of each span with enough samples: (its middle, seconds)."""
        end = max((at for at, _ in self.samples.get(kind, ())), default=0.0)
        starts = (n * span_seconds for n in range(int(end / span_seconds) + 1))
        spans = ((start, self.within(kind, start, start + span_seconds)) for start in starts)
        return [(start + span_seconds / 2, quantile(found, share)) for start, found in spans if len(found) >= LEAST]
