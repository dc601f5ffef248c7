import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.daemon import allocator

#: threads that allocate at the same time, then what the C library says of its arenas
PROGRAM = """
import ctypes, sys, threading
from memoryd.daemon import allocator

if sys.argv[1] == "one":
    allocator.keep_one_arena()
all_in = threading.Barrier(4)

def work():
    held = [bytes(5_000) for _ in range(200)]
    all_in.wait(20)
    del held

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
allocator.trim()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(allocator._glibc() is None, reason="another C library: it has no arenas to bound")
def test_all_threads_share_one_arena(tmp_path: Path) -> None:
    def arenas(how: str) -> int:
        report = tmp_path / how
        subprocess.run([sys.executable, "-c", PROGRAM, how, str(report)], check=True, timeout=60)
        return report.read_text().count("<heap nr=")

    assert arenas("one") == 1 < arenas("many")
