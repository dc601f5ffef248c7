"""The hook: the generated script beside the start of the same interpreter, `-I -S -c pass`."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.installation import Installation

from bench import bare, talk
from bench.ground import Ground
from bench.process import run_seconds, standing
from bench.served import serving
from bench.table import Aim, Row
from bench.timing import Times, in_turn
from memoryd.ipc import hookscript
from memoryd.ipc.places import Places

TITLE = "Hook"
SIZES = {"1 KB": 1024, "64 KB": 64 * 1024}
WITHOUT_ACK, WITH_ACK = Aim(bound=1.1), Aim(bound=1.6)
_FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Bench:
    """What the variants share: payload files and the spool folders that they may fill."""

    ground: Ground
    room: Path

    def script(self, name: str, places: Places) -> str:
        path = self.room / name
        hookscript.write(path, hookscript.generate(places, Path(self.ground.python)))
        return str(path)

    def payload(self, event: str, chars: int) -> Path:
        """What a host writes to stdin, exactly `chars` bytes."""
        path = self.room / f"{event}-{chars}"
        word = "prompt" if event == "UserPromptSubmit" else "last_assistant_message"
        known = {"session_id": f"hook-{chars}", "hook_event_name": event, "cwd": str(self.room), word: ""}
        known[word] = talk.text(chars - len(json.dumps(known)))
        path.write_text(json.dumps(known))
        return path

    def fire(self, script: str, event: str, chars: int, spool: Path) -> Callable[[], float]:
        """One firing; what it spooled is removed, so that each finds the same folder."""
        argv, stdin = [script, "claude-code", event], self.payload(event, chars)

        def measure() -> float:
            taken = run_seconds(argv, self.ground.env, stdin)
            for path in spool.iterdir() if spool.is_dir() else ():
                path.unlink()
            return taken

        return measure


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    with _standing(ground) as (variants, late):
        times = in_turn(variants, ground.pick(quick=30, full=150), warm=3)
    floor = times[_FLOOR]
    rows = [_row(name, found, floor) for name, found in times.items() if name != _FLOOR]
    notes = [
        f"posix_spawn to wait4, stdin from a file; medians of {len(floor.samples)} rounds; spread of the floor "
        f"(10th to 90th hundredth over median) {floor.spread:.0%}; ratio of the minima in brackets; an aim is "
        "met when both meet it.",
        f"Firings with the daemon that missed their deadline and went to the spool: {late()}.",
    ]
    return rows, notes


@contextlib.contextmanager
def _standing(ground: Ground) -> Iterator[tuple[dict[str, Callable[[], float]], Callable[[], int]]]:
    """The variants, with a sink and a daemon running."""
    bench = Bench(ground, ground.room("hook"))
    sink = str(bench.room / "sink")
    with (
        serving(ground, "hooked", CONSOLIDATION__INTERVAL_TURNS="1000") as served,
        standing([ground.python, bare.__file__, "sink", sink], ground.env),
    ):
        late = _Late(served)
        variants = _variants(bench, late, _places(bench.room, "sink"), _places(bench.room, "absent"))
        yield variants, lambda: late.count


def _places(room: Path, name: str) -> Places:
    return Places(data=room / f"{name}.data", socket=room / name, config=room / "none")


@dataclass(slots=True)
class _Late:
    """Counts what went to the spool although the daemon runs."""

    served: Installation
    count: int = 0

    def counting(self, fire: Callable[[], float]) -> Callable[[], float]:
        def measure() -> float:
            taken = fire()
            for path in self.served.places.spool.glob("[.0-9]*"):
                self.count += path.name[0] != "."
                path.unlink()
            return taken

        return measure


def _variants(bench: Bench, late: _Late, sink: Places, absent: Places) -> dict[str, Callable[[], float]]:
    none, real = bench.room / "nothing", late.served.places
    to_sink, to_none, to_real = (bench.script(f"hook-{n}", p) for n, p in enumerate((sink, absent, real)))
    floor = [bench.ground.bare_python, "-I", "-S", "-c", "pass"]
    stdin = bench.payload("Stop", 1024)
    variants: dict[str, Callable[[], float]] = {_FLOOR: lambda: run_seconds(floor, bench.ground.env, stdin)}
    for label, chars in SIZES.items():
        variants[f"no ack: sink, {label}"] = bench.fire(to_sink, "Stop", chars, none)
        variants[f"no ack: daemon absent, spooled, {label}"] = bench.fire(to_none, "Stop", chars, absent.spool)
        variants[f"ack: Stop, {label}"] = late.counting(bench.fire(to_real, "Stop", chars, none))
        prompt = bench.fire(to_real, "UserPromptSubmit", chars, none)
        variants[f"ack: UserPromptSubmit with recall, {label}"] = late.counting(prompt)
    return variants


def _row(name: str, found: Times, floor: Times) -> Row:
    aim = WITH_ACK if name.startswith("ack") else WITHOUT_ACK
    limit = "starting the interpreter"
    if "spooled" in name:
        limit = "two fsyncs: the file and its directory"
    elif name.startswith("ack"):
        limit = "the daemon's answer: threads, one commit"
    ratio, least = found.over(floor), found.least / floor.least
    return Row(
        what=f"hook, {name}", value=found.ms(), floor=floor.ms(), ratio=f"{ratio:.2f}x ({least:.2f}x)", aim=str(aim),
        met=aim.met(max(ratio, least)), limit=limit,
    )  # fmt: skip
