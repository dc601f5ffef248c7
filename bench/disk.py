"""What the disk gives. Run as a program: `disk.py fsync|sqlite FOLDER SECONDS` prints one JSON object.

fsync: append 1 KB and fdatasync. sqlite: one thread, WAL, synchronous FULL, 1 KB rows, 16 to a transaction.
"""

import json
import os
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path[0] = str(Path(__file__).parents[1])
from bench.bare import commit, open_database  # noqa: E402

KILOBYTE = "x" * 1024
BATCH = 16


def fsync(folder: str, seconds: float) -> dict[str, object]:
    taken, until = [], perf_counter() + seconds
    descriptor = os.open(f"{folder}/appended", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while (began := perf_counter()) < until:
        os.write(descriptor, KILOBYTE.encode())
        sync(descriptor)
        taken.append(perf_counter() - began)
    return {"taken": taken}


def sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(descriptor)


def sqlite(folder: str, seconds: float) -> dict[str, object]:
    connection = open_database(f"{folder}/bare.db")
    rows, count = [(KILOBYTE,)] * BATCH, 0
    began, used = perf_counter(), process_time()
    while perf_counter() - began < seconds:
        commit(connection, rows)
        count += BATCH
    return {"rate": count / (perf_counter() - began), "cpu": (process_time() - used) / count}


if __name__ == "__main__":
    print(json.dumps({"fsync": fsync, "sqlite": sqlite}[sys.argv[1]](sys.argv[2], float(sys.argv[3]))))
