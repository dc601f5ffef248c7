"""`make mutants`: each guard is taken out of a copy of the source, and a test must turn red.

    python tests/mutants [GUARD ...]

Prints a table and writes it to bench/results/mutants.md. The exit status is 1 when a guard can go unnoticed, when a
test is red with all guards in place, or when a guard's text is no longer where the table says.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:1] = [str(_TESTS)]

from mutants import guards, trial  # noqa: E402
from mutants.guard import Guard  # noqa: E402

RESULT = _TESTS.parent / "bench" / "results" / "mutants.md"


def main(names: Sequence[str]) -> int:
    if unknown := set(names) - {guard.name for guard in guards.ALL}:
        print(f"no guard {', '.join(sorted(unknown))}; known are:\n" + "\n".join(g.name for g in guards.ALL))
        return 2
    chosen = [guard for guard in guards.ALL if not names or guard.name in names]
    if told := _with_all_guards(chosen):
        print(told)
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        trials = list(pool.map(_without, chosen))
    text = _table(chosen, trials)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(text, encoding="utf-8")
    print(text)
    for guard, one in zip(chosen, trials, strict=True):
        if one.broken:
            print(f"{guard.name}: the tests could not run\n{one.broken}")
    return int(not all(one.red or not one.ran for one in trials))


def _with_all_guards(chosen: Sequence[Guard]) -> str:
    """What is wrong before any guard is taken out, '' when nothing is."""
    tests = sorted({test for guard in chosen for test in guard.tests})
    with trial.copied() as root:
        found = trial.run(root, tests, seconds=10 * trial.SECONDS)
    if found.broken or found.red:
        return f"with all guards in place {found.failed or 'the tests'} fails already\n{found.broken}"
    return ""


def _without(guard: Guard) -> trial.Trial:
    with trial.copied() as root:
        guard.remove(root / "src" / "memoryd")
        found = trial.run(root, guard.tests)
    print(f"{guard.name}: {_verdict(found)}", flush=True)
    return found


def _verdict(found: trial.Trial) -> str:
    if found.broken:
        return "**broken**"
    if not found.ran:
        return "not judged: its tests are skipped on this machine"
    return f"`{found.failed}`" if found.failed else "it hung" if found.red else "**survived**"


def _table(chosen: Sequence[Guard], trials: Sequence[trial.Trial]) -> str:
    killed = sum(one.red for one in trials)
    rows = [
        f"| {guard.name} | {guard.promise} | {guard.file} | {_verdict(one)} | {one.seconds:.1f} |"
        for guard, one in zip(chosen, trials, strict=True)
    ]
    head = ["| guard | what it holds | where | noticed by | s |", "|---|---|---|---|---|"]
    return "\n".join(["# Guards, removed one at a time", "", f"{killed} of {len(rows)} noticed.", "", *head, *rows, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
