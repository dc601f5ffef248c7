"""The idle daemon: memory, threads, wake-ups and CPU beside a bare asyncio server with the prescribed libraries."""

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from time import sleep

from support.installation import Installation

from bench import bare, talk
from bench.ground import Ground
from bench.process import HAS_PROC, Cpu, Memory, Switches, cpu, memory, standing, switches
from bench.served import serving
from bench.table import Row
from memoryd.clock import rfc3339, utc_now
from memoryd.daemon.sweep import SWEEP_SECONDS
from memoryd.ipc.client import Client

TITLE = "Idle"
EVENTS = 1000
#: what a run moved aside is looked at for 10 s; the first sweep does the upkeep of a day, the second looks at its files
SETTLED_SECONDS, SWEPT_SECONDS = 11.5, 130.0
MEGABYTE = 1024 * 1024
SWEEP = "the sweep, once a minute: one hand-over to a thread, of which each lock that is waited for is a switch"
MAX_RSS_MB, MAX_WAKE_UPS = 50.0, 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What a process did while nothing was asked of it."""

    memory: Memory
    switches: Switches
    cpu: Cpu
    seconds: float

    @property
    def wake_ups(self) -> float:
        """A minute: each voluntary switch is a sleep that ended, an involuntary one a turn taken away."""
        return (self.switches.voluntary + self.switches.involuntary) * 60 / self.seconds

    @property
    def cpu_ms(self) -> float:
        """A minute."""
        return self.cpu.total * 1000 * 60 / self.seconds


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    if not HAS_PROC:
        return [], ["Not measured: needs /proc (Linux)."]
    rested, seconds = ground.pick(quick=(SETTLED_SECONDS, 10.0), full=(SWEPT_SECONDS, 60.0))
    with ExitStack() as stack:
        fresh = stack.enter_context(serving(ground, "fresh"))
        worked = stack.enter_context(serving(ground, "worked"))
        argv = [ground.python, bare.__file__, "idle", str(ground.room("idle") / "s")]
        floor_pid = stack.enter_context(standing(argv, ground.env))
        work(worked, EVENTS)
        floor, start, after = _at_rest([floor_pid, fresh.pid, worked.pid], rested, seconds)
    rows = [
        *_rows("after start", start, floor, SWEEP),
        *_rows(f"after {EVENTS:,} events", after, floor, SWEEP),
    ]
    return rows, _notes(rested, seconds)


def work(served: Installation, events: int) -> None:
    """Prompts and answers in ten sessions, until all of it is consolidated."""
    with Client(served.places.socket) as client:
        for n in range(events // 2):
            session, prompt = f"s{n % 10}", uuid.uuid4().hex
            for event, said in (("UserPromptSubmit", "prompt"), ("Stop", "last_assistant_message")):
                stdin = {"session_id": session, "hook_event_name": event, "cwd": str(served.home), "prompt_id": prompt}
                raw = json.dumps({**stdin, said: talk.text(400, seed=n)})
                known = {"id": uuid.uuid4().hex, "at": rfc3339(utc_now()), "host": "claude-code", "event": event}
                client.call("hook.deliver", {**known, "raw": raw})
    served.idle()


def _at_rest(pids: list[int], rested: float, seconds: float) -> list[Rest]:
    sleep(rested)
    before = [(switches(pid), cpu(pid)) for pid in pids]
    sleep(seconds)
    found = []
    for pid, (known, used) in zip(pids, before, strict=True):
        now = switches(pid)
        turned = Switches(
            threads=now.threads, voluntary=now.voluntary - known.voluntary,
            involuntary=now.involuntary - known.involuntary,
        )  # fmt: skip
        found.append(Rest(memory=memory(pid), switches=turned, cpu=cpu(pid) - used, seconds=seconds))
    return found


def _rows(when: str, found: Rest, floor: Rest, limit: str) -> Iterator[Row]:
    rss, floor_rss = found.memory.rss / MEGABYTE, floor.memory.rss / MEGABYTE
    yield Row(
        what=f"RSS {when}", value=_memory(found.memory), floor=_memory(floor.memory), ratio=f"{rss / floor_rss:.2f}x",
        aim=f"<= {MAX_RSS_MB:g} MB", met=rss <= MAX_RSS_MB, limit="the prescribed libraries, then our own modules",
    )  # fmt: skip
    yield Row(
        what=f"wake-ups a minute {when}", value=_wake_ups(found), floor=_wake_ups(floor),
        aim=f"<= {MAX_WAKE_UPS:g}", met=_few(found),
        limit=limit,
    )  # fmt: skip
    yield Row(
        what=f"CPU a minute {when}", value=f"{found.cpu_ms:.0f} ms ({found.cpu_ms / 600:.3f} %)",
        floor=f"{floor.cpu_ms:.0f} ms", limit="read in steps of 10 ms",
    )  # fmt: skip


def _few(found: Rest) -> bool | None:
    """Whether the aim is met; None: so far, but no sweep was among it."""
    if found.wake_ups > MAX_WAKE_UPS:
        return False
    return True if found.seconds >= SWEEP_SECONDS else None


def _memory(found: Memory) -> str:
    return f"{found.rss / MEGABYTE:.1f} MB (PSS {found.pss / MEGABYTE:.1f}, private {found.private / MEGABYTE:.1f})"


def _wake_ups(found: Rest) -> str:
    turned = found.switches
    return f"{found.wake_ups:.0f} ({turned.voluntary}+{turned.involuntary}, {turned.threads} threads)"


def _notes(rested: float, seconds: float) -> list[str]:
    swept = "one sweep is in it" if seconds >= SWEEP_SECONDS else "no sweep is in it, so the full profile counts"
    return [
        f"All three at the same time, {seconds:g} s after {rested:g} s of rest; {swept}. "
        "In brackets: voluntary + involuntary context switches of all threads in that time.",
    ]
