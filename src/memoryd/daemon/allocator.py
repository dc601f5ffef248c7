"""The C allocator of the daemon's process (glibc): one arena, large blocks apart, and what is free goes back.

By default each thread that allocates gets an arena of its own, and none gives back what stands between two live blocks:
measured 3 MB after 1 000 events, more after a large import. And the first large block that is freed raises the size
from which blocks stand apart: the next ones lie among the small ones, and what they leave is filled with small ones.
Other C libraries have no such knobs and need none.
"""

import ctypes
from functools import cache

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  #: <malloc.h>
LARGE_BYTES = 128 * 1024  #: glibc's own first value; set, it stays


def spare() -> None:
    """Let all threads share an arena, and large blocks stand apart for good; before the first thread starts."""
    if (libc := _glibc()) is not None:
        libc.mallopt(_M_ARENA_MAX, 1)
        libc.mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)


def trim() -> None:
    """Give free pages back. Blocking, about a millisecond."""
    if (libc := _glibc()) is not None:
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None
