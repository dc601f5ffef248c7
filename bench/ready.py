"""Ready: from the spawn of `python -m memoryd serve` to the answer of `daemon.health`."""

import re
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter

from support.installation import installed

from bench.ground import Ground
from bench.process import run_seconds
from bench.table import Aim, Row, compared
from bench.timing import in_turn

TITLE = "Ready"
AIM = Aim(bound=4.0)
MODULE = "memoryd.daemon.serve"
FLOOR = "import asyncio, pydantic, sqlite3"


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    room, names = ground.room("ready"), count()
    known = room / "known"
    known.mkdir()
    floor = [ground.python, "-c", FLOOR]
    modules = [ground.python, "-c", f"import {MODULE}"]

    def new() -> float:
        home = room / f"new-{next(names)}"
        home.mkdir()
        return started(ground, home)

    variants: dict[str, Callable[[], float]] = {
        "floor": lambda: run_seconds(floor, ground.env, Path("/dev/null")),
        "modules": lambda: run_seconds(modules, ground.env, Path("/dev/null")),
        "again": lambda: started(ground, known),
        "new": new,
    }
    times = in_turn(variants, ground.pick(quick=3, full=10))
    base = times["floor"]
    rows = [
        compared("ready, data directory exists", times["again"].ms(), base.ms(), times["again"].over(base), AIM,
                 "importing our modules and the prescribed libraries"),
        compared("ready, first start", times["new"].ms(), base.ms(), times["new"].over(base), AIM,
                 "the same, then making and syncing database and seeds"),
        compared(f"of these: `import {MODULE}`", times["modules"].ms(), base.ms(),
                 times["modules"].over(base), None, _heaviest(ground)),
    ]  # fmt: skip
    return rows, [
        f'Floor: `python -c "{FLOOR}"`. Medians of {len(base.samples)} rounds; spread of the floor {base.spread:.0%}.'
    ]


_IMPORTED = re.compile(r"^import time:\s+(?P<own>\d+) \|\s+\d+ \|\s+(?P<name>\S+)$", re.MULTILINE)


def _heaviest(ground: Ground) -> str:
    """The modules that take longest by themselves, as the interpreter tells; telling costs time as well."""
    argv = [ground.python, "-X", "importtime", "-c", f"import {MODULE}"]
    told = subprocess.run(argv, env=ground.env, capture_output=True, text=True, check=True).stderr
    found = sorted(((int(row["own"]), row["name"]) for row in _IMPORTED.finditer(told)), reverse=True)
    total = sum(own for own, _ in found)
    return "own share of " + ", ".join(f"{name} {own / total:.0%}" for own, name in found[:4])


def started(ground: Ground, home: Path) -> float:
    with installed(home) as one:
        began = perf_counter()
        one.start()
        one.call("daemon.health")
        return perf_counter() - began
