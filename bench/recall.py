"""What a session is given, beside one search: each asked of one daemon, in turn."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle
from time import perf_counter

from bench.ground import Ground
from bench.search import filled, remember
from bench.table import Aim, Row, compared
from bench.texts import asked_words
from bench.timing import Times, in_turn, quantile
from memoryd.ipc.client import Client

TITLE = "Recall"
BESIDE = "`session.search`"
TEXTS = 1_000
SNAPSHOT = Aim(bound=3.0)
LIMITS = {
    "recall.snapshot": "the whole memory is ranked, its blocks are written as far as the budget goes",
    "recall.prefetch": "what answers the prompt, beside the words of the index",
    "memory.search": "a look at the files that are shown",
}


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    with ExitStack() as stack:
        one = filled(stack, replace(ground, folder=ground.room("recall")), TEXTS)
        remember(one)
        client = stack.enter_context(one.served.client())
        queries = asked_words(one.texts, "English", ground.pick(quick=100, full=1_000))
        asked = _asked(client, str(one.served.home), queries)
    search = asked.pop("session.search")
    rows = [_row(name, share, times, search) for name, times in asked.items() for share in (0.5, 0.99)]
    return rows, [
        f"{len(queries):,} questions, {TEXTS:,} past texts, {len(one.remembered):,} entries in the user's memory. "
        "A snapshot is composed anew each time: a session is given the one that was kept for it."
    ]


def _asked(client: Client, cwd: str, queries: list[str]) -> dict[str, Times]:
    """Seconds of each; a search looks at all past conversations, as one without a project does."""
    methods = {"session.search": _timed(client, "session.search", {}, queries)}
    methods |= {name: _timed(client, name, {"cwd": cwd}, queries) for name in LIMITS}
    return in_turn(methods, len(queries))


def _timed(client: Client, method: str, where: Mapping[str, str], queries: Sequence[str]) -> Callable[[], float]:
    left = cycle(queries)

    def asked() -> float:
        query = {} if method == "recall.snapshot" else {"query": next(left)}
        began = perf_counter()
        client.call(method, {**where, **query}, timeout=20)
        return perf_counter() - began

    return asked


def _row(name: str, share: float, times: Times, search: Times) -> Row:
    mine, floor = (quantile(one.samples, share) * 1000 for one in (times, search))
    aimed = name == "recall.snapshot" and share == 0.99
    return compared(
        f"`{name}`, p{share * 100:g}", f"{mine:.2f} ms", f"{floor:.2f} ms", mine / floor,
        SNAPSHOT if aimed else None, LIMITS[name],
    )  # fmt: skip
