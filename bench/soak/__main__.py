"""`make soak`: a day of work in shape, twenty minutes by default; what must stay flat is held against its bound.

    python bench/soak [--minutes 20] [--quick]

Prints a table, writes it with plots to bench/results, and exits 1 when a bound is broken.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(_ROOT), str(_ROOT / "tests")]  # the daemon of the fault tests serves here too

from bench.ground import prepared  # noqa: E402
from bench.process import HAS_PROC  # noqa: E402
from bench.soak.bounds import notes, table  # noqa: E402
from bench.soak.course import soak  # noqa: E402
from bench.soak.plots import plot  # noqa: E402
from bench.table import markdown  # noqa: E402

RESULTS = _ROOT / "bench" / "results"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What grows that should not?")
    parser.add_argument("--minutes", type=float, default=20, help="1440 for a whole day")
    parser.add_argument("--quick", action="store_true", help="one minute and a short rest: too short for slopes")
    parser.add_argument("--seed", type=int, default=20261130, help="of the moments of the kills")
    options = parser.parse_args(argv)
    if not HAS_PROC:
        print("Not measured: needs /proc (Linux).")
        return 0
    with prepared(quick=options.quick) as ground:
        found = soak(ground, 1 if options.quick else options.minutes, options.seed)
        rows = table(found, quick=options.quick)
        title = f"Soak of {found.seconds / 60:g} minutes"
        text = f"# memoryd soak\n\n{ground.describe()}\n\n{markdown(title, rows, notes(found))}"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "soak.md").write_text(text, encoding="utf-8")
    print(text)
    print(plot(found, RESULTS / "soak.png"))
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
