"""Reading a transcript: one firing of a hook until every message is journaled, beside reading and parsing the file."""

import json
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import perf_counter, sleep

from support.installation import Installation

from bench import talk
from bench.ground import Ground
from bench.process import Cpu, cpu
from bench.served import serving
from bench.table import Row, compared
from bench.timing import Times, in_turn
from memoryd.clock import rfc3339, utc_now
from memoryd.ipc.client import Client

TITLE = "Transcript reading"
WAIT_SECONDS = 300.0


@dataclass(slots=True)
class Bench:
    """A new session and file for each round: a known record would be a duplicate."""

    served: Installation
    size: int
    used: list[Cpu] = field(default_factory=list)
    events: int = 0
    made: int = 0  #: bytes of the newest file
    _rounds: "count[int]" = field(default_factory=lambda: count(1))

    def read(self) -> float:
        """Seconds from the firing until the last message is in the journal."""
        number = next(self._rounds)
        session = f"long-{number}"
        path = self.served.home / f"{session}.jsonl"
        text, self.events = talk.transcript(self.size, session=session, cwd=str(self.served.home), seed=number)
        path.write_bytes(text)
        self.made = len(text)
        before, began = cpu(self.served.pid), perf_counter()
        self._stop(session, path)
        self._wait(session, self.events + 1, began)
        taken = perf_counter() - began
        self.used.append(cpu(self.served.pid) - before)
        return taken

    def parse(self) -> float:
        """Seconds to read the newest file and parse each of its lines."""
        path = max(self.served.home.glob("long-*.jsonl"), key=lambda one: one.stat().st_mtime)
        began = perf_counter()
        with path.open("rb") as lines:
            for line in lines:
                json.loads(line)
        return perf_counter() - began

    def _stop(self, session: str, path: Path) -> None:
        stdin = {"session_id": session, "hook_event_name": "Stop", "transcript_path": str(path), "prompt_id": session}
        raw = json.dumps({**stdin, "cwd": str(self.served.home), "last_assistant_message": "done"})
        known = {"id": uuid.uuid4().hex, "at": rfc3339(utc_now()), "host": "claude-code", "event": "Stop"}
        with Client(self.served.places.socket) as client:
            client.call("hook.deliver", {**known, "raw": raw})

    def _wait(self, session: str, events: int, began: float) -> None:
        """:raises RuntimeError: other events than the file holds were journaled"""
        connection = sqlite3.connect(f"{self.served.database.as_uri()}?mode=ro", uri=True, isolation_level=None)
        asked = "select transcript_offset, id from sessions where session_id = ?"
        try:
            while connection.execute(asked, (session,)).fetchone()[0] < self.made:
                if perf_counter() - began > WAIT_SECONDS:
                    raise RuntimeError("the transcript is not read")
                sleep(0.01)
            (key,) = connection.execute("select id from sessions where session_id = ?", (session,)).fetchone()
            (found,) = connection.execute("select count(*) from events where session = ?", (key,)).fetchone()
        finally:
            connection.close()
        if found != events:
            raise RuntimeError(f"{found} events journaled, {events} expected")


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    megabytes = ground.pick(quick=4, full=20)
    with serving(ground, "reading", CONSOLIDATION__INTERVAL_TURNS="1000") as served:
        bench = Bench(served, megabytes * 1_000_000)
        variants: dict[str, Callable[[], float]] = {"read": bench.read, "parse": bench.parse}
        times = in_turn(variants, ground.pick(quick=2, full=3), warm=0)
    used = [one.loop for one in bench.used], [one.others for one in bench.used]
    loop, others = (Times(one).median / bench.events * 1e6 for one in used)
    rate, floor = (Times([bench.made / 1e6 / t for t in times[name].samples]) for name in ("read", "parse"))
    row = compared(
        f"hook and a transcript of {megabytes} MB, all {bench.events:,} events journaled",
        f"{rate.median:.2f} MB/s ({bench.events / times['read'].median:,.0f} events/s)",
        f"{floor.median:.0f} MB/s (read and json.loads)", rate.over(floor), None,
        f"CPU of one event: loop thread {loop:.0f} us, other threads {others:.0f} us",
    )  # fmt: skip
    spread = f"read {rate.spread:.0%}, floor {floor.spread:.0%}"
    return [row], [f"{len(times['read'].samples)} rounds in turn, a new session each; spread: {spread}."]
