"""What must stay flat, held against its bound: one row each."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.soak.course import Soak
from bench.soak.gauge import PARTS, Sample
from bench.table import Row
from bench.timing import quantile
from memoryd.daemon.sweep import SWEEP_SECONDS

MEGABYTE = 1024 * 1024
HOUR = 3600.0
MAX_SLOPE_MB = 1.0  #: an hour
WARM_EVENTS = 9_000  #: of a life: by then the interpreter's table of names has doubled, which it does once (1 MB)
LEAST_SECONDS = 240.0  #: of what is judged after them; a shorter soak is judged with the step in it
MORE_DESCRIPTORS, MORE_THREADS = 2, 1  #: between the quarters of a life: a connection or a pool's thread more
MAX_GROWTH = 4.0  #: bytes on disk for each byte kept: rows and their indexes, versions, citations, the search index
MAX_DRIFT = 1.3  #: of what a kept byte takes on disk, long life over first
MAX_P50_DRIFT, MAX_P99_DRIFT = 1.5, 2.0
MOST_BLOCKS = 24  #: of a life, for a slope
KINDS = {
    "publish": "fdatasync", "hook": "round trip", "memory.search": "round trip", "session.search": "round trip",
    "recall.snapshot": "round trip",
}  # fmt: skip  #: what was timed -> its floor


@dataclass(frozen=True, slots=True)
class Slope:
    """A line through blocks of samples; within `margin` the noise of the blocks explains it."""

    per_hour: float
    margin: float

    def __str__(self) -> str:
        return f"{self.per_hour:+.2f} ± {self.margin:.2f} MB/h"


def slope(samples: Sequence[Sample], of: Callable[[Sample], float]) -> Slope:
    """Least squares over the least of each span of at least a minute; the margin is two standard errors.

    Free memory goes back to the system once a minute: what is left then is what was kept.
    """
    began, ended = samples[0].at, samples[-1].at
    count = max(3, min(MOST_BLOCKS, int((ended - began) / SWEEP_SECONDS)))
    width = (ended - began) / count
    blocks = [[s for s in samples if began + n * width <= s.at <= began + (n + 1) * width] for n in range(count)]
    points = [(statistics.fmean(s.at for s in b) / HOUR, min(map(of, b))) for b in blocks if b]
    line = statistics.linear_regression(*zip(*points, strict=True))
    middle = statistics.fmean(x for x, _ in points)
    left = sum((y - line.intercept - line.slope * x) ** 2 for x, y in points) / max(len(points) - 2, 1)
    return Slope(line.slope, 2 * (left / sum((x - middle) ** 2 for x, _ in points)) ** 0.5)


def table(found: Soak, *, quick: bool) -> list[Row]:
    """:param quick: slopes and drifts are shown, not judged"""
    lives = [[s for s in found.gauge.samples if since <= s.at <= until] for since, until in found.lives]
    rows = [
        *_memory(_warm(lives[-1], found)),
        *_flat(lives),
        *_disk(found, lives),
        *_drift(found),
        _rest(found),
        _truth(found),
    ]
    return [_unjudged(row) if quick and not row.what.startswith("lost") else row for row in rows]


def notes(found: Soak) -> list[str]:
    acts = ", ".join(f"{name} {count}" for name, count in found.acts.items())
    first, last = found.gauge.samples[0], found.gauge.samples[-1]
    parts = ", ".join(f"{p} {(last.disk[p] - first.disk[p]) / MEGABYTE:.1f}" for p in PARTS)
    return [
        f"{found.events} events told by four hosts ({found.events / found.seconds:.1f} a second), {last.events} in the "
        f"journal with what transcripts add; {found.kills} kills, {found.stops} restarts; {acts}.",
        f"Growth in MB: {parts}; kept text {(last.kept - first.kept) / MEGABYTE:.1f}.",
        "A slope is judged by its lower end: above the bound even without the noise of its blocks. First and long: two "
        "lives of the daemon, without their warm-up.",
        "Drift: the long life over the first, less what the median of its floor rose by in the same time.",
        *found.problems[:20],
    ]


def _memory(life: list[Sample]) -> Iterator[Row]:
    for what, of in (("RSS", _rss), ("private memory", _private)):
        found = slope(life, of)
        yield Row(
            what=f"{what}, slope in the long life", value=str(found), aim=f"<= {MAX_SLOPE_MB:g} MB/h",
            floor=f"{of(life[0]):.1f} -> {of(life[-1]):.1f} MB", met=found.per_hour - found.margin <= MAX_SLOPE_MB,
            limit="steps that come once: docs/performance.md",
        )  # fmt: skip


def _warm(life: list[Sample], found: Soak) -> list[Sample]:
    """Of the long life, what comes after so many events that all has been done once."""
    began = next(s for s in found.gauge.samples if s.life == life[-1].life).events
    warm = [s for s in life if s.events >= began + WARM_EVENTS]
    return warm if warm and warm[-1].at - warm[0].at >= LEAST_SECONDS else life


def _rss(sample: Sample) -> float:
    return sample.rss / MEGABYTE


def _private(sample: Sample) -> float:
    return sample.private / MEGABYTE


def _flat(lives: list[list[Sample]]) -> Iterator[Row]:
    """The least of the last quarter over the least of the first: what comes and goes is not in it."""
    counts: dict[str, tuple[Callable[[Sample], int], int]] = {
        "file descriptors": (lambda s: s.descriptors, MORE_DESCRIPTORS),
        "threads": (lambda s: s.threads, MORE_THREADS),
    }
    for what, (of, more) in counts.items():
        for name, life in zip(("first", "long"), lives, strict=True):
            quarter = max(len(life) // 4, 1)
            before, after = min(map(of, life[:quarter])), min(map(of, life[-quarter:]))
            yield Row(
                what=f"{what}, {name} life", value=str(after), floor=f"{before} before", aim=f"<= +{more}",
                met=after <= before + more, limit=f"at most {max(map(of, life))}",
            )  # fmt: skip


def _disk(found: Soak, lives: list[list[Sample]]) -> Iterator[Row]:
    """Growth over what is kept, and whether that is the same late as early."""
    per_byte = [_growth(life[0], life[-1]) for life in lives]
    whole = _growth(found.gauge.samples[0], found.gauge.samples[-1])
    yield Row(
        what="disk, growth for each byte kept", value=f"{whole:.2f}", aim=f"<= {MAX_GROWTH:g}", met=whole <= MAX_GROWTH,
        limit="rows and their indexes, the search index, the log store",
    )  # fmt: skip
    drift = per_byte[1] / per_byte[0]
    yield Row(
        what="disk, the same in the long life", value=f"{per_byte[1]:.2f}", floor=f"{per_byte[0]:.2f}",
        ratio=f"{drift:.2f}x", aim=f"<= {MAX_DRIFT:g}x", met=drift <= MAX_DRIFT,
    )  # fmt: skip


def _growth(before: Sample, after: Sample) -> float:
    return (after.on_disk - before.on_disk) / max(after.kept - before.kept, 1)


def _drift(found: Soak) -> Iterator[Row]:
    for kind, floor in KINDS.items():
        for share, bound in ((0.5, MAX_P50_DRIFT), (0.99, MAX_P99_DRIFT)):
            early, late = ((_at(found, kind, share, *life), _at(found, floor, 0.5, *life)) for life in found.lives)
            ratio = late[0] / early[0] * min(1.0, early[1] / late[1])
            yield Row(
                what=f"{kind}, p{share * 100:g}", value=f"{late[0] * 1000:.1f} ms", floor=f"{early[0] * 1000:.1f} ms",
                ratio=f"{ratio:.2f}x", aim=f"<= {bound:g}x", met=ratio <= bound,
                limit=f"{floor} {early[1] * 1000:.2f} -> {late[1] * 1000:.2f} ms",
            )  # fmt: skip


def _at(found: Soak, kind: str, share: float, since: float, until: float) -> float:
    return quantile(found.taken.within(kind, since, until) or [float("nan")], share)


def _rest(found: Soak) -> Row:
    return Row(
        what="wake-ups a minute at rest", value=f"{found.wake_ups:.0f}",
        limit="hand-overs of the sweep: the upkeep of what was in use",
    )  # fmt: skip


def _truth(found: Soak) -> Row:
    return Row(
        what="lost, doubled, mixed or overwritten", value=str(len(found.problems)), aim="0", met=not found.problems
    )


def _unjudged(row: Row) -> Row:
    return Row(what=row.what, value=row.value, floor=row.floor, ratio=row.ratio, aim=row.aim, limit=row.limit)
