"""Search at 1 000, 10 000 and 100 000 past texts, English and Chinese: through the socket, all sizes in turn.

Beside it what a question cannot do without: a round trip of the socket (`daemon.health`), and the engine alone in this
process on the same files.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from support.installation import Installation, installed, until

from bench.ground import Ground
from bench.process import HAS_PROC, cpu, memory, tree
from bench.table import Row
from bench.texts import asked_words, journal_texts, made_texts
from bench.timing import Times, quantile
from memoryd.daemon.indexing import GATHER_SECONDS
from memoryd.errors import Busy
from memoryd.ipc.client import Client
from memoryd.memory import entries
from memoryd.memory.model import ENTRY_DIR
from memoryd.memory.search.index import IndexReader

TITLE = "Search"
SIZES = (1_000, 10_000, 100_000)
QUERIES = 2_000  #: distinct ones a language
PARTED = 500  #: of them, that are also asked in parts
MAX_P99_MS, MAX_GROWTH = 5.0, 2.0
MAX_RSS_MB = 50  #: of the daemon and its reader
TEXTS_AN_ENTRY, MAX_ENTRIES = 10, 1_000  #: past texts for each entry of the memory beside them; more is no memory
LIMIT = "a hand-over to a thread, a pipe to the index's process, fifty texts read from the journal"
MEMORY_LIMIT = (
    "a look at the folders and the files shown, every 2 s at all files; up to 200 hits of the index are ranked"
)
OPEN_LIMIT = "the reader is an interpreter with tantivy of its own; it ends after a minute without a question"
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A daemon whose index holds so many texts."""

    size: int
    served: Installation
    rate: float  #: texts a second, from the journal to the commit
    texts: Sequence[str]

    @property
    def remembered(self) -> Sequence[str]:
        return self.texts[::TEXTS_AN_ENTRY][:MAX_ENTRIES]


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    sizes = ground.pick(quick=SIZES[:2], full=SIZES)
    rows: list[Row] = []
    asked: dict[str, list[str]] = {}
    with ExitStack() as stack:
        filled = [filled(stack, ground, size) for size in sizes]
        for language in ("English", "Chinese"):
            queries = asked_words(filled[0].texts, language, ground.pick(quick=300, full=QUERIES))
            asked[language] = queries
            times, spent = _in_turn(filled, queries, _asks)
            rows += _rows(language, filled, times, _plain(filled[-1].texts, language))
            rows += [*_costs(language, filled, spent), *_parts(language, filled[-1], queries[:PARTED])]
        rows += [row for one in filled for row in _sizes(one)]
        for one in filled:
            remember(one)
        for language, queries in asked.items():
            times, _ = _in_turn(filled, queries[: ground.pick(quick=100, full=500)], _asks_memory)
            rows += _memory_rows(language, filled, times)
    return rows, [
        f"{len(queries):,} distinct queries a language, each asked of every size in turn; no result cache. "
        "Floor: the same at 1 000 texts; in brackets SQLite FTS5 (unicode61) in this process on the largest."
    ]


def filled(stack: ExitStack, ground: Ground, size: int) -> Filled:
    served = stack.enter_context(installed(ground.room(f"s{size}"), data_home=None))
    texts = list(made_texts(size))
    served.places.data.mkdir(parents=True, mode=0o700)
    asyncio.run(journal_texts(served.database, texts))
    served.start()
    began = perf_counter()
    with served.client() as client:
        until(lambda: client.call("daemon.health").index_behind == 0, seconds=600, what=served.tail)
        taken = max(0.1, perf_counter() - began - GATHER_SECONDS)
    return Filled(size=size, served=served, rate=size / taken, texts=texts)


def remember(one: Filled) -> None:
    """Put an entry for some of the texts into the memory, and wait until the index holds them."""
    folder = one.served.places.user_memory / ENTRY_DIR
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number, text in enumerate(one.remembered):
        fields = {"name": f"entry {number}", "description": text[:80], "type": "project"}
        (folder / f"entry-{number}.md").write_text(entries.render(fields, text), "utf-8")
    with one.served.client() as client:  # the first question takes them in
        until(lambda: _knows(client), seconds=600, what=one.served.tail)
    until(lambda: bool(_engine(one.served).state()["roots"]), seconds=600, what=one.served.tail)


def _knows(client: Client) -> bool:
    try:
        return bool(_asks_memory(client, "entry").items)
    except Busy:  # a thousand new files are recorded as versions first
        return False


def _engine(served: Installation) -> IndexReader:
    (folder,) = (served.places.data / "index").iterdir()
    return IndexReader(folder)


Ask = Callable[[Client, str], Any]


def _asks(client: Client, query: str) -> Any:
    return client.call("session.search", {"query": query, "limit": 10})


def _asks_memory(client: Client, query: str) -> Any:
    return client.call("memory.search", {"query": query, "match": "any", "limit": 10}, timeout=20)


def _in_turn(filled: Sequence[Filled], queries: Sequence[str], ask: Ask) -> tuple[list[list[float]], list[float]]:
    """Seconds of each query, and CPU seconds a query, for each size."""
    taken: list[list[float]] = [[] for _ in filled]
    with ExitStack() as stack:
        clients = [stack.enter_context(one.served.client()) for one in filled]
        for client in clients:
            ask(client, "warm")
        before = [_cpu_seconds(one) for one in filled]
        for query in queries:
            for client, seconds in zip(clients, taken, strict=True):
                seconds.append(_seconds(partial(ask, client, query)))
        spent = [_spent(b, _cpu_seconds(one)) / len(queries) for b, one in zip(before, filled, strict=True)]
    return taken, spent


def _seconds(call: Callable[[], object]) -> float:
    began = perf_counter()
    call()
    return perf_counter() - began


_FTS5 = "select rowid from texts where texts match ? order by bm25(texts) limit 10"


def _found(database: sqlite3.Connection, asked: str) -> list[Any]:
    return database.execute(_FTS5, (asked,)).fetchall()


def _plain(texts: Sequence[str], language: str) -> float:
    """p99 in seconds of FTS5 on the same texts, one word being enough."""
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table texts using fts5 (text, tokenize = unicode61)")
    database.executemany("insert into texts values (?)", ((text,) for text in texts))
    taken = []
    for query in asked_words(texts, language, 200):
        asked = " OR ".join(f'"{word}"' for word in query.split())
        taken.append(_seconds(partial(_found, database, asked)))
    database.close()
    return quantile(taken, 0.99)


def _rows(language: str, filled: Sequence[Filled], taken: Sequence[list[float]], plain: float) -> Iterator[Row]:
    floor = quantile(taken[0], 0.99) * 1000
    for one, seconds in zip(filled, taken, strict=True):
        p50, p99 = quantile(seconds, 0.5) * 1000, quantile(seconds, 0.99) * 1000
        last = one is filled[-1]
        yield Row(
            what=f"{language}, {one.size:,} texts", value=f"p99 {p99:.2f} ms, p50 {p50:.2f} ms",
            floor=f"{floor:.2f} ms" + (f" (FTS5 {plain * 1000:.1f} ms)" if last else ""), ratio=f"{p99 / floor:.2f}x",
            aim=f"<= {MAX_P99_MS:g} ms, <= {MAX_GROWTH:g}x" if last else "",
            met=(p99 <= MAX_P99_MS and p99 <= MAX_GROWTH * floor) if last else None, limit=LIMIT if last else "",
        )  # fmt: skip


def _parts(language: str, one: Filled, queries: Sequence[str]) -> Iterator[Row]:
    """What of a question is the socket, and what the engine: each by itself, in turn with the whole."""
    engine = _engine(one.served)
    engine.search("warm", field="turn")
    with one.served.client() as client:
        parts: tuple[Callable[[str], object], ...] = (
            partial(_asks, client), lambda query: client.call("daemon.health"), partial(engine.search, field="turn"),
        )  # fmt: skip
        taken = [[_seconds(partial(part, query)) for part in parts] for query in queries]
    whole, trip, search = (Times(tuple(seconds)) for seconds in zip(*taken, strict=True))
    yield Row(
        what=f"{language}, {one.size:,} texts, beside its parts", value=_both(whole),
        floor=f"socket {_both(trip)}; engine {_both(search)}",
        ratio=f"{whole.median / (trip.median + search.median):.2f}x", limit=LIMIT,
    )  # fmt: skip


def _both(times: Times) -> str:
    return f"p50 {times.median * 1000:.2f} ms, p99 {quantile(times.samples, 0.99) * 1000:.2f} ms"


def _memory_rows(language: str, filled: Sequence[Filled], taken: Sequence[list[float]]) -> Iterator[Row]:
    floor = quantile(taken[0], 0.99) * 1000
    for one, seconds in zip(filled, taken, strict=True):
        p50, p99 = quantile(seconds, 0.5) * 1000, quantile(seconds, 0.99) * 1000
        yield Row(
            what=f"`memory.search`, {language}, {len(one.remembered):,} entries",
            value=f"p99 {p99:.2f} ms, p50 {p50:.2f} ms", floor=f"{floor:.2f} ms", ratio=f"{p99 / floor:.2f}x",
            limit=MEMORY_LIMIT if one is filled[-1] else "",
        )  # fmt: skip


def _costs(language: str, filled: Sequence[Filled], seconds: Sequence[float]) -> Iterator[Row]:
    """CPU of the daemon and its reader: what a query takes where nothing else runs."""
    if HAS_PROC:
        for one, each in zip(filled, seconds, strict=True):
            yield Row(
                what=f"CPU a query, {language}, {one.size:,} texts", value=f"{each * 1000:.2f} ms",
                floor=f"{seconds[0] * 1000:.2f} ms", ratio=f"{each / max(seconds[0], 1e-9):.2f}x",
                limit="read in steps of 10 ms over all queries",
            )  # fmt: skip


def _cpu_seconds(one: Filled) -> dict[int, float]:
    """By pid; a child that has just ended is left out."""
    found = {}
    for pid in _processes(one):
        with suppress(FileNotFoundError, ProcessLookupError):
            found[pid] = cpu(pid).total
    return found


def _spent(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Of those that lived the whole time: a writer that ended meanwhile takes its seconds with it."""
    return sum(after[pid] - before[pid] for pid in before.keys() & after.keys())


def _processes(one: Filled) -> list[int]:
    """The daemon and its children."""
    return tree(one.served.pid) if HAS_PROC else []


def _sizes(one: Filled) -> Iterator[Row]:
    files = sum(path.stat().st_size for path in (one.served.places.data / "index").rglob("*") if path.is_file())
    raw = sum(len(text.encode()) for text in one.texts)
    yield Row(
        what=f"index of {one.size:,} texts", value=f"{files / MEGABYTE:.1f} MB, {one.rate:,.0f} texts/s",
        floor=f"{raw / MEGABYTE:.1f} MB of text", ratio=f"{files / raw:.2f}x", limit="tokenisation in Python",
    )  # fmt: skip
    if HAS_PROC:
        held = [memory(pid).rss / MEGABYTE for pid in _processes(one)]
        yield Row(
            what=f"RSS with the index of {one.size:,} texts open", value=f"{sum(held):.0f} MB",
            floor=f"daemon {held[0]:.0f} MB, reader {sum(held[1:]):.0f} MB", aim=f"<= {MAX_RSS_MB} MB",
            met=sum(held) <= MAX_RSS_MB, limit=OPEN_LIMIT,
        )  # fmt: skip
