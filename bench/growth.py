"""What grows with the journal: the same daemon at 1 000 to 1 000 000 messages, each measure at each size."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from support.installation import Installation, installed, until

from bench import talk
from bench.ground import Ground
from bench.growth_plot import plot
from bench.process import HAS_PROC, weighed
from bench.table import Row
from bench.texts import asked_words, journal_texts, made_texts
from bench.timing import quantile
from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.indexing import GATHER_SECONDS
from memoryd.ipc.client import Client

TITLE = "Growth"
BESIDE = "smallest"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUERIES, PUBLISHED, STARTS = 500, 300, 3
SAMPLED = 10_000  #: texts that questions are taken from
MAX_GROWTH = 2.0  #: of what should not grow, over all sizes
MEGABYTE = 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number at every size. `flat`: it should not grow."""

    name: str
    unit: str
    values: tuple[float, ...]
    flat: bool = True
    limit: str = ""

    def slope(self, sizes: Sequence[int]) -> float:
        """Of the line between the last two sizes in a log-log plot: 0 flat, 1 in proportion."""
        (low, high), (before, after) = sizes[-2:], self.values[-2:]
        return math.log(max(after, 1e-9) / max(before, 1e-9)) / math.log(high / low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One size. Times in milliseconds, sizes in bytes."""

    journaled_us: float  #: an event, in batches without the socket
    indexed_us: float
    published: Sequence[float]
    load_share: float  #: of one CPU while one client publishes
    asked: Sequence[float]
    start: float
    journal: int
    index: int
    rss: int  #: the whole tree after the questions
    anonymous: int  #: of it what is no mapped file
    daemon: int  #: alone, after a start
    processes: int


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    if not HAS_PROC:
        return [], ["Not measured: needs /proc (Linux)."]
    sizes = ground.pick(quick=SIZES[:2], full=SIZES)
    points = [_point(ground, size) for size in sizes]
    measures = _measures(sizes, points)
    notes = [
        "Each size has a daemon of its own; texts of about 100 characters in sessions of 20, English and Chinese. "
        "Ratio: the largest over the smallest size. Slope: between the last two sizes in the log-log plot "
        "(0: does not grow, 1: in proportion).",
        f"Sizes: {', '.join(f'{size:,}' for size in sizes)} messages.",
        plot(sizes, [(one.name, one.values) for one in measures]),
    ]
    return [_row(one, sizes) for one in measures], notes


def _point(ground: Ground, size: int) -> Point:
    with installed(ground.room(f"g{size}"), data_home=None) as served:
        served.places.data.mkdir(parents=True, mode=0o700)
        began = perf_counter()
        asyncio.run(journal_texts(served.database, made_texts(size)))
        journaled = perf_counter() - began
        indexed = _indexed(served)
        start = _least_start(served)
        daemon = weighed(served.pid).rss
        with served.client() as client:
            asked = _timed(_questions(), lambda query: client.call("session.search", {"query": query, "limit": 10}))
            held = weighed(served.pid)
            published, share = _published(served, client)
        return Point(
            journaled_us=journaled / size * 1e6, indexed_us=indexed / size * 1e6, published=published,
            load_share=share, asked=asked, start=start, journal=served.database.stat().st_size,
            index=_bytes(served.places.data / "index"), rss=held.rss, anonymous=held.anonymous,
            daemon=daemon, processes=held.processes,
        )  # fmt: skip


def _indexed(served: Installation) -> float:
    """Seconds from the start until the index holds all."""
    served.start()
    began = perf_counter()
    with served.client() as client:
        until(lambda: client.call("daemon.health", timeout=60).index_behind == 0, seconds=3600, what=served.tail)
    return max(0.001, perf_counter() - began - GATHER_SECONDS)


def _least_start(served: Installation) -> float:
    """Milliseconds of the quickest of some starts."""
    taken = []
    for _ in range(STARTS):
        served.stop()
        taken.append(served.start() * 1000)
    return min(taken)


def _questions() -> list[str]:
    known = list(made_texts(SAMPLED))
    return [one for language in ("English", "Chinese") for one in asked_words(known, language, QUERIES // 2)]


def _published(served: Installation, client: Client) -> tuple[list[float], float]:
    """Milliseconds of each, and the share of a CPU that all of them took."""
    events = [_event(number, str(served.home)) for number in range(PUBLISHED)]
    before, began = weighed(served.pid).cpu, perf_counter()
    taken = _timed(events, lambda event: client.call("event.publish", {"event": event}))
    return taken, (weighed(served.pid).cpu - before) / (perf_counter() - began)


def _event(number: int, cwd: str) -> dict[str, Any]:
    return {
        "id": f"published-{number}", "kind": "message", "host": "generic", "at": rfc3339(utc_now()),
        "session_id": f"published-{number // 20}", "cwd": cwd,
        "data": {"role": "assistant", "text": talk.text(400, seed=number)},
    }  # fmt: skip


def _timed(items: Sequence[T], do: Callable[[T], object]) -> list[float]:
    """Milliseconds of each; the first is done once more, unmeasured, before."""
    do(items[0])
    taken = []
    for item in items:
        began = perf_counter()
        do(item)
        taken.append((perf_counter() - began) * 1000)
    return taken


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _measures(sizes: Sequence[int], points: Sequence[Point]) -> list[Measure]:
    def over(name: str, unit: str, read: Callable[[Point], float], *, flat: bool = True, limit: str = "") -> Measure:
        return Measure(name=name, unit=unit, values=tuple(map(read, points)), flat=flat, limit=limit)

    def a_message(read: Callable[[Point], int]) -> tuple[float, ...]:
        return tuple(read(point) / size for point, size in zip(points, sizes, strict=True))

    return [
        over("journal, an event in batches", "us", lambda p: p.journaled_us),
        over("index, a message", "us", lambda p: p.indexed_us),
        over("`event.publish`, p50", "ms", lambda p: quantile(p.published, 0.5)),
        over("`event.publish`, p99", "ms", lambda p: quantile(p.published, 0.99), flat=False),
        over("`session.search`, p50", "ms", lambda p: quantile(p.asked, 0.5)),
        over("`session.search`, p99", "ms", lambda p: quantile(p.asked, 0.99)),
        over("start to ready", "ms", lambda p: p.start),
        over("RSS after a start", "MB", lambda p: p.daemon / MEGABYTE),
        over(
            "RSS after 500 questions, with the reader",
            "MB",
            lambda p: p.rss / MEGABYTE,
            limit="the mapped files of the index, which the kernel takes back when it needs the room",
        ),
        over("of it no mapped file", "MB", lambda p: p.anonymous / MEGABYTE),
        over("processes after them", "", lambda p: p.processes),
        over("CPU while one client publishes", "%", lambda p: p.load_share * 100),
        Measure(name="journal, disk a message", unit="B", values=a_message(lambda p: p.journal)),
        Measure(name="index, disk a message", unit="B", values=a_message(lambda p: p.index)),
    ]


def _row(one: Measure, sizes: Sequence[int]) -> Row:
    first, last = one.values[0], one.values[-1]
    grown = last / first if first else 0.0
    shown = ", ".join(f"{value:,.2f}" if value < 100 else f"{value:,.0f}" for value in one.values)
    return Row(
        what=f"{one.name}, {one.unit}".rstrip(", "), value=shown, floor=f"{first:,.2f}",
        ratio=f"{grown:.2f}x, slope {one.slope(sizes):+.2f}", aim=f"<= {MAX_GROWTH:g}x" if one.flat else "",
        met=grown <= MAX_GROWTH if one.flat else None, limit=one.limit,
    )  # fmt: skip
