"""The journal without sockets, a program of its own: `journal.py FOLDER SECONDS` prints one JSON object.

16 messages of 1 KB are appended at once, their commit awaited, then the next 16: what the daemon's own tables and
Python around them leave of bare SQLite.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path[0] = str(Path(__file__).parents[1])
from bench.disk import BATCH, KILOBYTE  # noqa: E402
from memoryd.clock import utc_now  # noqa: E402
from memoryd.daemon.journal.journal import Arrival, Binding, Journal  # noqa: E402
from memoryd.ipc.events import Message, MessageData  # noqa: E402


async def append(folder: Path, seconds: float) -> dict[str, float]:
    journal, count = await asyncio.to_thread(Journal.open, folder / "journal.db"), 0
    began, used = perf_counter(), process_time()
    while perf_counter() - began < seconds:
        await asyncio.gather(*(journal.append([_arrival(folder, n)]) for n in range(BATCH)))
        count += BATCH
    taken, used = perf_counter() - began, process_time() - used
    await asyncio.to_thread(journal.close)
    return {"rate": count / taken, "cpu": used / count}


def _arrival(folder: Path, session: int) -> Arrival:
    event = Message(
        id=os.urandom(16).hex(), host="generic", session_id=f"s{session}", at=utc_now(),
        data=MessageData(role="assistant", text=KILOBYTE),
    )  # fmt: skip
    return Arrival(event=event, binding=Binding(dir=folder, kind="user"))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(append(Path(sys.argv[1]), float(sys.argv[2])))))
