"""The durable answer: events through the real daemon beside bare SQLite group commit, one fsync and a bare server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import bare, disk, journal, lines, load
from bench.ground import Ground
from bench.process import Cpu, cpu, run_json, standing
from bench.served import serving
from bench.table import Aim, Row, compared
from bench.timing import Times, in_turn, quantile

TITLE = "Durable acknowledgement"
CLIENTS = 16
RATE, LATENCY = Aim(bound=0.5, at_least=True), Aim(bound=3.0)


@dataclass(slots=True)
class Target:
    """A server under load: events a second, latencies and CPU seconds of each round."""

    rates: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)
    events: int = 0
    refused: int = 0
    used: Cpu = field(default_factory=lambda: Cpu(0.0, 0.0))
    load_cpu: float = 0.0

    @property
    def rate(self) -> Times:
        return Times(self.rates)

    def add(self, found: dict[str, list[float]], seconds: float, used: Cpu, load_cpu: float) -> None:
        taken = found["taken"]
        self.rates.append(len(taken) / seconds)
        self.p50.append(quantile(taken, 0.5))
        self.p99.append(quantile(taken, 0.99))
        self.events += len(taken)
        self.used += used
        self.load_cpu += load_cpu

    def cost(self) -> str:
        """Where the time of one event goes, in microseconds of CPU."""
        loop, others, made = (x / self.events * 1e6 for x in (self.used.loop, self.used.others, self.load_cpu))
        return f"CPU of one event: loop thread {loop:.0f} us, other threads {others:.0f} us; load generator {made:.0f}"


@dataclass(slots=True)
class Disk:
    """What the floors gave."""

    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, given: dict[str, Any]) -> float:
        self.rates.append(given["rate"])
        self.cpu.append(given["cpu"])
        return self.rates[-1]

    @property
    def cost_us(self) -> float:
        return Times(self.cpu).median * 1e6


@dataclass(frozen=True, slots=True)
class Bench:
    ground: Ground
    room: Path
    seconds: float

    def load(self, target: Target, socket: Path, pid: int, line: bytes, clients: int) -> Callable[[], float]:
        """One round of load on a server."""
        template = self.room / f"line-{len(list(self.room.iterdir()))}"
        template.write_bytes(line)
        argv = [self.ground.python, "-S", load.__file__, str(socket), str(template), str(clients), str(self.seconds)]

        def measure() -> float:
            before = cpu(pid)
            found = run_json(argv, self.ground.env)
            target.add(found, found["seconds"], cpu(pid) - before, found["cpu"])
            target.refused += found["refused"]
            return target.rates[-1]

        return measure

    def disk(self, kind: str) -> dict[str, Any]:
        argv = [self.ground.python, "-S", disk.__file__, kind, str(self.room), str(self.seconds)]
        return run_json(argv, self.ground.env)

    def fsync(self, found: Disk) -> float:
        taken: list[float] = self.disk("fsync")["taken"]
        found.p50.append(quantile(taken, 0.5))
        found.p99.append(quantile(taken, 0.99))
        return found.p50[-1]

    def sqlite(self, found: Disk) -> float:
        return found.add(self.disk("sqlite"))

    def journal(self, found: Disk) -> float:
        argv = [self.ground.python, journal.__file__, str(self.room), str(self.seconds)]
        return found.add(run_json(argv, self.ground.env))


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    floors, alone = Disk(), Disk()
    targets = {name: Target() for name in ("bare", "event.publish", "hook.deliver", "one client")}
    rounds = ground.pick(quick=2, full=6)
    with _variants(ground, targets, floors, alone) as variants:
        in_turn(variants, rounds)
    return [*_rates(targets, floors, alone), *_latencies(targets, floors)], _notes(targets, floors, rounds)


@contextmanager
def _variants(
    ground: Ground, targets: dict[str, Target], floors: Disk, alone: Disk
) -> Iterator[dict[str, Callable[[], float]]]:
    bench = Bench(ground, ground.room("ack"), ground.pick(quick=0.5, full=1.5))
    bare_socket = bench.room / "bare"
    with (
        serving(ground, "acking", CONSOLIDATION__INTERVAL_TURNS="1000") as served,
        standing([ground.python, bare.__file__, "commit", str(bare_socket)], ground.env) as bare_pid,
    ):
        socket, pid, cwd = served.places.socket, served.pid, str(bench.room)
        yield {
            "fsync": lambda: bench.fsync(floors),
            "sqlite": lambda: bench.sqlite(floors),
            "journal": lambda: bench.journal(alone),
            "bare": bench.load(targets["bare"], bare_socket, bare_pid, lines.published(cwd), CLIENTS),
            "event.publish": bench.load(targets["event.publish"], socket, pid, lines.published(cwd), CLIENTS),
            "hook.deliver": bench.load(targets["hook.deliver"], socket, pid, lines.delivered(cwd), CLIENTS),
            "one client": bench.load(targets["one client"], socket, pid, lines.published(cwd), 1),
        }


def _rates(targets: dict[str, Target], floors: Disk, alone: Disk) -> Iterator[Row]:
    floor = Times(floors.rates)
    shown = f"{floor.median:,.0f}/s ({floors.cost_us:.0f} us of CPU)"
    for name in ("event.publish", "hook.deliver"):
        found = targets[name]
        value = f"{found.rate.median:,.0f}/s"
        yield compared(
            f"{name}, {CLIENTS} clients, 1 KB, against SQLite group commit", value, shown,
            found.rate.over(floor), RATE, found.cost(),
        )  # fmt: skip
        server = targets["bare"]
        yield compared(
            f"{name}, against a bare asyncio server with group commit", value, f"{server.rate.median:,.0f}/s",
            found.rate.over(server.rate), None, server.cost(),
        )  # fmt: skip
    yield compared(
        "bare asyncio server against SQLite group commit", f"{targets['bare'].rate.median:,.0f}/s", shown,
        targets["bare"].rate.over(floor), None, "the most that an asyncio server can give here",
    )  # fmt: skip
    yield compared(
        "our journal without sockets against SQLite group commit", f"{Times(alone.rates).median:,.0f}/s", shown,
        Times(alone.rates).over(floor), None,
        f"CPU of one event: {alone.cost_us:.0f} us (six statements, their Python, one future); more pages to sync",
    )  # fmt: skip


def _latencies(targets: dict[str, Target], floors: Disk) -> Iterator[Row]:
    fsync = Times(floors.p99)
    for name in ("event.publish", "hook.deliver", "one client", "bare"):
        found = targets[name]
        p50, p99 = Times(found.p50).median, Times(found.p99)
        least = CLIENTS * found.used.total / found.events if name != "one client" else 0.0
        limit = f"{CLIENTS} clients wait for each other's CPU: {least * 1000:.1f} ms" if least else "one commit alone"
        label = {"one client": "event.publish, 1 client", "bare": f"bare asyncio server, {CLIENTS} clients"}
        yield compared(
            f"p99 of {label.get(name, f'{name}, {CLIENTS} clients')}, against p99 of one fsync",
            f"{p99.median * 1000:.2f} ms (p50 {p50 * 1000:.2f})",
            f"{fsync.median * 1000:.2f} ms (p50 {Times(floors.p50).median * 1000:.2f})",
            p99.over(fsync), LATENCY if name in ("event.publish", "hook.deliver") else None, limit,
        )  # fmt: skip


def _notes(targets: dict[str, Target], floors: Disk, rounds: int) -> list[str]:
    refused = sum(one.refused for one in targets.values())
    return [
        f"{rounds} rounds in turn, medians; spread over the rounds: SQLite {Times(floors.rates).spread:.0%}, "
        f"event.publish {targets['event.publish'].rate.spread:.0%}, p99 of one fsync {Times(floors.p99).spread:.0%}.",
        "fsync: append 1 KB, fdatasync. SQLite: one thread, WAL FULL, 16 rows of 1 KB to a transaction. No "
        "consolidation ran meanwhile. Load from a process of its own, one line in flight per client.",
        f"Refused events: {refused}.",
    ]
