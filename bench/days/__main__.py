"""`make days`: sixty days of a simulated user, and what a new session is told on each morning.

    python bench/days [--seed N] [--phrases FILE] [--days 60] [--each] [--show]
    python bench/days --pairs FILE | --apart FILE [--show]

Prints a table, writes it to bench/results, and exits 1 when a bound is broken. `--pairs` and `--apart` only ask, for
each two sentences of a file, whether the second takes the place of the first or stands beside it (`pairs.py`).
"""

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(_ROOT), str(_ROOT / "tests")]

from bench.days.life import OWN, TOLD_BY_DAY, Life, read  # noqa: E402
from bench.days.living import Lived, live  # noqa: E402
from bench.days.mechanisms import ALL, MECHANISMS, Mechanism  # noqa: E402
from bench.days.pairs import RIGHT, apart, rows_of, tied  # noqa: E402
from bench.days.pairs import report as report_pairs  # noqa: E402
from bench.ground import prepared  # noqa: E402

RESULTS = _ROOT / "bench" / "results"
SETTLED = TOLD_BY_DAY + 1  #: the day from which on facts are counted: by then each was said once
LEAST_TOLD = 0.90
MOST_CHARS = 9_500  #: what hosts take
MOST_GROWTH = 1.10  #: of active memory from the third quarter to the last
_HEAD = (
    "",
    "facts told",
    "replaced values told",
    "work that went well",
    "corrections at their moment",
    "what came up in passing",
    "notes that are over",
    "longest snapshot",
    "active memory, third and last quarter",
    "all files",
)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What does a new session know after sixty days?")
    parser.add_argument("--seed", type=int, default=20261201, help="of the order and the choice of phrases")
    parser.add_argument("--phrases", type=Path, default=OWN, help="what is said; bench/days/life.py says how")
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--each", action="store_true", help="also without each mechanism, one at a time")
    parser.add_argument(
        "--show", action="store_true", help="also what was missed or told too much, on how many mornings"
    )
    parser.add_argument("--pairs", type=Path, help="phrases of which each statement is tried with each change of it")
    parser.add_argument("--apart", type=Path, help="pairs of sentences of which none takes the place of the other")
    options = parser.parse_args(argv)
    if options.pairs or options.apart:
        return _paired(options)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    life = Life(options.seed, read(options.phrases), options.days)
    wanted = MECHANISMS if options.each else {}
    with prepared(quick=False) as ground:
        whole = _lived(life, ground.room("whole"), ALL)
        others = {name: _lived(life, ground.room(f"w{n}"), one) for n, (name, one) in enumerate(wanted.items())}
        text = report(ground.describe(), options.seed, whole, others)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "days.md").write_text(text, encoding="utf-8")
    print(text)
    if options.show:
        print("\n".join(_shown(whole)))
    return int(bool(broken(whole)))


def _paired(options: argparse.Namespace) -> int:
    found = [*tied(read(options.pairs))] if options.pairs else [*apart(rows_of(options.apart))]
    print(report_pairs(found))
    if options.show:
        print("\n".join(str(pair) for pair in sorted(found, key=lambda pair: pair.end) if pair.end != RIGHT))
    return 0


def _lived(life: Life, folder: Path, mechanism: Mechanism) -> Lived:
    with mechanism.without():
        return live(life, folder, mechanism.settings)


def report(where: str, seed: int, whole: Lived, others: Mapping[str, Lived]) -> str:
    """The table, the whole first, and which bounds are broken."""
    rows = [_row("everything", whole), *(_row(name, lived) for name, lived in others.items())]
    told = f"{whole.sessions} sessions, {whole.turns} turns in {len(whole.mornings)} days, seed {seed}."
    faults = broken(whole)
    verdict = f"Broken: {'; '.join(faults)}." if faults else "All bounds hold."
    table = "\n".join(f"| {' | '.join(row)} |" for row in (_HEAD, ("---",) * len(_HEAD), *rows))
    return f"# memoryd days\n\n{where}\n\n{told}\n\n{table}\n\n{verdict}\n"


def broken(lived: Lived) -> list[str]:
    """The bounds that do not hold, in words."""
    faults = []
    if (share := lived.share(SETTLED)) < LEAST_TOLD:
        faults.append(f"{share:.1%} of the facts that hold are told, not {LEAST_TOLD:.0%}")
    if lived.past:
        faults.append(f"replaced values are told {lived.past} times")
    if lived.stale:
        faults.append(f"{lived.stale} facts are in memory whose time is over")
    if lived.longest > MOST_CHARS:
        faults.append(f"a snapshot has {lived.longest} characters, not {MOST_CHARS} at most")
    if lived.growth > MOST_GROWTH:
        faults.append(f"active memory grows {lived.growth:.2f}x in the last quarter")
    return faults


def _row(name: str, lived: Lived) -> tuple[str, ...]:
    shares = (lived.share(SETTLED), lived.worked, lived.corrected, lived.hinted)
    told, worked, corrected, hinted = (f"{share:.1%}" for share in shares)
    return (
        name, told, str(lived.past), worked, corrected, hinted, str(lived.stale), f"{lived.longest:,}",
        f"{lived.halfway:,.0f}, {lived.at_end:,.0f} ({lived.growth:.2f}x)", f"{lived.mornings[-1].files:,}",
    )  # fmt: skip


def _shown(lived: Lived) -> list[str]:
    late = [morning for morning in lived.mornings if morning.day >= SETTLED]
    missed = Counter(one for morning in late for one in morning.missed)
    past = Counter(one for morning in lived.mornings for one in morning.past)
    return [
        *(f"missed {n:3}  {one}" for one, n in missed.items()),
        *(f"past   {n:3}  {one}" for one, n in past.items()),
    ]


if __name__ == "__main__":
    sys.exit(main())
