"""`make bench`: every promise of speed and size beside its floor, in one run.

    python bench/run.py [--quick] [--only SECTION]

Prints Markdown tables and writes them to bench/results/report.md. A missed aim is printed as missed and is no error;
the exit status is 1 when a section broke.
"""

import argparse
import importlib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

_HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(_HERE.parent), str(_HERE.parent / "tests")]  # the daemon of the tests serves here too

from bench.ground import Ground, prepared  # noqa: E402
from bench.pages import rewrite  # noqa: E402
from bench.table import Row, markdown, summary  # noqa: E402

REPORT = _HERE / "results" / "report.md"
#: modules beside this one: TITLE and section()
SECTIONS = (
    "hook", "ack", "idle", "ready", "growth", "search", "recall", "values", "retrieval", "rules", "transcript",
    "redaction", "tokens", "poisoning", "consolidation", "peers",
)  # fmt: skip
PEERS = "peers"  #: installs other tools, so it runs when it is asked for


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Ratios side by side with their floors.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, some minutes")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="one section; may be given again")
    parser.add_argument("--pages", action="store_true", help="also rewrite the tables in docs/")
    parser.add_argument("--peers", action="store_true", help="also the same jobs by other tools, from the registries")
    options = parser.parse_args(argv)
    began, broken = perf_counter(), 0
    found: list[tuple[str, list[Row]]] = []
    with prepared(quick=options.quick) as ground:
        head = _show(f"# memoryd bench\n\n{ground.describe()}\n")
        parts = []
        for name in options.only or [one for one in SECTIONS if one != PEERS or options.peers]:
            part, rows = _measure(name, ground)
            parts.append(_show(part))
            found.append((name, rows or []))
            if options.pages and rows:
                print("written into", *rewrite(part, name))
            broken += rows is None
    told = _show(summary(found))
    parts.append(_show(f"Took {perf_counter() - began:.0f} s. Ratios count: the machine is shared, times are not."))
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join([head, told, *parts]) + "\n", encoding="utf-8")
    return int(broken > 0)


def _measure(name: str, ground: Ground) -> tuple[str, list[Row] | None]:
    """The part of the report, and its rows; None: it broke."""
    try:
        module = importlib.import_module(f"bench.{name}")
        rows, notes = module.section(ground)
    except Exception as error:
        traceback.print_exc()
        return f"## {name}\n\n**broken**: {type(error).__name__}\n", None
    return markdown(module.TITLE, rows, notes, getattr(module, "BESIDE", "floor")), rows


def _show(text: str) -> str:
    print(text, flush=True)
    return text


if __name__ == "__main__":
    sys.exit(main())
