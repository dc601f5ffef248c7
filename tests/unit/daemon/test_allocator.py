import re
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.daemon import allocator

#: threads that allocate at the same time, then what the C library says of its arenas
PROGRAM = """
import ctypes, sys, threading
from memoryd.daemon import allocator

if sys.argv[1] == "spared":
    allocator.spare()
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
freed = bytes(8_000_000)
del freed  # with glibc's defaults the next large block lies among the small ones
large = bytes(7_000_000)
allocator.trim()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(allocator._glibc() is None, reason="another C library: it has no such knobs")
def test_all_threads_share_one_arena_and_large_blocks_stand_apart_for_good(tmp_path: Path) -> None:
    def blocks(how: str) -> tuple[int, int]:
        """Arenas, and bytes of the blocks that stand apart."""
        report = tmp_path / how
        subprocess.run([sys.executable, "-c", PROGRAM, how, str(report)], check=True, timeout=60)
        text = report.read_text()
        (apart,) = re.findall(r'<total type="mmap" count="\d+" size="(\d+)"/>', text)
        return text.count("<heap nr="), int(apart)

    (arenas, apart), (arenas_else, apart_else) = blocks("spared"), blocks("as it comes")
    assert arenas == 1 < arenas_else
    assert apart >= 7_000_000 + apart_else
