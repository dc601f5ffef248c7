"""How the time that something takes grows with what it is given."""

import time
from collections.abc import Callable

CHARS = 8_000


def growth(read: Callable[[str], object], unit: str, *, chars: int = CHARS) -> float:
    """How much longer a text of 8 times the length takes, by its length: about 1 where the time grows as the text does,
    8 and more where it grows as its square."""
    short, long = unit * (chars // len(unit)), unit * (8 * chars // len(unit))
    return min(_seconds(read, long) for _ in range(2)) / max(min(_seconds(read, short) for _ in range(5)), 1e-4) / 8


def _seconds(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began
